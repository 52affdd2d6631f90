// Common part of sharded-gmm, ep-gmm and ring-of-experts: a grouped product whose groups are
// distributed over devices.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/operations/collective_reader.h"
#include "kernels/experts/sharded_grouped_matmul.h"

namespace tessera::cli {

// `own`, then the options of the product: --k, --n, --groups, --dtype, --transpose-rhs, tiles.
Options grouped_options(Options own);
Option group_sizes_option();
// Reads the options for the execution of the product, after settle(), and sets its reported types.
void begin_grouped(CollectiveReader& read, GroupedCollectiveOptions& options);

// Group sizes: from --sizes, from a list, or drawn when the number of rows is known.
class SharedGroupSizes {
 public:
  // Sizes from a file or a list set the number of groups. read: must outlive this object.
  SharedGroupSizes(CollectiveReader& read, std::string_view kernel, Per per);

  // Number of rows in all groups, the maximum over the tensors of a file; none if sizes are drawn.
  std::optional<std::int64_t> rows() const { return rows_; }
  // One tensor for each of `count` devices or rings. Requires CollectiveReader::settle().
  const Collective::Tensors& tensors(std::size_t count);

 private:
  CollectiveReader& read_;
  Per per_;
  const Collective::Tensors* tensors_ = nullptr;
  std::optional<std::int64_t> rows_;
};

}  // namespace tessera::cli

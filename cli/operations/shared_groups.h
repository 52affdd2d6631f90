// Common part of sharded-gmm, ep-gmm and ring-of-experts: a grouped product whose groups are
// distributed over devices.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/operations/collective_reader.h"
#include "kernels/experts/sharded_grouped_matmul.h"

namespace tessera::cli {

// Returns `own`, followed by the options of the product: --k, --n, --groups, --dtype,
// --transpose-rhs, tiles.
Options grouped_options(Options own);
Option group_sizes_option();
// Sets `options` to the common options of `read`, with --transpose-rhs, --tiling and --buffers, and
// sets the reported types. Requires CollectiveReader::settle().
void begin_grouped(CollectiveReader& read, GroupedCollectiveOptions& options);

// Group sizes: from --sizes, from a list, or drawn when the number of rows is known.
class SharedGroupSizes {
 public:
  // Binds the operand --sizes of the kernel. Sizes from a file or a list set the number of groups.
  // Errors are added to `read`, which must outlive this object. per: unit that has sizes of its
  // own.
  SharedGroupSizes(CollectiveReader& read, std::string_view kernel, Per per);

  // Number of rows in all groups, the maximum over the tensors of a file; none if the sizes are
  // drawn or wrong.
  std::optional<std::int64_t> rows() const { return rows_; }
  // Returns one tensor for each of `count` devices or rings, as an operand that --out can save.
  // Without given sizes, draws them for --m rows. Call it at most once, after
  // CollectiveReader::settle().
  const Collective::Tensors& tensors(std::size_t count);

 private:
  CollectiveReader& read_;
  Per per_;
  const Collective::Tensors* tensors_ = nullptr;
  std::optional<std::int64_t> rows_;
};

}  // namespace tessera::cli

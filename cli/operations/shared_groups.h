// The common part of sharded-gmm, ep-gmm and ring-of-experts: a grouped product whose groups are
// shared by devices.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/operations/collective_reader.h"
#include "kernels/experts/sharded_grouped_matmul.h"

namespace tessera::cli {

// Their own options and those of the product: --k, --n, --groups, --dtype, --transpose-rhs, tiles.
Options grouped_options(Options own);
Option group_sizes_option();
// Reads the options for the execution of the product, after settle(), and sets its reported types.
void begin_grouped(CollectiveReader& read, GroupedCollectiveOptions& options);

// Group sizes: of --sizes, listed, or drawn once the number of rows is known.
class SharedGroupSizes {
 public:
  // Sizes of a file or a list give the number of groups.
  SharedGroupSizes(CollectiveReader& read, std::string_view kernel, Per per);

  // The rows that they own, none if they are drawn.
  std::optional<std::int64_t> rows() const { return rows_; }
  // One for each of `count` devices or rings. Requires settle().
  const Collective::Tensors& tensors(std::size_t count);

 private:
  CollectiveReader& read_;
  Per per_;
  const Collective::Tensors* tensors_ = nullptr;
  std::optional<std::int64_t> rows_;
};

}  // namespace tessera::cli

// What the commands of the grouped matmuls whose groups are shared by devices have in common.
#pragma once
#include <cstdint>

#include "cli/operations/collective_reader.h"
#include "kernels/experts/sharded_grouped_matmul.h"

namespace tessera::cli {

// Their own options and those of the product: --k, --n, --groups, --dtype, --transpose-rhs, tiles.
Options grouped_options(Options own);
// Reads what belongs to how the product runs, of operands of `type`.
void begin_grouped(CollectiveReader& read, Collective& collective, DType type,
                   GroupedCollectiveOptions& options);
// The shape of `groups` matrices.
Shape matrices(std::int64_t groups, std::int64_t k, std::int64_t n,
               const GroupedCollectiveOptions& options);

}  // namespace tessera::cli

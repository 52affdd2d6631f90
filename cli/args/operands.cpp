#include "cli/args/operands.h"

#include <cstdint>

#include "cli/args/fill_operand.h"
#include "cli/args/operation_options.h"

namespace tessera::cli {
namespace {

// Different streams for the operands of one seed.
enum Stream : std::uint64_t { of_lhs = 1, of_rhs = 2, of_existing = 3 };

std::uint64_t stream_seed(std::uint64_t seed, Stream stream) { return seed * 4 + stream; }

}  // namespace

Operands generate(const Problem& problem, Operands operands, bool lazily) {
  // Sums run over k, or over the rows of a group.
  const std::int64_t terms = problem.desc.is_tgmm() ? problem.desc.m : problem.desc.k;
  operands.values.fill = problem.fill;
  operands.values.are_of_files =
      operands.lhs.rank() + operands.rhs.rank() + operands.existing.rank() > 0;
  const auto make = [&](Tensor& tensor, DType dtype, const Shape& shape, FillRole role,
                        Stream stream) {
    if (tensor.rank() != 0) return;
    tensor = filled_operand(dtype, shape, problem.fill, role, terms,
                            stream_seed(problem.seed, stream), lazily);
  };
  make(operands.lhs, problem.desc.lhs, problem.lhs_shape(), FillRole::lhs, of_lhs);
  make(operands.rhs, problem.desc.rhs, problem.rhs_shape(), FillRole::rhs, of_rhs);
  if (problem.desc.existing) {
    make(operands.existing, problem.desc.out, problem.out_shape(), FillRole::existing, of_existing);
  }
  if (operands.group_sizes.rank() == 0) operands.group_sizes = sizes_tensor(problem.desc.sizes);
  return operands;
}

}  // namespace tessera::cli

#include "kernels/ragged_dot/group_sizes.h"

#include <fmt/format.h>

#include "core/report/try.h"

namespace tessera {

Expected<void> count_groups(const RaggedArguments& given, const RaggedAxes& axes,
                            RaggedCall& call) {
  if (given.sizes.rank() < 1) return wrong("expected rank of group_sizes to be >=1.");
  const std::int64_t groups = given.sizes.dim(given.sizes.rank() - 1);
  call.product.sizes.assign(static_cast<std::size_t>(groups), 0);
  if (given.sizes.rank() == 1) return {};
  std::vector<std::int64_t> prefix = axes.before;
  if (call.mode != RaggedMode::Batch) prefix = joined({given.dims.lhs_batch, axes.before});
  Shape expected = extents(given.lhs, prefix);
  expected.push_back(groups);
  if (given.sizes.shape() == expected) return {};
  return wrong(fmt::format("expected group_sizes to have shape {}, got {}.", to_string(expected),
                           to_string(given.sizes.shape())));
}

Expected<void> count_matrices(const RaggedArguments& given, RaggedCall& call) {
  if (call.mode != RaggedMode::NonContracting) return {};
  const std::int64_t size = given.rhs.dim(static_cast<int>(given.dims.rhs_group[0]));
  call.product.local_groups = size;
  if (given.options.group_offset || size == call.product.groups()) return {};
  return wrong(fmt::format("expected rhs group dimension size to be {}, got {}.",
                           call.product.groups(), size));
}

Expected<void> take_window(const RaggedArguments& given, RaggedCall& call) {
  GroupedDesc& product = call.product;
  if (call.mode == RaggedMode::Batch && given.options.group_offset)
    return error(ErrorCode::unsupported,
                 "Unimplemented group_offset support. The sizes of a ragged batch change no "
                 "value, and all of it is computed");
  if (given.options.group_offset) {
    product.group_offset = TRY(group_window(*given.options.group_offset)).offset;
    if (product.group_offset < 0 || product.group_offset >= product.groups())
      return error(fmt::format("group_offset {} is not among the {} groups of group_sizes",
                               product.group_offset, product.groups()));
  }
  const std::int64_t left = product.groups() - product.group_offset;
  if (call.mode != RaggedMode::NonContracting) product.local_groups = left;
  if (given.options.local_groups) {
    if (call.mode != RaggedMode::Contracting)
      return error(call.mode == RaggedMode::Batch
                       ? "local_groups is for a ragged contraction; all of a batch is computed"
                       : "local_groups is for a ragged contraction; rhs has the groups "
                         "otherwise");
    product.local_groups = *given.options.local_groups;
  }
  if (product.groups() == 0) return error("a ragged dot product has at least one group");
  if (product.local_groups >= 1 && product.local_groups <= left) return {};
  return error(fmt::format("{} groups from group {} on do not fit into the {} of group_sizes",
                           product.local_groups, product.group_offset, product.groups()));
}

Expected<void> take_sizes(const RaggedArguments& given, RaggedCall& call) {
  GroupedDesc& product = call.product;
  const std::int64_t ragged = given.lhs.dim(static_cast<int>(given.dims.lhs_ragged[0]));
  std::int64_t prefixes = call.batch * call.outer;
  // A ragged batch has one list of sizes for each prefix; the sizes divide only the batch.
  if (call.mode == RaggedMode::Batch) prefixes = given.sizes.elements() / product.groups();
  const bool shared = given.sizes.rank() == 1;
  for (std::int64_t p = 0; p < (shared ? 1 : prefixes); ++p) {
    std::int64_t sum = 0;
    for (std::int64_t g = 0; g < product.groups(); ++g) {
      const auto size = static_cast<std::int64_t>(given.sizes.at(p * product.groups() + g));
      if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
      if (size > ragged - sum)
        return error(fmt::format(
            "the group sizes up to group {} sum to more than the ragged extent {}", g, ragged));
      sum += size;
      call.group_sizes.push_back(size);
      if (p == 0) product.sizes[static_cast<std::size_t>(g)] = size * call.inner;
    }
  }
  if (shared && call.mode != RaggedMode::Batch) {
    const std::vector<std::int64_t> one = call.group_sizes;
    call.group_sizes.clear();
    for (std::int64_t p = 0; p < prefixes; ++p)
      call.group_sizes.insert(call.group_sizes.end(), one.begin(), one.end());
  }
  return {};
}

}  // namespace tessera

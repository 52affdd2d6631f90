// ring-of-experts: mixture of experts, with tokens and experts distributed over the devices of
// rings.
#include "kernels/experts/ring_of_experts.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/operations/shared_groups.h"
#include "core/data/shape_limits.h"
#include "kernels/collective/rings.h"
#include "kernels/inputs/routing.h"

namespace tessera::cli {
namespace {

// Largest weight of an integer fill: integer_range of FillRole::existing.
constexpr std::int64_t largest_weight = 8;

// Converts indices to the kernel's i32; NumPy's integers have 64 bits.
Tensor as_i32(const Tensor& indices, CollectiveReader& read) {
  Tensor tensor(DType::i32, indices.shape());
  if (!is_integer(indices.dtype())) {
    read.complain(
        fmt::format("--experts holds elements of type {}, and numbers of groups are integers",
                    name(indices.dtype())));
    return tensor;
  }
  for (std::int64_t i = 0; i < indices.elements(); ++i) {
    tensor.set(i, indices.at(i));
    if (tensor.at(i) == indices.at(i)) continue;
    read.complain(fmt::format("--experts names group {}, which does not exist", indices.at(i)));
    break;
  }
  return tensor;
}

// Returns the experts of each token, from the file or drawn.
const Collective::Tensors& chosen(CollectiveReader& read) {
  Collective::Tensors experts;
  if (const Collective::Tensors* const given = read.held("experts")) {
    if (given->front().dtype() == DType::i32) return *given;
    for (const Tensor& indices : *given) experts.push_back(as_i32(indices, read));
    return read.collective.operands.emplace_back(std::move(experts));
  }
  for (std::size_t d = 0; d < read.devices(); ++d)
    experts.push_back(read.experts(read.value("m"), read.value("top-k"), read.value("groups"), d));
  return read.keep("experts", std::move(experts));
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  CollectiveReader read(arguments);
  if (!read.ok()) return read.diags();
  read.bind("ring_of_experts", {{"lhs"}, {"rhs"}, {"experts"}, {"weights"}}, DType::bf16);
  read.otherwise("top-k", 2);
  read.settle();
  const std::int64_t groups = read.value("groups"), top_k = read.value("top-k");
  RingOfExpertsOptions options;
  begin_grouped(read, options);
  options.capacity = read.optional("capacity");
  if (top_k > groups)
    read.complain(fmt::format("--top-k {} exceeds the number of groups, {}", top_k, groups));
  if (!read.ok()) return read.diags();
  read.describe({"m", "k", "n", "groups", "top-k"});
  read.count_flops({"m", "top-k", "k", "n"});
  // Number of terms for which sums of integers must stay exact: top_k products of k terms, times
  // weights.
  const std::int64_t terms = saturated_product({read.value("k"), top_k, largest_weight});
  const auto &lhs = read.fill("lhs", terms), &rhs = read.fill("rhs", terms),
             &weights = read.fill("weights", 1), &experts = chosen(read);
  if (!read.ok()) return read.diags();
  const Tensor& rings = read.rings();
  return as_call(std::move(read.collective),
                 launch_ring_of_experts(lhs, rhs, experts, weights, rings, options),
                 judge_with(check_ring_of_experts, options, lhs, rhs, experts, weights, rings));
}

}  // namespace

Command ring_of_experts_command() {
  return operation_command<prepare>(
      "ring-of-experts",
      "mixture of experts: tokens gathered, each device's experts applied, sums scattered",
      "  gmm-run ring-of-experts --devices 4 --m 8 --k 32 --n 16 --groups 8 --interpret\n"
      "  gmm-run ring-of-experts --rings 0,2/3,1 --m 6 --k 32 --n 16 --groups 4 --top-k 1\n"
      "  gmm-run ring-of-experts --devices 2 --m 8 --k 32 --n 16 --groups 4 --capacity 20\n",
      collective_options(grouped_options(
          {{"m", "N", "tokens of one device"},
           {"top-k", "N", "every token goes to N groups, which --seed draws; default 2"},
           {"capacity", "N",
            "max choices of its groups that a device accepts; default the choices of all tokens"},
           operand_option("lhs", "[m, k] of each device: its tokens"),
           operand_option("rhs", "[its groups, k, n] of each device"),
           operand_option("experts", "[m, top-k] of each device: the groups of each token"),
           operand_option("weights", "[m, top-k] of each device, f32")})));
}

}  // namespace tessera::cli

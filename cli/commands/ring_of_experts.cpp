// ring-of-experts: mixture of experts whose tokens and experts are shared by the devices of rings.
#include "kernels/experts/ring_of_experts.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "cli/operations/collective.h"
#include "cli/operations/grouped_collective.h"
#include "kernels/collective/rings.h"
#include "kernels/inputs/routing.h"

namespace tessera::cli {
namespace {

// A whole weight is at most this large: integer_range of FillRole::existing.
constexpr std::int64_t largest_weight = 8;

Expected<OperationCall> prepare(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  const std::int64_t k = read.extent("k"), n = read.extent("n"), m = read.extent("m");
  const std::int64_t groups = read.extent("groups", 1), top_k = read.integer("top-k", 2, 1);
  const DType type = read.type("dtype", DType::bf16);
  RingOfExpertsOptions options;
  begin_grouped(read, collective, type, options);
  options.capacity = read.optional("capacity");
  const std::int64_t local = read.shared("groups", groups);
  if (top_k > groups) read.complain(fmt::format("--top-k {} of {} groups", top_k, groups));
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", m}, {"k", k}, {"n", n}, {"groups", groups}, {"top_k", top_k}};
  collective.flops = 2 * m * top_k * k * n * static_cast<std::int64_t>(read.devices());
  // Whole sums are exact: of top_k products of k terms, times weights.
  const std::int64_t terms = k * top_k * largest_weight;
  const auto& lhs = read.fill(collective, type, {m, k}, FillRole::lhs, terms);
  const auto& rhs =
      read.fill(collective, type, matrices(local, k, n, options), FillRole::rhs, terms);
  const auto& weights = read.fill(collective, DType::f32, {m, top_k}, FillRole::existing, 1);
  auto& experts = collective.operands.emplace_back();
  for (std::size_t d = 0; d < read.devices(); ++d)
    experts.push_back(*random_experts(m, top_k, groups, read.seed() * 65536 + d));
  Expected<Launch> launch =
      launch_ring_of_experts(lhs, rhs, experts, weights, read.rings(), options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [&lhs, &rhs, &experts, &weights, options,
                      rings = std::make_shared<Tensor>(read.rings().clone())](
                         const Launch& done, const CheckOptions& how) {
    return check_ring_of_experts(lhs, rhs, experts, weights, *rings, done, options, how);
  };
  return as_call(std::move(collective));
}

}  // namespace

Command ring_of_experts_command() {
  return {"ring-of-experts",
          "",
          "mixture of experts: tokens gathered, each device's experts applied, sums scattered",
          "  gmm-run ring-of-experts --devices 4 --m 8 --k 32 --n 16 --groups 8 --interpret\n"
          "  gmm-run ring-of-experts --rings 0,2/3,1 --m 6 --k 32 --n 16 --groups 4 --top-k 1\n"
          "  gmm-run ring-of-experts --devices 2 --m 8 --k 32 --n 16 --groups 4 --capacity 20\n",
          collective_options(grouped_options(
              {{"m", "N", "tokens of one device"},
               {"top-k", "N", "every token goes to that many groups, drawn by --seed; default 2"},
               {"capacity", "N", "choices that a device has room for; default all there are"}})),
          run_operation<prepare>,
          verifiable_operation<prepare>};
}

}  // namespace tessera::cli

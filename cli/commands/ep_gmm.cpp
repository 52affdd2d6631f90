// ep-gmm: grouped matmul with groups distributed over devices; rows are sent to the devices of
// their groups and back.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/operations/shared_groups.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/inputs/routing.h"

namespace tessera::cli {
namespace {

// Routes each token to `top_k` experts. Output: lhs with the routed rows, and the sizes.
void route_tokens(CollectiveReader& read, std::int64_t top_k, const Collective::Tensors*& lhs,
                  const Collective::Tensors*& sizes) {
  const std::int64_t m = read.value("m"), groups = read.value("groups");
  const auto& all = read.fill("tokens", read.value("k"));
  Collective::Tensors rows, counts;
  for (std::size_t d = 0; d < read.devices(); ++d) {
    const Tensor experts = read.experts(m, top_k, groups, d);
    if (!read.ok()) return;
    Expected<Routing> routing = route(experts, groups);
    CHECK(routing);
    rows.push_back(*routed_rows(all[d], *routing));
    counts.push_back(std::move(routing->group_sizes));
  }
  read.extent("m").value = m * top_k;
  lhs = &read.keep("lhs", std::move(rows));
  sizes = &read.keep("sizes", std::move(counts));
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  constexpr std::string_view kernel = "expert_parallel_gmm";
  CollectiveReader read(arguments, Peers::all);
  if (!read.ok()) return read.diags();
  SharedGroupSizes given(read, kernel, Per::device);
  read.bind(kernel, {{"lhs"}, {"tokens", "lhs"}, {"rhs"}}, DType::bf16);
  read.otherwise("m", given.rows());
  read.settle();
  if (!read.ok()) return read.diags();
  ExpertParallelOptions options;
  begin_grouped(read, options);
  options.capacity = read.optional("capacity");
  const std::optional<std::int64_t> top_k = read.optional("top-k", 1);
  for (const char* option : {"group-sizes", "sizes", "lhs"})
    if (top_k && read.has(option))
      read.complain(
          fmt::format("--top-k draws tokens and their experts, and --{} gives rows that are "
                      "already routed: use one of them",
                      option));
  if (top_k && *top_k > read.value("groups"))
    read.complain(
        fmt::format("--top-k {} exceeds the number of groups, {}", *top_k, read.value("groups")));
  if (!read.ok()) return read.diags();
  const Collective::Tensors *lhs = nullptr, *sizes = nullptr;
  const std::int64_t k = read.value("k");
  if (top_k) {
    route_tokens(read, *top_k, lhs, sizes);
  } else {
    sizes = &given.tensors(read.devices());
    lhs = &read.fill("lhs", k);
  }
  if (!read.ok()) return read.diags();
  read.collective.group_sizes = sizes;
  read.describe({"m", "k", "n", "groups"});
  if (top_k) read.describe({"top-k"});
  read.count_flops({"m", "k", "n"});
  const auto& rhs = read.fill("rhs", k);
  return as_call(std::move(read.collective),
                 launch_expert_parallel_matmul(*lhs, rhs, *sizes, options),
                 judge_with(check_expert_parallel_matmul, options, *lhs, rhs, *sizes));
}

}  // namespace

Command ep_gmm_command() {
  return operation_command<prepare>(
      "ep-gmm",
      "expert-parallel grouped matmul: rows travel to the devices of their groups and back",
      "  gmm-run ep-gmm --devices 4 --m 32 --k 32 --n 16 --groups 8 --interpret\n"
      "  gmm-run ep-gmm --devices 4 --m 16 --k 32 --n 16 --groups 8 --top-k 2\n"
      "  gmm-run ep-gmm --devices 4 --sizes sizes.npy --lhs 'x{d}.npy' --rhs w.npy --out y.npy\n"
      "  gmm-run ep-gmm --devices 2 --group-sizes 9,0,5,2 --k 32 --n 16 --capacity 24\n",
      collective_options(
          grouped_options(
              {{"m", "N", "rows of one device; with --top-k its tokens"},
               {"top-k", "N", "every token goes to N groups, which --seed draws"},
               {"capacity", "N",
                "rows that a device has room for; default the rows of all devices"},
               group_sizes_option(),
               operand_option("sizes", "[groups] of each device: its rows for each group"),
               operand_option("lhs", "[m, k] of each device, sorted by group"),
               operand_option("rhs", "[its groups, k, n] of each device")}),
          Peers::all));
}

}  // namespace tessera::cli

// ep-gmm: groups shared by devices, rows that travel to them and back.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/operations/collective_reader.h"
#include "cli/operations/grouped_collective.h"
#include "cli/operations/shared_groups.h"
#include "core/data/shape_limits.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/inputs/routing.h"

namespace tessera::cli {
namespace {

// Rows of every device: of listed sizes, of drawn ones, or of tokens that a router sends to
// `top_k` experts each.
struct Rows {
  std::int64_t count = 0;
  const Collective::Tensors* lhs = nullptr;
  const Collective::Tensors* sizes = nullptr;
};

Rows tokens(CollectiveReader& read, Collective& collective, const GroupedDesc& product,
            std::int64_t top_k) {
  const auto& all = read.fill(collective, "tokens", product.lhs, {product.m, product.k},
                              FillRole::lhs, product.k);
  Collective::Tensors lhs, sizes;
  for (std::size_t d = 0; d < read.devices(); ++d) {
    const Tensor experts = read.experts(product.m, top_k, product.groups(), d);
    if (!read.ok()) return {};
    Expected<Routing> routing = route(experts, product.groups());
    CHECK(routing);
    lhs.push_back(*routed_rows(all[d], *routing));
    sizes.push_back(std::move(routing->group_sizes));
  }
  return {product.m * top_k, &read.keep(collective, "lhs", std::move(lhs)),
          &read.keep(collective, "sizes", std::move(sizes))};
}

Rows grouped(CollectiveReader& read, Collective& collective, const GroupedDesc& product,
             SharedGroupSizes& given) {
  const auto& sizes = given.tensors(collective, product, read.devices());
  return {
      product.m,
      &read.fill(collective, "lhs", product.lhs, {product.m, product.k}, FillRole::lhs, product.k),
      &sizes};
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective, Peers::all);
  if (!read.ok()) return read.diags();
  SharedGroups shared(read);
  SharedGroupSizes given(read, collective, shared, Per::device);
  read.file(collective, "lhs", {{&shared.said.m}, {&shared.said.k}}, shared.type, DType::bf16);
  read.file(
      collective, "rhs",
      matrices_axes(read, shared, {&shared.said.groups, static_cast<std::int64_t>(read.devices())}),
      shared.type, DType::bf16);
  given.settle_rows(shared);
  const GroupedDesc product = settle(read, shared);
  if (!read.ok()) return read.diags();
  ExpertParallelOptions options;
  begin_grouped(read, collective, product.lhs, options);
  options.capacity = read.optional("capacity");
  const std::int64_t experts = read.shared("groups", product.groups());
  const std::optional<std::int64_t> top_k = read.optional("top-k", 1);
  for (const char* option : {"group-sizes", "sizes", "lhs"})
    if (top_k && read.has(option))
      read.complain(
          fmt::format("--top-k draws tokens and their experts, and --{} gives rows that are routed "
                      "already: give one of them",
                      option));
  if (top_k && *top_k > product.groups())
    read.complain(fmt::format("--top-k {} of {} groups", *top_k, product.groups()));
  if (!read.ok()) return read.diags();
  const Rows rows =
      top_k ? tokens(read, collective, product, *top_k) : grouped(read, collective, product, given);
  if (!read.ok()) return read.diags();
  collective.group_sizes = rows.sizes;
  collective.shape = {
      {"m", rows.count}, {"k", product.k}, {"n", product.n}, {"groups", product.groups()}};
  if (top_k) collective.shape["top_k"] = *top_k;
  collective.flops = saturated_product(
      {2, rows.count, product.k, product.n, static_cast<std::int64_t>(read.devices())});
  const auto& rhs =
      read.fill(collective, "rhs", product.lhs, matrices(experts, product.k, product.n, options),
                FillRole::rhs, product.k);
  Expected<Launch> launch = launch_expert_parallel_matmul(*rows.lhs, rhs, *rows.sizes, options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [rows, &rhs, options](const Launch& done, const CheckOptions& how) {
    return check_expert_parallel_matmul(*rows.lhs, rhs, *rows.sizes, done, options, how);
  };
  return as_call(std::move(collective));
}

}  // namespace

Command ep_gmm_command() {
  return {
      "ep-gmm",
      "",
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
          Peers::all),
      run_operation<prepare>,
      verifiable_operation<prepare>};
}

}  // namespace tessera::cli

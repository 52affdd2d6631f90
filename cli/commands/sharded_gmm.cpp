// sharded-gmm and ep-gmm: grouped matmuls whose groups are shared by devices.
#include <fmt/format.h>

#include <utility>

#include "cli/operations/collective.h"
#include "cli/operations/grouped_collective.h"
#include "kernels/collective/rings.h"
#include "kernels/experts/sharded_grouped_matmul.h"
#include "kernels/inputs/group_sizes.h"
#include "kernels/inputs/routing.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using Sizes = std::vector<std::int64_t>;

Tensor as_tensor(const Sizes& sizes) {
  Tensor tensor(DType::i32, {static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g)
    tensor.as<std::int32_t>()[g] = static_cast<std::int32_t>(sizes[g]);
  return tensor;
}

// The extents that both commands take.
struct Extents {
  std::int64_t m = 0, k = 0, n = 0, groups = 0;
  DType type = DType::bf16;
};

// Listed sizes say how many groups and rows there are.
Extents extents(CollectiveReader& read) {
  Extents e;
  e.k = read.extent("k");
  e.n = read.extent("n");
  e.type = read.type("dtype", DType::bf16);
  const std::string_view sizes = read.text("group-sizes");
  if (!read.has("group-sizes") || !is_group_size_list(sizes)) {
    e.groups = read.extent("groups", 1);
    e.m = read.extent("m");
    return e;
  }
  const Sizes listed = read.group_sizes(0, 0, 0);
  std::int64_t rows = 0;
  for (const std::int64_t size : listed) rows += size;
  e.groups = static_cast<std::int64_t>(listed.size());
  if (read.integer("groups", e.groups) != e.groups)
    read.complain(
        fmt::format("--groups says {}, and --group-sizes lists {}", read.text("groups"), e.groups));
  e.m = read.integer("m", rows);
  return e;
}

Expected<OperationCall> prepare_sharded(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  const Extents e = extents(read);
  if (!read.ok()) return read.diags();
  ShardedGroupedMatmulOptions options;
  begin_grouped(read, collective, e.type, options);
  options.scatter = read.has("scatter");
  std::int64_t local_groups = read.integer("local-groups", 0, 1);
  if (local_groups == 0) local_groups = read.shared("groups", e.groups);
  if (read.has("group-offset")) {
    const auto offsets = parse_integers(read.text("group-offset"));
    if (!offsets) {
      read.complain(
          fmt::format("--group-offset wants the first group of each place as 0,2,4, not "
                      "'{}'",
                      read.text("group-offset")));
    } else {
      options.group_offset = *offsets;
    }
  }
  const std::int64_t rings = read.rings().dim(0);
  auto& sizes = collective.operands.emplace_back();
  for (std::int64_t ring = 0; ring < rings; ++ring)
    sizes.push_back(as_tensor(read.group_sizes(e.groups, e.m, static_cast<std::uint64_t>(ring))));
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", e.m}, {"k", e.k}, {"n", e.n}, {"groups", e.groups}};
  collective.flops = 2 * e.m * e.k * e.n * rings;
  const auto& lhs = read.fill(collective, e.type, {e.m, e.k}, FillRole::lhs, e.k,
                              static_cast<std::size_t>(rings));
  const auto& rhs =
      read.fill(collective, e.type, matrices(local_groups, e.k, e.n, options), FillRole::rhs, e.k);
  Expected<Launch> launch = launch_sharded_grouped_matmul(lhs, rhs, sizes, read.rings(), options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [&lhs, &rhs, &sizes, options,
                      rings = std::make_shared<Tensor>(read.rings().clone())](
                         const Launch& done, const CheckOptions& how) {
    return check_sharded_grouped_matmul(lhs, rhs, sizes, *rings, done, options, how);
  };
  return as_call(std::move(collective));
}

// Rows of every device: of listed sizes, of drawn ones, or of tokens that a router sends to
// `top_k` experts each.
struct Rows {
  std::int64_t count = 0;
  const Collective::Tensors* lhs = nullptr;
  const Collective::Tensors* sizes = nullptr;
};

Rows tokens(CollectiveReader& read, Collective& collective, const Extents& e, std::int64_t top_k) {
  const auto& all = read.fill(collective, e.type, {e.m, e.k}, FillRole::lhs, e.k);
  auto& lhs = collective.operands.emplace_back();
  auto& sizes = collective.operands.emplace_back();
  for (std::size_t d = 0; d < read.devices(); ++d) {
    const Tensor experts = *random_experts(e.m, top_k, e.groups, read.seed() * 65536 + d);
    Expected<Routing> routing = route(experts, e.groups);
    CHECK(routing);
    lhs.push_back(*routed_rows(all[d], *routing));
    sizes.push_back(std::move(routing->group_sizes));
  }
  return {e.m * top_k, &lhs, &sizes};
}

Rows grouped(CollectiveReader& read, Collective& collective, const Extents& e) {
  auto& sizes = collective.operands.emplace_back();
  for (std::size_t d = 0; d < read.devices(); ++d)
    sizes.push_back(as_tensor(read.group_sizes(e.groups, e.m, d)));
  return {e.m, &read.fill(collective, e.type, {e.m, e.k}, FillRole::lhs, e.k), &sizes};
}

Expected<OperationCall> prepare_expert_parallel(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective, Peers::all);
  if (!read.ok()) return read.diags();
  const Extents e = extents(read);
  if (!read.ok()) return read.diags();
  ExpertParallelOptions options;
  begin_grouped(read, collective, e.type, options);
  options.capacity = read.optional("capacity");
  const std::int64_t experts = read.shared("groups", e.groups);
  const std::optional<std::int64_t> top_k = read.optional("top-k", 1);
  if (top_k && read.has("group-sizes"))
    read.complain("--top-k draws each token's experts, and --group-sizes gives their rows");
  if (top_k && *top_k > e.groups)
    read.complain(fmt::format("--top-k {} of {} groups", *top_k, e.groups));
  if (!read.ok()) return read.diags();
  const Rows rows = top_k ? tokens(read, collective, e, *top_k) : grouped(read, collective, e);
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", rows.count}, {"k", e.k}, {"n", e.n}, {"groups", e.groups}};
  if (top_k) collective.shape["top_k"] = *top_k;
  collective.flops = 2 * rows.count * e.k * e.n * static_cast<std::int64_t>(read.devices());
  const auto& rhs =
      read.fill(collective, e.type, matrices(experts, e.k, e.n, options), FillRole::rhs, e.k);
  Expected<Launch> launch = launch_expert_parallel_matmul(*rows.lhs, rhs, *rows.sizes, options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [rows, &rhs, options](const Launch& done, const CheckOptions& how) {
    return check_expert_parallel_matmul(*rows.lhs, rhs, *rows.sizes, done, options, how);
  };
  return as_call(std::move(collective));
}

const Option sizes = {"group-sizes", "SIZES",
                      "100,150,50 or a distribution as of gmm; default multinomial"};

}  // namespace

Command sharded_gmm_command() {
  return {"sharded-gmm",
          "",
          "grouped matmul of rows that all devices hold, groups shared by them, shards summed",
          "  gmm-run sharded-gmm --devices 4 --m 64 --k 32 --n 16 --groups 8 --interpret\n"
          "  gmm-run sharded-gmm --rings 0,2/3,1 --m 64 --k 32 --n 16 --groups 6 --scatter\n"
          "  gmm-run sharded-gmm --devices 2 --group-sizes 9,0,5,2 --k 32 --n 16 "
          "--group-offset 2,0\n",
          collective_options(grouped_options(
              {{"m", "N", "rows; left out when --group-sizes lists them"},
               {"scatter", "", "each device gets its block of the rows, not all of them"},
               {"local-groups", "N", "groups of one device; default their equal share"},
               {"group-offset", "0,2,4,6", "first group of each place; default in order"},
               sizes})),
          run_operation<prepare_sharded>,
          verifiable_operation<prepare_sharded>};
}

Command ep_gmm_command() {
  return {"ep-gmm",
          "",
          "expert-parallel grouped matmul: rows travel to the devices of their groups and back",
          "  gmm-run ep-gmm --devices 4 --m 32 --k 32 --n 16 --groups 8 --interpret\n"
          "  gmm-run ep-gmm --devices 4 --m 16 --k 32 --n 16 --groups 8 --top-k 2\n"
          "  gmm-run ep-gmm --devices 2 --group-sizes 9,0,5,2 --k 32 --n 16 --capacity 24\n",
          collective_options(
              grouped_options(
                  {{"m", "N", "rows of one device; with --top-k its tokens"},
                   {"top-k", "N", "every token goes to that many groups, drawn by --seed"},
                   {"capacity", "N", "rows that a device can receive; default all there are"},
                   sizes}),
              Peers::all),
          run_operation<prepare_expert_parallel>,
          verifiable_operation<prepare_expert_parallel>};
}

}  // namespace tessera::cli

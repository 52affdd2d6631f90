// sharded-gmm and ep-gmm: grouped matmuls whose groups are shared by devices.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
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

// What options and files say of the operands of both commands.
struct Said {
  CollectiveReader::Extent &rows, &products, &columns, &groups;
  CollectiveReader::Type& type;

  explicit Said(CollectiveReader& read)
      : rows(read.extent("m")),
        products(read.extent("k")),
        columns(read.extent("n")),
        groups(read.extent("groups", 1)),
        type(read.operand_type("dtype")) {}
};

struct Extents {
  std::int64_t m = 0, k = 0, n = 0, groups = 0;
  DType type = DType::bf16;
};

std::int64_t sum_of(const Sizes& sizes) {
  std::int64_t rows = 0;
  for (const std::int64_t size : sizes) rows += size;
  return rows;
}

// Group sizes: of --sizes, listed, or drawn once it is known of how many rows.
class GroupSizes {
 public:
  // Sizes that are there say how many groups there are.
  GroupSizes(CollectiveReader& read, Collective& collective, Said& said, Per per)
      : read_(read), per_(per) {
    CollectiveReader::Type any("sizes", std::nullopt);
    read.file(collective, "sizes", {{&said.groups}}, any, DType::i32, per);
    if (!read.ok()) return;
    is_listed_ = read.has("group-sizes") && is_group_size_list(read.text("group-sizes"));
    if (read.has("sizes") && read.has("group-sizes"))
      read.complain("--sizes names a file, and --group-sizes gives the sizes");
    if (const auto* held = read.held(collective, "sizes", per)) {
      tensors_ = held;
      for (const Sizes& sizes : read.counts("sizes", *held))
        rows_ = std::max(rows_.value_or(0), sum_of(sizes));
    } else if (is_listed_) {
      const Sizes listed = read.group_sizes(0, 0, 0);
      const auto groups = static_cast<std::int64_t>(listed.size());
      if (said.groups.value && *said.groups.value != groups)
        read.complain(fmt::format("{} says {}, and --group-sizes lists {}", said.groups.by,
                                  *said.groups.value, groups));
      said.groups.value = groups;
      said.groups.by = "--group-sizes";
      rows_ = sum_of(listed);
    }
  }

  // And rows, where nothing else does: there may be more than they own.
  void settle_rows(Said& said) const {
    if (!said.rows.value) said.rows.value = rows_;
  }

  // One for each of `count` devices or rings.
  const Collective::Tensors& tensors(Collective& collective, const Extents& e, std::size_t count) {
    if (tensors_ != nullptr) return *tensors_;
    Collective::Tensors sizes;
    for (std::size_t part = 0; part < count; ++part)
      sizes.push_back(as_tensor(read_.group_sizes(e.groups, e.m, part)));
    return read_.keep(collective, "sizes", std::move(sizes), per_);
  }

 private:
  CollectiveReader& read_;
  Per per_;
  bool is_listed_ = false;
  const Collective::Tensors* tensors_ = nullptr;
  std::optional<std::int64_t> rows_;
};

Extents settle(CollectiveReader& read, const Said& said) {
  Extents e;
  e.k = read.value(said.products);
  e.n = read.value(said.columns);
  e.groups = read.value(said.groups);
  e.m = read.value(said.rows);
  e.type = said.type.value.value_or(DType::bf16);
  return e;
}

std::vector<CollectiveReader::Axis> matrices_axes(CollectiveReader& read, Said& said,
                                                  CollectiveReader::Axis groups) {
  if (read.has("transpose-rhs")) return {groups, {&said.columns}, {&said.products}};
  return {groups, {&said.products}, {&said.columns}};
}

Expected<OperationCall> prepare_sharded(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  Said said(read);
  GroupSizes given(read, collective, said, Per::ring);
  auto& held_groups = read.extent("local-groups", 1);
  read.file(collective, "lhs", {{&said.rows}, {&said.products}}, said.type, DType::bf16, Per::ring);
  read.file(collective, "rhs", matrices_axes(read, said, {&held_groups}), said.type, DType::bf16);
  given.settle_rows(said);
  const Extents e = settle(read, said);
  if (!read.ok()) return read.diags();
  ShardedGroupedMatmulOptions options;
  begin_grouped(read, collective, e.type, options);
  options.scatter = read.has("scatter");
  const std::int64_t local_groups =
      held_groups.value ? *held_groups.value : read.shared("groups", e.groups);
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
  const auto& sizes = given.tensors(collective, e, static_cast<std::size_t>(rings));
  if (!read.ok()) return read.diags();
  collective.group_sizes = &sizes;
  collective.shape = {{"m", e.m}, {"k", e.k}, {"n", e.n}, {"groups", e.groups}};
  collective.flops = 2 * e.m * e.k * e.n * rings;
  const auto& lhs = read.fill(collective, "lhs", e.type, {e.m, e.k}, FillRole::lhs, e.k, Per::ring);
  const auto& rhs = read.fill(collective, "rhs", e.type, matrices(local_groups, e.k, e.n, options),
                              FillRole::rhs, e.k);
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
  const auto& all = read.fill(collective, "tokens", e.type, {e.m, e.k}, FillRole::lhs, e.k);
  Collective::Tensors lhs, sizes;
  for (std::size_t d = 0; d < read.devices(); ++d) {
    const Tensor experts = *random_experts(e.m, top_k, e.groups, read.seed() * 65536 + d);
    Expected<Routing> routing = route(experts, e.groups);
    CHECK(routing);
    lhs.push_back(*routed_rows(all[d], *routing));
    sizes.push_back(std::move(routing->group_sizes));
  }
  return {e.m * top_k, &read.keep(collective, "lhs", std::move(lhs)),
          &read.keep(collective, "sizes", std::move(sizes))};
}

Rows grouped(CollectiveReader& read, Collective& collective, const Extents& e, GroupSizes& given) {
  const auto& sizes = given.tensors(collective, e, read.devices());
  return {e.m, &read.fill(collective, "lhs", e.type, {e.m, e.k}, FillRole::lhs, e.k), &sizes};
}

Expected<OperationCall> prepare_expert_parallel(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective, Peers::all);
  if (!read.ok()) return read.diags();
  Said said(read);
  GroupSizes given(read, collective, said, Per::device);
  read.file(collective, "lhs", {{&said.rows}, {&said.products}}, said.type, DType::bf16);
  read.file(collective, "rhs",
            matrices_axes(read, said, {&said.groups, static_cast<std::int64_t>(read.devices())}),
            said.type, DType::bf16);
  given.settle_rows(said);
  const Extents e = settle(read, said);
  if (!read.ok()) return read.diags();
  ExpertParallelOptions options;
  begin_grouped(read, collective, e.type, options);
  options.capacity = read.optional("capacity");
  const std::int64_t experts = read.shared("groups", e.groups);
  const std::optional<std::int64_t> top_k = read.optional("top-k", 1);
  for (const char* option : {"group-sizes", "sizes", "lhs"})
    if (top_k && read.has(option))
      read.complain(fmt::format(
          "--top-k draws tokens and their experts, and --{} gives rows that are routed", option));
  if (top_k && *top_k > e.groups)
    read.complain(fmt::format("--top-k {} of {} groups", *top_k, e.groups));
  if (!read.ok()) return read.diags();
  const Rows rows =
      top_k ? tokens(read, collective, e, *top_k) : grouped(read, collective, e, given);
  if (!read.ok()) return read.diags();
  collective.group_sizes = rows.sizes;
  collective.shape = {{"m", rows.count}, {"k", e.k}, {"n", e.n}, {"groups", e.groups}};
  if (top_k) collective.shape["top_k"] = *top_k;
  collective.flops = 2 * rows.count * e.k * e.n * static_cast<std::int64_t>(read.devices());
  const auto& rhs = read.fill(collective, "rhs", e.type, matrices(experts, e.k, e.n, options),
                              FillRole::rhs, e.k);
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
               sizes,
               operand_option("sizes", "[groups] of each ring", Per::ring),
               operand_option("lhs", "[m, k] of each ring", Per::ring),
               operand_option("rhs", "[its groups, k, n] of each device")})),
          run_operation<prepare_sharded>,
          verifiable_operation<prepare_sharded>};
}

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
               {"top-k", "N", "every token goes to that many groups, drawn by --seed"},
               {"capacity", "N", "rows that a device can receive; default all there are"},
               sizes,
               operand_option("sizes", "[groups] of each device: its rows for each group"),
               operand_option("lhs", "[m, k] of each device, sorted by group"),
               operand_option("rhs", "[its groups, k, n] of each device")}),
          Peers::all),
      run_operation<prepare_expert_parallel>,
      verifiable_operation<prepare_expert_parallel>};
}

}  // namespace tessera::cli

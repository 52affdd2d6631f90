// ag-matmul: all-gather matmul over k or over the rows, on every device of the rings.
#include <fmt/format.h>

#include <array>

#include "cli/operations/collective_reader.h"
#include "core/data/shape_limits.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

using Variant = AllgatherMatmulOptions::Variant;

// What options and files say of the operands.
struct Said {
  SaidExtents extents;
  CollectiveReader::Type& type;

  explicit Said(CollectiveReader& read)
      : extents{Extent("m", read.optional("m")), Extent("k", read.optional("k")),
                Extent("n", read.optional("n"))},
        type(read.operand_type("dtype")) {}
};

struct Settled {
  std::int64_t m = 0, k = 0, n = 0;
  DType type = DType::bf16;
};

Settled settle(CollectiveReader& read, Collective& collective, const Said& said) {
  const Settled result{read.value(said.extents.m), read.value(said.extents.k),
                       read.value(said.extents.n), said.type.value.value_or(DType::bf16)};
  const auto& [m, k, n, type] = result;
  collective.shape = {{"m", m}, {"k", k}, {"n", n}};
  collective.flops = saturated_product({2, m, k, n, static_cast<std::int64_t>(read.devices())});
  return result;
}

Expected<OperationCall> gather_k(CollectiveReader& read, Collective& collective) {
  constexpr std::array<std::string_view, 2> variants = {"production", "literal"};
  AllgatherMatmulOptions options;
  static_cast<CollectiveOptions&>(options) = collective.options;
  options.run.profile = collective.request.profile.machine;
  options.variant = static_cast<Variant>(read.choice("variant", variants));
  options.buffering = read.integer("buffering", 2, INT64_MIN);
  options.tiling = read.tiling();
  options.protocol_checks = !read.has("no-protocol-checks");
  options.out_dtype = read.type("out-dtype", DType::f32);
  if (read.has("transpose-rhs")) read.complain("--transpose-rhs is for --gather m");
  if (read.has("no-protocol-checks") && options.variant != AllgatherMatmulOptions::Variant::literal)
    read.complain("--no-protocol-checks is for --variant literal");
  Said said(read);
  read.file(collective, "lhs", {{&said.extents.m}, {&said.extents.k, read.length()}}, said.type,
            DType::bf16);
  read.file(collective, "rhs", {{&said.extents.k}, {&said.extents.n}}, said.type, DType::bf16);
  const auto [m, k, n, type] = settle(read, collective, said);
  const std::int64_t k_shard = read.shared("k", k);
  if (!read.ok()) return read.diags();
  const auto& lhs = read.fill(collective, "lhs", type, {m, k_shard}, FillRole::lhs, k);
  const auto& rhs = read.fill(collective, "rhs", type, {k, n}, FillRole::rhs, k);
  Expected<Launch> launch = launch_allgather_matmul(lhs, rhs, read.rings(), options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.dtype = type;
  collective.types = fmt::format("{} . {} -> {}", name(type), name(type), name(options.out_dtype));
  collective.judge = [&lhs, &rhs, rings = std::make_shared<Tensor>(read.rings().clone())](
                         const Launch& done, const CheckOptions& how) {
    return check_gathered(lhs, rhs, *rings, done, {1, false}, how);
  };
  return as_call(std::move(collective));
}

Expected<OperationCall> gather_m(CollectiveReader& read, Collective& collective) {
  for (const std::string_view option : {"variant", "buffering", "no-protocol-checks"}) {
    if (read.has(option)) read.complain(fmt::format("--{} is for --gather k", option));
  }
  AllgatherRowsOptions options;
  static_cast<CollectiveOptions&>(options) = collective.options;
  options.transpose_rhs = read.has("transpose-rhs");
  Said said(read);
  read.file(collective, "lhs", {{&said.extents.m, read.length()}, {&said.extents.k}}, said.type,
            DType::bf16);
  using Axes = std::vector<CollectiveReader::Axis>;
  read.file(collective, "rhs",
            options.transpose_rhs ? Axes{{&said.extents.n}, {&said.extents.k}}
                                  : Axes{{&said.extents.k}, {&said.extents.n}},
            said.type, DType::bf16);
  const auto [m, k, n, type] = settle(read, collective, said);
  if (const auto tiling = read.tiling()) {
    options.bk = tiling->k;
    options.bn = tiling->n;
    // One tile of k: the accumulator may be a part of the tile.
    if (tiling->k == k) options.acc_rows = tiling->m;
  }
  if (read.has("out-dtype") && read.type("out-dtype", type) != type)
    read.complain("--gather m gives results of the operands' type");
  const std::int64_t rows = read.shared("m", m);
  if (!read.ok()) return read.diags();
  const Shape y_shape = options.transpose_rhs ? Shape{n, k} : Shape{k, n};
  const auto& x = read.fill(collective, "lhs", type, {rows, k}, FillRole::lhs, k);
  const auto& y = read.fill(collective, "rhs", type, y_shape, FillRole::rhs, k);
  Expected<Launch> launch = launch_allgather_matmul_rows(x, y, read.rings(), options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.dtype = type;
  collective.types = fmt::format("{} . {} -> {}{}", name(type), name(type), name(type),
                                 options.transpose_rhs ? ", rhs transposed" : "");
  collective.judge = [&x, &y, transposed = options.transpose_rhs,
                      rings = std::make_shared<Tensor>(read.rings().clone())](
                         const Launch& done, const CheckOptions& how) {
    return check_gathered(x, y, *rings, done, {0, transposed}, how);
  };
  return as_call(std::move(collective));
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> gathers = {"k", "m"};
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  const bool over_rows = read.choice("gather", gathers) == 1;
  return over_rows ? gather_m(read, collective) : gather_k(read, collective);
}

}  // namespace

Command ag_matmul_command() {
  return {
      "ag-matmul",
      "",
      "all-gather matmul: the lhs of a whole ring, gathered, times each device's columns of rhs",
      "  gmm-run ag-matmul --devices 8 --m 512 --k 1024 --n 256 --interpret\n"
      "  gmm-run ag-matmul --rings 0,2,1,3/7,5,6,4 --m 64 --k 128 --n 32 --schedule random:7\n"
      "  gmm-run ag-matmul --variant literal --devices 4 --m 16 --k 64 --n 16 --dma-order fifo\n"
      "  gmm-run ag-matmul --gather m --devices 8 --m 512 --k 256 --n 128 --dtype f32\n"
      "  gmm-run ag-matmul --devices 4 --lhs 'x{d}.npy' --rhs w.npy --out 'y{d}.npy'\n",
      collective_options(
          {{"m", "N", "rows of lhs (with --gather m: of all devices of a ring)"},
           {"k", "N", "the whole contraction (with --gather k each device has its share)"},
           {"n", "N", "columns of one device"},
           {"gather", "k|m", "which extent of lhs the devices of a ring share: k or m; default k"},
           {"variant", "production|literal",
            "literal: the kernel as its authors first wrote it, which multiplies whole shards"},
           {"buffering", "N",
            "slots in each direction for the shards on their way, a power of two; default 2"},
           {"no-protocol-checks", "",
            "with --variant literal: accept a --buffering that must deadlock"},
           {"dtype", "TYPE", "element type of lhs and rhs; default bf16"},
           {"out-dtype", "TYPE",
            "element type of the result; default f32, with --gather m that of lhs"},
           {"transpose-rhs", "", "with --gather m: rhs is stored as [n, k]"},
           operand_option("lhs",
                          "[m, its share of k] of each device, with --gather m [its share "
                          "of m, k]"),
           operand_option("rhs", "[k, n] of each device"),
           {"tiling", "tm,tk,tn", "tile of the products; default the profile's"}}),
      run_operation<prepare>,
      verifiable_operation<prepare>};
}

}  // namespace tessera::cli

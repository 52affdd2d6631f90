// matmul-rs: a product whose contraction is shared by the devices, its sum scattered over them.
#include <fmt/format.h>

#include <algorithm>

#include "cli/operations/collective_reader.h"
#include "core/data/shape_limits.h"
#include "kernels/collective/matmul_reduce_scatter.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

// The largest side of at most `most` that divides the extent.
std::int64_t fitting(std::int64_t extent, std::int64_t most) {
  for (std::int64_t side = std::min(extent, most); side > 1; --side)
    if (extent % side == 0) return side;
  return 1;
}

// Tiles of a product [half, k_shard] . [k_shard, n]; `usual` are those of the profile.
void read_tiles(CollectiveReader& read, const Tiling& usual, std::int64_t half,
                std::int64_t k_shard, std::int64_t n, MatmulReduceScatterOptions& options) {
  options.bm = fitting(half, usual.m);
  options.bk = fitting(k_shard, usual.k);
  options.bn = fitting(n, usual.n);
  if (const auto tiling = read.tiling()) {
    options.bm = tiling->m;
    options.bk = tiling->k;
    options.bn = tiling->n;
  }
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective);
  if (!read.ok()) return read.diags();
  auto &rows = read.extent("m"), &products = read.extent("k"), &columns = read.extent("n");
  auto& of_operands = read.operand_type("dtype");
  const std::int64_t length = read.length();
  read.file(collective, "lhs", {{&rows}, {&products, length}}, of_operands, DType::bf16);
  read.file(collective, "rhs", {{&columns}, {&products, length}}, of_operands, DType::bf16);
  const std::int64_t m = read.value(rows), k = read.value(products), n = read.value(columns);
  const std::int64_t k_shard = read.shared("k", k);
  const DType type = of_operands.value.value_or(DType::bf16);
  MatmulReduceScatterOptions options;
  static_cast<CollectiveOptions&>(options) = collective.options;
  options.out_dtype = read.type("out-dtype", DType::f32);
  options.wire_dtype = read.type("wire-dtype", DType::f32);
  read_tiles(read, collective.request.profile.tiling, m / length / 2, k_shard, n, options);
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", m}, {"k", k}, {"n", n}};
  collective.flops = saturated_product({2, m, k, n, read.rings().dim(0)});
  collective.dtype = type;
  collective.types = fmt::format("{} . {} -> {}, sums travel as {}", name(type), name(type),
                                 name(options.out_dtype), name(options.wire_dtype));
  const auto& x = read.fill(collective, "lhs", type, {m, k_shard}, FillRole::lhs, k);
  const auto& y = read.fill(collective, "rhs", type, {n, k_shard}, FillRole::rhs, k);
  Expected<Launch> launch = launch_matmul_reduce_scatter(x, y, read.rings(), options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [&x, &y, wire = options.wire_dtype,
                      rings = std::make_shared<Tensor>(read.rings().clone())](
                         const Launch& done, const CheckOptions& how) {
    return check_product_scattered(x, y, *rings, done, wire, how);
  };
  return as_call(std::move(collective));
}

}  // namespace

Command matmul_rs_command() {
  return {
      "matmul-rs",
      "",
      "matmul + reduce-scatter: the sum over a ring of lhs . transpose(rhs), block by block",
      "  gmm-run matmul-rs --devices 4 --m 512 --k 1024 --n 256 --interpret\n"
      "  gmm-run matmul-rs --devices 4 --m 64 --k 128 --n 32 --wire-dtype bf16 --tiling 8,32,32\n",
      collective_options(
          {{"m", "N", "rows of the product; each device gets its block"},
           {"k", "N", "the whole contraction, of which each device has its share"},
           {"n", "N", "columns of the product"},
           {"dtype", "TYPE", "element type of lhs and rhs: bf16 f16 f32; default bf16"},
           operand_option("lhs", "[m, its share of k] of each device"),
           operand_option("rhs", "[n, its share of k] of each device"),
           {"out-dtype", "TYPE", "element type of the result: f32 bf16 f16; default f32"},
           {"wire-dtype", "TYPE", "element type of the sums on their way; default f32"},
           {"tiling", "tm,tk,tn",
            "tile of the products; its sides must divide half a block of rows, a device's share of "
            "k, and n"}}),
      run_operation<prepare>,
      verifiable_operation<prepare>};
}

}  // namespace tessera::cli

// matmul-rs: product with the contraction distributed over devices; the sum is scattered over them.
#include <fmt/format.h>

#include <algorithm>

#include "cli/operations/collective_reader.h"
#include "kernels/collective/matmul_reduce_scatter.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

// Returns the largest divisor of the extent that is at most `most`.
std::int64_t fitting(std::int64_t extent, std::int64_t most) {
  for (std::int64_t side = std::min(extent, most); side > 1; --side)
    if (extent % side == 0) return side;
  return 1;
}

// Sets the tiles of a product [half, k_shard] . [k_shard, n]: --tiling, else the profile's tiling
// `usual`, reduced to divisors of the extents.
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
  CollectiveReader read(arguments);
  if (!read.ok()) return read.diags();
  read.bind("matmul_reduce_scatter", {{"lhs", "x"}, {"rhs", "y"}}, DType::bf16);
  read.settle();
  const std::int64_t m = read.value("m"), k = read.value("k"), n = read.value("n");
  const Tensor& rings = read.rings();
  MatmulReduceScatterOptions options;
  static_cast<CollectiveOptions&>(options) = read.collective.options;
  options.out_dtype = read.type("out-dtype", DType::f32);
  options.wire_dtype = read.type("wire-dtype", DType::f32);
  read_tiles(read, read.collective.request.profile.tiling, m / read.length() / 2, k / read.length(),
             n, options);
  if (!read.ok()) return read.diags();
  read.describe({"m", "k", "n"});
  read.describe_types(options.out_dtype,
                      fmt::format(", sums travel as {}", name(options.wire_dtype)));
  read.count_flops({"m", "k", "n"}, Per::ring);
  const auto &x = read.fill("lhs", k), &y = read.fill("rhs", k);
  return as_call(std::move(read.collective), launch_matmul_reduce_scatter(x, y, rings, options),
                 judge_with(check_product_scattered, options.wire_dtype, x, y, rings));
}

}  // namespace

Command matmul_rs_command() {
  return operation_command<prepare>(
      "matmul-rs",
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
           {"wire-dtype", "TYPE", "element type of the sums in transit; default f32"},
           {"tiling", "tm,tk,tn",
            "tile of the products; its sides must divide half a block of rows, a device's share of "
            "k, and n"}}));
}

}  // namespace tessera::cli

// ag-matmul: all-gather matmul over k or over the rows, on every device of the rings.
#include <fmt/format.h>

#include <array>

#include "cli/operations/collective_reader.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

using Variant = AllgatherMatmulOptions::Variant;

// Reads lhs and rhs of the kernel, and reports their extents. Requires no errors before fill().
void read_operands(CollectiveReader& read, std::string_view kernel, const OperandRow& lhs,
                   const OperandRow& rhs, std::string_view shared = {}) {
  read.bind(kernel, {lhs, rhs}, DType::bf16, shared);
  read.settle();
  read.describe({"m", "k", "n"});
  read.count_flops({"m", "k", "n"});
}

Expected<OperationCall> gather_k(CollectiveReader& read) {
  constexpr std::array<std::string_view, 2> variants = {"production", "literal"};
  AllgatherMatmulOptions options;
  static_cast<CollectiveOptions&>(options) = read.collective.options;
  options.variant = static_cast<Variant>(read.choice("variant", variants));
  options.buffering = read.integer("buffering", 2, INT64_MIN);
  options.tiling = read.tiling();
  options.protocol_checks = !read.has("no-protocol-checks");
  options.out_dtype = read.type("out-dtype", DType::f32);
  if (read.has("transpose-rhs")) read.complain("--transpose-rhs is for --gather m");
  if (read.has("no-protocol-checks") && options.variant != Variant::literal)
    read.complain("--no-protocol-checks is for --variant literal");
  read_operands(read, "allgather_matmul", {"lhs"}, {"rhs"});
  if (!read.ok()) return read.diags();
  read.describe_types(options.out_dtype);
  const std::int64_t k = read.value("k");
  const auto &lhs = read.fill("lhs", k), &rhs = read.fill("rhs", k);
  const Tensor& rings = read.rings();
  return as_call(std::move(read.collective), launch_allgather_matmul(lhs, rhs, rings, options),
                 judge_with(check_gathered, Gathered{1, false}, lhs, rhs, rings));
}

Expected<OperationCall> gather_m(CollectiveReader& read) {
  for (const std::string_view option : {"variant", "buffering", "no-protocol-checks"}) {
    if (read.has(option)) read.complain(fmt::format("--{} is for --gather k", option));
  }
  AllgatherRowsOptions options;
  static_cast<CollectiveOptions&>(options) = read.collective.options;
  options.transpose_rhs = read.has("transpose-rhs");
  read_operands(read, "allgather_matmul_rows", {"lhs", "x"}, {"rhs", "y"}, "rows");
  const std::int64_t k = read.value("k");
  if (const auto tiling = read.tiling()) {
    options.bk = tiling->k;
    options.bn = tiling->n;
    // With a single tile of k, the accumulator may cover only a part of the tile's rows.
    if (tiling->k == k) options.acc_rows = tiling->m;
  }
  if (read.has("out-dtype") && read.type("out-dtype", read.dtype()) != read.dtype())
    read.complain("--gather m gives results of the operands' type");
  if (!read.ok()) return read.diags();
  read.describe_types(read.dtype(), options.transpose_rhs ? ", rhs transposed" : "");
  const auto &x = read.fill("lhs", k), &y = read.fill("rhs", k);
  const Tensor& rings = read.rings();
  return as_call(std::move(read.collective), launch_allgather_matmul_rows(x, y, rings, options),
                 judge_with(check_gathered, Gathered{0, options.transpose_rhs}, x, y, rings));
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> gathers = {"k", "m"};
  CollectiveReader read(arguments);
  if (!read.ok()) return read.diags();
  const bool over_rows = read.choice("gather", gathers) == 1;
  return over_rows ? gather_m(read) : gather_k(read);
}

}  // namespace

Command ag_matmul_command() {
  return operation_command<prepare>(
      "ag-matmul",
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
            "slots in each direction for shards in transit, a power of two; default 2"},
           {"no-protocol-checks", "",
            "with --variant literal: accept a --buffering that must deadlock"},
           {"dtype", "TYPE", "element type of lhs and rhs; default bf16"},
           {"out-dtype", "TYPE",
            "element type of the result; default f32, with --gather m the type of lhs"},
           {"transpose-rhs", "", "with --gather m: rhs is stored as [n, k]"},
           operand_option("lhs",
                          "[m, its share of k] of each device, with --gather m [its share "
                          "of m, k]"),
           operand_option("rhs", "[k, n] of each device"),
           {"tiling", "tm,tk,tn", "tile of the products; default the profile's"}}));
}

}  // namespace tessera::cli

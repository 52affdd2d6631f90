#include "kernels/collective/matmul_reduce_scatter.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {

namespace {

constexpr std::initializer_list<DType> multiplied = {DType::bf16, DType::f16, DType::f32};

// Checks in the order and with the messages of the kernel's source. The checks of ranks, types and
// k are the same as in the all-gather matmul.
Expected<void> check_product_operands(const Tensor& x, const Tensor& y, std::int64_t length,
                                      const MatmulReduceScatterOptions& options) {
  const auto bad = [](std::string text) { return error(std::move(text)); };
  if (x.rank() != 2 || y.rank() != 2) {
    return bad(fmt::format("Inputs must be 2D, got shapes {} and {}.", to_string(x.shape()),
                           to_string(y.shape())));
  }
  if (x.dtype() != y.dtype()) {
    return bad(
        fmt::format("Input dtypes must match, got {} and {}.", name(x.dtype()), name(y.dtype())));
  }
  if (x.dim(1) != y.dim(1)) {
    return bad(
        fmt::format("Incompatible shapes for matmul: contracting dimension mismatch: {} and {}.",
                    to_string(x.shape()), to_string(y.shape())));
  }
  if (options.bm <= 0 || options.bn <= 0 || options.bk <= 0) {
    return bad(fmt::format("bm, bn and bk must be positive, got bm={}, bn={} and bk={}.",
                           options.bm, options.bn, options.bk));
  }
  const std::int64_t rows = x.dim(0), block = rows / length, half = block / 2;
  if (rows % length != 0)
    return bad(fmt::format("M ({}) must be divisible by num_devices ({}).", rows, length));
  if (block % 2 != 0) return bad(fmt::format("M_block ({}) must be divisible by 2.", block));
  if (half % options.bm != 0)
    return bad(fmt::format("M_half_block ({}) must be divisible by bm ({}).", half, options.bm));
  if (y.dim(0) % options.bn != 0)
    return bad(fmt::format("N ({}) must be divisible by bn ({}).", y.dim(0), options.bn));
  if (x.dim(1) % options.bk != 0)
    return bad(fmt::format("K_shard ({}) must be divisible by bk ({}).", x.dim(1), options.bk));
  for (const DType type : {options.out_dtype, options.wire_dtype}) {
    if (type != DType::f32 && type != DType::bf16 && type != DType::f16)
      return error(ErrorCode::unsupported,
                   fmt::format("results and sums are f32, bf16 or f16, not {}", name(type)));
  }
  return {};
}

}  // namespace

Expected<Launch> launch_matmul_reduce_scatter(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const MatmulReduceScatterOptions& options) try {
  TRY(check_rings(rings, x.size()));
  if (x.size() != y.size())
    return error(fmt::format("x is given for {} devices, and y for {}", x.size(), y.size()));
  const std::int64_t length = rings.dim(1);
  TRY(check_product_operands(x[0], y[0], length, options));
  TRY(check_ring_rows("matmul_reduce_scatter", x, rings, multiplied));
  TRY(check_matrices("y", y));
  Launch launch("matmul_reduce_scatter", x.size());
  set_rings(launch, rings, options);
  launch.set("T", x[0].dtype());
  launch.set("U", options.out_dtype);
  launch.set("W", options.wire_dtype);
  launch.set("rows", x[0].dim(0));
  launch.set("k_shard", x[0].dim(1));
  launch.set("cols", y[0].dim(0));
  launch.set("credits", options.credits ? 1 : 0);
  launch.set("tm", options.bm);
  launch.set("tn", options.bn);
  launch.set("tk", options.bk);
  for (std::size_t d = 0; d < x.size(); ++d) {
    launch.input(d, "x", x[d]);
    launch.input(d, "y", y[d]);
  }
  launch.results(options.out_dtype, {x[0].dim(0) / length, y[0].dim(0)});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Verdict check_product_scattered(std::span<const Tensor> x, std::span<const Tensor> y,
                                const Tensor& rings, const Launch& done, DType wire,
                                const CheckOptions& options) {
  std::vector<Verdict> verdicts;
  for (std::int64_t ring = 0; ring < rings.dim(0); ++ring) {
    const auto of = [&](std::span<const Tensor> all) {
      return joined(rings, ring, 1, [all](std::size_t d) -> const Tensor& { return all[d]; });
    };
    const Tensor a = of(x), b = of(y);
    const Tensor whole =
        joined(rings, ring, 0, [&](std::size_t d) -> const Tensor& { return done.result(d); });
    verdicts.push_back(check_product({&a, &b, true, wire, rings.dim(1)}, whole, options));
  }
  return together_on_rings(verdicts, rings, done);
}

}  // namespace tessera

#include "kernels/collective/ring_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "core/report/guarded.h"
#include "kernels/collective/rings.h"

namespace tessera {
namespace {

Diags check_matrices(std::string_view what, std::span<const Tensor> operands) {
  for (std::size_t d = 0; d < operands.size(); ++d) {
    const Tensor& tensor = operands[d];
    if (tensor.rank() != 2)
      return {error(fmt::format("{} of device {} has shape {}, expected two dimensions", what, d,
                                to_string(tensor.shape())))};
  }
  return check_alike(what, operands);
}

Diags check(std::string_view kernel, std::span<const Tensor> x, const Tensor& rings,
            std::initializer_list<DType> types) {
  if (Diags diags = check_rings(rings, x.size()); !diags.empty()) return diags;
  if (Diags diags = check_matrices("x", x); !diags.empty()) return diags;
  if (std::find(types.begin(), types.end(), x[0].dtype()) != types.end()) return {};
  std::string known;
  for (const DType type : types)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(type));
  return {error(ErrorCode::unsupported,
                fmt::format("{} takes {}, not {}", kernel, known, name(x[0].dtype())))};
}

Launch on_rings(std::string_view kernel, std::span<const Tensor> x, const Tensor& rings,
                std::int64_t rows, const CollectiveOptions& options) {
  Launch launch(kernel, x.size());
  set_rings(launch, rings, options);
  launch.set("T", x[0].dtype());
  launch.set("rows", rows);
  launch.set("cols", x[0].dim(1));
  for (std::size_t d = 0; d < x.size(); ++d) launch.input(d, "x", x[d]);
  return launch;
}

constexpr std::initializer_list<DType> moved = {DType::f32, DType::bf16, DType::f16, DType::i32,
                                                DType::i8};
constexpr std::initializer_list<DType> added = {DType::f32, DType::i32};
constexpr std::initializer_list<DType> multiplied = {DType::bf16, DType::f16, DType::f32};

}  // namespace

Expected<Launch> launch_right_permute(std::span<const Tensor> x, const Tensor& rings,
                                      const RightPermuteOptions& options) try {
  if (Diags diags = check("right_permute", x, rings, moved); !diags.empty()) return diags;
  Launch launch = on_rings("right_permute", x, rings, x[0].dim(0), options);
  launch.set("double_barrier", options.double_barrier ? 1 : 0);
  launch.results(x[0].dtype(), x[0].shape());
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<Launch> launch_all_gather(std::span<const Tensor> x, const Tensor& rings,
                                   const AllGatherOptions& options) try {
  const char* const kernel = options.halves ? "ring_all_gather_halves" : "ring_all_gather";
  if (Diags diags = check(kernel, x, rings, moved); !diags.empty()) return diags;
  Launch launch = on_rings(kernel, x, rings, x[0].dim(0), options);
  launch.results(x[0].dtype(), {x[0].dim(0) * rings.dim(1), x[0].dim(1)});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<Launch> launch_all_reduce(std::span<const Tensor> x, const Tensor& rings,
                                   const ReduceOptions& options) try {
  if (Diags diags = check("ring_all_reduce", x, rings, added); !diags.empty()) return diags;
  Launch launch = on_rings("ring_all_reduce", x, rings, x[0].dim(0), options);
  launch.set("credits", options.credits ? 1 : 0);
  launch.results(x[0].dtype(), x[0].shape());
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<Launch> launch_reduce_scatter(std::span<const Tensor> x, const Tensor& rings,
                                       const ReduceOptions& options) try {
  if (Diags diags = check("ring_reduce_scatter", x, rings, added); !diags.empty()) return diags;
  const std::int64_t rows = x[0].dim(0), length = rings.dim(1);
  if (rows % length != 0) {
    return error(
        fmt::format("x has {} rows, which are not a block for each of {} places", rows, length));
  }
  Launch launch = on_rings("ring_reduce_scatter", x, rings, rows / length, options);
  launch.set("credits", options.credits ? 1 : 0);
  launch.results(x[0].dtype(), {rows / length, x[0].dim(1)});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

namespace {

// In the order and with the texts of the kernel's source; those on ranks, types and k are the
// all-gather matmul's.
Diags check_product(const Tensor& x, const Tensor& y, std::int64_t length,
                    const MatmulReduceScatterOptions& options) {
  const auto bad = [](std::string text) { return Diags{error(std::move(text))}; };
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
      return {error(ErrorCode::unsupported,
                    fmt::format("results and sums are f32, bf16 or f16, not {}", name(type)))};
  }
  return {};
}

}  // namespace

Expected<Launch> launch_matmul_reduce_scatter(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const MatmulReduceScatterOptions& options) try {
  if (Diags diags = check_rings(rings, x.size()); !diags.empty()) return diags;
  if (x.size() != y.size())
    return error(fmt::format("there are x of {} devices and y of {}", x.size(), y.size()));
  const std::int64_t length = rings.dim(1);
  if (Diags diags = check_product(x[0], y[0], length, options); !diags.empty()) return diags;
  if (Diags diags = check("matmul_reduce_scatter", x, rings, multiplied); !diags.empty())
    return diags;
  if (Diags diags = check_matrices("y", y); !diags.empty()) return diags;
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

}  // namespace tessera

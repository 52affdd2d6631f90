#include "kernels/collective/allgather_matmul.h"

#include <fmt/format.h>

#include <utility>

#include "core/data/shape_limits.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "devices/profiles/profile.h"
#include "kernels/collective/rings.h"

namespace tessera {
namespace {

using Options = AllgatherMatmulOptions;

Expected<void> check_operands(std::span<const Tensor> a, std::span<const Tensor> b,
                              const Tensor& rings, std::string_view name_of_a,
                              std::string_view name_of_b) {
  TRY(check_rings(rings, a.size()));
  if (a.size() != b.size()) {
    return error(fmt::format("{} is given for {} devices, and {} for {}", name_of_a, a.size(),
                             name_of_b, b.size()));
  }
  TRY(check_alike(name_of_a, a));
  return check_alike(name_of_b, b);
}

Profile profile_of(const CollectiveOptions& options) {
  const std::string& machine = options.run.profile.name;
  Expected<Profile> profile = find_profile(machine.empty() ? default_profile : machine);
  if (!profile) return {};
  if (!machine.empty()) profile->machine = options.run.profile;
  return *std::move(profile);
}

bool slots_in_hbm(const Tensor& lhs, const Options& options, const Profile& profile) {
  const std::int64_t slots = saturated_product({options.buffering, 2, lhs.bytes()});
  return options.slots_in_hbm.value_or(slots > profile.machine.vmem_bytes / 2);
}

}  // namespace

Expected<Launch> launch_allgather_matmul(std::span<const Tensor> lhs, std::span<const Tensor> rhs,
                                         const Tensor& rings, const Options& options) try {
  if (lhs.empty() || rhs.empty()) return error("no device has operands");
  const TensorType left{lhs[0].dtype(), lhs[0].shape()}, right{rhs[0].dtype(), rhs[0].shape()};
  TensorType out{options.out_dtype, {}};
  if (left.shape.size() == 2 && right.shape.size() == 2)
    out.shape = {left.shape[0], right.shape[1]};
  TRY(check_allgather_matmul(left, right, out, rings, options));
  TRY(check_operands(lhs, rhs, rings, "lhs", "rhs"));

  const bool literal = options.variant == Options::Variant::literal;
  Launch launch(literal ? "allgather_matmul_literal" : "allgather_matmul", lhs.size());
  set_rings(launch, rings, options);
  launch.set("rows", left.shape[0]);
  launch.set("cols", right.shape[1]);
  launch.set("k_shard", left.shape[1]);
  launch.set("buffering", options.buffering);
  if (literal) {
    if (options.tiling)
      return error("the literal kernel multiplies whole shards; it has no tiling");
    if (options.slots_in_hbm.value_or(false))
      return error("the literal kernel keeps its slots in vmem");
    for (DeviceBinding& device : launch.devices) {
      auto table = device.extract("position");
      table.key() = "ring_position";
      device.insert(std::move(table));
    }
  } else {
    const Profile profile = profile_of(options);
    const Tiling tiling = options.tiling.value_or(profile.tiling);
    launch.set("tm", tiling.m);
    launch.set("tk", tiling.k);
    launch.set("tn", tiling.n);
    const bool in_hbm = slots_in_hbm(lhs[0], options, profile);
    launch.set("slots_in_hbm", in_hbm ? 1 : 0);
    if (in_hbm && !options.slots_in_hbm)
      launch.notes.emplace_back(
          "the slots of the travelling shards are in hbm: they would fill vmem");
  }
  for (std::size_t d = 0; d < lhs.size(); ++d) {
    launch.input(d, "lhs", lhs[d]);
    launch.input(d, "rhs", rhs[d]);
  }
  launch.results(DType::f32, out.shape);
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<std::vector<Tensor>> allgather_matmul(std::span<const Tensor> lhs,
                                               std::span<const Tensor> rhs, const Tensor& rings,
                                               const Options& options) {
  return results(launch_allgather_matmul(lhs, rhs, rings, options), options);
}

namespace {

// Checks the global shapes, in the order and with the messages of the kernel's source.
Expected<void> check_rows(const Tensor& x, const Tensor& y, std::int64_t length,
                          const AllgatherRowsOptions& options) {
  const auto bad = [](std::string text) { return error(std::move(text)); };
  const auto pair = [](const Shape& a, const Shape& b) {
    return fmt::format("{} and {}", to_string(a), to_string(b));
  };
  Shape whole_x = x.shape(), whole_y = y.shape();
  if (x.rank() != 2 || y.rank() != 2)
    return bad(fmt::format("Inputs must be 2D, got shapes {}.", pair(whole_x, whole_y)));
  const int columns = options.transpose_rhs ? 0 : 1;
  whole_x[0] *= length;
  whole_y[static_cast<std::size_t>(columns)] *= length;
  const std::int64_t m = whole_x[0], k = whole_x[1], cols = y.dim(columns);
  if (x.dtype() != y.dtype()) {
    return bad(
        fmt::format("Input dtypes must match, got {} and {}.", name(x.dtype()), name(y.dtype())));
  }
  if (x.dtype() != DType::bf16 && x.dtype() != DType::f16 && x.dtype() != DType::f32) {
    return error(ErrorCode::unsupported,
                 fmt::format("the operands are bf16, f16 or f32, not {}", name(x.dtype())));
  }
  if (k != y.dim(1 - columns)) {
    return bad(fmt::format("Incompatible shapes for matmul: contracting dimension mismatch: {}.",
                           pair(whole_x, whole_y)));
  }
  if (k % 128 != 0) return bad(fmt::format("k ({}) must be divisible by 128.", k));
  if (cols * length % 128 != 0)
    return bad(fmt::format("n ({}) must be divisible by 128.", cols * length));
  if (x.dim(0) % 2 != 0 || x.dim(0) / 2 % 8 != 0)
    return bad(fmt::format("m ({}) must be divisible by {}.", m, length * 2 * 8));
  const std::int64_t bn = options.bn.value_or(cols), bk = options.bk.value_or(k);
  if (bn <= 0 || bk <= 0)
    return bad(fmt::format("bn and bk must be positive, got bn={} and bk={}.", bn, bk));
  if (cols % bn != 0)
    return bad(fmt::format("n_per_device ({}) must be divisible by bn ({}).", cols, bn));
  if (k % bk != 0) return bad(fmt::format("k ({}) must be divisible by bk ({}).", k, bk));
  return {};
}

}  // namespace

Expected<Launch> launch_allgather_matmul_rows(std::span<const Tensor> x, std::span<const Tensor> y,
                                              const Tensor& rings,
                                              const AllgatherRowsOptions& options) try {
  TRY(check_operands(x, y, rings, "x", "y"));
  const std::int64_t length = rings.dim(1);
  TRY(check_rows(x[0], y[0], length, options));
  Launch launch("allgather_matmul_rows", x.size());
  set_rings(launch, rings, options);
  const std::int64_t cols = y[0].dim(options.transpose_rhs ? 0 : 1);
  launch.set("T", x[0].dtype());
  launch.set("rows", x[0].dim(0));
  launch.set("k", x[0].dim(1));
  launch.set("cols", cols);
  launch.set("transpose_rhs", options.transpose_rhs ? 1 : 0);
  if (options.bn) launch.set("bn", *options.bn);
  if (options.bk) launch.set("bk", *options.bk);
  if (options.acc_rows) launch.set("acc_rows", *options.acc_rows);
  if (options.acc_cols) launch.set("acc_cols", *options.acc_cols);
  for (std::size_t d = 0; d < x.size(); ++d) {
    launch.input(d, "x", x[d]);
    launch.input(d, "y", y[d]);
  }
  launch.results(x[0].dtype(), {x[0].dim(0) * length, cols});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<std::vector<Tensor>> allgather_matmul_rows(std::span<const Tensor> x,
                                                    std::span<const Tensor> y, const Tensor& rings,
                                                    const AllgatherRowsOptions& options) {
  return results(launch_allgather_matmul_rows(x, y, rings, options), options);
}

}  // namespace tessera

// Grouped GEMM on memory that is on a GPU already: out = alpha[g] * product + beta[g] * c +
// bias[g], sizes and factors read where they lie.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/data/dtype.h"
#include "core/program/program.h"
#include "core/report/expected.h"
#include "devices/cuda/model/grouped_model.h"
#include "devices/cuda/runtime/kernel.h"

namespace tessera {

struct DeviceGroupedGemm {
  // rows: out[m, n] = lhs[m, k] . rhs[groups, k, n] by rows; wgrad: out[groups, k, n] of lhs[m, k]
  // and rhs[m, n].
  enum class Kind : std::uint8_t { rows, wgrad } kind = Kind::rows;
  std::int64_t m = 0, k = 0, n = 0, groups = 0;
  DType lhs = DType::bf16, rhs = DType::bf16;  // the same of bf16, f16, f32, or each e4m3 or e5m2
  DType out = DType::bf16;                     // or f16, f32; c is of it
  bool transpose_rhs = false;                  // rows: rhs is [groups, n, k]
  bool adds_c = false;                         // where reads_c says so
  std::optional<DType> bias;                   // f32, bf16 or f16
  // MXFP8: 32 elements along the contraction share an e8m0 scale; wgrad's group sizes are multiples
  // of 32.
  bool block_scales = false;

  std::vector<std::int64_t> expected_sizes;  // as in DeviceGroupedMatmul
  std::optional<cuda::Configuration> given;

  cuda::GroupedShape shape() const;
  cuda::Configuration configuration() const;
  Expected<Program> program(const cuda::Configuration& configuration) const;
};

// The kernel, ready to launch any number of times on addresses of
//   lhs, rhs, group_sizes i32[groups], alpha f32[groups], out,
//   beta f32[groups], reads_c i32[groups] (0: c is not read, and may hold anything), c,
//   bias [groups, n],
//   lhs_scale, rhs_scale e8m0: the operands' shapes with the contraction divided by 32,
// as far as the call has them, with the pitches of lhs, rhs and out where their rows do not follow
// each other. Errors as of device_grouped_matmul.
Expected<std::shared_ptr<cuda::Kernel>> device_grouped_gemm(const DeviceGroupedGemm& call);

}  // namespace tessera

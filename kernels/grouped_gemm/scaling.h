// Numbers with scales: how a scale is found, and what quantising and dequantising do to the last
// bit. After TransformerEngine's recipes (common/recipe, common/cast, common/swizzle); the programs
// quantize_*.tsr compute the same.
#pragma once  // public
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Numbered as TransformerEngine's JAX layer numbers them; its C layer does otherwise.
enum class ScalingMode : std::int32_t {
  NoScaling = 0,
  DelayedTensor = 1,  // one f32 for each group, from the amax of earlier calls
  Mxfp8_1D = 2,       // one e8m0 for 32 elements along the contraction
  CurrentTensor = 3,  // one f32 for each group, from its own amax
  Nvfp4_1D = 4,
  Nvfp4_2D = 5
};
std::string_view name(ScalingMode mode);  // "MXFP8_1D_SCALING"
// "Unsupported scaling mode: {n}" for another number.
Expected<ScalingMode> scaling_mode(std::int64_t number);
// Why operands of a mode cannot be had; empty where they can.
std::string_view unsupported_reason(ScalingMode mode);
bool is_tensor_scaled(ScalingMode mode);

inline constexpr std::int64_t mx_block = 32;

// Whether elements are quantised to that type: e4m3 and e5m2 are; else an error that says so.
Expected<void> check_quantised(DType dtype);
// The largest finite number.
float largest(DType quantised);
// The largest |x|; NaN when there is one, 0 of nothing.
float amax(const Tensor& x);

struct TensorScaling {
  float epsilon = 0;          // a smaller amax is raised to it
  bool power_of_two = false;  // the scale's mantissa is cleared
};
// largest / amax in f32, at most the largest f32; 1 where amax is 0, inf or NaN.
float tensor_scale(float amax, DType quantised, const TensorScaling& how = {});
// x * scale in f32, rounded to nearest even and saturated.
Tensor quantize(const Tensor& x, DType quantised, float scale);
// q * scale_inv in f32, rounded to `to`.
Tensor dequantize(const Tensor& q, float scale_inv, DType to = DType::f32);

// The scale of delayed scaling: of the largest amax of the calls before, or of the last one's.
class DelayedScaling {
 public:
  enum class From : std::uint8_t { Max, MostRecent };
  // Errors are those of a type that nothing is quantised to, and of a history of no calls.
  static Expected<DelayedScaling> make(DType quantised, From from = From::Max,
                                       std::int64_t length = 1024);

  float scale() const { return scale_; }
  // Slot 0 is this call's, and is 0 until the call is noted.
  const std::vector<float>& history() const { return history_; }
  // After a call that used scale(): puts its amax into slot 0, takes the next scale from the
  // history, rolls that by one and clears slot 0. A history without a finite amax above 0 keeps the
  // scale.
  void note(float amax);

 private:
  DelayedScaling(DType quantised, From from, std::int64_t length);

  DType quantised_;
  From from_;
  std::vector<float> history_;
  float scale_ = 1;
};

// Along which way 32 elements share a scale: 1 x 32 of a row, or 32 x 1 of a column.
enum class MxAlong : std::uint8_t { rows, columns };

struct MxTensor {
  Tensor data;    // e4m3 or e5m2, of x's shape [r, c]
  Tensor scales;  // e8m0: [r, c / 32] or [r / 32, c]
};
// scale = amax / largest rounded up to a power of two, element = x / scale rounded and saturated.
// An extent that 32 does not divide is an error, as is another type.
Expected<MxTensor> quantize_mx(const Tensor& x, DType quantised, MxAlong along);
// element * scale in f32, rounded to `to`; scales of another shape or type are an error.
Expected<Tensor> dequantize_mx(const Tensor& data, const Tensor& scales, DType to = DType::f32);

// Place of scale (i, j) among `columns` ones, in tiles of 128 x 4 as tensor cores read them.
std::int64_t swizzled_place(std::int64_t i, std::int64_t j, std::int64_t columns);
// A matrix of scales padded with zeros to multiples of 128 rows and 4 columns, then swizzled; flat.
Expected<Tensor> swizzled(const Tensor& scales);
// The first `rows` and `columns` of it again, from element `offset` of `flat` on, which has them.
Expected<Tensor> unswizzled(const Tensor& flat, std::int64_t rows, std::int64_t columns,
                            std::int64_t offset = 0);

}  // namespace tessera

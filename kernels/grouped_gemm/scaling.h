// Numbers with scales: how a scale is found, and what quantising and dequantising do to the last
// bit. After TransformerEngine's recipes (common/recipe, common/cast, common/swizzle); the programs
// quantize_*.tsr compute the same.
#pragma once  // public
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/numeric.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// How scales belong to elements. Numbered as in TransformerEngine's JAX layer; its C layer differs.
enum class ScalingMode : std::int32_t {
  NoScaling = 0,      // elements are values
  DelayedTensor = 1,  // one f32 for each group, from the amax of earlier calls
  Mxfp8_1D = 2,       // one e8m0 for 32 elements along the contraction
  CurrentTensor = 3,  // one f32 for each group, from its own amax
  Nvfp4_1D = 4,       // unsupported
  Nvfp4_2D = 5        // unsupported
};
std::string_view name(ScalingMode mode);  // as in TransformerEngine: "MXFP8_1D_SCALING"
// The mode of a number; the error "Unsupported scaling mode: {n}" for one that is none.
Expected<ScalingMode> scaling_mode(std::int64_t number);
// Why we do not support a mode; empty where we do.
std::string_view unsupported_reason(ScalingMode mode);
// Whether each group has one f32 scale: DelayedTensor and CurrentTensor.
bool is_tensor_scaled(ScalingMode mode);

// Elements that share a scale in MXFP8.
inline constexpr std::int64_t mx_block = 32;

// Whether values are quantised to that type: e4m3 and e5m2 are; an error for other types.
Expected<void> check_quantised(DType dtype);
// The largest finite number of e4m3 (448) or e5m2 (57344).
float largest(DType quantised);
// The largest |x|; NaN when an element is NaN, 0 when there is none.
float amax(const Tensor& x);

// How tensor_scale() computes a scale.
struct TensorScaling {
  float epsilon = 0;          // amax is raised to it where it is smaller
  bool power_of_two = false;  // the scale is rounded down to a power of two
};
// largest / amax in f32, at most the largest f32; 1 where amax is 0, inf or NaN.
float tensor_scale(float amax, DType quantised, const TensorScaling& how = {});
// x * scale in f32, rounded to nearest even, of x's shape; what rounds beyond the largest number is
// that number, or inf or NaN as `overflow` says.
Tensor quantize(const Tensor& x, DType quantised, float scale,
                Overflow overflow = Overflow::saturate);
// q * scale_inv in f32, rounded to the type `to`; of q's shape.
Tensor dequantize(const Tensor& q, float scale_inv, DType to = DType::f32);

// The scale of delayed scaling, which is computed from the amax of earlier calls.
class DelayedScaling {
 public:
  // Which amax counts: the largest in the history, or that of the last call.
  enum class From : std::uint8_t { Max, MostRecent };
  // `length`: how many calls the history holds, this one included. Errors are a type other than
  // e4m3 and e5m2, and a length below 1.
  static Expected<DelayedScaling> make(DType quantised, From from = From::Max,
                                       std::int64_t length = 1024);

  // The scale for the call at hand; 1 before the first note().
  float scale() const { return scale_; }
  // The amax of each call; slot 0 is that of the call at hand, 0 until note().
  const std::vector<float>& history() const { return history_; }
  // Ends a call: puts its amax into slot 0, computes the next scale from the history, rolls that by
  // one and clears slot 0. The scale stays where the history has no finite amax above 0.
  void note(float amax);

 private:
  DelayedScaling(DType quantised, From from, std::int64_t length);

  DType quantised_;
  From from_;
  std::vector<float> history_;
  float scale_ = 1;
};

// Which 32 elements share a scale: 1 x 32 of a row, or 32 x 1 of a column.
enum class MxAlong : std::uint8_t { rows, columns };

// A quantised matrix [r, c].
struct MxTensor {
  Tensor data;    // e4m3 or e5m2 [r, c]
  Tensor scales;  // e8m0: [r, c / 32] or [r / 32, c]
};
// How blocks are quantised. Scales that are not rounded up leave elements beyond the largest
// number.
struct MxRounding {
  ScaleRounding scale = ScaleRounding::up;  // of amax / largest to a power of two
  Overflow overflow = Overflow::saturate;   // of elements; a scale beyond 2^127 is 2^127
};
// Quantises a matrix: scale = amax / largest rounded to a power of two, element = x / scale rounded
// to nearest even. An extent that 32 does not divide is an error, as is another type.
Expected<MxTensor> quantize_mx(const Tensor& x, DType quantised, MxAlong along,
                               const MxRounding& how = {});
// element * scale in f32, rounded to the type `to`, of the data's shape; scales of another shape or
// type are an error.
Expected<Tensor> dequantize_mx(const Tensor& data, const Tensor& scales, DType to = DType::f32);

// Index of scale (i, j) of a matrix with `columns` columns in the layout that tensor cores read,
// tiles of 128 x 4.
std::int64_t swizzled_place(std::int64_t i, std::int64_t j, std::int64_t columns);
// A matrix of scales padded with zeros to multiples of 128 rows and 4 columns, then swizzled; flat.
Expected<Tensor> swizzled(const Tensor& scales);
// The first `rows` and `columns` of the matrix whose swizzled scales begin at element `offset` of
// `flat`; an error where `flat` is too short.
Expected<Tensor> unswizzled(const Tensor& flat, std::int64_t rows, std::int64_t columns,
                            std::int64_t offset = 0);

}  // namespace tessera

// Scaled numbers: computation of scales, quantisation and dequantisation, exact to the last bit.
// Follows TransformerEngine's recipes (common/recipe, common/cast, common/swizzle). The programs
// quantize_*.tsr compute the same.
#pragma once  // public
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/numeric.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// Kind of scales. Numbered like in TransformerEngine's JAX layer; its C layer has other numbers.
enum class ScalingMode : std::int32_t {
  NoScaling = 0,      // elements are values
  DelayedTensor = 1,  // one f32 per group, from the amax of earlier calls
  Mxfp8_1D = 2,       // one e8m0 per 32 elements along the contraction
  CurrentTensor = 3,  // one f32 per group, from its own amax
  Nvfp4_1D = 4,       // unsupported
  Nvfp4_2D = 5        // unsupported
};
std::string_view name(ScalingMode mode);  // TransformerEngine's name: "MXFP8_1D_SCALING"
// Returns the mode with this number. Fails with "Unsupported scaling mode: {n}" for other numbers.
Expected<ScalingMode> scaling_mode(std::int64_t number);
// Returns the reason why a mode is not supported; empty if it is.
std::string_view unsupported_reason(ScalingMode mode);
// True if each group has one f32 scale: DelayedTensor and CurrentTensor.
bool is_tensor_scaled(ScalingMode mode);

// Number of elements that share an MXFP8 scale.
inline constexpr std::int64_t mx_block = 32;

// Fails with ErrorCode::invalid_type unless values can be quantised to this type: e4m3 or e5m2.
Expected<void> check_quantised(DType dtype);
// Returns the largest finite number of e4m3 (448) or e5m2 (57344).
float largest(DType quantised);
// Returns the largest |x|: NaN if an element is NaN, 0 without elements or data.
float amax(const Tensor& x);

// Options of tensor_scale().
struct TensorScaling {
  float epsilon = 0;          // lower bound for amax
  bool power_of_two = false;  // round the scale down to a power of two
};
// Returns largest(quantised) / amax in f32, at most the largest f32; 1 if amax is 0, inf or NaN. An
// amax below how.epsilon counts as how.epsilon.
float tensor_scale(float amax, DType quantised, const TensorScaling& how = {});
// Returns x * scale, computed in f32 and rounded to nearest even, in x's shape. Results beyond the
// largest number become that number, or inf or NaN, depending on `overflow`. A tensor without data
// gives an empty tensor.
Tensor quantize(const Tensor& x, DType quantised, float scale,
                Overflow overflow = Overflow::saturate);
// Returns q * scale_inv, computed in f32 and rounded to the type `to`, in q's shape. A tensor
// without data gives an empty tensor.
Tensor dequantize(const Tensor& q, float scale_inv, DType to = DType::f32);

// Scale of delayed scaling, computed from the amax of earlier calls.
class DelayedScaling {
 public:
  // amax from which the scale is computed: the largest in the history, or the amax of the last
  // call.
  enum class From : std::uint8_t { Max, MostRecent };
  // length: number of calls in the history, including the current one. Fails for a type other than
  // e4m3 and e5m2, and for a length below 1 or above 2^24.
  static Expected<DelayedScaling> make(DType quantised, From from = From::Max,
                                       std::int64_t length = 1024);

  // Scale for the current call; 1 before the first note().
  float scale() const { return scale_; }
  // amax of each call. Slot 0 belongs to the current call and is 0; the other slots have the
  // earlier calls, oldest first, and 0 before the first one.
  const std::vector<float>& history() const { return history_; }
  // Ends a call: stores its amax in slot 0, computes the next scale from the history, rotates the
  // history by one and clears slot 0. The scale is unchanged if the selected amax is 0, inf or NaN.
  void note(float amax);

 private:
  DelayedScaling(DType quantised, From from, std::int64_t length);

  DType quantised_;
  From from_;
  std::vector<float> history_;
  float scale_ = 1;
};

// Shape of the blocks of 32 elements that share a scale: 1 x 32 of a row, or 32 x 1 of a column.
enum class MxAlong : std::uint8_t { rows, columns };

// A quantised matrix [r, c].
struct MxTensor {
  Tensor data;    // e4m3 or e5m2 [r, c]
  Tensor scales;  // e8m0: [r, c / 32] or [r / 32, c]
};
// Rounding of scales and elements. If scales are not rounded up, elements can overflow.
struct MxRounding {
  ScaleRounding scale = ScaleRounding::up;  // for amax / largest, to a power of two
  Overflow overflow = Overflow::saturate;   // for elements; a scale beyond 2^127 is 2^127
};
// Quantises a matrix: scale = amax / largest, rounded to a power of two; element = x / scale,
// rounded to nearest even. Fails if 32 does not divide the extent along `along`, for x that is not
// a matrix, and with ErrorCode::invalid_type for a type other than e4m3 and e5m2.
Expected<MxTensor> quantize_mx(const Tensor& x, DType quantised, MxAlong along,
                               const MxRounding& how = {});
// Returns element * scale, computed in f32 and rounded to the type `to`, in the data's shape. The
// shape of the scales selects rows or columns (MxTensor); if both fit, rows. Fails for scales of
// another shape or type, and for data that is not a matrix.
Expected<Tensor> dequantize_mx(const Tensor& data, const Tensor& scales, DType to = DType::f32);

// Returns the index of scale (i, j) in the layout that tensor cores read: tiles of 128 x 4.
// columns: columns of the matrix, padded to a multiple of 4.
std::int64_t swizzled_place(std::int64_t i, std::int64_t j, std::int64_t columns);
// Pads a scale matrix with zeros to multiples of 128 rows and 4 columns, and swizzles it. The
// result is flat. Fails if `scales` is not a matrix of one-byte elements.
Expected<Tensor> swizzled(const Tensor& scales);
// Returns the first `rows` x `columns` scales of the matrix whose swizzled scales begin at element
// `offset` of `flat`. Fails if `flat` is too short or its elements do not have one byte, and for
// negative arguments.
Expected<Tensor> unswizzled(const Tensor& flat, std::int64_t rows, std::int64_t columns,
                            std::int64_t offset = 0);

}  // namespace tessera

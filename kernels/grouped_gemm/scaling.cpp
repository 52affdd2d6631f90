#include "kernels/grouped_gemm/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/data/convert.h"
#include "core/data/dtype_range.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera {
namespace {

constexpr float greatest = std::numeric_limits<float>::max();
constexpr std::int64_t longest_history = 1 << 24;

// Without data: no values.
std::vector<float> as_floats(const Tensor& x) {
  if (x.data() == nullptr) return {};
  std::vector<float> values(static_cast<std::size_t>(x.elements()));
  convert(x.data(), x.dtype(), reinterpret_cast<std::byte*>(values.data()), DType::f32,
          x.elements());
  return values;
}

Tensor as_tensor(const std::vector<float>& values, DType dtype, const Shape& shape,
                 Overflow overflow = Overflow::saturate) {
  Tensor tensor = Tensor::uninitialised(dtype, shape);
  convert(reinterpret_cast<const std::byte*>(values.data()), DType::f32, tensor.data(), dtype,
          tensor.elements(), overflow);
  return tensor;
}

float larger(float a, float b) { return a != a || a > b ? a : b; }

}  // namespace

std::string_view name(ScalingMode mode) {
  constexpr std::string_view names[] = {"NO_SCALING",       "DELAYED_TENSOR_SCALING",
                                        "MXFP8_1D_SCALING", "CURRENT_TENSOR_SCALING",
                                        "NVFP4_1D_SCALING", "NVFP4_2D_SCALING"};
  return names[static_cast<std::size_t>(mode)];
}

Expected<ScalingMode> scaling_mode(std::int64_t number) {
  if (number >= 0 && number <= 5) return static_cast<ScalingMode>(number);
  return error(fmt::format("Unsupported scaling mode: {}", number));
}

std::string_view unsupported_reason(ScalingMode mode) {
  if (mode != ScalingMode::Nvfp4_1D && mode != ScalingMode::Nvfp4_2D) return {};
  return "NVFP4 holds its elements as e2m1, two in a byte, and there is no such type here";
}

bool is_tensor_scaled(ScalingMode mode) {
  return mode == ScalingMode::DelayedTensor || mode == ScalingMode::CurrentTensor;
}

Expected<void> check_quantised(DType dtype) {
  if (is_quantised(dtype)) return {};
  return error(ErrorCode::invalid_type,
               fmt::format("elements are quantised to {}, not {}", quantised_text(), name(dtype)));
}

float largest(DType quantised) { return static_cast<float>(largest_finite(quantised)); }

float amax(const Tensor& x) {
  float result = 0;
  for (const float value : as_floats(x)) {
    const float size = std::abs(value);
    result = size != size ? size : larger(result, size);
  }
  return result;
}

float tensor_scale(float amax, DType quantised, const TensorScaling& how) {
  if (amax < how.epsilon) amax = how.epsilon;
  if (!(amax > 0) || std::isinf(amax)) return 1;
  const float scale = std::min(largest(quantised) / amax, greatest);
  if (!how.power_of_two) return scale;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xFF800000U);
}

Tensor quantize(const Tensor& x, DType quantised, float scale, Overflow overflow) {
  if (x.data() == nullptr) return {};
  std::vector<float> values = as_floats(x);
  for (float& value : values) value *= scale;
  return as_tensor(values, quantised, x.shape(), overflow);
}

Tensor dequantize(const Tensor& q, float scale_inv, DType to) {
  if (q.data() == nullptr) return {};
  std::vector<float> values = as_floats(q);
  for (float& value : values) value *= scale_inv;
  return as_tensor(values, to, q.shape());
}

DelayedScaling::DelayedScaling(DType quantised, From from, std::int64_t length)
    : quantised_(quantised), from_(from), history_(static_cast<std::size_t>(length), 0.0F) {}

Expected<DelayedScaling> DelayedScaling::make(DType quantised, From from, std::int64_t length) try {
  TRY(check_quantised(quantised));
  if (length < 1 || length > longest_history)
    return error(fmt::format("the history of delayed scaling is of 1 to {} calls, got {}",
                             longest_history, length));
  return DelayedScaling(quantised, from, length);
} catch (...) {
  return given_up("quantizing");
}

void DelayedScaling::note(float amax) {
  history_[0] = amax;
  float most = history_[0];
  if (from_ == From::Max)
    for (const float value : history_) most = larger(most, value);
  if (most > 0 && std::isfinite(most)) scale_ = tensor_scale(most, quantised_);
  // By -1: slot 1 moves to slot 0, slot 0 to the end.
  std::rotate(history_.begin(), history_.begin() + 1, history_.end());
  history_[0] = 0;
}

Expected<MxTensor> quantize_mx(const Tensor& x, DType quantised, MxAlong along,
                               const MxRounding& how) try {
  TRY(check_quantised(quantised));
  if (x.rank() != 2)
    return error(fmt::format("MXFP8 quantises a matrix, found shape {}", to_string(x.shape())));
  const bool rows = along == MxAlong::rows;
  const std::int64_t r = x.dim(0), c = x.dim(1), extent = rows ? c : r;
  if (extent % mx_block != 0)
    return error(fmt::format("MXFP8 scales apply to {} elements, which do not divide the {} of {}",
                             mx_block, extent, rows ? "a row" : "a column"));
  std::vector<float> values = as_floats(x);
  const Shape shape = rows ? Shape{r, c / mx_block} : Shape{r / mx_block, c};
  Tensor scales = Tensor::uninitialised(DType::e8m0, shape);
  const std::int64_t step = rows ? 1 : c;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      float* const block = values.data() + (rows ? i * c + j * mx_block : i * mx_block * c + j);
      float most = 0;
      for (std::int64_t e = 0; e < mx_block; ++e) {
        const float size = std::abs(block[e * step]);
        most = size != size ? size : larger(most, size);
      }
      const std::uint8_t code = to_e8m0(most / largest(quantised), how.scale);
      scales.as<std::uint8_t>()[i * shape[1] + j] = code;
      for (std::int64_t e = 0; e < mx_block; ++e) block[e * step] *= exp2f_rcp(code);
    }
  }
  return MxTensor{as_tensor(values, quantised, x.shape(), how.overflow), std::move(scales)};
} catch (...) {
  return given_up("quantizing");
}

Expected<Tensor> dequantize_mx(const Tensor& data, const Tensor& scales, DType to) try {
  if (data.rank() != 2)
    return error(fmt::format("MXFP8 data is a matrix, found shape {}", to_string(data.shape())));
  const std::int64_t r = data.dim(0), c = data.dim(1);
  const Shape by_rows{r, c / mx_block}, by_columns{r / mx_block, c};
  const bool rows = c % mx_block == 0 && scales.shape() == by_rows;
  const bool fits = rows || (r % mx_block == 0 && scales.shape() == by_columns);
  if (scales.dtype() != DType::e8m0 || !fits)
    return error(fmt::format("MXFP8 scales of data {} are e8m0 of shape {} or {}, found {} of {}",
                             to_string(data.shape()), to_string(by_rows), to_string(by_columns),
                             name(scales.dtype()), to_string(scales.shape())));
  std::vector<float> values = as_floats(data);
  for (std::int64_t i = 0; i < r; ++i)
    for (std::int64_t j = 0; j < c; ++j)
      values[static_cast<std::size_t>(i * c + j)] *= from_e8m0(
          scales
              .as<std::uint8_t>()[rows ? i * scales.dim(1) + j / mx_block : i / mx_block * c + j]);
  return as_tensor(values, to, data.shape());
} catch (...) {
  return given_up("dequantizing");
}

std::int64_t swizzled_place(std::int64_t i, std::int64_t j, std::int64_t columns) {
  const std::int64_t tiles = columns / 4;
  return (i / 128 * tiles + j / 4) * 512 + i % 32 * 16 + i % 128 / 32 * 4 + j % 4;
}

Expected<Tensor> swizzled(const Tensor& scales) try {
  if (scales.rank() != 2 || size_of(scales.dtype()) != 1)
    return error(fmt::format("a matrix of scales of one byte is swizzled, found {} of shape {}",
                             name(scales.dtype()), to_string(scales.shape())));
  const std::int64_t rows = (scales.dim(0) + 127) / 128 * 128,
                     columns = (scales.dim(1) + 3) / 4 * 4;
  Tensor flat(scales.dtype(), {rows * columns});
  for (std::int64_t i = 0; i < scales.dim(0); ++i)
    for (std::int64_t j = 0; j < scales.dim(1); ++j)
      flat.data()[swizzled_place(i, j, columns)] = scales.data()[i * scales.dim(1) + j];
  return flat;
} catch (...) {
  return given_up("swizzling");
}

Expected<Tensor> unswizzled(const Tensor& flat, std::int64_t rows, std::int64_t columns,
                            std::int64_t offset) try {
  if (rows < 0 || columns < 0 || offset < 0)
    return error(fmt::format("{} rows and {} columns from element {} on: one of these is negative",
                             rows, columns, offset));
  const std::int64_t padded = (columns + 3) / 4 * 4;
  const auto wanted = checked_bytes(DType::i8, {(rows + 127) / 128 * 128, padded});
  if (size_of(flat.dtype()) != 1 || !wanted || *wanted > flat.elements() - offset)
    return error(fmt::format(
        "{} x {} swizzled scales from element {} on are {} elements of one byte, found {} of {}",
        rows, columns, offset, wanted ? std::to_string(*wanted) : "more than 2^63", flat.elements(),
        name(flat.dtype())));
  Tensor scales = Tensor::uninitialised(flat.dtype(), {rows, columns});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      scales.data()[i * columns + j] = flat.data()[offset + swizzled_place(i, j, padded)];
  return scales;
} catch (...) {
  return given_up("swizzling");
}

}  // namespace tessera

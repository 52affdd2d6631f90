// Scales of grouped-gemm: quantisation of its operands, or the given scales of quantised operands.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "cli/args/grouped_gemm_reader.h"
#include "core/report/check.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 6> scalings = {"none",    "delayed", "mxfp8",
                                                      "current", "nvfp4",   "nvfp4-2d"};
constexpr std::array<std::string_view, 6> scaling_options = {"lhs-quantised", "rhs-quantised",
                                                             "lhs-scale-inv", "rhs-scale-inv",
                                                             "overflow",      "scale-rounding"};
constexpr std::array<std::string_view, 2> factors = {"lhs-scale", "rhs-scale"};
constexpr std::array<std::string_view, 2> roundings = {"overflow", "scale-rounding"};
constexpr std::array<std::string_view, 2> overflows = {"saturate", "ieee"};
constexpr std::array<std::string_view, 3> scale_roundings = {"up", "nearest", "down"};

Json scales_json(const GroupedTensor& tensor) {
  Json object = {{"dtype", name(tensor.data->dtype())},
                 {"scale_dtype", name(tensor.scale_inv->dtype())},
                 {"scales", tensor.scale_inv->elements()}};
  if (!is_tensor_scaled(tensor.mode)) return object;
  std::vector<double> values;
  for (std::int64_t g = 0; g < tensor.scale_inv->elements(); ++g)
    values.push_back(tensor.scale_inv->at(g));
  object["scale_inv"] = values;
  return object;
}

}  // namespace

void GroupedGemmReader::scaling() {
  const auto mode = static_cast<ScalingMode>(choice("scaling", scalings));
  if (mode == ScalingMode::NoScaling)
    refuse(scaling_options, "is for --scaling delayed, current or mxfp8");
  const bool is_given = has("lhs-scale-inv") || has("rhs-scale-inv");
  if (mode != ScalingMode::DelayedTensor || is_given)
    refuse(factors, is_given ? "is a factor for quantising, and the operands are already quantised"
                             : "is for --scaling delayed");
  if (is_given) refuse(roundings, "controls quantising, and the operands are already quantised");
  if (mode != ScalingMode::NoScaling && mode != ScalingMode::Mxfp8_1D) {
    constexpr std::array<std::string_view, 1> of_blocks = {"scale-rounding"};
    refuse(of_blocks, "is for --scaling mxfp8, whose scales are powers of two");
  }
  const std::size_t overflow = choice("overflow", overflows);
  const std::size_t rounding = choice("scale-rounding", scale_roundings);
  if (mode == ScalingMode::NoScaling || !ok()) return;
  call_.values.are_scaled = true;
  std::string words = fmt::format("{}{}", name(mode), is_given ? ", by scales of files" : "");
  if (rounding > 0) words += fmt::format(", scales rounded {}", scale_roundings[rounding]);
  if (overflow > 0) words += fmt::format(", overflow {}", overflows[overflow]);
  call_.lines.emplace_back("scaling", std::move(words));
  if (is_given) return given_scales(mode);
  const auto spec = [&](std::string_view whose, float seen) {
    const std::string operand(whose);
    QuantizeSpec result;
    result.mode = mode;
    result.overflow = static_cast<Overflow>(overflow);
    result.scale_rounding = static_cast<ScaleRounding>(rounding);
    result.dtype = type(operand + "-quantised", quantised_names()).value_or(DType::e4m3);
    const DimSizes& sizes = state_->lhs.first_dims   ? state_->lhs.first_dims
                            : state_->lhs.last_dims  ? state_->lhs.last_dims
                            : state_->rhs.first_dims ? state_->rhs.first_dims
                                                     : state_->rhs.last_dims;
    if (mode != ScalingMode::DelayedTensor || !sizes) return result;
    if (const auto given = numbers(operand + "-scale", sizes->elements())) {
      if (given->dtype() != DType::f32)
        complain(fmt::format("--{}-scale is f32, found {}", operand, name(given->dtype())));
      else
        result.delayed_scales.assign(given->as<float>(), given->as<float>() + given->elements());
      return result;
    }
    Expected<DelayedScaling> delayed = DelayedScaling::make(result.dtype);
    CHECK(delayed);  // the type is one of quantised_names()
    delayed->note(seen);
    result.delayed_scales.assign(static_cast<std::size_t>(sizes->elements()), delayed->scale());
    return result;
  };
  state_->options.lhs_quantizer = spec("lhs", lhs_seen_);
  state_->options.rhs_quantizer = spec("rhs", rhs_seen_);
}

void GroupedGemmReader::given_scales(ScalingMode mode) {
  if (const std::string_view reason = unsupported_reason(mode); !reason.empty()) {
    diags_.push_back(error(ErrorCode::unsupported, std::string(reason)));
    return;
  }
  const DType scale_type = mode == ScalingMode::Mxfp8_1D ? DType::e8m0 : DType::f32;
  for (const auto& [tensor, whose] :
       {std::pair{&state_->lhs, "lhs"}, std::pair{&state_->rhs, "rhs"}}) {
    // The type before quantisation. The type of the result is given.
    tensor->dq_dtype = DType::bf16;
    const std::string option = std::string(whose) + "-scale-inv";
    if (!has(option)) {
      const std::array<std::string_view, 1> quantised = {
          whose == std::string_view("lhs") ? "lhs-quantised" : "rhs-quantised"};
      refuse(quantised, "is the type of an operand with scales");
      continue;
    }
    auto scales = load(option, scale_type, scale_type);
    if (!scales) continue;
    tensor->mode = mode;
    // MXFP8 scales in a flat file have the order that tensor cores read. Those in a matrix are in
    // plain order.
    tensor->pre_swizzled = mode == ScalingMode::Mxfp8_1D && scales->rank() == 1;
    tensor->scale_inv = std::make_shared<const Tensor>(*std::move(scales));
  }
}

void GroupedGemmReader::quantise() {
  lhs_made_ = state_->lhs.data;
  rhs_made_ = state_->rhs.data;
  GroupedGemmOptions& options = state_->options;
  auto both = quantized_operands(state_->lhs, state_->rhs, options);
  if (!both) return take(both.diags());
  state_->lhs = std::move(both->lhs);
  state_->rhs = std::move(both->rhs);
  options.lhs_quantizer = options.rhs_quantizer = std::nullopt;
}

void GroupedGemmReader::name_scales() {
  if (state_->lhs.mode == ScalingMode::NoScaling) return;
  name_operand("lhs_quantised", state_->lhs.data);
  name_operand("lhs_scale_inv", state_->lhs.scale_inv);
  name_operand("rhs_quantised", state_->rhs.data);
  name_operand("rhs_scale_inv", state_->rhs.scale_inv);
  call_.fields["scaling"] = {{"mode", name(state_->lhs.mode)},
                             {"lhs", scales_json(state_->lhs)},
                             {"rhs", scales_json(state_->rhs)}};
}

}  // namespace tessera::cli

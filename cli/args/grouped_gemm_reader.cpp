#include "cli/args/grouped_gemm_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/fill_operand.h"
#include "core/data/tensor_file.h"
#include "core/report/try.h"
#include "kernels/grouped_gemm/types.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 3> result_types = {"f32", "bf16", "f16"};
constexpr std::array<std::string_view, 3> paths = {"auto", "v1", "v2"};

}  // namespace

Expected<OperationCall> GroupedGemmReader::read() {
  TRY(begin());
  const auto dtype = dtype_option(arguments_, "dtype", grouped_gemm_operand_names(), diags_);
  const auto lhs = operand_file("lhs", dtype);
  const auto rhs = operand_file("rhs", dtype);
  if (!diags_.empty()) return diags_;
  call_.dtype = lhs ? lhs->dtype() : dtype.value_or(DType::bf16);
  const auto is_packed = [&](const char* first, const char* last) {
    return arguments_.has(first) && arguments_.has(last);
  };
  if (has_shapes(lhs, rhs) || is_packed("lhs-first-dims", "lhs-last-dims") ||
      is_packed("rhs-first-dims", "rhs-last-dims")) {
    free_form(lhs, rhs);
  } else {
    plain_form();
  }
  if (!diags_.empty()) return diags_;
  operands(lhs, rhs);
  if (!diags_.empty()) return diags_;
  scaling();
  if (!diags_.empty()) return diags_;
  linear_terms();
  if (!diags_.empty()) return diags_;
  return finish();
}

std::optional<Tensor> GroupedGemmReader::numbers(std::string_view option, std::int64_t groups) {
  if (!arguments_.has(option)) return std::nullopt;
  if (arguments_.text(option).starts_with('@')) return numbers_file(option);
  std::vector<float> values;
  for (const std::string& word : split(arguments_.text(option), ',')) {
    char* end = nullptr;
    values.push_back(std::strtof(word.c_str(), &end));
    if (word.empty() || *end != '\0' || !std::isfinite(values.back())) {
      complain(fmt::format("--{} wants f32 numbers such as 0.5 or 1,0,2, not '{}'", option,
                           arguments_.text(option)));
      return std::nullopt;
    }
  }
  if (values.size() == 1) values.assign(static_cast<std::size_t>(groups), values[0]);
  // By these factors small integers stay small integers.
  for (const float value : values)
    call_.values.are_scaled |= value != 0 && value != 1 && value != -1 && value != 2;
  Tensor tensor(DType::f32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

std::optional<Tensor> GroupedGemmReader::numbers_file(std::string_view option) {
  Expected<Tensor> file = load_tensor(arguments_.text(option).substr(1), std::nullopt);
  if (!file) {
    take(file.diags());
    return std::nullopt;
  }
  for (std::int64_t g = 0; g < file->elements(); ++g) {
    if (std::isfinite(file->at(g))) continue;
    complain(fmt::format("--{} wants finite numbers: element {} of {} is {}", option, g,
                         arguments_.text(option).substr(1), file->at(g)));
    return std::nullopt;
  }
  call_.values.are_scaled = true;
  return *std::move(file);
}

void GroupedGemmReader::linear_terms() {
  GroupedGemmOptions& options = state_->options;
  read_product(result_types, options, state_->group_offset);
  options.path = static_cast<GroupedGemmPath>(arguments_.choice("path", paths, diags_));
  options.use_async_d2h_group_sizes = arguments_.has("async-sizes");
  if (!diags_.empty()) return;
  quantise();
  if (!diags_.empty()) return;
  // The call without them says how many groups and columns there are.
  GroupedGemmOptions bare = options;
  bare.group_offset = nullptr;
  const auto shape = grouped_gemm_shape(state_->lhs, state_->rhs, bare);
  if (!shape) return take(shape.diags());
  if (auto alpha = numbers("alpha", shape->product.groups())) {
    state_->alpha = *std::move(alpha);
    options.alpha = &state_->alpha;
  }
  if (auto beta = numbers("beta", shape->product.groups())) {
    state_->beta = *std::move(beta);
    options.beta = &state_->beta;
    const auto file =
        file_option(arguments_, "existing", shape->product.out, shape->product.out, diags_);
    if (arguments_.has("existing") && !file) return;
    state_->c = file ? file->clone() : Tensor::uninitialised(shape->product.out, shape->out);
    if (!file)
      fill_operand(state_->c, fill_option(arguments_, diags_), FillRole::existing, 1,
                   call_.seed * 8 + 3);
    options.c = &state_->c;
    call_.values.are_of_files |= file.has_value();
  } else if (arguments_.has("existing")) {
    complain("--existing is C, which --beta multiplies");
  }
  bias(*shape);
}

void GroupedGemmReader::bias(const GroupedGemmShape& shape) {
  if (!arguments_.has("bias")) return;
  if (!arguments_.text("bias").empty()) {
    const auto file = file_option(arguments_, "bias", std::nullopt, shape.product.out, diags_);
    if (!file) return;
    state_->bias = file->clone();
    call_.values.are_of_files = true;
  } else {
    state_->bias =
        Tensor::uninitialised(shape.product.out, {shape.product.groups(), shape.product.n});
    fill_operand(state_->bias, fill_option(arguments_, diags_), FillRole::existing, 1,
                 call_.seed * 8 + 4);
  }
  state_->options.bias = &state_->bias;
  call_.fields["bias"] = {{"dtype", name(state_->bias.dtype())}, {"shape", state_->bias.shape()}};
}

std::string GroupedGemmReader::packed_groups(const GroupedGemmShape& shape) {
  std::string text = counted(shape.product.groups(), "group", "groups");
  Json all = Json::array();
  constexpr std::size_t most_told = 8;
  for (std::size_t g = 0; g < shape.of_groups.size(); ++g) {
    const GroupedDesc& each = shape.of_groups[g];
    if (g < most_told)
      text += fmt::format("{}{} x {} . {} x {}", g == 0 ? " of " : ", ", each.m, each.k, each.k,
                          each.n);
    if (g == most_told) text += ", ...";
    all.push_back({{"m", each.m}, {"k", each.k}, {"n", each.n}});
  }
  call_.fields["group_shapes"] = std::move(all);
  return text;
}

Expected<OperationCall> GroupedGemmReader::finish() {
  const GroupedGemmShape shape = TRY(grouped_gemm_shape(state_->lhs, state_->rhs, state_->options));
  call_.flops = shape.flops;
  const std::string_view lhs_type = name(state_->lhs.data->dtype()),
                         rhs_type = name(state_->rhs.data->dtype());
  if (state_->lhs.is_packed() || state_->rhs.is_packed())
    describe(lhs_type, rhs_type, shape.product.out, shape.out, packed_groups(shape));
  else
    describe(lhs_type, rhs_type, shape.product.out, shape.out, shape.product.sizes);
  const Support v2 = TRY(grouped_gemm_v2_support(state_->lhs, state_->rhs, state_->options));
  const bool first = state_->options.path == GroupedGemmPath::V1 || !v2.ok;
  if (arguments_.has("async-sizes") && (!first || call_.request.device == nullptr))
    return error("--async-sizes is for path v1, which this call does not take");
  if (call_.request.device != nullptr) {
    if (first) call_.launches = shape.products;
    call_.lines.emplace_back(
        "path", fmt::format("{}{}{}", first ? "V1" : "V2", v2.ok ? "" : ": ", v2.reason));
    call_.fields["path"] = first ? "V1" : "V2";
    call_.fields["why_not_v2"] = v2.ok ? Json() : Json(v2.reason);
  }
  name_operand("lhs", lhs_made_);
  name_operand("rhs", rhs_made_);
  name_scales();
  if (state_->options.c != nullptr) name_operand("existing", {state_, &state_->c});
  if (state_->options.bias != nullptr) name_operand("bias", {state_, &state_->bias});
  call_.launch = [state = state_, machine = call_.request.profile.machine](
                     const RunOptions& run) -> Expected<OperationRun> {
    GroupedGemmOptions with_run = state->options;
    with_run.run = {machine, &run};
    GroupedGemmRun result = TRY(run_grouped_gemm(state->lhs, state->rhs, with_run));
    return operation_run(static_cast<GroupedMatmulRun&&>(std::move(result)),
                         with_run.input_buffer_count);
  };
  call_.judge = [state = state_](const OperationRun& run, const CheckOptions& how) {
    return check_grouped_gemm(state->lhs, state->rhs, state->options, *run.results.front(), how);
  };
  return std::move(call_);
}

}  // namespace tessera::cli

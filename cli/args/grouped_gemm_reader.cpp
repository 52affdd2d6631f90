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
#include "cli/operations/operation_report.h"
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
  const auto dtype = type("dtype", grouped_gemm_operand_names());
  const auto lhs = operand_file("lhs", dtype);
  const auto rhs = operand_file("rhs", dtype);
  if (!ok()) return diags_;
  call_.dtype = lhs ? lhs->dtype() : dtype.value_or(DType::bf16);
  const auto is_packed = [&](const char* first, const char* last) {
    return has(first) && has(last);
  };
  if (has_shapes(lhs, rhs) || is_packed("lhs-first-dims", "lhs-last-dims") ||
      is_packed("rhs-first-dims", "rhs-last-dims")) {
    free_form(lhs, rhs);
  } else {
    plain_form();
  }
  if (!ok()) return diags_;
  operands(lhs, rhs);
  if (!ok()) return diags_;
  scaling();
  if (!ok()) return diags_;
  linear_terms();
  if (!ok()) return diags_;
  return finish();
}

std::optional<Tensor> GroupedGemmReader::numbers(std::string_view option, std::int64_t groups) {
  if (!has(option)) return std::nullopt;
  if (text(option).starts_with('@')) return numbers_file(option);
  std::vector<float> values;
  for (const std::string& word : split(text(option), ',')) {
    char* end = nullptr;
    values.push_back(std::strtof(word.c_str(), &end));
    if (word.empty() || *end != '\0' || !std::isfinite(values.back())) {
      complain(fmt::format("--{}: expected f32 numbers such as 0.5 or 1,0,2, found '{}'", option,
                           text(option)));
      return std::nullopt;
    }
  }
  if (values.size() == 1) values.assign(static_cast<std::size_t>(groups), values[0]);
  // These factors keep small integers small.
  for (const float value : values)
    call_.values.are_scaled |= value != 0 && value != 1 && value != -1 && value != 2;
  Tensor tensor(DType::f32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.as<float>());
  return tensor;
}

std::optional<Tensor> GroupedGemmReader::numbers_file(std::string_view option) {
  auto file = taken(load_tensor(text(option).substr(1), std::nullopt, arguments_.files()));
  if (!file) return std::nullopt;
  for (std::int64_t g = 0; g < file->elements(); ++g) {
    if (std::isfinite(file->at(g))) continue;
    complain(fmt::format("--{}: expected finite numbers: element {} of {} is {}", option, g,
                         text(option).substr(1), file->at(g)));
    return std::nullopt;
  }
  call_.values.are_scaled = true;
  return file;
}

void GroupedGemmReader::linear_terms() {
  GroupedGemmOptions& options = state_->options;
  read_product(result_types, options, state_->group_offset);
  options.path = static_cast<GroupedGemmPath>(choice("path", paths));
  options.use_async_d2h_group_sizes = has("async-sizes");
  if (!ok()) return;
  quantise();
  if (!ok()) return;
  // The shape without alpha, beta and C gives the numbers of groups and columns.
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
    auto file = load("existing", shape->product.out, shape->product.out);
    if (has("existing") && !file) return;
    state_->c = added(std::move(file), shape->product.out, shape->out, 3);
    options.c = &state_->c;
  } else if (has("existing")) {
    complain("--existing is the tensor C: add its factor --beta");
  }
  bias(*shape);
}

Tensor GroupedGemmReader::added(std::optional<Tensor> file, DType dtype, const Shape& shape,
                                std::uint64_t stream) {
  call_.values.are_of_files |= file.has_value();
  if (file) return *std::move(file);
  return filled_operand(dtype, shape, fill_kind(), FillRole::existing, 1, call_.seed * 8 + stream);
}

void GroupedGemmReader::bias(const GroupedGemmShape& shape) {
  if (!has("bias")) return;
  std::optional<Tensor> file;
  if (!text("bias").empty()) file = load("bias", std::nullopt, shape.product.out);
  if (!ok()) return;
  state_->bias =
      added(std::move(file), shape.product.out, {shape.product.groups(), shape.product.n}, 4);
  state_->options.bias = &state_->bias;
  call_.fields["bias"] = {{"dtype", name(state_->bias.dtype())}, {"shape", state_->bias.shape()}};
}

std::string GroupedGemmReader::packed_groups(const GroupedGemmShape& shape) {
  std::string words = counted(shape.product.groups(), "group", "groups");
  Json all = Json::array();
  constexpr std::size_t max_reported = 8;
  for (std::size_t g = 0; g < shape.of_groups.size(); ++g) {
    const GroupedDesc& each = shape.of_groups[g];
    if (g < max_reported)
      words += fmt::format("{}{} x {} . {} x {}", g == 0 ? " of " : ", ", each.m, each.k, each.k,
                           each.n);
    if (g == max_reported) words += ", ...";
    all.push_back({{"m", each.m}, {"k", each.k}, {"n", each.n}});
  }
  call_.fields["group_shapes"] = std::move(all);
  return words;
}

Expected<OperationCall> GroupedGemmReader::finish() {
  const GroupedGemmShape shape = TRY(grouped_gemm_shape(state_->lhs, state_->rhs, state_->options));
  call_.flops = shape.flops;
  const bool is_packed = state_->lhs.is_packed() || state_->rhs.is_packed();
  describe(state_->lhs.data->dtype(), state_->rhs.data->dtype(), shape.product.out, shape.out,
           is_packed ? packed_groups(shape) : groups_text(shape.product.sizes));
  if (!is_packed) call_.fields["group_sizes"] = shape.product.sizes;
  const Support v2 = TRY(grouped_gemm_v2_support(state_->lhs, state_->rhs, state_->options));
  const bool first = state_->options.path == GroupedGemmPath::V1 || !v2.ok;
  if (has("async-sizes") && (!first || call_.request.device == nullptr))
    return error("--async-sizes is for path v1, which this call does not use");
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
  set_launch(state_, [](const State& state, const GroupedGemmOptions& how) {
    return run_grouped_gemm(state.lhs, state.rhs, how);
  });
  call_.judge = [state = state_](const OperationRun& run, const CheckOptions& how) {
    return check_grouped_gemm(state->lhs, state->rhs, state->options, *run.results.front(), how);
  };
  return std::move(call_);
}

}  // namespace tessera::cli

// grouped-gemm: TransformerEngine's grouped GEMM, checked against the reference.
#include "kernels/grouped_gemm/grouped_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/fill_operand.h"
#include "cli/args/host_memory.h"
#include "cli/args/product_reader.h"
#include "cli/operations/operation_command.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 5> operand_types = {"bf16", "f16", "f32", "e4m3", "e5m2"};
constexpr std::array<std::string_view, 3> result_types = {"f32", "bf16", "f16"};
constexpr std::array<std::string_view, 2> quantised_types = {"e4m3", "e5m2"};
constexpr std::array<std::string_view, 3> kinds = {"forward", "dgrad", "wgrad"};
constexpr std::array<std::string_view, 3> paths = {"auto", "v1", "v2"};
constexpr std::array<std::string_view, 6> scalings = {"none",    "delayed", "mxfp8",
                                                      "current", "nvfp4",   "nvfp4-2d"};
// The options of one form alone; the axes begin with the dims, lhs's before rhs's.
constexpr std::array<std::string_view, 5> axis_options = {
    "lhs-first-dims", "lhs-last-dims", "rhs-first-dims", "rhs-last-dims", "contracting"};
constexpr std::array<std::string_view, 8> plain_options = {
    "m", "k", "n", "kind", "transpose-rhs", "group-sizes", "groups", "sizes"};
constexpr std::array<std::string_view, 2> fill_options = {"fill", "outliers"};

// All that the call's functions refer to.
struct State {
  GroupedTensor lhs, rhs;
  Tensor alpha, beta, c, bias, group_offset;
  GroupedGemmOptions options;
};

class Reader : ProductReader {
 public:
  using ProductReader::ProductReader;

  Expected<OperationCall> read() {
    if (Diags diags = begin(); !diags.empty()) return diags;
    const auto dtype = dtype_option(arguments_, "dtype", operand_types, diags_);
    const auto lhs = file_option(arguments_, "lhs", dtype, DType::bf16, diags_);
    const auto rhs = file_option(arguments_, "rhs", dtype, DType::bf16, diags_);
    if (!diags_.empty()) return diags_;
    call_.dtype = lhs ? lhs->dtype() : dtype.value_or(DType::bf16);
    if (has_shapes(lhs, rhs)) {
      free_form(lhs, rhs);
    } else {
      plain_form();
    }
    if (!diags_.empty()) return diags_;
    operands(lhs, rhs);
    if (!diags_.empty()) return diags_;
    scaling();
    linear_terms();
    if (!diags_.empty()) return diags_;
    return finish();
  }

 private:
  // m, k, n of a product or of one of its gradients.
  void plain_form() {
    refuse(axis_options, "goes with --lhs-shape and --rhs-shape");
    const std::size_t kind = arguments_.choice("kind", kinds, diags_);
    auto m = arguments_.integer("m", diags_);
    const std::int64_t k = extent_of("k"), n = extent_of("n");
    if (!diags_.empty()) return;
    const auto sizes = sizes_option(arguments_, m, call_.seed, diags_);
    if (!sizes) return;
    std::vector<std::int64_t> all;
    for (std::int64_t g = 0; g < sizes->elements(); ++g)
      all.push_back(static_cast<std::int64_t>(sizes->at(g)));
    if (!m) {
      m = 0;
      for (const std::int64_t size : all) m = *m + size;
    }
    const auto groups = static_cast<std::int64_t>(all.size());
    const bool turned = arguments_.has("transpose-rhs");
    if (turned && kind == 2) complain("--transpose-rhs is for weights, which wgrad has none of");
    state_->lhs.first_dims = dim_sizes(all);
    GroupedGemmOptions& options = state_->options;
    if (kind == 2) {
      lhs_shape_ = {*m, k};
      rhs_shape_ = {*m, n};
      state_->rhs.first_dims = state_->lhs.first_dims;
      options.lhs_contracting = options.rhs_contracting = {0};
      return;
    }
    // The weights are [groups, k, n] or transposed; dgrad contracts their columns.
    const bool dgrad = kind == 1;
    lhs_shape_ = {*m, dgrad ? n : k};
    rhs_shape_ = turned ? Shape{groups, n, k} : Shape{groups, k, n};
    options.lhs_contracting = {1};
    options.rhs_contracting = {dgrad == turned ? 1 : 2};
    if (!dgrad) options.rhs_contracting = {turned ? 2 : 1};
  }

  void free_form(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs) {
    refuse(plain_options, "is for calls without shapes: here the shapes say it");
    read_shapes(lhs, rhs);
    pair("contracting", arguments_.text("contracting", "1/2"), state_->options.lhs_contracting,
         state_->options.rhs_contracting);
    const std::array<DimSizes*, 4> dims = {&state_->lhs.first_dims, &state_->lhs.last_dims,
                                           &state_->rhs.first_dims, &state_->rhs.last_dims};
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (arguments_.has(axis_options[i]))
        if (const auto given = list(axis_options[i], arguments_.text(axis_options[i])))
          *dims[i] = dim_sizes(*given);
  }

  void operands(const std::optional<Tensor>& lhs, const std::optional<Tensor>& rhs) {
    const Fill kind = fill_option(arguments_, diags_);
    const std::int64_t outliers = arguments_.integer("outliers", diags_, 1).value_or(0);
    if (lhs && rhs) refuse(fill_options, "has nothing to fill: every operand is a file");
    take(check_host_memory({{call_.dtype, lhs_shape_}, {call_.dtype, rhs_shape_}}));
    if (!diags_.empty()) return;
    const std::int64_t products = terms(state_->options.lhs_contracting);
    const auto generate = [&](const Shape& shape, FillRole role, std::uint64_t stream) {
      const auto make = [=, dtype = call_.dtype] {
        // Four times the products leave room for alpha and beta * c.
        Tensor tensor = filled_operand(dtype, shape, kind, role, 4 * products, stream, false);
        for (std::int64_t i = outliers - 1; outliers > 0 && i < tensor.elements(); i += outliers)
          tensor.set(i, tensor.at(i) * 1000);
        return tensor;
      };
      return may_go_unread(arguments_) ? Tensor::deferred(call_.dtype, shape, make) : make();
    };
    const bool delayed = arguments_.text("scaling") == "delayed";
    const auto make = [&](const std::optional<Tensor>& file, const Shape& shape, FillRole role,
                          std::uint64_t stream, GroupedTensor& to, float& seen) {
      Tensor tensor = file ? file->clone() : generate(shape, role, call_.seed * 8 + stream);
      // The call before had the operands of the next seed, or those of the same file.
      if (delayed && file) seen = amax(tensor);
      if (delayed && !file) seen = amax(generate(shape, role, (call_.seed + 1) * 8 + stream));
      to.data = std::make_shared<const Tensor>(std::move(tensor));
      to.original_shape = to.data->shape();
      to.dq_dtype = to.data->dtype();
    };
    make(lhs, lhs_shape_, FillRole::lhs, 1, state_->lhs, lhs_seen_);
    make(rhs, rhs_shape_, FillRole::rhs, 2, state_->rhs, rhs_seen_);
    call_.whole = !lhs && !rhs && kind == Fill::integers && outliers == 0;
  }

  void scaling() {
    const auto mode = static_cast<ScalingMode>(arguments_.choice("scaling", scalings, diags_));
    if (mode == ScalingMode::NoScaling) {
      constexpr std::array<std::string_view, 2> quantised = {"lhs-quantised", "rhs-quantised"};
      refuse(quantised, "is for --scaling delayed, current or mxfp8");
      return;
    }
    const auto spec = [&](std::string_view option, float seen) {
      QuantizeSpec result;
      result.mode = mode;
      result.dtype =
          dtype_option(arguments_, option, quantised_types, diags_).value_or(DType::e4m3);
      const DimSizes& sizes = state_->lhs.first_dims   ? state_->lhs.first_dims
                              : state_->lhs.last_dims  ? state_->lhs.last_dims
                              : state_->rhs.first_dims ? state_->rhs.first_dims
                                                       : state_->rhs.last_dims;
      if (mode == ScalingMode::DelayedTensor && sizes) {
        Expected<DelayedScaling> delayed = DelayedScaling::make(result.dtype);
        CHECK(delayed);  // of one of quantised_types
        delayed->note(seen);
        result.delayed_scales.assign(static_cast<std::size_t>(sizes->elements()), delayed->scale());
      }
      return result;
    };
    state_->options.lhs_quantizer = spec("lhs-quantised", lhs_seen_);
    state_->options.rhs_quantizer = spec("rhs-quantised", rhs_seen_);
    call_.whole = false;
    call_.lines.emplace_back("scaling", std::string(name(mode)));
  }

  // One number for all groups, or one for each.
  std::optional<Tensor> numbers(std::string_view option, std::int64_t groups) {
    if (!arguments_.has(option)) return std::nullopt;
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
    // Scales by powers of two keep whole numbers exact.
    for (const float value : values)
      call_.whole = call_.whole && (value == 0 || value == 1 || value == -1 || value == 2);
    Tensor tensor(DType::f32, {static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.as<float>());
    return tensor;
  }

  void linear_terms() {
    GroupedGemmOptions& options = state_->options;
    read_product(result_types, options, state_->group_offset);
    options.path = static_cast<GroupedGemmPath>(arguments_.choice("path", paths, diags_));
    options.use_async_d2h_group_sizes = arguments_.has("async-sizes");
    if (!diags_.empty()) return;
    // The call without them says how many groups and columns there are.
    GroupedGemmOptions bare = options;
    bare.group_offset = nullptr;
    const auto shape = grouped_gemm_shape(state_->lhs, state_->rhs, bare);
    if (!shape) return take(shape.diags());
    if (auto alpha = numbers("alpha", shape->groups)) {
      state_->alpha = *std::move(alpha);
      options.alpha = &state_->alpha;
    }
    if (auto beta = numbers("beta", shape->groups)) {
      state_->beta = *std::move(beta);
      options.beta = &state_->beta;
      const auto file =
          file_option(arguments_, "existing", shape->out_dtype, shape->out_dtype, diags_);
      if (arguments_.has("existing") && !file) return;
      state_->c = file ? file->clone() : Tensor::uninitialised(shape->out_dtype, shape->out);
      if (!file)
        fill_operand(state_->c, fill_option(arguments_, diags_), FillRole::existing, 1,
                     call_.seed * 8 + 3);
      options.c = &state_->c;
      call_.whole = call_.whole && !file;
    } else if (arguments_.has("existing")) {
      complain("--existing is C, which --beta multiplies");
    }
    if (arguments_.has("bias")) {
      state_->bias = Tensor::uninitialised(shape->out_dtype, {shape->groups, shape->columns});
      fill_operand(state_->bias, fill_option(arguments_, diags_), FillRole::existing, 1,
                   call_.seed * 8 + 4);
      options.bias = &state_->bias;
    }
  }

  Expected<OperationCall> finish() {
    const auto shape = grouped_gemm_shape(state_->lhs, state_->rhs, state_->options);
    if (!shape) return shape.diags();
    call_.flops = shape->flops;
    const auto type = [&](const std::optional<QuantizeSpec>& spec) {
      return spec ? name(spec->dtype) : name(call_.dtype);
    };
    describe(type(state_->options.lhs_quantizer), type(state_->options.rhs_quantizer),
             shape->out_dtype, shape->out, shape->sizes);
    const auto v2 = grouped_gemm_v2_support(state_->lhs, state_->rhs, state_->options);
    if (!v2) return v2.diags();
    const bool first = state_->options.path == GroupedGemmPath::V1 || !v2->ok;
    if (arguments_.has("async-sizes") && (!first || call_.request.device == nullptr))
      return error("--async-sizes is for path v1, which this call does not take");
    if (call_.request.device != nullptr) {
      if (first) call_.launches = shape->products;
      call_.lines.emplace_back(
          "path", fmt::format("{}{}{}", first ? "V1" : "V2", v2->ok ? "" : ": ", v2->reason));
      call_.fields["path"] = first ? "V1" : "V2";
      call_.fields["why_not_v2"] = v2->ok ? Json() : Json(v2->reason);
    }
    name_operand("lhs", state_->lhs.data);
    name_operand("rhs", state_->rhs.data);
    if (state_->options.c != nullptr) name_operand("existing", {state_, &state_->c});
    if (state_->options.bias != nullptr) name_operand("bias", {state_, &state_->bias});
    call_.launch = [state = state_, machine = call_.request.profile.machine](
                       const RunOptions& run) -> Expected<OperationRun> {
      GroupedGemmOptions with_run = state->options;
      with_run.run = {machine, &run};
      Expected<GroupedGemmRun> result = run_grouped_gemm(state->lhs, state->rhs, with_run);
      if (!result) return result.diags();
      return operation_run(static_cast<GroupedMatmulRun&&>(*std::move(result)),
                           with_run.input_buffer_count);
    };
    call_.judge = [state = state_](const OperationRun& run, const CheckOptions& how) {
      return check_grouped_gemm(state->lhs, state->rhs, state->options, *run.results.front(), how);
    };
    return std::move(call_);
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
  float lhs_seen_ = 0, rhs_seen_ = 0;  // largest elements of the call before
};

Expected<OperationCall> prepare(const Arguments& arguments) { return Reader(arguments).read(); }

}  // namespace

Command grouped_gemm_command() {
  return {
      "grouped-gemm",
      "",
      "grouped GEMM: alpha * lhs[g] . rhs[g] + beta * c[g] + bias[g], scaled or not",
      "  gmm-run grouped-gemm --group-sizes 100,0,50 --k 64 --n 32 --bias --interpret\n"
      "  gmm-run grouped-gemm --kind wgrad --group-sizes 64,0,32 --k 64 --n 32 --scaling mxfp8\n"
      "  gmm-run grouped-gemm --group-sizes 5,0,9 --k 96 --n 64 --alpha 0.5 --beta 1,0,2\n"
      "  gmm-run grouped-gemm --lhs-shape 2,3,8 --lhs-first-dims 4,2 --rhs-shape 2,8,4,5 "
      "--contracting 2/1\n",
      product_options({
          {"kind", "forward|dgrad|wgrad", "the product or one of its gradients; default forward"},
          {"m", "N", "rows of lhs; may be left out when the group sizes give it"},
          {"k", "N", "rows of the weights of a group"},
          {"n", "N", "columns of the weights of a group"},
          {"transpose-rhs", "", "the weights are stored [groups, n, k]"},
          {"contracting", "L/R", "contracted axes of lhs and of rhs; default 1/2"},
          {"lhs-first-dims", "LIST", "sizes of the groups along lhs's leading axes"},
          {"lhs-last-dims", "LIST", "sizes of the groups along lhs's trailing axes"},
          {"rhs-first-dims", "LIST", "the same of rhs: the contraction is ragged"},
          {"rhs-last-dims", "LIST", "the same of rhs"},
          {"alpha", "LIST", "one number, or one for each group; default 1"},
          {"beta", "LIST", "the same, of C; default 0, which never reads C"},
          {"existing", "FILE", "C; without it and with --beta it is generated", false,
           FileUse::reads},
          {"bias", "", "adds a row for each group"},
          {"scaling", "none|delayed|mxfp8|current|nvfp4|nvfp4-2d",
           "quantise the operands; nvfp4 is refused"},
          {"lhs-quantised", "e4m3|e5m2", "elements of the quantised lhs; default e4m3"},
          {"rhs-quantised", "e4m3|e5m2", "of the quantised rhs"},
          {"path", "auto|v1|v2", "a product for each group, or one kernel for all"},
          {"async-sizes", "", "path v1: the sizes are fetched ahead, of at most 1024 groups"},
          {"group-offset", "N", "refused, as by the source"},
          {"dtype", "TYPE", "of lhs and rhs: bf16 f16 f32 e4m3 e5m2; default bf16"},
          {"out-dtype", "TYPE", "of the result, C and the bias: f32 bf16 f16; default f32"},
          {"outliers", "N", "every N-th generated element is 1000 times as large"},
          {"sizes", "FILE", "the group sizes: .npy or FILE.safetensors#tensor", false,
           FileUse::reads},
      }),
      run_operation<prepare>,
      verifiable_operation<prepare>};
}

}  // namespace tessera::cli

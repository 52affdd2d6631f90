#include "kernels/grouped_gemm/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/launch/axes.h"

namespace tessera {
namespace {

using Axes = std::vector<std::int64_t>;
using Problem = std::optional<Diag>;

bool has(const Axes& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool is_fp8(DType dtype) { return dtype == DType::e4m3 || dtype == DType::e5m2; }

// The checks of transformer_engine/jax grouped_gemm in its order, with its texts; those it dropped
// or leaves to its C++ layers too.
class Validator {
 public:
  Validator(const GroupedTensor& lhs, const GroupedTensor& rhs, const GroupedGemmOptions& options)
      : options_(options) {
    call_.lhs = lhs;
    call_.rhs = rhs;
  }

  Expected<GroupedGemmCall> run() {
    const auto steps = {&Validator::data,   &Validator::modes,       &Validator::count,
                        &Validator::layout, &Validator::quantise,    &Validator::types,
                        &Validator::ragged, &Validator::extents,     &Validator::scales,
                        &Validator::output, &Validator::linear_terms};
    for (const auto step : steps) {
      if (Problem problem = (this->*step)()) return *problem;
    }
    return std::move(call_);
  }

 private:
  Problem data() {
    for (const auto& [tensor, whose] :
         {std::pair{&call_.lhs, "lhs"}, std::pair{&call_.rhs, "rhs"}}) {
      if (tensor->data == nullptr || tensor->data->data() == nullptr)
        return error(fmt::format("{} has no data", whose));
      if (!checked_bytes(DType::i8, tensor->original_shape))
        return error(fmt::format("{} has shape {}, which is negative or too large", whose,
                                 to_string(tensor->original_shape)));
    }
    return {};
  }

  Problem modes() {
    const GroupedTensor &lhs = call_.lhs, &rhs = call_.rhs;
    if (lhs.dq_dtype != rhs.dq_dtype)
      return error(fmt::format("Mismatched output dtypes: {} vs {}", name(lhs.dq_dtype),
                               name(rhs.dq_dtype)));
    if (lhs.mode != rhs.mode) {
      const auto kind = [](const GroupedTensor& tensor) {
        return tensor.mode == ScalingMode::NoScaling ? "GroupedNoScaleTensor"
                                                     : "GroupedScaledTensor1x";
      };
      if (lhs.mode == ScalingMode::NoScaling || rhs.mode == ScalingMode::NoScaling)
        return error(ErrorCode::invalid_type,
                     fmt::format("lhs is {} but rhs is {}; both operands must use the same tensor "
                                 "type.",
                                 kind(lhs), kind(rhs)));
      return error(
          fmt::format("Mismatched scaling modes: {} vs {}", name(lhs.mode), name(rhs.mode)));
    }
    if (const std::string_view reason = unsupported_reason(lhs.mode); !reason.empty())
      return error(ErrorCode::unsupported, std::string(reason));
    return {};
  }

  // How many groups there are: as many as the first array of sizes has.
  Problem count() {
    struct Sizes {
      const char* name;
      const DimSizes* sizes;
    };
    const std::array<Sizes, 4> all = {Sizes{"lhs_first_dims", &call_.lhs.first_dims},
                                      Sizes{"lhs_last_dims", &call_.lhs.last_dims},
                                      Sizes{"rhs_first_dims", &call_.rhs.first_dims},
                                      Sizes{"rhs_last_dims", &call_.rhs.last_dims}};
    bool any = false;
    for (const Sizes& each : all) {
      if (!*each.sizes) continue;
      any = true;
      if ((*each.sizes)->dtype() != DType::i32) return error("group_sizes must be int32.");
      if ((*each.sizes)->rank() != 1)
        return error(fmt::format("{} is one size for each group, found shape {}", each.name,
                                 to_string((*each.sizes)->shape())));
      if (call_.groups == 0) call_.groups = (*each.sizes)->elements();
    }
    if (!any)
      return error(
          "Cannot infer number of gemms since neither lhs nor rhs has first_dims or last_dims. "
          "Ensure that at least one of the input tensors has valid first_dims or last_dims.For "
          "grouped_gemm, at least one tensor must be ragged.");
    if (call_.groups == 0)
      return error(
          "grouped_gemm requires at least one non-empty dimension array. Ensure lhs or rhs tensor "
          "objects carry first_dims or last_dims.");
    for (const Sizes& each : all)
      if (GroupedTensor::ragged(*each.sizes) && (*each.sizes)->elements() != call_.groups)
        return error(fmt::format("grouped GEMM {} has size {}, expected num_groups={}", each.name,
                                 (*each.sizes)->elements(), call_.groups));
    for (const GroupedTensor* tensor : {&call_.lhs, &call_.rhs})
      if (GroupedTensor::ragged(tensor->first_dims) && GroupedTensor::ragged(tensor->last_dims))
        return error("Grouped GEMM with both first_dims and last_dims ragged is not supported.");
    return {};
  }

  // The contracted axes follow each other and stand at one end; the groups of weights stand first.
  Problem contracted(const char* whose, const Axes& axes, const GroupedTensor& tensor,
                     std::int64_t lead) {
    const auto rank = static_cast<std::int64_t>(tensor.original_shape.size());
    if (elements(tensor.original_shape) != tensor.data->elements())
      return error("grouped GEMM data buffer element count does not match the provided 2D shape.");
    const auto wrong = [&] {
      return error(fmt::format(
          "the contracting dims of {} must follow each other at one end of its axes{}, got ({}) of "
          "{} axes",
          whose, lead > 0 ? " after the groups" : "", fmt::join(axes, ", "), rank));
    };
    if (axes.empty()) return wrong();
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i] < lead || axes[i] >= rank || (i > 0 && axes[i] != axes[i - 1] + 1))
        return wrong();
    if (axes.front() != lead && axes.back() != rank - 1) return wrong();
    if (static_cast<std::int64_t>(axes.size()) == rank - lead)
      return error(fmt::format("every axis of {} is contracted: it is no matrix", whose));
    return {};
  }

  Problem layout() {
    const bool weights = !call_.rhs.is_ragged();
    if (Problem p = contracted("lhs", options_.lhs_contracting, call_.lhs, 0)) return p;
    if (Problem p = contracted("rhs", options_.rhs_contracting, call_.rhs, weights ? 1 : 0))
      return p;
    const Axes &l = options_.lhs_contracting, &r = options_.rhs_contracting;
    const auto lhs_rank = static_cast<std::int64_t>(call_.lhs.original_shape.size()),
               rhs_rank = static_cast<std::int64_t>(call_.rhs.original_shape.size());
    call_.lhs_is_trans = l.back() != lhs_rank - 1;
    call_.rhs_is_trans = r.back() == rhs_rank - 1;
    call_.lhs_boundary = call_.lhs_is_trans ? l.back() + 1 : l.front();
    call_.rhs_boundary = call_.rhs_is_trans ? r.front() : r.back() + 1;
    if (!weights) return {};
    const std::int64_t blocks = call_.rhs.original_shape[0];
    if (blocks == call_.groups) return {};
    return error(fmt::format(
        "Expected group_sizes.size == rhs_shape[0], but got group_sizes.size={}, rhs_shape[0]={}",
        call_.groups, blocks));
  }

  Problem quantise() {
    const auto &l = options_.lhs_quantizer, &r = options_.rhs_quantizer;
    if (!l && !r) return {};
    if (!l || !r) return error("both operands have a quantizer, or none");
    if (l->mode != r->mode)
      return error(ErrorCode::invalid_type,
                   fmt::format("Expected quantizer_set.x and quantizer_set.kernel to have the same "
                               "type, but got {} and {}",
                               name(l->mode), name(r->mode)));
    if (call_.lhs.mode != ScalingMode::NoScaling)
      return error(ErrorCode::invalid_type,
                   "Expected lhs to be GroupedNoScaleTensor before quantization, got "
                   "type=GroupedScaledTensor1x");
    for (const auto& spec : {l, r})
      if (spec->mode != ScalingMode::NoScaling) {
        if (Diags diags = check_quantised(spec->dtype); !diags.empty()) return diags.front();
        if (spec->mode != ScalingMode::DelayedTensor && !spec->delayed_scales.empty())
          return error(fmt::format("delayed_scales are for {}, and the mode is {}",
                                   name(ScalingMode::DelayedTensor), name(spec->mode)));
      }
    if (l->dtype == DType::e5m2 && r->dtype == DType::e5m2)
      return error("FP8 GEMM does not support E5M2 * E5M2");
    if (Problem problem = ragged()) return problem;
    Expected<GroupedTensor> lhs =
        quantize_grouped(call_.lhs, call_.lhs_boundary, call_.groups, call_.lhs_along(), *l);
    if (!lhs) return lhs.diags().front();
    Expected<GroupedTensor> rhs =
        quantize_grouped(call_.rhs, call_.rhs_boundary, call_.groups, call_.rhs_along(), *r);
    if (!rhs) return rhs.diags().front();
    call_.lhs = *std::move(lhs);
    call_.rhs = *std::move(rhs);
    return {};
  }

  Problem types() {
    const DType l = call_.lhs.data->dtype(), r = call_.rhs.data->dtype();
    if (l == DType::e5m2 && r == DType::e5m2) return error("FP8 GEMM does not support E5M2 * E5M2");
    for (const DType type : {l, r})
      if (!is_float(type) || type == DType::e8m0)
        return error(ErrorCode::invalid_type,
                     fmt::format("grouped_gemm multiplies f32, bf16, f16, e4m3 and e5m2, not {}",
                                 name(type)));
    for (const auto& [tensor, whose] :
         {std::pair{&call_.lhs, "lhs"}, std::pair{&call_.rhs, "rhs"}}) {
      const bool scaled = tensor->mode != ScalingMode::NoScaling;
      if (scaled != (tensor->scale_inv != nullptr))
        return error(fmt::format("{} has {} and {}", whose, name(tensor->mode),
                                 scaled ? "no scale_inv" : "a scale_inv"));
      if (scaled && !is_fp8(tensor->data->dtype()))
        return error(ErrorCode::invalid_type,
                     fmt::format("the elements of {} are e4m3 or e5m2, found {}",
                                 name(tensor->mode), name(tensor->data->dtype())));
      if (tensor->mode == ScalingMode::Mxfp8_1D && !tensor->pre_swizzled)
        return error(fmt::format("{} must be pre-swizzled for MXFP8 1D scaling", whose));
    }
    call_.out = options_.preferred_element_type.value_or(call_.lhs.dq_dtype);
    if (call_.out == DType::f32 || call_.out == DType::bf16 || call_.out == DType::f16) return {};
    return error(ErrorCode::unsupported,
                 fmt::format("grouped_gemm stores f32, bf16 or f16, not {}: give a "
                             "preferred_element_type",
                             name(call_.out)));
  }

  // Which axis the groups cut, and at what sizes.
  Problem ragged() {
    const bool rhs_first = GroupedTensor::ragged(call_.rhs.first_dims),
               rhs_last = GroupedTensor::ragged(call_.rhs.last_dims);
    bool lhs_first = GroupedTensor::ragged(call_.lhs.first_dims);
    const bool lhs_last = GroupedTensor::ragged(call_.lhs.last_dims);
    call_.ragged_contraction = call_.rhs.is_ragged();
    const bool rhs_contracts = call_.rhs_is_trans ? rhs_last : rhs_first;
    if (call_.ragged_contraction && !rhs_contracts)
      return error(
          ErrorCode::unsupported,
          fmt::format("rhs is ragged in its {} dims, which are not contracted: a ragged rhs "
                      "means a ragged contraction, and the result (groups, ...) has no "
                      "ragged columns; exchange the operands",
                      rhs_first ? "first" : "last"));
    if (call_.ragged_contraction && !lhs_first && !lhs_last && call_.lhs_is_trans) {
      call_.lhs.first_dims = rhs_first ? call_.rhs.first_dims : call_.rhs.last_dims;
      lhs_first = true;
    }
    const bool lhs_contracts = call_.lhs_is_trans ? lhs_first : lhs_last;
    if (lhs_contracts != call_.ragged_contraction)
      return error(fmt::format("the contraction of {} is ragged and that of {} is not",
                               lhs_contracts ? "lhs" : "rhs", lhs_contracts ? "rhs" : "lhs"));
    const DimSizes& sizes = lhs_first ? call_.lhs.first_dims : call_.lhs.last_dims;
    const DimSizes& others = rhs_first ? call_.rhs.first_dims : call_.rhs.last_dims;
    call_.sizes.clear();
    for (std::int64_t g = 0; g < call_.groups; ++g) {
      const std::int64_t size = sizes->as<std::int32_t>()[g];
      if (size < 0) return error(fmt::format("group_sizes[{}] = {} is negative", g, size));
      call_.sizes.push_back(size);
      if (!call_.ragged_contraction) continue;
      const std::int64_t other = others->as<std::int32_t>()[g];
      if (other != size)
        return error(
            fmt::format("Contracting dimension mismatch: group {} has {} in lhs and {} in rhs", g,
                        size, other));
    }
    call_.left = grouped_matrix(call_.lhs, call_.lhs_boundary, call_.groups);
    call_.right = grouped_matrix(call_.rhs, call_.rhs_boundary, call_.groups);
    return sums(lhs_first ? call_.left.left : call_.left.right);
  }

  Problem sums(std::int64_t extent) {
    const std::int64_t sum =
        std::accumulate(call_.sizes.begin(), call_.sizes.end(), std::int64_t{0});
    const bool must_fill = options_.path == GroupedGemmPath::V1 ||
                           GroupedTensor::ragged(call_.lhs.last_dims) ||
                           GroupedTensor::ragged(call_.rhs.last_dims);
    if (sum == extent || (sum < extent && !must_fill)) return {};
    return error(fmt::format("Unexpected group_sizes! {} = {}, got sum(group_sizes)={}",
                             call_.ragged_contraction ? "K" : "M", extent, sum));
  }

  Problem extents() {
    const std::int64_t k_lhs = call_.lhs_is_trans ? call_.left.left : call_.left.right;
    const std::int64_t rhs_left =
        call_.ragged_contraction ? call_.right.left : call_.right.left / call_.groups;
    const std::int64_t k_rhs = call_.rhs_is_trans ? call_.right.right : rhs_left;
    call_.columns = call_.rhs_is_trans ? rhs_left : call_.right.right;
    if (k_lhs == k_rhs) return {};
    return error(fmt::format(
        "Mismatched contracting dimensions: K_lhs={}, K_rhs={} (from "
        "lhs_shape={}, rhs_shape={})",
        k_lhs, k_rhs, to_string(call_.lhs.original_shape), to_string(call_.rhs.original_shape)));
  }

  Problem scales() {
    for (const auto& [tensor, matrix, whose, along] :
         {std::tuple{&call_.lhs, &call_.left, "lhs", call_.lhs_along()},
          std::tuple{&call_.rhs, &call_.right, "rhs", call_.rhs_along()}}) {
      if (Diags diags = check_scales(whose, *tensor, *matrix, along); !diags.empty())
        return diags.front();
    }
    return {};
  }

  Problem output() {
    const Shape &l = call_.lhs.original_shape, &r = call_.rhs.original_shape;
    Shape rows, columns;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(l.size()); ++d)
      if ((d < call_.lhs_boundary) != call_.lhs_is_trans)
        rows.push_back(l[static_cast<std::size_t>(d)]);
    for (std::int64_t d = call_.ragged_contraction ? 0 : 1; d < static_cast<std::int64_t>(r.size());
         ++d)
      if (!has(options_.rhs_contracting, d)) columns.push_back(r[static_cast<std::size_t>(d)]);
    call_.block_rows = elements(rows);
    call_.rows = call_.block_rows * (call_.ragged_contraction ? call_.groups : 1);
    if (call_.ragged_contraction) {
      call_.out_shape = {call_.groups};
    } else {
      call_.out_first_dims = call_.lhs.first_dims;
      call_.out_last_dims = call_.lhs.last_dims;
    }
    call_.out_shape.insert(call_.out_shape.end(), rows.begin(), rows.end());
    call_.out_shape.insert(call_.out_shape.end(), columns.begin(), columns.end());
    return {};
  }

  Problem vector(const char* what, const Tensor* given, float fallback, std::vector<float>& to) {
    to.assign(static_cast<std::size_t>(call_.groups), fallback);
    if (!given) return {};
    if (given->shape() != Shape{call_.groups})
      return error(fmt::format("Expected {} shape ({},), got {}", what, call_.groups,
                               to_string(given->shape())));
    if (given->dtype() != DType::f32)
      return error(fmt::format("Expected {} dtype float32, got {}", what, name(given->dtype())));
    std::copy_n(given->as<float>(), call_.groups, to.begin());
    return {};
  }

  Problem linear_terms() {
    if (options_.bias) {
      const Shape expected{call_.groups, call_.columns};
      if (options_.bias->shape() != expected)
        return error(fmt::format("bias shape {} does not match expected shape {}",
                                 to_string(options_.bias->shape()), to_string(expected)));
      const DType type = options_.bias->dtype();
      if (type != DType::f32 && type != DType::bf16 && type != DType::f16)
        return error(ErrorCode::invalid_type,
                     fmt::format("a bias is f32, bf16 or f16, not {}", name(type)));
    }
    if (options_.group_offset)
      return error(
          ErrorCode::runtime,
          "group_offset is not supported yet and is instead computed internally assuming "
          "contiguous grouping. Any padding is included in the group_sizes and padded with "
          "zeros to not affect the result of the MoE block.");
    if (Problem p = vector("alpha", options_.alpha, 1, call_.factor)) return p;
    if (Problem p = vector("beta", options_.beta, 0, call_.beta)) return p;
    for (std::size_t g = 0; g < call_.beta.size(); ++g) {
      if (call_.beta[g] == 0) continue;
      call_.reads_c = true;
      if (!options_.c)
        return error(fmt::format("beta[{}] = {} and there is no C", g, call_.beta[g]));
    }
    if (options_.c && !options_.beta) return error("C is given, and no beta that multiplies it");
    if (options_.c && options_.c->shape() != call_.out_shape)
      return error(fmt::format("C has shape {}, the result has {}", to_string(options_.c->shape()),
                               to_string(call_.out_shape)));
    if (options_.c && options_.c->dtype() != call_.out)
      return error(
          fmt::format("C is {}, the result is {}", name(options_.c->dtype()), name(call_.out)));
    if (is_tensor_scaled(call_.lhs.mode))
      for (std::size_t g = 0; g < call_.factor.size(); ++g)
        call_.factor[g] *=
            call_.lhs.scale_inv->as<float>()[g] * call_.rhs.scale_inv->as<float>()[g];
    if (options_.input_buffer_count < 1)
      return error(fmt::format("input_buffer_count must be at least 1, got {}",
                               options_.input_buffer_count));
    return {};
  }

  const GroupedGemmOptions& options_;
  GroupedGemmCall call_;
};

}  // namespace

std::int64_t GroupedGemmCall::first_row(std::size_t group) const {
  if (ragged_contraction) return static_cast<std::int64_t>(group) * block_rows;
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(group),
                         std::int64_t{0});
}

std::int64_t GroupedGemmCall::flops() const {
  std::int64_t sum = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) sum += 2 * group_rows(g) * contracted(g) * columns;
  return sum;
}

Expected<GroupedGemmCall> validate_grouped_gemm(const GroupedTensor& lhs, const GroupedTensor& rhs,
                                                const GroupedGemmOptions& options) {
  return Validator(lhs, rhs, options).run();
}

const Tensor& multiplied(const GroupedGemmCall& call, const GroupedTensor& tensor,
                         std::int64_t boundary, MxAlong along, Tensor& storage) {
  if (tensor.mode != ScalingMode::Mxfp8_1D) return *tensor.data;
  Expected<Tensor> values = dequantize_grouped(tensor, boundary, call.groups, along);
  CHECK(values);  // the call was validated
  storage = *std::move(values);
  return storage;
}

GroupedGemmProblem grouped_gemm_problem(const GroupedGemmCall& call,
                                        const GroupedGemmOptions& options, const Tensor& lhs,
                                        const Tensor& rhs) {
  GroupedGemmProblem problem;
  problem.rows = call.rows;
  problem.columns = call.columns;
  for (std::size_t g = 0; g < call.sizes.size(); ++g) {
    const auto matrix = [](const Tensor& tensor, const GroupedMatrix::Group& group, bool turned) {
      const MatrixView view{&tensor, group.offset, group.right, 1};
      return turned ? view.transposed() : view;
    };
    GemmGroup group;
    group.a = matrix(lhs, call.left.groups[g], call.lhs_is_trans);
    group.b = matrix(rhs, call.right.groups[g], call.rhs_is_trans);
    group.first_row = call.first_row(g);
    group.rows = call.group_rows(g);
    group.terms = call.contracted(g);
    group.factor = options.alpha ? static_cast<double>(options.alpha->as<float>()[g]) : 1.0;
    const bool scaled = is_tensor_scaled(call.lhs.mode);
    if (scaled)
      group.factor *= static_cast<double>(call.lhs.scale_inv->as<float>()[g]) *
                      static_cast<double>(call.rhs.scale_inv->as<float>()[g]);
    group.beta = static_cast<double>(call.beta[g]);
    group.c = call.beta[g] != 0 ? options.c : nullptr;
    group.bias = options.bias;
    group.index = static_cast<std::int64_t>(g);
    // The factor's own roundings and its product's; c's product and sum; the bias' sum.
    group.epilogue =
        (scaled ? 2 : 0) + (group.factor != 1 ? 1 : 0) + (group.c ? 2 : 0) + (group.bias ? 1 : 0);
    problem.groups.push_back(group);
  }
  return problem;
}

}  // namespace tessera

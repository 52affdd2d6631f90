// What grouped-gemm multiplies: shapes, ragged axes and contracted ones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/args/grouped_gemm_reader.h"
#include "core/data/tensor_file.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 3> kinds = {"forward", "dgrad", "wgrad"};
// The options of one form alone; the axes begin with the dims, lhs's before rhs's.
constexpr std::array<std::string_view, 5> axis_options = {
    "lhs-first-dims", "lhs-last-dims", "rhs-first-dims", "rhs-last-dims", "contracting"};
constexpr std::array<std::string_view, 6> plain_options = {"m",           "k",      "n",
                                                           "group-sizes", "groups", "sizes"};
constexpr std::size_t plain_only = 3;  // the first ones, refused in any call with shapes
constexpr std::array<std::string_view, 2> layout_options = {"kind", "transpose-rhs"};

// The shape that the sizes of both sides give; none where one is missing or of another type, which
// is refused later.
std::optional<Shape> packed_shape(const GroupedTensor& tensor) {
  if (!tensor.is_packed()) return std::nullopt;
  const Tensor &first = *tensor.first_dims, &last = *tensor.last_dims;
  if (first.dtype() != DType::i32 || last.dtype() != DType::i32 || first.shape() != last.shape())
    return Shape{1, 0};
  std::int64_t elements = 0;
  for (std::int64_t g = 0; g < first.elements(); ++g) {
    const std::int64_t block =
        std::int64_t{first.as<std::int32_t>()[g]} * last.as<std::int32_t>()[g];
    if (block < 0 || block > INT64_MAX - elements) return Shape{1, 0};
    elements += block;
  }
  return Shape{1, elements};
}

}  // namespace

std::size_t GroupedGemmReader::contract_plainly() {
  const std::size_t kind = arguments_.choice("kind", kinds, diags_);
  const bool turned = arguments_.has("transpose-rhs");
  if (turned && kind == 2) complain("--transpose-rhs is for weights, which wgrad has none of");
  // A gradient for lhs contracts the weights' columns.
  const std::int64_t of_weights = (kind == 1) == turned ? 1 : 2;
  state_->options.lhs_contracting = {kind == 2 ? 0 : 1};
  state_->options.rhs_contracting = {kind == 2 ? 0 : of_weights};
  return kind;
}

void GroupedGemmReader::plain_form() {
  refuse(axis_options, "goes with --lhs-shape and --rhs-shape");
  const std::size_t kind = contract_plainly();
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
  state_->lhs.first_dims = sizes_of(arguments_.has("sizes") ? "sizes" : "group-sizes", all);
  if (!diags_.empty()) return;
  lhs_shape_ = {*m, kind == 1 ? n : k};
  if (kind == 2) {
    rhs_shape_ = {*m, n};
    state_->rhs.first_dims = state_->lhs.first_dims;
  } else {
    rhs_shape_ = arguments_.has("transpose-rhs") ? Shape{groups, n, k} : Shape{groups, k, n};
  }
}

void GroupedGemmReader::free_form(const std::optional<Tensor>& lhs,
                                  const std::optional<Tensor>& rhs) {
  // Without dims the group sizes may be given as in the plain form.
  const bool has_dims = std::any_of(axis_options.begin(), axis_options.end() - 1,
                                    [&](const auto& option) { return arguments_.has(option); });
  const bool has_sizes =
      !has_dims && (arguments_.was_given("group-sizes") || arguments_.was_given("sizes"));
  refuse(std::span(plain_options).first(has_sizes ? plain_only : plain_options.size()),
         "is for calls without shapes: here the shapes say it");
  state_->lhs.first_dims = dims("lhs-first-dims");
  state_->lhs.last_dims = dims("lhs-last-dims");
  state_->rhs.first_dims = dims("rhs-first-dims");
  state_->rhs.last_dims = dims("rhs-last-dims");
  read_shapes(lhs, rhs, packed_shape(state_->lhs), packed_shape(state_->rhs));
  if (arguments_.has("contracting")) {
    refuse(layout_options, "goes without --contracting, which gives the axes");
    pair("contracting", arguments_.text("contracting"), state_->options.lhs_contracting,
         state_->options.rhs_contracting);
  } else {
    contract_plainly();
  }
  if (has_sizes && diags_.empty()) sizes_of_first_dims();
}

void GroupedGemmReader::sizes_of_first_dims() {
  const Axes &l = state_->options.lhs_contracting, &r = state_->options.rhs_contracting;
  const auto begins = [](const Axes& axes) { return !axes.empty() && axes.front() == 0; };
  const auto end = static_cast<std::int64_t>(lhs_shape_.size());
  const std::int64_t boundary = l.empty() ? end : begins(l) ? l.back() + 1 : l.front();
  const Shape leading(lhs_shape_.begin(), lhs_shape_.begin() + std::min(boundary, end));
  const auto rows = checked_bytes(DType::i8, leading);
  if (!rows) return complain(fmt::format("--lhs-shape {} is too large", to_string(lhs_shape_)));
  const auto sizes = sizes_option(arguments_, *rows, call_.seed, diags_);
  if (!sizes) return;
  Axes all;
  for (std::int64_t g = 0; g < sizes->elements(); ++g)
    all.push_back(static_cast<std::int64_t>(sizes->at(g)));
  state_->lhs.first_dims = sizes_of(arguments_.has("sizes") ? "sizes" : "group-sizes", all);
  if (begins(l))
    (begins(r) ? state_->rhs.first_dims : state_->rhs.last_dims) = state_->lhs.first_dims;
}

DimSizes GroupedGemmReader::dims(std::string_view option) {
  if (!arguments_.has(option)) return nullptr;
  const std::string_view text = arguments_.text(option);
  if (!text.starts_with('@')) return sizes_of(option, list(option, text).value_or(Axes{}));
  Expected<Tensor> file = load_tensor(text.substr(1), std::nullopt);
  if (!file) return take(file.diags()), nullptr;
  if (file->rank() != 1 || !is_integer(file->dtype())) {
    complain(
        fmt::format("--{} wants a size for each group, integers of one axis: {} holds {} of "
                    "shape {}",
                    option, text.substr(1), name(file->dtype()), to_string(file->shape())));
    return nullptr;
  }
  Axes sizes;
  for (std::int64_t g = 0; g < file->elements(); ++g)
    sizes.push_back(static_cast<std::int64_t>(file->at(g)));
  return sizes_of(option, sizes);
}

DimSizes GroupedGemmReader::sizes_of(std::string_view option, const Axes& sizes) {
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    if (sizes[g] <= INT32_MAX) continue;
    complain(fmt::format("--{}: group {} has {}, and group sizes are int32", option, g, sizes[g]));
    return nullptr;
  }
  return dim_sizes(sizes);
}

}  // namespace tessera::cli

// Operand shapes of grouped-gemm, with ragged and contracted axes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/args/grouped_gemm_reader.h"
#include "core/data/tensor_file.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 3> kinds = {"forward", "dgrad", "wgrad"};
// Options of only one form. axis_options begins with the dims, lhs before rhs.
constexpr std::array<std::string_view, 5> axis_options = {
    "lhs-first-dims", "lhs-last-dims", "rhs-first-dims", "rhs-last-dims", "contracting"};
constexpr std::array<std::string_view, 6> plain_options = {"m",           "k",      "n",
                                                           "group-sizes", "groups", "sizes"};
constexpr std::size_t plain_only = 3;  // the first ones, rejected in any call with shapes
constexpr std::array<std::string_view, 2> layout_options = {"kind", "transpose-rhs"};

// Returns the packed shape from the sizes of both axes; none if one of them is missing. Invalid
// sizes give an empty shape and are rejected later.
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
  const std::size_t kind = choice("kind", kinds);
  const bool turned = has("transpose-rhs");
  if (turned && kind == 2) complain("--transpose-rhs is for weights, and wgrad has none");
  // The gradient of lhs contracts the columns of the weights.
  const std::int64_t of_weights = (kind == 1) == turned ? 1 : 2;
  state_->options.lhs_contracting = {kind == 2 ? 0 : 1};
  state_->options.rhs_contracting = {kind == 2 ? 0 : of_weights};
  return kind;
}

void GroupedGemmReader::plain_form() {
  refuse(axis_options, "requires --lhs-shape and --rhs-shape");
  const std::size_t kind = contract_plainly();
  auto m = optional("m");
  const std::int64_t k = extent_of("k"), n = extent_of("n");
  if (!ok()) return;
  if (!read_sizes(m)) return;
  const Axes all = integers_of(*state_->lhs.first_dims);
  if (!m) m = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  lhs_shape_ = {*m, kind == 1 ? n : k};
  if (kind == 2) {
    rhs_shape_ = {*m, n};
    state_->rhs.first_dims = state_->lhs.first_dims;
  } else {
    const auto groups = static_cast<std::int64_t>(all.size());
    rhs_shape_ = has("transpose-rhs") ? Shape{groups, n, k} : Shape{groups, k, n};
  }
}

bool GroupedGemmReader::read_sizes(std::optional<std::int64_t> rows) {
  if (const auto sizes = group_sizes(rows))
    state_->lhs.first_dims = sizes_of(has("sizes") ? "sizes" : "group-sizes", integers_of(*sizes));
  return ok();
}

void GroupedGemmReader::free_form(const std::optional<Tensor>& lhs,
                                  const std::optional<Tensor>& rhs) {
  // Without dims, group sizes can be given as in the plain form.
  const bool has_dims = std::any_of(axis_options.begin(), axis_options.end() - 1,
                                    [&](const auto& option) { return has(option); });
  const bool has_sizes =
      !has_dims && (arguments_.was_given("group-sizes") || arguments_.was_given("sizes"));
  refuse(std::span(plain_options).first(has_sizes ? plain_only : plain_options.size()),
         "is for calls without shapes: the shapes of this call determine it");
  state_->lhs.first_dims = dims("lhs-first-dims");
  state_->lhs.last_dims = dims("lhs-last-dims");
  state_->rhs.first_dims = dims("rhs-first-dims");
  state_->rhs.last_dims = dims("rhs-last-dims");
  read_shapes(lhs, rhs, packed_shape(state_->lhs), packed_shape(state_->rhs));
  if (has("contracting")) {
    refuse(layout_options, "cannot be combined with --contracting, which gives the axes");
    pair("contracting", state_->options.lhs_contracting, state_->options.rhs_contracting);
  } else {
    contract_plainly();
  }
  if (has_sizes && ok()) sizes_of_first_dims();
}

void GroupedGemmReader::sizes_of_first_dims() {
  const Axes &l = state_->options.lhs_contracting, &r = state_->options.rhs_contracting;
  const auto begins = [](const Axes& axes) { return !axes.empty() && axes.front() == 0; };
  const auto end = static_cast<std::int64_t>(lhs_shape_.size());
  const std::int64_t boundary = l.empty() ? end : begins(l) ? l.back() + 1 : l.front();
  const Shape leading(lhs_shape_.begin(), lhs_shape_.begin() + std::min(boundary, end));
  const auto rows = checked_bytes(DType::i8, leading);
  if (!rows) return complain(fmt::format("--lhs-shape {} is too large", to_string(lhs_shape_)));
  if (!read_sizes(*rows)) return;
  if (begins(l))
    (begins(r) ? state_->rhs.first_dims : state_->rhs.last_dims) = state_->lhs.first_dims;
}

DimSizes GroupedGemmReader::dims(std::string_view option) {
  if (!has(option)) return nullptr;
  const std::string_view given = text(option);
  if (!given.starts_with('@')) return sizes_of(option, list(option).value_or(Axes{}));
  const auto file = taken(load_tensor(given.substr(1), std::nullopt, arguments_.files()));
  if (!file) return nullptr;
  if (file->rank() == 1 && is_integer(file->dtype())) return sizes_of(option, integers_of(*file));
  complain(fmt::format(
      "--{}: expected one size per group, integers of one axis: {} holds {} of shape {}", option,
      given.substr(1), name(file->dtype()), to_string(file->shape())));
  return nullptr;
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

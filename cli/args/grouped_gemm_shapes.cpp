// What grouped-gemm multiplies: shapes, ragged axes and contracted ones.
#include <array>
#include <string>
#include <vector>

#include "cli/args/grouped_gemm_reader.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 3> kinds = {"forward", "dgrad", "wgrad"};
// The options of one form alone; the axes begin with the dims, lhs's before rhs's.
constexpr std::array<std::string_view, 5> axis_options = {
    "lhs-first-dims", "lhs-last-dims", "rhs-first-dims", "rhs-last-dims", "contracting"};
constexpr std::array<std::string_view, 8> plain_options = {
    "m", "k", "n", "kind", "transpose-rhs", "group-sizes", "groups", "sizes"};

}  // namespace

void GroupedGemmReader::plain_form() {
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

void GroupedGemmReader::free_form(const std::optional<Tensor>& lhs,
                                  const std::optional<Tensor>& rhs) {
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

}  // namespace tessera::cli

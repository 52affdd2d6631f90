// Cases of grouped-gemm.
#include <array>

#include "fuzz/draws.h"

namespace tessera::fuzz {
namespace {

// Groups along the last axes of lhs. Returns true if the product can have a bias.
bool draw_last_dims(Choices& choices, Invocation& result, const Numbers& sizes, std::int64_t k,
                    std::int64_t n) {
  const auto groups = static_cast<std::int64_t>(sizes.size());
  if (choices.percent(40)) {
    // Groups of any shape; each operand in either orientation.
    const Numbers rows = draw_sizes(choices, groups, 30, 1),
                  columns = draw_sizes(choices, groups, 30, 1);
    const bool left = choices.percent(50), right = choices.percent(50);
    add(result, "lhs-first-dims", list(left ? sizes : rows));
    add(result, "lhs-last-dims", list(left ? rows : sizes));
    add(result, "rhs-first-dims", list(right ? columns : sizes));
    add(result, "rhs-last-dims", list(right ? sizes : columns));
    add(result, "contracting", std::string(left ? "0/" : "1/") + (right ? "1" : "0"));
    return false;
  }
  if (choices.percent(50)) {
    // Rows of a transposed lhs.
    add(result, "lhs-shape", list({k, sum(sizes)}));
    add(result, "lhs-last-dims", list(sizes));
    add(result, "rhs-shape", list({groups, k, n}));
    add(result, "contracting", "0/1");
  } else {
    // A ragged contraction along the last dims of lhs, and the first or last dims of rhs.
    const bool both = choices.percent(50);
    add(result, "lhs-shape", list({k, sum(sizes)}));
    add(result, "lhs-last-dims", list(sizes));
    add(result, "rhs-shape", both ? list({n, sum(sizes)}) : list({sum(sizes), n}));
    add(result, both ? "rhs-last-dims" : "rhs-first-dims", list(sizes));
    add(result, "contracting", both ? "1/1" : "1/0");
  }
  return true;
}

}  // namespace

Invocation draw_grouped_gemm(Choices& choices) {
  constexpr std::array<const char*, 6> scalings = {"none",    "none",    "none",
                                                   "current", "delayed", "mxfp8"};
  constexpr std::array<const char*, 3> types = {"bf16", "f16", "f32"};
  constexpr std::array<const char*, 3> kinds = {"forward", "dgrad", "wgrad"};
  constexpr std::array<const char*, 6> numbers = {"0", "1", "2", "-1", "0.3", "-1.7"};
  Invocation result{"grouped-gemm", {}};
  const std::string scaling = choices.among(scalings);
  // Quantised operands require a contraction over a multiple of `unit` elements.
  const std::int64_t tile_unit = scaling == "mxfp8" ? 32 : 1;
  const std::int64_t unit = scaling == "none" ? 1 : scaling == "mxfp8" ? 32 : 16;
  const std::int64_t groups = choices.between(1, 6);
  const auto extent = [&](std::int64_t most) {
    return (choices.extent(most) + unit - 1) / unit * unit;
  };
  const bool last_dims = choices.percent(25);
  const std::int64_t k = extent(70), n = extent(70);
  const Numbers sizes = draw_sizes(choices, groups, unit == 1 ? 40 : 64, unit);
  bool may_leave_rows = !last_dims, may_have_bias = true;
  if (!last_dims) {
    const std::string kind = choices.among(kinds);
    if (kind != "forward") add(result, "kind", kind);
    add(result, "group-sizes", list(sizes));
    add(result, "k", std::to_string(k));
    add(result, "n", std::to_string(n));
    if (kind != "wgrad" && choices.percent(40)) add_switch(result, "transpose-rhs");
  } else {
    may_have_bias = draw_last_dims(choices, result, sizes, k, n);
  }
  const std::string path = last_dims ? "auto" : choices.percent(30) ? "v1" : "v2";
  if (path != "auto") add(result, "path", path);
  if (may_leave_rows && path == "v2" && choices.percent(25))
    add(result, "m", std::to_string(sum(sizes) + choices.between(1, 3) * unit));
  const auto each = [&] {
    std::string text = choices.among(numbers);
    if (choices.percent(50)) return text;
    for (std::int64_t g = 1; g < groups; ++g) text += std::string(",") + choices.among(numbers);
    return text;
  };
  if (choices.percent(40)) add(result, "alpha", each());
  if (choices.percent(40)) add(result, "beta", each());
  if (may_have_bias && choices.percent(40)) add_switch(result, "bias");
  if (scaling != "none") {
    add(result, "scaling", scaling);
    const bool left = choices.percent(30), right = !left && choices.percent(40);
    if (left) add(result, "lhs-quantised", "e5m2");
    if (right) add(result, "rhs-quantised", "e5m2");
    if (choices.percent(20)) add(result, "outliers", std::to_string(choices.between(3, 97)));
  }
  add(result, "dtype", choices.among(types));
  add(result, "out-dtype", choices.among(types));
  draw_operands_and_run(choices, result, tile_unit);
  return result;
}

}  // namespace tessera::fuzz

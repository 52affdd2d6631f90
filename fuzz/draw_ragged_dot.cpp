// Cases of ragged-dot.
#include <algorithm>
#include <array>

#include "fuzz/draws.h"

namespace tessera::fuzz {
namespace {

// Cases given by m, k, n and a mode.
void draw_plain_dot(Choices& choices, Invocation& to) {
  constexpr std::array<const char*, 3> modes = {"noncontracting", "contracting", "batch"};
  const std::string mode = choices.among(modes);
  const std::int64_t groups = choices.between(1, 6);
  const Numbers sizes = draw_sizes(choices, groups, mode == "batch" ? 2 : 40, 1);
  if (mode != "noncontracting") add(to, "mode", mode);
  add(to, "group-sizes", list(sizes));
  const std::int64_t rest = choices.percent(25) ? choices.between(1, 9) : 0;
  if (mode == "batch") {
    add(to, "batch", std::to_string(sum(sizes) + rest));
    add(to, "m", std::to_string(choices.extent(40)));
  } else {
    add(to, "m", std::to_string(sum(sizes) + rest));
    if (choices.percent(40)) add(to, "batch", std::to_string(choices.between(1, 3)));
  }
  add(to, "k", std::to_string(choices.percent(3) ? 0 : choices.extent(64)));
  add(to, "n", std::to_string(choices.extent(64)));
  if (mode == "noncontracting" && choices.percent(40)) add_switch(to, "transpose-rhs");
  if (mode != "batch" && choices.percent(30)) {
    const std::int64_t first = choices.between(0, groups - 1);
    add(to, "group-offset", std::to_string(first));
    add(to, "local-groups", std::to_string(choices.between(1, groups - first)));
  }
}

// Cases with any number of axes in any order, and one list of group sizes.
void draw_free_dot(Choices& choices, Invocation& to) {
  struct Axis {
    char part;
    std::int64_t number, extent;
  };
  const std::int64_t mode = choices.between(0, 2);
  std::vector<Axis> lhs, rhs;
  const auto add_axes = [&](char part, std::int64_t count, bool left, bool right) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Axis axis{part, i, choices.between(1, 7)};
      if (left) lhs.push_back(axis);
      if (right) rhs.push_back(axis);
    }
  };
  add_axes('b', choices.between(mode == 2 ? 1 : 0, 2), true, true);
  add_axes('k', choices.between(1, 2), true, true);
  add_axes('m', choices.between(mode == 0 ? 1 : 0, 2), true, false);
  add_axes('n', choices.between(0, 2), false, true);
  const std::int64_t groups = choices.between(1, 4);
  if (mode == 0) rhs.push_back({'g', 0, groups});
  choices.shuffle(lhs);
  choices.shuffle(rhs);
  const auto of = [](const std::vector<Axis>& axes, char part) {
    Numbers places;
    for (std::int64_t number = 0;; ++number) {
      const auto at = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) {
        return axis.part == part && axis.number == number;
      });
      if (at == axes.end()) return places;
      places.push_back(at - axes.begin());
    }
  };
  const auto extents = [](const std::vector<Axis>& axes) {
    Numbers result;
    for (const Axis& axis : axes) result.push_back(axis.extent);
    return result;
  };
  const Numbers candidates = of(lhs, mode == 0 ? 'm' : mode == 1 ? 'k' : 'b');
  const std::int64_t ragged = candidates[static_cast<std::size_t>(
      choices.between(0, static_cast<std::int64_t>(candidates.size()) - 1))];
  Numbers sizes;
  std::int64_t room = lhs[static_cast<std::size_t>(ragged)].extent;
  for (std::int64_t g = 0; g < groups; ++g) {
    sizes.push_back(choices.between(0, room));
    room -= sizes.back();
  }
  add(to, "lhs-shape", list(extents(lhs)));
  add(to, "rhs-shape", list(extents(rhs)));
  add(to, "contracting", list(of(lhs, 'k')) + "/" + list(of(rhs, 'k')));
  if (!of(lhs, 'b').empty()) add(to, "batch-axes", list(of(lhs, 'b')) + "/" + list(of(rhs, 'b')));
  add(to, "ragged", std::to_string(ragged));
  if (mode == 0) add(to, "group-axis", list(of(rhs, 'g')));
  add(to, "group-sizes", list(sizes));
}

}  // namespace

Invocation draw_ragged_dot(Choices& choices) {
  constexpr std::array<const char*, 6> types = {"f32", "bf16", "f16", "i8", "e4m3", "e5m2"};
  constexpr std::array<const char*, 3> results = {"f32", "bf16", "f16"};
  Invocation result{"ragged-dot", {}};
  if (choices.percent(50)) {
    draw_plain_dot(choices, result);
  } else {
    draw_free_dot(choices, result);
  }
  add(result, "dtype", choices.among(types));
  add(result, "out-dtype", choices.among(results));
  draw_operands_and_run(choices, result, 1);
  return result;
}

}  // namespace tessera::fuzz

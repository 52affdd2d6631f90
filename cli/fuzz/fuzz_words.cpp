#include "cli/fuzz/fuzz_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "cli/cli.h"
#include "cli/fuzz/fuzz_choices.h"
#include "cli/reports/console.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using Numbers = std::vector<std::int64_t>;

std::string list(const Numbers& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

std::int64_t sum(const Numbers& numbers) {
  std::int64_t total = 0;
  for (const std::int64_t number : numbers) total += number;
  return total;
}

// Sizes of groups, in multiples of `unit`; empty ones occur.
Numbers draw_sizes(Choices& choices, std::int64_t groups, std::int64_t most, std::int64_t unit) {
  Numbers sizes;
  for (std::int64_t g = 0; g < groups; ++g)
    sizes.push_back(choices.percent(20) ? 0 : choices.between(0, most / unit) * unit);
  return sizes;
}

void run_words(Choices& choices, WordCase& to, std::int64_t tile_unit) {
  constexpr std::array<const char*, 6> schedules = {"eager", "lazy",   "lifo",
                                                    "eager", "random", "random"};
  constexpr std::array<const char*, 5> fills = {"integers", "integers", "integers", "normal",
                                                "uniform"};
  const auto add = [&](const char* name, std::string value) {
    to.options.emplace_back(name, std::move(value));
  };
  const auto side = [&] {
    const std::int64_t tile = choices.tile();
    return (tile + tile_unit - 1) / tile_unit * tile_unit;
  };
  add("tiling", list({side(), side(), side()}));
  if (choices.percent(50)) add("buffers", std::to_string(choices.between(1, 4)));
  add("fill", choices.among(fills));
  add("seed", std::to_string(choices.between(0, 999)));
  add("interpret", "");
  std::string schedule = choices.among(schedules);
  if (schedule == "random") schedule += fmt::format(":{}", choices.between(0, 9999));
  if (schedule != "eager") add("schedule", schedule);
  if (choices.percent(30)) add("landing", "partial");
  if (choices.percent(30)) add("dma-order", "fifo");
  if (choices.percent(30)) add("math", "exact");
}

// m, k, n and a mode.
void draw_plain_dot(Choices& choices, WordCase& to) {
  constexpr std::array<const char*, 3> modes = {"noncontracting", "contracting", "batch"};
  const auto add = [&](const char* name, std::string value) {
    to.options.emplace_back(name, std::move(value));
  };
  const std::string mode = choices.among(modes);
  const std::int64_t groups = choices.between(1, 6);
  const Numbers sizes = draw_sizes(choices, groups, mode == "batch" ? 2 : 40, 1);
  if (mode != "noncontracting") add("mode", mode);
  add("group-sizes", list(sizes));
  const std::int64_t rest = choices.percent(25) ? choices.between(1, 9) : 0;
  if (mode == "batch") {
    add("batch", std::to_string(sum(sizes) + rest));
    add("m", std::to_string(choices.extent(40)));
  } else {
    add("m", std::to_string(sum(sizes) + rest));
    if (choices.percent(40)) add("batch", std::to_string(choices.between(1, 3)));
  }
  add("k", std::to_string(choices.percent(3) ? 0 : choices.extent(64)));
  add("n", std::to_string(choices.extent(64)));
  if (mode == "noncontracting" && choices.percent(40)) add("transpose-rhs", "");
  if (mode != "batch" && choices.percent(30)) {
    const std::int64_t first = choices.between(0, groups - 1);
    add("group-offset", std::to_string(first));
    add("local-groups", std::to_string(choices.between(1, groups - first)));
  }
}

// Axes of any number in any order; the sizes are those of one list.
void draw_free_dot(Choices& choices, WordCase& to) {
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
  const auto add = [&](const char* name, std::string value) {
    to.options.emplace_back(name, std::move(value));
  };
  add("lhs-shape", list(extents(lhs)));
  add("rhs-shape", list(extents(rhs)));
  add("contracting", list(of(lhs, 'k')) + "/" + list(of(rhs, 'k')));
  if (!of(lhs, 'b').empty()) add("batch-axes", list(of(lhs, 'b')) + "/" + list(of(rhs, 'b')));
  add("ragged", std::to_string(ragged));
  if (mode == 0) add("group-axis", list(of(rhs, 'g')));
  add("group-sizes", list(sizes));
}

WordCase draw_ragged_dot(Choices& choices) {
  constexpr std::array<const char*, 6> types = {"f32", "bf16", "f16", "i8", "e4m3", "e5m2"};
  constexpr std::array<const char*, 3> results = {"f32", "bf16", "f16"};
  WordCase result{"ragged-dot", {}};
  if (choices.percent(50)) {
    draw_plain_dot(choices, result);
  } else {
    draw_free_dot(choices, result);
  }
  result.options.emplace_back("dtype", choices.among(types));
  result.options.emplace_back("out-dtype", choices.among(results));
  run_words(choices, result, 1);
  return result;
}

WordCase draw_grouped_gemm(Choices& choices) {
  constexpr std::array<const char*, 6> scalings = {"none",    "none",    "none",
                                                   "current", "delayed", "mxfp8"};
  constexpr std::array<const char*, 3> types = {"bf16", "f16", "f32"};
  constexpr std::array<const char*, 3> kinds = {"forward", "dgrad", "wgrad"};
  constexpr std::array<const char*, 6> numbers = {"0", "1", "2", "-1", "0.3", "-1.7"};
  WordCase result{"grouped-gemm", {}};
  const auto add = [&](const char* name, std::string value) {
    result.options.emplace_back(name, std::move(value));
  };
  const std::string scaling = choices.among(scalings);
  const std::int64_t unit = scaling == "mxfp8" ? 32 : 1;
  const std::int64_t groups = choices.between(1, 6);
  const auto extent = [&](std::int64_t most) {
    return (choices.extent(most) + unit - 1) / unit * unit;
  };
  const bool last_dims = choices.percent(25);
  const std::int64_t k = extent(70), n = extent(70);
  const Numbers sizes = draw_sizes(choices, groups, unit == 1 ? 40 : 64, unit);
  bool may_leave_rows = !last_dims;
  if (!last_dims) {
    const std::string kind = choices.among(kinds);
    if (kind != "forward") add("kind", kind);
    add("group-sizes", list(sizes));
    add("k", std::to_string(k));
    add("n", std::to_string(n));
    if (kind != "wgrad" && choices.percent(40)) add("transpose-rhs", "");
  } else if (choices.percent(50)) {
    // Rows of a transposed lhs.
    add("lhs-shape", list({k, sum(sizes)}));
    add("lhs-last-dims", list(sizes));
    add("rhs-shape", list({groups, k, n}));
    add("contracting", "0/1");
  } else {
    // A contraction that is ragged along the last dims of lhs, and of rhs one way or the other.
    const bool both = choices.percent(50);
    add("lhs-shape", list({k, sum(sizes)}));
    add("lhs-last-dims", list(sizes));
    add("rhs-shape", both ? list({n, sum(sizes)}) : list({sum(sizes), n}));
    add(both ? "rhs-last-dims" : "rhs-first-dims", list(sizes));
    add("contracting", both ? "1/1" : "1/0");
  }
  const std::string path = last_dims ? "auto" : choices.percent(30) ? "v1" : "v2";
  if (path != "auto") add("path", path);
  if (may_leave_rows && path == "v2" && choices.percent(25))
    add("m", std::to_string(sum(sizes) + choices.between(1, 3) * unit));
  const auto each = [&] {
    std::string text = choices.among(numbers);
    if (choices.percent(50)) return text;
    for (std::int64_t g = 1; g < groups; ++g) text += std::string(",") + choices.among(numbers);
    return text;
  };
  if (choices.percent(40)) add("alpha", each());
  if (choices.percent(40)) add("beta", each());
  if (choices.percent(40)) add("bias", "");
  if (scaling != "none") {
    add("scaling", scaling);
    const bool left = choices.percent(30), right = !left && choices.percent(40);
    if (left) add("lhs-quantised", "e5m2");
    if (right) add("rhs-quantised", "e5m2");
    if (choices.percent(20)) add("outliers", std::to_string(choices.between(3, 97)));
  }
  add("dtype", choices.among(types));
  add("out-dtype", choices.among(types));
  run_words(choices, result, unit);
  return result;
}

std::vector<std::string> smaller(const std::string& value) {
  std::vector<std::string> result;
  const auto numbers = parse_integers(value);
  if (!numbers) return result;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    for (const std::int64_t less : {(*numbers)[i] / 2, (*numbers)[i] - 1}) {
      Numbers changed = *numbers;
      if (less < 0 || less >= changed[i]) continue;
      changed[i] = less;
      result.push_back(list(changed));
    }
    if (numbers->size() < 2) continue;
    Numbers without = *numbers;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    result.push_back(list(without));
  }
  return result;
}

}  // namespace

std::vector<std::string_view> word_operations() { return {"ragged-dot", "grouped-gemm"}; }

WordCase draw_words(std::string_view operation, std::uint64_t seed, std::int64_t index) {
  Choices choices(seed, index);
  return operation == "ragged-dot" ? draw_ragged_dot(choices) : draw_grouped_gemm(choices);
}

std::vector<std::string> to_words(const WordCase& a_case) {
  std::vector<std::string> words = {a_case.command};
  for (const auto& [name, value] : a_case.options) {
    words.push_back("--" + name);
    if (!value.empty()) words.push_back(value);
  }
  return words;
}

std::optional<Failure> try_words(const WordCase& a_case) {
  std::vector<std::string> words = to_words(a_case);
  words.emplace_back("--json");
  words.emplace_back("--no-verify");
  std::ostringstream out, err;
  if (run(words, out, err) == 0 || is_stopped(current_stop())) return std::nullopt;
  const Json result = Json::parse(out.str());
  const Json* const findings = result.find("findings");
  if (findings != nullptr && findings->is_array() && !findings->elements().empty()) {
    const auto said = [&](const char* field, const std::string& otherwise) {
      const Json* const found = findings->elements()[0].find(field);
      return found == nullptr ? otherwise : found->text();
    };
    return Failure{said("kind", "error"), said("message", out.str())};
  }
  return Failure{"error", out.str() + err.str()};
}

WordCase shrink_words(WordCase failing, const Failure& failure, const WordTester& tester,
                      int attempts) {
  const auto still_fails = [&](const WordCase& candidate) {
    const std::optional<Failure> same = tester(candidate);
    return same && same->kind == failure.kind &&
           (failure.kind != "error" || same->message == failure.message);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < failing.options.size() && !changed; ++i) {
      std::vector<WordCase> candidates(1, failing);
      candidates[0].options.erase(candidates[0].options.begin() + static_cast<std::ptrdiff_t>(i));
      for (const std::string& value : smaller(failing.options[i].second)) {
        candidates.push_back(failing);
        candidates.back().options[i].second = value;
      }
      for (WordCase& candidate : candidates) {
        if (--attempts < 0) return failing;
        if (!still_fails(candidate)) continue;
        failing = std::move(candidate);
        changed = true;
        break;
      }
    }
  }
  return failing;
}

}  // namespace tessera::cli

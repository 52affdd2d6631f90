#include "cli/operations/tune_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/report/near.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Options that affect how an operation is computed, but not its result.
constexpr std::array<std::string_view, 4> knobs = {"buffers", "buffering", "variant", "directions"};

bool takes(const Command& command, std::string_view name) {
  return find_option(command.options, name) != nullptr;
}

Expected<TuningAxis> axis_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  TuningAxis axis{text.substr(0, equals), {}};
  if (equals != std::string::npos) axis.values = split(text.substr(equals + 1), ',');
  const bool are_all_given = std::none_of(axis.values.begin(), axis.values.end(),
                                          [](const std::string& value) { return value.empty(); });
  if (equals == std::string::npos || axis.name.empty() || axis.values.empty() || !are_all_given)
    return error(fmt::format("--tune: expected NAME=V1,V2,..., found '{}'", text));
  for (auto value = axis.values.begin(); value != axis.values.end(); ++value)
    if (std::find(axis.values.begin(), value, *value) != value)
      return error(fmt::format("--tune gives {} the value {} twice", axis.name, *value));
  return axis;
}

Diag unknown_part(std::string_view of, const std::string& name,
                  const std::vector<std::string_view>& known) {
  return error(fmt::format("{} has no {} to tune{}; there are {}", of, name,
                           did_you_mean(name, known), fmt::join(known, ", ")));
}

// The length of the side tm, tk or tn.
std::string side_of(const Tiling& tiling, std::string_view side) {
  return std::to_string(side == "tm" ? tiling.m : side == "tk" ? tiling.k : tiling.n);
}

}  // namespace

std::string describe(const TuningCandidate& candidate) {
  if (candidate.values.empty()) return "the default";
  std::string text;
  for (const auto& [name, value] : candidate.values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Json config_json(const TuningCandidate& candidate) {
  Json object = Json::object();
  for (const auto& [name, value] : candidate.values) {
    const std::optional<std::int64_t> number = parse_integer(value);
    object[name] = number ? Json(*number) : Json(value);
  }
  return object;
}

Expected<std::vector<TuningAxis>> tuning_axes(const Arguments& arguments) {
  std::vector<TuningAxis> axes;
  std::size_t count = 1;
  for (const std::string& text : arguments.all("tune")) {
    TuningAxis axis = TRY(axis_of(text));
    for (const TuningAxis& other : axes)
      if (other.name == axis.name) return error(fmt::format("--tune gives {} twice", axis.name));
    // Each factor is bounded first, so that the product cannot overflow.
    count *= std::min(axis.values.size(), max_tuning_candidates + 1);
    if (count > max_tuning_candidates)
      return error(fmt::format("--tune makes more than {} candidates", max_tuning_candidates));
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<TuningCandidate> combinations(const std::vector<TuningAxis>& axes) {
  std::vector<TuningCandidate> all = {{}};
  for (const TuningAxis& axis : axes) {
    std::vector<TuningCandidate> more;
    for (const TuningCandidate& candidate : all) {
      for (const std::string& value : axis.values) {
        more.push_back(candidate);
        more.back().values.emplace_back(axis.name, value);
      }
    }
    all = std::move(more);
  }
  return all;
}

std::vector<TuningCandidate> usual_candidates(const Command& command, const Invocation& line,
                                              const Profile& profile) {
  const auto side = [&](std::string_view name) {
    constexpr std::int64_t unknown = std::int64_t{1} << 20;
    const std::optional<std::string> given = line.value(name);
    const std::optional<std::int64_t> value = given ? parse_integer(*given) : std::nullopt;
    return value && *value > 0 ? *value : unknown;
  };
  GroupedDesc desc;
  desc.m = side("m");
  desc.k = side("k");
  desc.n = side("n");
  std::vector<TuningCandidate> result;
  for (const ConfigChoice& choice :
       simulated_device().candidates({desc}, {.profile = profile.machine})) {
    TuningCandidate candidate;
    for (const std::string_view name : tile_option(command).sides)
      candidate.values.emplace_back(name, side_of(choice.config.tiling, name));
    if (std::find(result.begin(), result.end(), candidate) == result.end())
      result.push_back(std::move(candidate));
  }
  return result;
}

std::vector<std::string_view> tunable_parts(const Command& command) {
  std::vector<std::string_view> parts;
  for (const std::string_view side : tile_option(command).sides) parts.push_back(side);
  for (const std::string_view knob : knobs)
    if (takes(command, knob)) parts.push_back(knob);
  return parts;
}

Expected<void> check_parts(const Command& command, const Invocation& line,
                           const std::vector<TuningAxis>& axes) {
  const std::vector<std::string_view> known = tunable_parts(command);
  const TileOption tile = tile_option(command);
  std::size_t sides = 0;
  for (const TuningAxis& axis : axes) {
    if (std::find(known.begin(), known.end(), axis.name) == known.end())
      return unknown_part(command.name, axis.name, known);
    if (line.has(axis.name))
      return error(fmt::format("--{} and --tune both give {}", axis.name, axis.name));
    if (std::find(tile.sides.begin(), tile.sides.end(), axis.name) != tile.sides.end()) ++sides;
  }
  if (!tile.sides.empty() && line.has(tile.name) && (sides == tile.sides.size() || axes.empty()))
    return error(fmt::format("--{} gives sides that --tune varies: use one of them", tile.name));
  return {};
}

Expected<void> check_parameters(const KernelInfo& kernel, const Invocation& line,
                                const std::vector<TuningAxis>& axes) {
  std::vector<std::string_view> known;
  for (const ParameterInfo& parameter : kernel.parameters) known.push_back(parameter.name);
  for (const TuningAxis& axis : axes) {
    if (std::find(known.begin(), known.end(), axis.name) == known.end())
      return unknown_part(kernel.name, axis.name, known);
    for (const Invocation::Option& option : line.options)
      if (option.name == "set" && option.value && option.value->starts_with(axis.name + "="))
        return error(fmt::format("--set and --tune both give {}", axis.name));
  }
  return {};
}

TileOption tile_option(const Command& command) {
  if (takes(command, "tiling")) return {"tiling", {"tm", "tk", "tn"}};
  if (takes(command, "tile")) return {"tile", {"tm", "tn"}};
  return {};
}

std::vector<std::string> standard_sides(const Command& command, const Prepared* standard,
                                        const Tiling& of_profile) {
  std::vector<std::string> sides;
  for (const std::string_view side : tile_option(command).sides) {
    sides.push_back(side_of(of_profile, side));
    if (standard == nullptr) continue;
    for (const auto& [name, length] : standard->sides)
      if (name == side) sides.back() = length;
  }
  return sides;
}

Invocation with_candidate(const Command& command, const Invocation& line,
                          const std::vector<std::string>& standard,
                          const TuningCandidate& candidate) {
  Invocation result = line;
  const TileOption tile = tile_option(command);
  std::vector<std::string> sides = standard;
  if (!sides.empty() && line.has(tile.name)) {
    std::vector<std::string> words = split(line.value(tile.name).value_or(""), ',');
    if (words.size() != sides.size()) return line;  // rejected by the command
    sides = std::move(words);
  }
  for (const auto& [name, value] : candidate.values) {
    const auto side = std::find(tile.sides.begin(), tile.sides.end(), name);
    if (line.command == "run") {
      result.options.push_back({"set", name + "=" + value});
    } else if (side != tile.sides.end()) {
      sides[static_cast<std::size_t>(side - tile.sides.begin())] = value;
      result = result.with(tile.name, fmt::format("{}", fmt::join(sides, ",")));
    } else {
      result = result.with(name, value);
    }
  }
  return result;
}

}  // namespace tessera::cli

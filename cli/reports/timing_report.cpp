#include "cli/reports/timing_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "cli/reports/report.h"
#include "core/report/source_words.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string_view name(Roofline::By by) {
  constexpr std::array<std::string_view, 3> names = {"the matrix unit", "hbm", "the links"};
  return names[static_cast<std::size_t>(by)];
}

}  // namespace

std::string why_unknown_time(const MachineProfile& profile) {
  if (profile.link_bandwidth <= 0)
    return fmt::format("profile {} gives no link_bandwidth for copies to other devices",
                       profile.name);
  return "the run depends on counts that it reads";
}

std::string timing_text(const Timing& timing, const MachineProfile& profile) {
  if (!timing.is_complete) return "unknown: " + why_unknown_time(profile);
  const auto least_waiting = [](const DeviceTiming& a, const DeviceTiming& b) {
    return a.waiting < b.waiting;
  };
  const DeviceTiming& device =
      *std::min_element(timing.devices.begin(), timing.devices.end(), least_waiting);
  const auto share = [&](double seconds) {
    return timing.seconds > 0 ? 100 * seconds / timing.seconds : 0;
  };
  std::string text = fmt::format(
      "{}; matrix unit {:.0f} %, vector unit {:.0f} %, control {:.0f} %, waits {:.0f} %",
      human_seconds(timing.seconds), share(device.matrix), share(device.vector),
      share(device.control), share(device.waiting));
  text += fmt::format("; hbm {:.0f} %", share(device.memory));
  if (device.links > 0) text += fmt::format(", links {:.0f} %", share(device.links));
  if (device.moving > 0)
    text += fmt::format("; copies hidden {:.0f} %", 100 * device.overlapped / device.moving);
  if (timing.roofline.seconds > 0)
    text += fmt::format("; {:.2f} times the roofline of {}",
                        timing.seconds / timing.roofline.seconds, name(timing.roofline.by));
  return text;
}

namespace {

// Only the lines with the highest cost are shown.
constexpr std::size_t max_lines = 12;
constexpr double least_share = 1;  // percent

std::string place_text(const Loc& loc) {
  if (!loc) return "the launch";
  Loc line = loc;
  line.width = 0;
  const std::string words = source_words(line, 60);
  return fmt::format("{}:{}{}{}", loc.source->name, loc.line, words.empty() ? "" : "  ", words);
}

std::string slots_text(const DeeperWindows& deeper, const Timing& timing) {
  std::vector<std::string> found;
  for (const DeeperWindow& window : deeper.windows) {
    const double saved = 100 * (timing.seconds - window.seconds) / timing.seconds;
    if (saved >= least_share)
      found.push_back(fmt::format("{} slots for {} save {:.0f} %: {}", window.depth, window.name,
                                  saved, human_seconds(window.seconds)));
  }
  if (found.empty() && !deeper.windows.empty())
    found.emplace_back("one more for a window saves less than 1 %");
  if (!deeper.left_out.empty())
    found.push_back(
        fmt::format("one more for {} was not timed: it has no room, or the run depends "
                    "on counts that it reads",
                    fmt::join(deeper.left_out, ", ")));
  std::string text;
  for (const std::string& each : found) text += line(text.empty() ? "slots" : "", each);
  return text;
}

}  // namespace

std::string cost_text(const Cost& cost, const DeeperWindows& deeper, const Timing& timing) {
  const CriticalPath& path = cost.critical;
  if (timing.seconds <= 0) return "";
  const auto share = [&](double seconds) { return 100 * seconds / timing.seconds; };
  std::string text =
      line("critical", fmt::format("work {:.0f} %, hbm {:.0f} %, links {:.0f} %, latency {:.0f} %",
                                   share(path.work), share(path.memory), share(path.links),
                                   share(path.latency)));
  text += line("cost", "core %, of it matrix, vector, control, waits; critical path %");
  std::size_t shown = 0;
  for (const LineCost& each : cost.lines) {
    if (shown == max_lines) break;
    if (share(each.on_core()) < least_share && share(each.critical) < least_share) continue;
    ++shown;
    text += fmt::format("  {:4.0f} {:4.0f} {:4.0f} {:4.0f} {:4.0f} {:4.0f}  {}\n",
                        share(each.on_core()), share(each.matrix), share(each.vector),
                        share(each.control), share(each.waiting), share(each.critical),
                        place_text(each.loc));
  }
  if (shown < cost.lines.size())
    text +=
        fmt::format("  and {} with less; --json has all\n",
                    counted(static_cast<std::int64_t>(cost.lines.size() - shown), "line", "lines"));
  for (const RegionCost& region : cost.regions)
    text += line("region", fmt::format("{:.0f} %  {}", share(region.seconds), region.name));
  return text + slots_text(deeper, timing);
}

Json to_json(const Cost& cost, const DeeperWindows& deeper) {
  Json object = {{"critical",
                  {{"work", cost.critical.work},
                   {"hbm", cost.critical.memory},
                   {"links", cost.critical.links},
                   {"latency", cost.critical.latency}}},
                 {"lines", Json::array()},
                 {"regions", Json::array()},
                 {"slots", Json::array()}};
  for (const LineCost& each : cost.lines) {
    Json row = {{"matrix", each.matrix},
                {"vector", each.vector},
                {"control", each.control},
                {"waiting", each.waiting},
                {"critical", each.critical}};
    row["file"] = each.loc ? Json(each.loc.source->name) : Json();
    row["line"] = each.loc ? Json(each.loc.line) : Json();
    object["lines"].push_back(row);
  }
  for (const RegionCost& region : cost.regions)
    object["regions"].push_back({{"name", region.name}, {"seconds", region.seconds}});
  for (const DeeperWindow& window : deeper.windows)
    object["slots"].push_back(
        {{"window", window.name}, {"depth", window.depth}, {"seconds", window.seconds}});
  return object;
}

Json to_json(const Timing& timing) {
  Json object = {
      {"seconds", timing.seconds}, {"complete", timing.is_complete}, {"devices", Json::array()}};
  for (const DeviceTiming& device : timing.devices) {
    object["devices"].push_back({{"matrix", device.matrix},
                                 {"vector", device.vector},
                                 {"control", device.control},
                                 {"waiting", device.waiting},
                                 {"hbm", device.memory},
                                 {"links", device.links},
                                 {"moving", device.moving},
                                 {"overlapped", device.overlapped}});
  }
  object["roofline"] = {{"seconds", timing.roofline.seconds}, {"by", name(timing.roofline.by)}};
  return object;
}

}  // namespace tessera::cli

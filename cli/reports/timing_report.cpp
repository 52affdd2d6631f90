#include "cli/reports/timing_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"

namespace tessera::cli {

std::string timing_text(const Timing& timing) {
  if (!timing.is_complete) return "unknown: the run depends on counts that it reads";
  const auto least_waiting = [](const DeviceTiming& a, const DeviceTiming& b) {
    return a.waiting < b.waiting;
  };
  const DeviceTiming& device =
      *std::min_element(timing.devices.begin(), timing.devices.end(), least_waiting);
  const auto share = [&](double seconds) {
    return timing.seconds > 0 ? 100 * seconds / timing.seconds : 0;
  };
  std::string text =
      fmt::format("{}; matrix unit {:.0f} %, hbm {:.0f} %", human_seconds(timing.seconds),
                  share(device.matrix), share(device.memory));
  if (device.links > 0) text += fmt::format(", links {:.0f} %", share(device.links));
  text += fmt::format("; the core waits {:.0f} %, and works behind copies {:.0f} %",
                      share(device.waiting), share(device.overlapped));
  return text;
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
                                 {"overlapped", device.overlapped}});
  }
  return object;
}

}  // namespace tessera::cli

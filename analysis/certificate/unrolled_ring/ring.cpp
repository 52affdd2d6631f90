#include "analysis/certificate/unrolled_ring/ring.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/certificate/unrolled_ring/ring_events.h"

namespace tessera {
namespace {

// Max number of rotations that are tried after d + 1.
constexpr std::size_t max_rotations = 8;

std::string why_not(const Record& record) {
  if (record.is_over_budget || record.events.empty()) return "the run was not recorded";
  if (!record.is_complete) return "the run is not complete";
  if (record.topology.devices < 2) return "a ring has at least two devices";
  for (const RecordedEvent& event : record.events) {
    if (event.act == Act::poll)
      return fmt::format("line {} reads a count", record.program->loc(event.statement).line);
    if (event.act == Act::point || event.act == Act::points_end)
      return "iterations of a parallel loop are agents";
  }
  return {};
}

// Returns the devices from device 0 on, each the next one of the device before it. Empty if they
// are not all devices once.
std::vector<std::int32_t> cycle(const std::vector<std::int32_t>& next) {
  std::vector<std::int32_t> devices = {0};
  while (devices.size() < next.size()) {
    const std::int32_t to = next[static_cast<std::size_t>(devices.back())];
    if (std::find(devices.begin(), devices.end(), to) != devices.end()) return {};
    devices.push_back(to);
  }
  return next[static_cast<std::size_t>(devices.back())] == 0 ? devices
                                                             : std::vector<std::int32_t>{};
}

// Returns the rings in which each device sends its i-th remote signal to the next one, for some i.
std::vector<std::vector<std::int32_t>> rotations(const RingReader& reader) {
  const std::vector<std::vector<std::int32_t>> targets = reader.targets();
  std::size_t signals = targets.front().size();
  for (const auto& of_device : targets) signals = std::min(signals, of_device.size());
  std::vector<std::vector<std::int32_t>> found, tried;
  for (std::size_t i = 0; i < signals && tried.size() < max_rotations; ++i) {
    std::vector<std::int32_t> next;
    for (const auto& of_device : targets) next.push_back(of_device[i]);
    if (std::find(tried.begin(), tried.end(), next) != tried.end()) continue;
    tried.push_back(next);
    if (std::vector<std::int32_t> devices = cycle(next); !devices.empty())
      found.push_back(std::move(devices));
  }
  return found;
}

}  // namespace

FoundRing find_ring(const Record& record) {
  FoundRing found{.ring = {}, .reason = why_not(record)};
  if (!found.reason.empty()) return found;
  const RingReader reader(record);
  // Reads a ring. Keeps it if it is the first, or has a smaller reach.
  const auto consider = [&](std::vector<std::int32_t> devices) {
    Ring ring;
    std::string reason = reader.read(std::move(devices), ring);
    if (reason.empty() && 2 * ring.reach >= ring.size()) {
      found.reason = fmt::format("with {} devices, a distance of {} has no direction", ring.size(),
                                 ring.reach);
    } else if (reason.empty()) {
      if (!found.ring || ring.reach < found.ring->reach) found.ring = std::move(ring);
    } else if (found.reason.empty()) {
      found.reason = std::move(reason);
    }
  };
  std::vector<std::int32_t> ascending;
  for (std::int32_t d = 0; d < record.topology.devices; ++d) ascending.push_back(d);
  consider(std::move(ascending));
  if (!found.ring)
    for (std::vector<std::int32_t>& devices : rotations(reader)) consider(std::move(devices));
  if (found.ring) found.reason.clear();
  return found;
}

}  // namespace tessera

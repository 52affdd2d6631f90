#include "analysis/certificate/points/points_witness.h"

#include <fmt/format.h>

#include "interp/rerun.h"

namespace tessera {
namespace {

constexpr int max_orders = 12;
constexpr int loop_workers[] = {0, 2, 3};  // 0: iterations in order

// Describes a different end of a run; empty if the ends are the same.
std::string difference(const RunResult& ascending, const RunResult& other, bool has_values) {
  if (other.findings.empty() != ascending.findings.empty()) {
    const RunResult& found = other.findings.empty() ? ascending : other;
    return fmt::format("ends with {}", name(found.findings.front().kind));
  }
  if (!has_values || !other.findings.empty()) return {};
  for (std::size_t i = 0; i < ascending.results.size() && i < other.results.size(); ++i)
    if (!(ascending.results[i] == other.results[i]))
      return fmt::format("{} of dev{} is different", other.results[i].buffer,
                         other.results[i].device);
  return {};
}

}  // namespace

std::optional<PointsWitness> find_points_witness(const Simulate& simulate, RunOptions options) {
  options = options_of_rerun(options);
  options.record.results = true;
  options.schedule = "eager";
  const Expected<RunResult> ascending = simulate(options);
  if (!ascending) return std::nullopt;
  for (const int cores : loop_workers) {
    options.machine.loop_workers = cores;
    for (int seed = 1; seed <= max_orders; ++seed) {
      options.schedule = fmt::format("random:{}", seed);
      const Expected<RunResult> other = simulate(options);
      if (!other) return std::nullopt;
      std::string outcome = difference(*ascending, *other, options.math != Math::none);
      if (!outcome.empty()) return PointsWitness{options.schedule, cores, std::move(outcome)};
    }
  }
  return std::nullopt;
}

}  // namespace tessera

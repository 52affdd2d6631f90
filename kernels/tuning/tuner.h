// Measures candidates and finds the fastest. The clock is the caller's, for tests; a measure may as
// well be a model that needs no clock.
#pragma once  // public
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "core/report/stop.h"

namespace tessera {

using Clock = std::function<double()>;  // seconds since any fixed time

// The wall clock of this machine, which never goes back.
Clock steady_clock();

// A candidate and its time.
template <typename Cfg>
struct Measurement {
  Cfg config;                           // the candidate
  std::optional<double> seconds;        // its time; none when it was skipped
  std::string skipped;                  // why it has no time: it failed, or cannot be the fastest
  std::optional<double> expected = {};  // seconds by a model, for reports
};

// The times of all candidates.
template <typename Cfg>
struct TuningResult {
  std::vector<Measurement<Cfg>> candidates;  // in the order given
  std::size_t best = 0;                      // index of the fastest
  // The fastest.
  const Measurement<Cfg>& winner() const { return candidates[best]; }
};

// Runs something once and gives its seconds.
using TimedArm = std::function<Expected<double>()>;

// The median seconds of each arm over `rounds` rounds. A round runs every arm once, and every other
// round in reverse order, so that a machine that slows down as it gets warm slows all arms alike.
// Before that come `warmup` rounds (at least one); an arm whose shortest warm-up takes over twice
// that of the fastest arm is not run again and keeps this time. An arm that fails is not run again
// and keeps its error.
std::vector<Expected<double>> seconds_in_turn(const std::vector<TimedArm>& arms, int warmup,
                                              int rounds);

// How runs are measured.
class Tuner {
 public:
  // Runs before the measurement, and runs that are measured.
  int warmup = 5, iters = 100;
  Clock clock = steady_clock();  // with which mean_seconds measures

  // The mean seconds of `run` over `iters` runs that follow the warm-up. A run that fails ends it
  // with its errors.
  Expected<double> mean_seconds(const std::function<Diags()>& run) const;

  // Measures every candidate in order; one that fails is skipped, and so is one whose `bound`
  // (a lower bound of its seconds; may be empty) exceeds the best time so far. The first of equal
  // ones wins. Skips are no errors unless all candidates are skipped: "All candidates failed during
  // autotune: {last error}".
  template <typename Cfg>
  static Expected<TuningResult<Cfg>> tune(
      std::span<const Cfg> candidates, const std::function<Expected<double>(const Cfg&)>& measure,
      const std::function<double(const Cfg&)>& bound = {}) {
    TuningResult<Cfg> result;
    double best = std::numeric_limits<double>::infinity();
    std::string last_error = "there are no candidates";
    for (const Cfg& config : candidates) {
      Measurement<Cfg> measurement{config, {}, {}};
      if (const double least = bound ? bound(config) : 0; least > best) {
        measurement.skipped = fmt::format("takes {:.3g} s at least", least);
      } else if (const Expected<double> seconds = measure(config); seconds) {
        measurement.seconds = *seconds;
        if (*seconds < best) {
          best = *seconds;
          result.best = result.candidates.size();
        }
      } else {
        last_error = measurement.skipped = seconds.diags().front().message;
      }
      leave_if_stopped();
      result.candidates.push_back(std::move(measurement));
    }
    if (best < std::numeric_limits<double>::infinity()) return result;
    return error(ErrorCode::runtime,
                 fmt::format("All candidates failed during autotune: {}", last_error));
  }
};

}  // namespace tessera

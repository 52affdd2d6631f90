// Measurement of candidates and choice of the fastest. The caller provides the clock, for tests; a
// measurement can also be a model without a clock.
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

// Returns the monotonic wall clock of this machine.
Clock steady_clock();

// A candidate and its time.
template <typename Cfg>
struct Measurement {
  Cfg config;                     // candidate
  std::optional<double> seconds;  // none if it was skipped
  std::string skipped;            // reason why it has no time: it failed, or cannot be the fastest
  std::optional<double> expected = {};  // by a model, for reports
};

// Times of all candidates.
template <typename Cfg>
struct TuningResult {
  std::vector<Measurement<Cfg>> candidates;  // in the given order
  std::size_t best = 0;                      // index of the fastest
  // Fastest candidate.
  const Measurement<Cfg>& winner() const { return candidates[best]; }
};

// Runs one of the compared candidates once and returns its seconds.
using TimedArm = std::function<Expected<double>()>;

// Returns the median seconds of each arm over `rounds` rounds. Each round runs every arm once;
// every second round is in reverse order, so that a machine that slows down while it warms up
// affects all arms equally. Before them come `warmup` rounds, at least one. If the shortest warm-up
// of an arm takes over twice as long as the fastest arm's, the arm is not run again and its result
// is this time. An arm that fails is not run again; its result is the error. rounds: at least one
// is run. Throws Interrupted (core/report/stop.h) if a stop is requested.
std::vector<Expected<double>> seconds_in_turn(const std::vector<TimedArm>& arms, int warmup,
                                              int rounds);

// Settings of a measurement.
class Tuner {
 public:
  // Number of runs before the measurement, and number of measured runs.
  int warmup = 5, iters = 100;
  Clock clock = steady_clock();  // used by mean_seconds

  // Returns the mean seconds of `run` over `iters` runs (at least one), after the warm-up. Fails
  // with the errors of the first run that fails. run: returns its errors; empty: it succeeded.
  Expected<double> mean_seconds(const std::function<Diags()>& run) const;

  // Measures every candidate in order. A candidate is skipped if it fails, or if its `bound` (a
  // lower bound of its seconds; may be empty) exceeds the best time so far. The first of equal
  // candidates wins. Fails only if all candidates are skipped or there are none, with
  // ErrorCode::runtime: "All candidates failed during autotune: {last error}". Throws Interrupted
  // if a stop is requested.
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

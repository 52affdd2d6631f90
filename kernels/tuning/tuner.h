// Times candidates and says which is the fastest. The clock is the caller's, so that a test knows
// what it shows; a measure may as well be a model that needs no clock.
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

using Clock = std::function<double()>;  // seconds since whenever

// Wall time that never goes back.
Clock steady_clock();

template <typename Cfg>
struct Measurement {
  Cfg config;
  std::optional<double> seconds;
  std::string skipped;                  // why there is no time: it failed, or cannot be the fastest
  std::optional<double> expected = {};  // seconds, by a model that the tuner does not ask
};

template <typename Cfg>
struct TuningResult {
  std::vector<Measurement<Cfg>> candidates;  // in the order given
  std::size_t best = 0;
  const Measurement<Cfg>& winner() const { return candidates[best]; }
};

// Something that can be timed again and again.
using TimedArm = std::function<Expected<double>()>;

// The median of each arm over `rounds`, in which all take turns, backwards in every other one: a
// machine that slows down as it warms up slows all alike. Before that `warmup` rounds (one at
// least); an arm whose shortest warm-up takes over twice the fastest's is not run again and keeps
// that time. One that fails is not run again and keeps its error.
std::vector<Expected<double>> seconds_in_turn(const std::vector<TimedArm>& arms, int warmup,
                                              int rounds);

class Tuner {
 public:
  int warmup = 5, iters = 100;
  Clock clock = steady_clock();

  // The mean time of `run` over the iterations that follow the warm-up. A run that fails is not
  // repeated.
  Expected<double> mean_seconds(const std::function<Diags()>& run) const;

  // Measures every candidate in order; one that fails is skipped, and so is one whose `bound`
  // (seconds that it takes at least; may be empty) exceeds the best time so far. The first of
  // equals wins. When all fail: "All candidates failed during autotune: {last error}".
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

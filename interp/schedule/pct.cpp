// Every agent has a random priority, and the agent with the highest priority moves. At a few random
// steps, the moving agent gets the lowest priority. A fault that needs `depth` ordered events is
// found with a probability of at least 1 / (agents * steps^(depth - 1)) (Burckhardt et al.,
// MSR-TR-2010-3).
#include <algorithm>
#include <map>

#include "interp/schedule/random.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

class Pct : public Scheduler {
 public:
  Pct(std::uint64_t seed, std::int64_t depth, std::int64_t steps)
      : seed_(seed), parts_(SplitMix::mix(seed)) {
    SplitMix random(seed);
    for (std::int64_t i = 1; i < depth; ++i)
      changes_.push_back(static_cast<std::int64_t>(
          random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 1)))));
    std::sort(changes_.begin(), changes_.end());
  }

  Turn next(const Enabled& enabled) override {
    Handle best = nobody;
    std::uint64_t highest = 0;
    for (const Handle agent : enabled.all()) {
      const std::uint64_t p = priority(enabled.serial(agent));
      if (best != nobody && p <= highest) continue;
      best = agent;
      highest = p;
    }
    if (at_ < changes_.size() && changes_[at_] <= step_) {
      // Later changes get lower priorities, all of them below the drawn priorities.
      lowered_[enabled.serial(best)] = changes_.size() - at_;
      ++at_;
      return next(enabled);
    }
    return {.agent = best, .steps = 1, .part = draw_part(enabled.open(best), parts_)};
  }
  void moved(std::int64_t steps) override { step_ += steps; }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Pct>(*this); }

 private:
  std::uint64_t priority(std::int64_t agent) const {
    const auto low = lowered_.find(agent);
    if (low != lowered_.end()) return low->second;
    return SplitMix::mix(seed_ ^ SplitMix::mix(static_cast<std::uint64_t>(agent))) |
           std::uint64_t{1} << 63;
  }

  std::uint64_t seed_;
  SplitMix parts_;                     // draws the parts of copies
  std::vector<std::int64_t> changes_;  // steps, ascending
  std::size_t at_ = 0;
  std::int64_t step_ = 0;
  std::map<std::int64_t, std::uint64_t> lowered_;
};

}  // namespace

double pct_bound(std::int64_t agents, std::int64_t steps, std::int64_t depth) {
  double bound = 1 / static_cast<double>(std::max<std::int64_t>(agents, 1));
  for (std::int64_t i = 1; i < depth; ++i)
    bound /= static_cast<double>(std::max<std::int64_t>(steps, 1));
  return bound;
}

std::unique_ptr<Scheduler> make_pct(const Schedule& schedule, std::int64_t steps) {
  return std::make_unique<Pct>(schedule.seed, schedule.depth, steps);
}

}  // namespace tessera

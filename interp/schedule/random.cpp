// Every step is drawn uniformly among the agents that can move.
#include "interp/schedule/random.h"

#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

class Random : public Scheduler {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  Turn next(const Enabled& enabled) override {
    const std::span<const Handle> all = enabled.all();
    const Handle agent = all[random_.below(all.size())];
    return {.agent = agent, .steps = 1, .part = draw_part(enabled.open(agent), random_)};
  }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Random>(*this); }

 private:
  SplitMix random_;
};

}  // namespace

std::unique_ptr<Scheduler> make_random(const Schedule& schedule, std::int64_t) {
  return std::make_unique<Random>(schedule.seed);
}

}  // namespace tessera

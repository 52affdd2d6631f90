// The newest copy moves first, and only when no core can run.
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

class Lifo : public Scheduler {
 public:
  Turn next(const Enabled& enabled) override {
    if (const Handle core = enabled.first_core(); core != nobody) return {.agent = core};
    return {.agent = enabled.newest_copy(), .steps = 1};
  }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Lifo>(*this); }
};

}  // namespace

std::unique_ptr<Scheduler> make_lifo(const Schedule&, std::int64_t) {
  return std::make_unique<Lifo>();
}

}  // namespace tessera

// A copy moves when a core is blocked on its signal, or when nothing else can run.
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

class Lazy : public Scheduler {
 public:
  Turn next(const Enabled& enabled) override {
    if (const Handle copy = enabled.awaited_copy(); copy != nobody)
      return {.agent = copy, .steps = 1};
    if (const Handle core = enabled.first_core(); core != nobody) return {.agent = core};
    return {.agent = enabled.oldest_copy(), .steps = 1};
  }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Lazy>(*this); }
};

}  // namespace

std::unique_ptr<Scheduler> make_lazy(const Schedule&, std::int64_t) {
  return std::make_unique<Lazy>();
}

}  // namespace tessera

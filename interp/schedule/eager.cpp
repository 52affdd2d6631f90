// A copy completes at its start: copies in flight move before all cores.
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

class Eager : public Scheduler {
 public:
  Turn next(const Enabled& enabled) override {
    if (const Handle copy = enabled.oldest_copy(); copy != nobody) return {.agent = copy};
    return {.agent = enabled.first_core(), .until_start = true};
  }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Eager>(*this); }
};

}  // namespace

std::unique_ptr<Scheduler> make_eager(const Schedule&, std::int64_t) {
  return std::make_unique<Eager>();
}

}  // namespace tessera

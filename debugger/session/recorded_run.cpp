#include "debugger/session/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <new>
#include <utility>

#include "interp/findings/exit_checks.h"

namespace tessera {
namespace {

// Limits on near images: at most max_near. When memory is short, fewest_near of them remain while
// there are more than fewest_lasting others.
constexpr std::ptrdiff_t max_near = 12, fewest_near = 2, fewest_lasting = 3;

// CPU time of this process, so that other processes have no effect.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

RecordedRun::RecordedRun(std::unique_ptr<Machine> machine, const Recording& recording)
    : machine_(std::move(machine)), recording_(recording) {
  is_over_ = machine_->advance(exit_findings, 0);
  if (!is_over_ && machine_->can_be_saved()) keep(false);
}

RecordedRun::Index RecordedRun::first_behind(std::int64_t position) const {
  const auto it =
      std::upper_bound(kept_.begin(), kept_.end(), position,
                       [](std::int64_t p, const Kept& kept) { return p < kept.position(); });
  return static_cast<Index>(it - kept_.begin());
}

const MachineImage* RecordedRun::image_before(std::int64_t position) const {
  const Index i = first_behind(position - 1);
  return i == 0 ? nullptr : kept_[i - 1].image.get();
}

void RecordedRun::go_back_to(const Kept& kept) {
  machine_->restore(*kept.image);
  is_over_ = false;
  since_any_ = 0;
  since_ = kept.after;
}

bool RecordedRun::approach(std::int64_t position) {
  const bool is_behind = position < this->position();
  const Index i = first_behind(position);
  if (i == 0) return !is_behind;
  if (is_behind || kept_[i - 1].position() > this->position()) go_back_to(kept_[i - 1]);
  return true;
}

// Runs in pieces of about near_seconds, each at most up to the next image.
void RecordedRun::advance(std::int64_t steps, Pausing* pausing) {
  while (!is_over_) {
    const std::int64_t begin = position();
    const auto piece = static_cast<std::int64_t>(
        std::min(rate_ * recording_.near_seconds, static_cast<double>(1 << 22)));
    std::int64_t end = begin + std::max(piece, recording_.least_steps);
    const Index next = first_behind(begin);
    if (next < kept_.size()) end = std::min(end, kept_[next].position());
    end = std::min(end, steps);
    const double from = now();
    is_over_ = machine_->advance(exit_findings, end, pausing);
    const double took = now() - from;
    since_any_ += took;
    since_ += took;
    if (position() - begin >= recording_.least_steps)
      rate_ = static_cast<double>(position() - begin) / std::max(took, 1e-6);
    if (is_over_ || position() < end || position() >= steps) return;
    note(steps);
  }
}

// Called when the machine pauses during a movement: passes an existing image, or saves one.
void RecordedRun::note(std::int64_t target) {
  const Index i = first_behind(position());
  if (i > 0 && kept_[i - 1].position() == position()) {
    since_any_ = 0;
    since_ = kept_[i - 1].after;
    return;
  }
  if (!machine_->can_be_saved() || is_out_of_memory_) return;
  if (since_ >= std::max(recording_.seconds, recording_.times_cost * cost_)) return keep(false);
  const double left = static_cast<double>(target - position());
  const bool is_near = left <= rate_ * recording_.near_seconds * max_near;
  if (is_near && since_any_ >= std::max(recording_.near_seconds, 2 * cost_)) keep(true);
}

void RecordedRun::keep(bool is_near) {
  const double from = now();
  try {
    Kept kept{machine_->save(held_), is_near, is_near ? since_ : 0};
    kept_.insert(kept_.begin() + static_cast<std::ptrdiff_t>(first_behind(position())),
                 std::move(kept));
  } catch (const std::bad_alloc&) {
    is_out_of_memory_ = true;
    thin();
  }
  cost_ = now() - from;
  since_any_ = 0;
  if (!is_near) since_ = 0;
  const auto near = [&] {
    return std::count_if(kept_.begin(), kept_.end(), [](const Kept& kept) { return kept.is_near; });
  };
  const auto lasting = [&] { return static_cast<std::ptrdiff_t>(kept_.size()) - near(); };
  if (near() > max_near) drop_farthest_near();
  while (held_.count() > recording_.bytes && kept_.size() > 1) {
    const bool drops_near = near() > (lasting() > fewest_lasting ? fewest_near : 0);
    drops_near ? drop_farthest_near() : thin();
  }
}

void RecordedRun::drop_farthest_near() {
  const auto distance = [&](const Kept& kept) {
    return kept.is_near ? std::abs(kept.position() - position()) : -1;
  };
  kept_.erase(std::max_element(kept_.begin(), kept_.end(), [&](const Kept& a, const Kept& b) {
    return distance(a) < distance(b);
  }));
}

// Drops every second image that is not near, except the first.
void RecordedRun::thin() {
  bool is_odd = true;
  std::erase_if(kept_, [&](const Kept& kept) {
    if (kept.is_near) return false;
    is_odd = !is_odd;
    return is_odd;
  });
  recording_.seconds *= 2;
}

}  // namespace tessera

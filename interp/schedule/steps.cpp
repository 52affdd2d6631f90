// Replays the steps of a recorded run, then continues with eager.
#include <fmt/format.h>

#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

class Replay : public Scheduler {
 public:
  explicit Replay(std::vector<ScheduleItem> items)
      : all_(std::make_shared<const std::vector<ScheduleItem>>(std::move(items))),
        items_(*all_),
        after_(make_eager({}, 0)) {}
  Replay(const Replay& other)
      : all_(other.all_),
        items_(*all_),
        at_(other.at_),
        after_(other.after_->clone()),
        problem_(other.problem_) {}
  Replay& operator=(const Replay&) = delete;

  Turn next(const Enabled& enabled) override {
    if (!problem_.empty()) return {};
    if (at_ == items_.size()) return after_->next(enabled);
    const ScheduleItem& item = items_[at_];
    const Handle agent = enabled.find(item.agent);
    if (agent != nobody) return {.agent = agent, .steps = item.steps, .part = item.part};
    problem_ = fmt::format(
        "entry {} of the schedule names {}, which cannot move at that moment: it is "
        "blocked, has ended or was not started",
        at_ + 1, to_string(item.agent));
    return {};
  }

  void moved(std::int64_t steps) override {
    if (at_ == items_.size()) return;
    const ScheduleItem& item = items_[at_];
    if (steps == 0 && item.part.side != CopyPart::Side::next) {
      problem_ = fmt::format(
          "entry {} of the schedule, {}, is more than the copy has left to read or write", at_ + 1,
          to_string(item));
    } else if (steps != item.steps) {
      problem_ =
          fmt::format("entry {} of the schedule requires {} steps of {}, which can take only {}",
                      at_ + 1, item.steps, to_string(item.agent), steps);
    }
    ++at_;
  }

  std::string problem() const override { return problem_; }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<Replay>(*this); }

 private:
  std::shared_ptr<const std::vector<ScheduleItem>> all_;  // shared with clones
  const std::vector<ScheduleItem>& items_;
  std::size_t at_ = 0;
  std::unique_ptr<Scheduler> after_;
  std::string problem_;
};

}  // namespace

std::unique_ptr<Scheduler> make_steps(const Schedule& schedule, std::int64_t) {
  return std::make_unique<Replay>(schedule.items);
}

}  // namespace tessera

// A run that can be looked at between any two steps, forward and backward. It is a function of the
// program, its operands and the schedule, so a place in it is a number: how many steps are done.
// The way back is the way from an image of the machine (recorded_run.h), taken again. Where control
// does not depend on it, the way is taken without arithmetic, which a second machine does up to the
// place whose values somebody asks for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/report/expected.h"
#include "debugger/session/condition.h"
#include "debugger/session/recorded_run.h"
#include "interp/launch.h"
#include "interp/observe/debug_sink.h"
#include "interp/observe/observer.h"

namespace tessera {

// Where a movement through the run ended, and why.
struct Arrival {
  enum class Why : std::uint8_t { condition, beginning, end };
  Why why = Why::end;
  std::size_t condition = 0;  // the first that held, of those that were given
  Cause cause{};              // why it did
};

class Session final : private Observer, private Pausing, private DebugSink {
 public:
  // Stands before the first step.
  static Expected<std::unique_ptr<Session>> open(KeptRun launch, const Recording& recording = {});
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Program& program() const { return launch_.program; }
  const RunOptions& options() const { return launch_.options; }
  std::int64_t position() const { return run_->position(); }
  // Nothing moves any more; what was wrong at the end is among the findings.
  bool is_over() const { return run_->is_over(); }
  // The limit or the signal that ended the run here; RunEnd::program if none did.
  RunEnd ended_by() const;
  // How many steps the whole run has; none: it was not there yet.
  std::optional<std::int64_t> length() const { return length_; }
  // What was found up to here.
  const std::vector<Finding>& findings() const { return run_->machine().findings(); }
  // The machine as it stands, to be read; whoever changes it changes this run. What floats are in
  // it may be missing.
  Machine& machine() { return run_->machine(); }
  // The machine at the same place, with all values. An error: its memory is not there.
  Expected<Machine*> valued();
  Moment here();

  // To before step `position` (from 0), or the end if that comes first. Errors: the schedule does
  // not fit the run, or memory does not suffice for another one.
  Expected<void> go_to(std::int64_t position);
  // To the next place at which one of the conditions holds, or the end; a condition that holds here
  // does not count.
  Expected<Arrival> forward(std::span<StopCondition* const> conditions);
  // What the program printed on the way of the last movement forward, with its values; at first:
  // before the first step.
  Expected<std::vector<DebugOutput>> printed();
  // To the last place before this one at which one holds, or the beginning.
  Expected<Arrival> backward(std::span<StopCondition* const> conditions);
  // Who moved up to here, as a schedule that goes on eagerly. Errors: points of parallel loops run
  // side by side.
  Expected<Schedule> schedule_to_here();
  // The agent takes the next step, and from there on the run is eager: another run, which is the
  // same up to here. An error, and nothing has changed: it cannot move here.
  Expected<void> choose(const AgentId& agent);

  // From the last image before `end` to there, telling of each event; where it began. To be asked
  // again from there on, down to 0.
  Expected<std::int64_t> walk_to(std::int64_t end, StopCondition& output);

 private:
  struct Hit {
    std::int64_t position = 0;
    std::size_t condition = 0;
    Cause cause{};
  };

  Session(KeptRun launch, const Recording& recording);
  void leave_out_arithmetic();
  Expected<std::unique_ptr<RecordedRun>> launch(const std::vector<Binding>& bindings,
                                                const RunOptions& options,
                                                const Recording& recording);
  Expected<void> approach(std::int64_t position);
  Expected<void> follow(const std::string& schedule, std::int64_t position);
  Expected<void> advance(std::int64_t steps, Pausing* pausing);
  bool may_hold(std::span<StopCondition* const> conditions, const MachineImage& to) const;
  void watch(std::span<StopCondition* const> conditions, bool stops);
  std::optional<Hit> look();
  void on(const Event& event) override;
  bool supports_loop_workers() const override { return true; }
  bool before_step() override;
  bool accepts(const Program& program, StmtId statement) override;
  void receive(const Program& program, const DebugOutput& output) override;

  KeptRun launch_;
  Recording recording_;
  std::vector<Binding> bindings_;
  RunOptions options_;  // of the machine that moves: observed, and perhaps without arithmetic
  // What it writes in the place of the results, where another machine has the values.
  std::vector<std::unique_ptr<Tensor>> no_results_;
  std::vector<Binding> moving_;  // its bindings
  std::unique_ptr<RecordedRun> run_;
  std::unique_ptr<RecordedRun> valued_;  // null: none so far, or the same one
  std::optional<std::int64_t> length_;
  std::span<StopCondition* const> conditions_;  // of the movement that is being made
  std::int64_t begin_ = 0;                      // where it began
  bool stops_ = false;                          // at the first hit; else it goes on to the last
  std::optional<Hit> hit_;
  // Of what the program prints: whether it did on the way of the last movement forward, which began
  // there; and what, while somebody asks.
  bool has_printed_ = false;
  std::int64_t printed_from_ = 0;
  std::vector<DebugOutput>* prints_ = nullptr;  // null: nobody does
};

}  // namespace tessera

// A run that can be inspected between any two steps, forward and backward. The run is a function of
// the program, its operands and the schedule, so a position is the number of completed steps.
// Backward movements restore an image of the machine (recorded_run.h) and run forward from it. If
// control flow does not depend on arithmetic, movements skip it. A second machine then computes the
// values on demand, up to the current position.
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

// End of a movement, and its reason.
struct Arrival {
  enum class Why : std::uint8_t { condition, beginning, end };
  Why why = Why::end;
  std::size_t condition = 0;  // index of the first condition that held
  Cause cause{};              // cause returned by the condition
};

class Session final : private Observer, private Pausing, private DebugSink {
 public:
  // Opens a session before the first step. Fails if the run cannot be launched (launched()) or its
  // schedule is invalid.
  static Expected<std::unique_ptr<Session>> open(KeptRun launch, const Recording& recording = {});
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Program& program() const { return launch_.program; }
  const RunOptions& options() const { return launch_.options; }
  std::int64_t position() const { return run_->position(); }
  // True if no agent can take a step any more. findings() then includes the findings at the end of
  // the run.
  bool is_over() const { return run_->is_over(); }
  // The limit or signal that ended the run here, else RunEnd::program.
  RunEnd ended_by() const;
  // Number of steps of the whole run; none if the end has not been reached yet.
  std::optional<std::int64_t> length() const { return length_; }
  // Findings up to this position. Valid like machine().
  const std::vector<Finding>& findings() const { return run_->machine().findings(); }
  // The machine at this position, for reading: changing it changes this run. Its floats may be
  // missing; see valued(). Stays valid until the next movement or printed().
  Machine& machine() { return run_->machine(); }
  // Returns a machine at the same position with all values, after running it to there. It is owned
  // by the session and stays valid until the next movement, printed() or schedule_to_here(). Fails
  // if there is not enough memory, and with ErrorCode::interrupted if a signal stopped it.
  Expected<Machine*> valued();
  // Returns the state at this position, with the agent and statement of the next step. Valid like
  // machine().
  Moment here();

  // Moves to the position before step `position` (from 0), or to the end if it comes first. Fails
  // if the schedule does not fit the run, or if there is not enough memory to run again. A later
  // printed() returns the output of this movement if it was forward, else nothing.
  Expected<void> go_to(std::int64_t position);
  // Moves to the first position after the current one at which a condition holds, or to the end. A
  // condition that holds at the current position can stop the movement from the next one on. At the
  // end, does nothing. Fails like go_to().
  Expected<Arrival> forward(std::span<StopCondition* const> conditions);
  // Returns the output of the program during the last forward movement, with values; after open():
  // the output before the first step. Repeats that part of the run and keeps the position. A second
  // call returns nothing. Fails if there is not enough memory to run again.
  Expected<std::vector<DebugOutput>> printed();
  // Moves to the last earlier position at which a condition holds, or to the beginning. Fails like
  // go_to().
  Expected<Arrival> backward(std::span<StopCondition* const> conditions);
  // Returns the steps up to this position as a schedule that continues eagerly. Repeats the run, so
  // references to machine() become invalid. Fails with ErrorCode::unsupported if the program runs
  // iterations of parallel loops concurrently. After any other failure, for lack of memory, only
  // the destructor may be called.
  Expected<Schedule> schedule_to_here();
  // Lets the agent take the next step. From there on the run is eager: it is a new run with the
  // same steps up to here. Fails if the run is over or the agent cannot take a step here; the
  // session is then at the same position of the same run. Also fails like schedule_to_here().
  Expected<void> choose(const AgentId& agent);

  // Runs from the last image before `end`, or from the beginning, to `end`, and passes each event
  // to output.on() after one output.begin(); output.holds() is not called. Leaves the session at
  // `end`. Returns the position of the image; call again with it to continue backwards, until it is
  // 0. Fails like go_to().
  Expected<std::int64_t> walk_to(std::int64_t end, StopCondition& output);

 private:
  struct Hit {
    std::int64_t position = 0;
    std::size_t condition = 0;
    Cause cause{};
  };

  Session(KeptRun launch, const Recording& recording);
  // Sets options_ and moving_ so that run_ computes no values and writes no results.
  void leave_out_arithmetic();
  // Returns a run before its first step. Fails like open().
  Expected<std::unique_ptr<RecordedRun>> launch(const std::vector<Binding>& bindings,
                                                const RunOptions& options,
                                                const Recording& recording);
  // Like RecordedRun::approach(), but launches the run again if no image can be restored.
  Expected<void> approach(std::int64_t position);
  // Replaces the run by one with another schedule, at the position. Fails like go_to() if the
  // schedule does not fit; the run is then at any position. After a failure to launch, there is no
  // run.
  Expected<void> follow(const std::string& schedule, std::int64_t position);
  // Like RecordedRun::advance(). Fails if the schedule does not fit the run.
  Expected<void> advance(std::int64_t steps, Pausing* pausing);
  // False if no condition can hold between the last image before `to` and `to`.
  bool may_hold(std::span<StopCondition* const> conditions, const MachineImage& to) const;
  // Sets and resets the conditions of a movement from here; they must exist until the next call.
  void watch(std::span<StopCondition* const> conditions, bool stops);
  // Returns the first condition that holds here; none if none does. Checks and so resets all.
  std::optional<Hit> look();
  void on(const Event& event) override;
  bool supports_loop_workers() const override { return true; }
  bool before_step() override;
  bool accepts(const Program& program, StmtId statement) override;
  void receive(const Program& program, const DebugOutput& output) override;

  KeptRun launch_;
  Recording recording_;
  std::vector<Binding> bindings_;
  RunOptions options_;  // options of run_: observed, and possibly without arithmetic
  // Results written by run_, if another machine has the values.
  std::vector<std::unique_ptr<Tensor>> no_results_;
  std::vector<Binding> moving_;  // bindings of run_
  std::unique_ptr<RecordedRun> run_;
  std::unique_ptr<RecordedRun> valued_;  // null: not created yet, or run_ has the values
  std::optional<std::int64_t> length_;
  std::span<StopCondition* const> conditions_;  // conditions of the current movement
  std::int64_t begin_ = 0;                      // its first position
  bool stops_ = false;                          // stop at the first hit; else continue to the last
  std::optional<Hit> hit_;
  // Output of the program. has_printed_: the last forward movement, which began at printed_from_,
  // had output. prints_: collects the output; null except in printed().
  bool has_printed_ = false;
  std::int64_t printed_from_ = 0;
  std::vector<DebugOutput>* prints_ = nullptr;
};

}  // namespace tessera

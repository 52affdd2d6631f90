// Two schedules that show a race: both reach a state in which either access can be next, then each
// executes a different one first.
#pragma once
#include <optional>
#include <string>

#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/protocol_replay.h"
#include "interp/observe/observer.h"

namespace tessera {

struct Witness {
  // Schedules for --schedule: x before y, y before x. Both are the same if x or y enters or leaves
  // the kernel, because no schedule can move that.
  std::string x_first, y_first;
  CopyGranularity granularity = CopyGranularity::whole;  // copy granularity in the schedules
  AgentId x_agent{}, y_agent{};                          // agents of x and y, and steps within them
  std::int32_t x_step = 0, y_step = 0;
  StmtId x_statement, y_statement;  // none: enters or leaves the kernel
};

// Way to reach the pair. shortest: by the necessary steps only. recorded: like the recorded run, up
// to the first access of the pair, so that control that depends on another race is the same.
enum class Way : std::uint8_t { shortest, recorded };
// Returns schedules with the accesses x and y in both orders. Empty if they cannot both be next in
// this way: for Way::shortest, if they do not race.
// x, y: accesses of `record`, of different agents. signals: table of `record`. order: order seed of
// parallel loops in the recorded run.
std::optional<Witness> find_witness(const Record& record, const SignalTable& signals, EventId x,
                                    EventId y, std::optional<std::uint64_t> order,
                                    Way way = Way::shortest);

// Determines which of two steps of a run came first, for runs that replay a witness. A step that
// ends the run with a finding counts as done.
class WhichFirst : public Observer {
 public:
  // witness: must outlive this object.
  explicit WhichFirst(const Witness& witness) : witness_(witness) {}
  void begin(const Program& program, const RunOptions&) override { program_ = &program; }
  void on(const Event& event) override;
  void end(RunResult& result) override;
  // True if the run ended because one of the two steps accessed an object outside its lifetime. For
  // a race with a lifetime this is the finding, whether or not the other step was done.
  bool ended_with_lifetime() const { return ended_with_lifetime_; }
  // After the run: saw_x_first() is true if the step x came first, and y came later or, in a run
  // that did not complete, never; saw_y_first() is the same with x and y exchanged. Both are false
  // if the control flow differs from the recorded run.
  bool saw_x_first() const {
    return !is_other_ && x_ == 1 && (y_ == 2 || (y_ == 0 && !is_complete_));
  }
  bool saw_y_first() const {
    return !is_other_ && y_ == 1 && (x_ == 2 || (x_ == 0 && !is_complete_));
  }

 private:
  bool ends_with(const Finding& finding, const AgentId& agent, StmtId statement) const;

  const Witness& witness_;
  const Program* program_ = nullptr;
  bool ended_with_lifetime_ = false;
  // is_other_: control flow differs from the recorded run
  bool is_complete_ = false, is_other_ = false;
  int x_ = 0, y_ = 0;  // position in the run: 1 or 2; 0: not done yet
};

}  // namespace tessera

// Two schedules that show a race: both accesses come next, and then one or the other goes first.
#pragma once
#include <optional>
#include <string>

#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/protocol_replay.h"
#include "interp/observe/observer.h"

namespace tessera {

struct Witness {
  // Texts for --schedule: x before y, y before x. They are one where x or y is entering or leaving
  // the kernel: no op that a schedule could move.
  std::string x_first, y_first;
  CopyGranularity granularity = CopyGranularity::whole;  // under which they are schedules
  AgentId x_agent{}, y_agent{};  // whose steps they are, and which of their own
  std::int32_t x_step = 0, y_step = 0;
  StmtId x_statement, y_statement;  // what they do there; none: enter or leave
};

// How the schedules come to the pair: by the steps alone that it takes, or as the recorded run did,
// up to the first of the two. Control that depends on another race goes the recorded way there.
enum class Way : std::uint8_t { shortest, recorded };
// order: of parallel loops in the recorded run. Nothing when x and y are in no race.
std::optional<Witness> find_witness(const Record& record, const SignalTable& signals, EventId x,
                                    EventId y, std::optional<std::uint64_t> order,
                                    Way way = Way::shortest);

// Tells which of two steps of a run came first; for runs that replay a witness. A step that ends
// the run with a finding has come as well.
class WhichFirst : public Observer {
 public:
  explicit WhichFirst(const Witness& witness) : witness_(witness) {}
  void begin(const Program& program, const RunOptions&) override { program_ = &program; }
  void on(const Event& event) override;
  void end(RunResult& result) override;
  // The run ended because one of the two met what is not there yet, or no longer: of a race with a
  // lifetime that is the finding, whatever came of the other one.
  bool ended_with_lifetime() const { return ended_with_lifetime_; }
  // The other one came later, or not at all because the first made the run stop.
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
  bool is_complete_ = false, is_other_ = false;  // other: control went another way
  int x_ = 0, y_ = 0;                            // when they came: 1 or 2; 0 not yet
};

}  // namespace tessera

// What each agent of a run does, and what it writes, as numbers: for holding one run against
// another. Events are told step by step, with the values as they are behind the step.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "interp/launch.h"
#include "interp/machine/machine.h"

namespace tessera {

// One event.
struct StreamEvent {
  std::int64_t step = 0;  // its number
  AgentId agent{};
  StmtId statement;         // of a copy: its start
  std::uint64_t loops = 0;  // the values of the loops around it
  std::uint64_t what = 0;  // kind, statement, object, rectangle, amount; of a start both rectangles
  bool is_write = false;   // of memory that holds values:
  std::uint64_t value = 0;  // of what it wrote, and what of it is defined
  CoreIndex owner{};
  BufferId buffer{};
  Box box{};
};

// A run that is taken piece by piece.
class WriteStream final : private Observer, private Pausing {
 public:
  static Expected<std::unique_ptr<WriteStream>> open(KeptRun& run);
  // Takes so many steps more, and tells of the events and, before each step, of who takes it.
  // False: the run is over, and finish() has its result.
  bool advance(std::int64_t steps);
  Expected<RunResult> finish() { return machine_->end(); }
  std::int64_t steps() const { return machine_->steps(); }
  const Machine& machine() const { return *machine_; }

  std::vector<StreamEvent> told{};      // since whoever reads it emptied it
  std::vector<std::uint64_t> movers{};  // who took each step, and at which statement

 private:
  explicit WriteStream(KeptRun& run) : run_(run) {}
  void on(const Event& event) override;
  bool supports_loop_workers() const override { return true; }
  bool before_step() override;
  void settle_values();
  std::uint64_t value_of(Storage& storage, const Box& box);

  KeptRun& run_;
  std::unique_ptr<Machine> machine_;
  std::size_t settled_ = 0;  // of `told`, those with their values
  std::int64_t moved_ = 0;   // steps of which the mover is known
  std::vector<std::byte> bytes_;
};

}  // namespace tessera

// Events and writes of each agent of a run as hashes, to compare two runs. The events of a step are
// recorded with the values after the step.
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
  std::int64_t step = 0;  // step number, from 0; 0 also before the first step
  AgentId agent{};
  StmtId statement;         // for a copy: its start
  std::uint64_t loops = 0;  // hash of the loop indices around it
  // Hash of kind, statement, object, rectangle and amount; for a start, of both rectangles.
  std::uint64_t what = 0;
  bool is_write = false;    // write to memory with values; the members below are then valid
  std::uint64_t value = 0;  // hash of the written values, and of which elements are defined
  CoreIndex owner{};
  BufferId buffer{};
  Box box{};
};

// A run that is executed in segments.
class WriteStream final : private Observer, private Pausing {
 public:
  // Launches the run up to before its first step. Sets run.options.observers and records no
  // schedule. run: must outlive this object. Fails if it cannot be launched or its schedule is
  // invalid.
  static Expected<std::unique_ptr<WriteStream>> open(KeptRun& run);
  // Runs `steps` more steps. Records their events and, before each step, its agent. Returns false
  // if the run is over; finish() then returns its result. Not recorded, because they depend on the
  // schedule: starts of iterations of parallel loops, and accesses of partial copies.
  bool advance(std::int64_t steps);
  // Requires advance() to have returned false. Call it once. Fails like Machine::end().
  Expected<RunResult> finish() { return machine_->end(); }
  std::int64_t steps() const { return machine_->steps(); }
  const Machine& machine() const { return *machine_; }

  std::vector<StreamEvent> told{};      // events since the caller last cleared it
  std::vector<std::uint64_t> movers{};  // same, by step: hash of its agent and statement

 private:
  explicit WriteStream(KeptRun& run) : run_(run), scope_(run, {this}) {}
  void on(const Event& event) override;
  bool supports_loop_workers() const override { return true; }
  bool before_step() override;
  // Hashes the current values of the writes recorded since the last call.
  void settle_values();
  std::uint64_t value_of(Storage& storage, const Box& box);

  KeptRun& run_;
  ScopedObservers scope_;
  std::unique_ptr<Machine> machine_;
  std::size_t settled_ = 0;  // events in `told` that have their values
  std::int64_t moved_ = 0;   // steps with a known mover
  std::vector<std::byte> bytes_;
};

}  // namespace tessera

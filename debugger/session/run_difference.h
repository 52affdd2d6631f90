// Comparison of two runs: the first event and the first value that differ, and the results that
// differ.
//
// Comparisons:
// - One program: each core is compared with the same core of the other run, for each iteration of
//   its loops, and so are the writes of its copies. A different schedule alone is no difference.
// - One program, in hbm, where cores may access the same memory in another order: the values
//   written to each rectangle are also compared, in their order. This is the only comparison if the
//   schedules take iterations of parallel loops in different orders.
// - Two programs: only the values written to each rectangle, for all buffers with equal names.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/launch.h"
#include "interp/memory/view.h"
#include "interp/run_result.h"

namespace tessera {

// Step numbers of the events, from 0; -1: the run has no such event.
struct EventPair {
  std::int64_t a = -1, b = -1;
};

// A rectangle that was written with different values, and the events that wrote it.
struct ValueDifference {
  EventPair events;
  CoreIndex owner_a{}, owner_b{};  // owners of the buffers
  BufferId buffer_a{}, buffer_b{};
  Box box{};
};

// Differences in an operand or a result of one device.
struct TensorDifference {
  std::string name;
  int device = 0;
  std::int64_t elements = 0, different = 0;
  std::int64_t first = -1;  // row-major index of the first different element; -1: none
};

struct RunDifference {
  bool is_one_program = false;
  // True for one program with the same order of iterations: `event` is then determined.
  bool compares_cores = false;
  bool has_values = true;                   // false if at least one run computes no values
  std::int64_t events_a = 0, events_b = 0;  // numbers of steps
  // The limit that ended the run, or RunEnd::program. With a limit, only the events and values
  // before it are compared, and no results.
  RunEnd end_a = RunEnd::program, end_b = RunEnd::program;
  std::vector<Finding> findings_a{}, findings_b{};
  // Step number of the first event with a different agent or statement; only for one program.
  std::optional<std::int64_t> order{};
  // First event in which a core acts differently in an iteration of its loops, or acts in only one
  // of the runs; only for one program.
  std::optional<EventPair> event{};
  std::optional<ValueDifference> value{};    // first different write, in the order of run A
  std::vector<TensorDifference> operands{};  // operands that differ
  std::vector<TensorDifference> results{};   // compared results
  // Results that the other run does not have with this name, type and shape, and results with
  // unknown values.
  std::vector<std::string> uncompared{};

  // True if no compared event, value, finding or result differs and `uncompared` is empty. The
  // order of the events and the operands may differ. If has_values is false, no results were
  // compared.
  bool is_same() const;
};

// Runs both programs, which fills their results, and returns their differences. Values are compared
// bit for bit. Clears the observers in their options, and turns off the recording of the schedule.
// Fails with ErrorCode::environment if there is not enough memory, if a run cannot be launched or
// its schedule does not fit, and like cut_off() (interp/cut_off.h) if a signal ended a run, or if a
// limit ended a run and no earlier event or value differs.
Expected<RunDifference> difference(KeptRun& a, KeptRun& b);

}  // namespace tessera

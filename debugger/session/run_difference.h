// Where two runs part: the first event and the first value that differ, and which results do. Of
// one program each core is held against the same core of the other run, point by point of its
// loops, and so is what its copies write, so that a schedule alone makes no difference; in hbm,
// where cores may come to the same memory in another order, also the values that were written to
// each rectangle, in their order. Of two programs that alone is done, for all buffers of one name;
// of one program whose schedules take points of parallel loops in other orders, for hbm.
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

// The numbers of events; -1: that run has none.
struct EventPair {
  std::int64_t a = -1, b = -1;
};

// A rectangle that was written with other values, and by which events.
struct ValueDifference {
  EventPair events;
  CoreIndex owner_a{}, owner_b{};  // where the buffers are kept
  BufferId buffer_a{}, buffer_b{};
  Box box{};
};

// Of an operand or a result of one device.
struct TensorDifference {
  std::string name;
  int device = 0;
  std::int64_t elements = 0, different = 0;
  std::int64_t first = -1;  // of the different ones, as it is stored; -1: there is none
};

struct RunDifference {
  bool is_one_program = false;
  bool compares_cores = false;  // of one program whose points come in one order: `event` is known
  bool has_values = true;       // false: at least one of the runs computes none
  std::int64_t events_a = 0, events_b = 0;
  // The limit that ended a run; else RunEnd::program. With a limit, only the events and values of
  // both runs up to there are compared, and no results.
  RunEnd end_a = RunEnd::program, end_b = RunEnd::program;
  std::vector<Finding> findings_a{}, findings_b{};
  // The first event, by its number, of another agent or statement; of one program.
  std::optional<std::int64_t> order{};
  // The first with which a core does something else for a point of its loops than in the other run,
  // or something where the other one does nothing; of one program.
  std::optional<EventPair> event{};
  std::optional<ValueDifference> value{};    // the first write, in the order of A
  std::vector<TensorDifference> operands{};  // that differ
  std::vector<TensorDifference> results{};   // that were compared
  // Results without one of that name, type and shape, and such as nobody knows.
  std::vector<std::string> uncompared{};

  // But for the order.
  bool is_same() const;
};

// Runs both, which fills their results. Values are compared bit for bit. Fails as
// cut_off() does (interp/cut_off.h) if a signal ended a run, or if a limit ended one and no event
// or value before it differs.
Expected<RunDifference> difference(KeptRun& a, KeptRun& b);

}  // namespace tessera

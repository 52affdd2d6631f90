#include "analysis/certificate/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/certificate/races/protocol_replay.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

void check_waiters(const Record& record, std::vector<BrokenCondition>& broken) {
  Table<CellId, RecordedAgentId> waiter(record.cells.size());
  Table<CellId, bool> is_consumed(record.cells.size());
  for (const RecordedEvent& event : record.events)
    if (event.act == Act::wait) is_consumed[event.cell()] = true;
  for (const RecordedEvent& event : record.events) {
    if (event.act != Act::wait && event.act != Act::await) continue;
    const CellId cell = event.cell();
    if (waiter[cell] && waiter[cell] != event.agent && is_consumed[cell]) {
      const SemId& sem = record.cells[cell];
      broken.push_back({Condition::one_waiter, event.statement,
                        record.program->loc(event.statement),
                        fmt::format("{} is waited for by {} and by {}, expected one of them",
                                    cell_text(*record.program, sem.semaphore, sem.cell),
                                    to_string(record.agents[waiter[cell]].id),
                                    to_string(record.agents[event.agent].id))});
    }
    waiter[cell] = event.agent;
  }
}

// Returns the maximum count of the cell in any schedule: blocks its waiter before each of its waits
// in turn, and advances all other agents as far as possible.
std::int64_t max_counted(const Record& record, const SignalTable& signals, CellId cell) {
  std::int64_t most = 0;
  for (const RecordedAgentId core : record.core_ids()) {
    std::optional<ProtocolReplay> net;
    const RecordedAgent& waiter = record.agents[core];
    for (const EventId e : waiter.events()) {
      const RecordedEvent& event = record.events[e];
      if (event.act != Act::wait || event.cell() != cell) continue;
      if (net) {
        net->hold_later(core, e);
      } else {
        net.emplace(record, signals);
        net->hold(core, e);
        net->advance_all();
      }
      most = std::max(most, net->count(cell));
    }
  }
  return most;
}

// Finds counts that could leave their range in another order of signals and waits.
void check_ranges(const Record& record, std::vector<BrokenCondition>& broken) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  Table<CellId, std::int64_t> sum(record.cells.size());
  std::optional<SignalTable> signals;
  for (const RecordedEvent& event : record.events) {
    if (event.act != Act::signal) continue;
    const CellId cell = event.cell();
    const SemId& sem = record.cells[cell];
    const SemKind kind = record.program->semaphores[sem.semaphore].kind;
    const bool was_in_range = sum[cell] <= most;
    sum[cell] += event.amount;
    if (kind == SemKind::bytes || !was_in_range || sum[cell] <= most) continue;
    if (!signals) signals.emplace(record);
    if (max_counted(record, *signals, cell) <= most) continue;
    broken.push_back({Condition::range, event.statement, record.program->loc(event.statement),
                      fmt::format("{} can be signalled to more than {} before it is waited for",
                                  cell_text(*record.program, sem.semaphore, sem.cell), most)});
  }
}

// Finds control that depends on arithmetic that --no-math skips.
void check_arithmetic(const Program& program, const ControlFlow& control,
                      std::vector<BrokenCondition>& broken) {
  for (const StmtId statement : left_out_control(program, control))
    broken.push_back({Condition::known_control, statement, program.loc(statement),
                      skipped_control(program, statement).message});
}

// Finds control that depends on `opaque` through the elements that a `select` leaves undefined. The
// verifier rejects all other control that depends on unknown values.
void check_unknown(const Program& program, const ControlFlow& control,
                   std::vector<BrokenCondition>& broken) {
  for (const StmtId i : program.body.ids()) {
    const auto* write = std::get_if<OpaqueWrite>(&program.body[i].op);
    const BufferId buffer = write != nullptr ? program.value(write->dst.base).buffer : BufferId();
    if (buffer && control.buffers[buffer])
      broken.push_back({Condition::known_control, i, program.loc(i),
                        "which elements are defined depends on the values of `opaque` here, which "
                        "are not known"});
  }
}

}  // namespace

std::string_view name(Condition condition) {
  constexpr std::string_view names[] = {"C1", "C2", "C3", "range", "points"};
  return names[static_cast<std::size_t>(condition)];
}

std::vector<BrokenCondition> broken_conditions(const Record& record, const ControlFlow& control,
                                               const RaceAnalysis& analysis) {
  std::vector<BrokenCondition> broken;
  check_waiters(record, broken);
  check_ranges(record, broken);
  if (!record.has_math) check_arithmetic(*record.program, control, broken);
  check_unknown(*record.program, control, broken);
  for (const StmtId statement : record.sem_reads) {
    const auto& read = std::get<ReadSem>(record.program->body[statement].op);
    const SemaphoreId semaphore = record.program->value(read.sem.base).semaphore;
    broken.push_back({Condition::waits_only, statement, record.program->loc(statement),
                      fmt::format("reads the current count of {}, expected a wait for it",
                                  record.program->semaphores[semaphore].name)});
  }
  for (const Race& race : analysis.races) {
    const RecordedEvent& y = record.events[race.y];
    const Range& range = record.ranges[y.range()];
    if (!race.is_order || range.kind != ObjectKind::buffer || !control.buffers[range.buffer()])
      continue;
    broken.push_back({Condition::known_control, y.statement, record.program->loc(y.statement),
                      fmt::format("the sum in {} depends on the order of additions, and control "
                                  "depends on it",
                                  slice_text(*record.program, range.buffer(), range.box))});
  }
  std::stable_sort(broken.begin(), broken.end(),
                   [](const auto& a, const auto& b) { return a.statement < b.statement; });
  const auto same = [](const auto& a, const auto& b) {
    return a.statement == b.statement && a.message == b.message;
  };
  broken.erase(std::unique(broken.begin(), broken.end(), same), broken.end());
  return broken;
}

}  // namespace tessera

#include "interp/certificate/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/program/refs.h"
#include "interp/certificate/races/net.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

Loc loc_of(const Program& program, std::int32_t statement) {
  return statement < 0 ? Loc{}
                       : program.loc(program.body[static_cast<std::size_t>(statement)].place);
}

bool defines_scalar(const Op& op) {
  const ResultKind kind = info(op).result;
  return kind == ResultKind::Scalar || kind == ResultKind::Real;
}

// Follows values and memory backwards from where they decide something, until nothing new comes.
class Backwards {
 public:
  Backwards(const Program& program, const std::vector<std::int32_t>& choices)
      : program_(program),
        choices_(choices),
        values_(program.values.size()),
        flow_{std::vector<bool>(program.body.size()), std::vector<bool>(program.buffers.size())} {}

  ControlFlow run() {
    for (std::size_t i = 0; i < program_.body.size(); ++i) begin(i);
    for (grew_ = true; grew_;) {
      grew_ = false;
      for (std::size_t i = program_.body.size(); i-- > 0;) step(i);
    }
    return std::move(flow_);
  }

 private:
  // Where it decides, by the table: the bounds of every slice, and what is marked there.
  void begin(std::size_t i) {
    const Op& op = program_.body[i].op;
    const bool is_open =
        std::binary_search(choices_.begin(), choices_.end(), static_cast<std::int32_t>(i));
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind == FieldKind::Slice) add_indices(field<Slice>(op, f));
      if (!is_control(program_, op, f, is_open)) continue;
      if (f.kind == FieldKind::Value) add(field<ValueId>(op, f));
      if (f.kind == FieldKind::Maybe) add(field<Maybe>(op, f).id);
      if (f.kind == FieldKind::Slice) add_contents(i, field<Slice>(op, f));
    }
  }
  void add(ValueId id) {
    if (id == no_value || values_[static_cast<std::size_t>(id)]) return;
    values_[static_cast<std::size_t>(id)] = true;
    grew_ = true;
  }
  void add_indices(const Slice& slice) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      add(slice.start[d]);
      add(slice.size[d]);
    }
  }
  void add_contents(std::size_t statement, const Slice& slice) {
    if (is_number(program_, slice)) add(slice.base);
    const Value& from = base(slice);
    if (from.kind != ValueKind::ref || from.index < 0) return;
    flow_.reads[statement] = true;
    const auto buffer = static_cast<std::size_t>(from.index);
    if (!flow_.buffers[buffer]) grew_ = true;
    flow_.buffers[buffer] = true;
  }
  const Value& base(const Slice& slice) const { return program_.value(slice.base); }
  bool is_wanted(const Slice& dst) const {
    const Value& to = base(dst);
    return to.kind == ValueKind::ref && to.index >= 0 &&
           flow_.buffers[static_cast<std::size_t>(to.index)];
  }

  // What the statement makes reaches control: so does all that goes into it.
  void step(std::size_t i) {
    const Stmt& s = program_.body[i];
    const Slice* dst = written_slice(s.op);
    if (const auto* remote = std::get_if<StartRemote>(&s.op)) dst = &remote->dst;
    if (const auto* back = std::get_if<WriteBack>(&s.op)) dst = &back->dst;
    const bool is_value =
        s.result != no_value && defines_scalar(s.op) && values_[static_cast<std::size_t>(s.result)];
    if (!is_value && (dst == nullptr || !is_wanted(*dst))) return;
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind == FieldKind::Value) add(field<ValueId>(s.op, f));
      if (f.kind == FieldKind::Slice && &field<Slice>(s.op, f) != dst)
        add_contents(i, field<Slice>(s.op, f));
    }
  }

  const Program& program_;
  const std::vector<std::int32_t>& choices_;
  std::vector<bool> values_;
  ControlFlow flow_;
  bool grew_ = false;
};

void check_waiters(const Record& record, std::vector<BrokenCondition>& broken) {
  std::vector<std::int32_t> waiter(record.cells.size(), -1);
  std::vector<bool> is_consumed(record.cells.size());
  for (const RecordedEvent& event : record.events)
    if (event.act == Act::wait) is_consumed[static_cast<std::size_t>(event.object)] = true;
  for (const RecordedEvent& event : record.events) {
    if (event.act != Act::wait && event.act != Act::await) continue;
    const auto cell = static_cast<std::size_t>(event.object);
    if (waiter[cell] >= 0 && waiter[cell] != event.agent && is_consumed[cell]) {
      const SemId& sem = record.cells[cell];
      broken.push_back(
          {"C1", event.statement, loc_of(*record.program, event.statement),
           fmt::format("{} is waited for by {} and by {}, expected one of them",
                       cell_text(*record.program, sem.semaphore, sem.cell),
                       to_string(record.agents[static_cast<std::size_t>(waiter[cell])].id),
                       to_string(record.agents[static_cast<std::size_t>(event.agent)].id))});
    }
    waiter[cell] = event.agent;
  }
}

// The most that a cell can count in any schedule: its waiter is held before each of its waits in
// turn, while everybody else goes as far as they can.
std::int64_t most_counted(const Record& record, const SignalTable& signals, std::int32_t cell) {
  std::int64_t most = 0;
  for (std::int32_t core = 0; core < record.cores(); ++core) {
    std::optional<Net> net;
    const RecordedAgent& waiter = record.agents[static_cast<std::size_t>(core)];
    for (std::int32_t e = waiter.begin; e < waiter.end; ++e) {
      const RecordedEvent& event = record.events[static_cast<std::size_t>(e)];
      if (event.act != Act::wait || event.object != cell) continue;
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

// A count that could leave its range in another order of signals and waits.
void check_ranges(const Record& record, std::vector<BrokenCondition>& broken) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  std::vector<std::int64_t> sum(record.cells.size());
  std::optional<SignalTable> signals;
  for (const RecordedEvent& event : record.events) {
    if (event.act != Act::signal) continue;
    const auto cell = static_cast<std::size_t>(event.object);
    const SemId& sem = record.cells[cell];
    const SemKind kind = record.program->semaphores[static_cast<std::size_t>(sem.semaphore)].kind;
    const bool was_in_range = sum[cell] <= most;
    sum[cell] += event.amount;
    if (kind == SemKind::bytes || !was_in_range || sum[cell] <= most) continue;
    if (!signals) signals.emplace(record);
    if (most_counted(record, *signals, event.object) <= most) continue;
    broken.push_back({"range", event.statement, loc_of(*record.program, event.statement),
                      fmt::format("{} can be signalled to more than {} before it is waited for",
                                  cell_text(*record.program, sem.semaphore, sem.cell), most)});
  }
}

// What is left out may decide what is done.
void check_arithmetic(const Program& program, const ControlFlow& control,
                      std::vector<BrokenCondition>& broken) {
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    const Op& op = program.body[i].op;
    const Slice* dst = written_slice(op);
    if (dst == nullptr || !is_left_out(program, op)) continue;
    const Value& to = program.value(dst->base);
    if (to.kind != ValueKind::ref || to.index < 0 ||
        !control.buffers[static_cast<std::size_t>(to.index)])
      continue;
    const auto statement = static_cast<std::int32_t>(i);
    broken.push_back({"C3", statement, loc_of(program, statement),
                      "control depends on what is computed here, and --no-math leaves that out"});
  }
}

}  // namespace

ControlFlow control_flow(const Program& program, const std::vector<std::int32_t>& choices) {
  return Backwards(program, choices).run();
}

// Before a run nobody knows which select meets undefined elements: any may.
bool control_needs_arithmetic(const Program& program) {
  std::vector<std::int32_t> selects;
  for (std::size_t i = 0; i < program.body.size(); ++i)
    if (std::holds_alternative<TileSelect>(program.body[i].op))
      selects.push_back(static_cast<std::int32_t>(i));
  std::vector<BrokenCondition> broken;
  check_arithmetic(program, control_flow(program, selects), broken);
  return !broken.empty();
}

std::vector<BrokenCondition> broken_conditions(const Record& record, const ControlFlow& control,
                                               const RaceAnalysis& analysis) {
  std::vector<BrokenCondition> broken;
  check_waiters(record, broken);
  check_ranges(record, broken);
  if (!record.has_math) check_arithmetic(*record.program, control, broken);
  for (const std::int32_t statement : record.sem_reads) {
    const auto& read =
        std::get<ReadSem>(record.program->body[static_cast<std::size_t>(statement)].op);
    const std::int32_t semaphore = record.program->value(read.sem.base).index;
    broken.push_back(
        {"C2", statement, loc_of(*record.program, statement),
         fmt::format("reads the count of {} as it happens to be, expected a wait for it",
                     record.program->semaphores[static_cast<std::size_t>(semaphore)].name)});
  }
  for (const Race& race : analysis.races) {
    const RecordedEvent& y = record.events[static_cast<std::size_t>(race.y)];
    const Range& range = record.ranges[static_cast<std::size_t>(y.object)];
    if (!race.is_order || range.kind != ObjectKind::buffer ||
        !control.buffers[static_cast<std::size_t>(range.object)])
      continue;
    broken.push_back({"C3", y.statement, loc_of(*record.program, y.statement),
                      fmt::format("the sum in {} depends on the order of additions, and control "
                                  "depends on it",
                                  slice_text(*record.program, range.object, range.box))});
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

#include "debugger/session/run_difference.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "core/lang/language.h"
#include "core/program/unknown_values.h"
#include "core/report/guarded.h"
#include "core/report/stop.h"
#include "core/report/try.h"
#include "debugger/session/write_stream.h"
#include "interp/cut_off.h"
#include "interp/observe/content_hash.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

constexpr std::int64_t steps_at_once = 1 << 10;

// Events of one stream of one run that the other run has not reached yet.
struct Pending {
  std::vector<StreamEvent> told;
  std::size_t first = 0;  // index of the first remaining event
  bool is_of_a = false;
  bool is_apart = false;  // the streams differ; later events do not correspond
};

// A stream of events. core: the actions of a core in one iteration of its loops. copy: the writes
// of the copies that it starts there. place: the writes to a rectangle of a buffer with one name. A
// schedule may take iterations of parallel loops in any order.
enum class Stream : std::int64_t { core, copy, place };
using Key = std::array<std::int64_t, 4>;

std::int64_t number(std::uint64_t hash) { return static_cast<std::int64_t>(hash); }

Key point_key(const StreamEvent& told) {
  const AgentId core = told.agent.issuer();
  ContentHash hash;
  hash.mix(told.loops);
  if (told.agent.is_copy()) {
    hash.mix(static_cast<std::uint64_t>(told.statement.index));
    for (int d = 0; d < told.box.rank; ++d)
      hash.mix(static_cast<std::uint64_t>(told.box.start[Box::at(d)]));
  }
  const Stream stream = told.agent.is_copy() ? Stream::copy : Stream::core;
  return {static_cast<std::int64_t>(stream), core.device,
          std::int64_t{core.core} << 16 | (std::int64_t{core.worker} & 0xFFFF),
          number(hash.value())};
}

Key place_key(const Program& program, const StreamEvent& told) {
  ContentHash hash;
  hash.mix(text_hash(program.buffers[told.buffer].name));
  for (int d = 0; d < told.box.rank; ++d) {
    hash.mix(static_cast<std::uint64_t>(told.box.start[Box::at(d)]));
    hash.mix(static_cast<std::uint64_t>(told.box.size[Box::at(d)]));
  }
  return {static_cast<std::int64_t>(Stream::place), told.owner.index, 0, number(hash.value())};
}

class Comparer {
 public:
  Comparer(const Program& a, const Program& b, bool is_one_program, RunDifference& found)
      : a_(a), b_(b), is_one_program_(is_one_program), found_(found) {
    shared_a_ = shared(a, b);
    shared_b_ = shared(b, a);
  }

  void take(WriteStream& a, WriteStream& b) {
    compare_order(a.movers, b.movers);
    for (const StreamEvent& told : std::exchange(a.told, {})) add(told, true);
    for (const StreamEvent& told : std::exchange(b.told, {})) add(told, false);
  }

  // Records the remaining events, which only one run has.
  void finish() {
    for (const auto& [key, pending] : pending_) {
      if (key[0] != static_cast<std::int64_t>(Stream::core) || pending.is_apart) continue;
      const std::int64_t step = pending.told[pending.first].step;
      note_event(pending.is_of_a ? EventPair{step, -1} : EventPair{-1, step});
    }
  }

 private:
  // True for each buffer of which the other program has one with the same name, type, shape and
  // space.
  static Table<BufferId, bool> shared(const Program& of, const Program& with) {
    Table<BufferId, bool> all;
    for (const Buffer& buffer : of.buffers) {
      const Buffer* const other = with.find_buffer(buffer.name);
      all.add(other != nullptr && other->dtype == buffer.dtype && other->shape == buffer.shape &&
              other->space == buffer.space);
    }
    return all;
  }

  void compare_order(std::vector<std::uint64_t>& a, std::vector<std::uint64_t>& b) {
    const auto both = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
    if (is_one_program_ && !found_.order) {
      const auto other = std::mismatch(a.begin(), a.begin() + both, b.begin()).first;
      if (other != a.begin() + both) found_.order = ordered_ + (other - a.begin());
    }
    ordered_ += both;
    a.erase(a.begin(), a.begin() + both);
    b.erase(b.begin(), b.begin() + both);
  }

  void add(const StreamEvent& told, bool is_a) {
    if (found_.compares_cores && (!told.agent.is_copy() || told.is_write))
      add(point_key(told), told, is_a);
    if (!told.is_write || !(is_a ? shared_a_ : shared_b_)[told.buffer]) return;
    const Program& program = is_a ? a_ : b_;
    // Writes to scratch of one program are compared per core and iteration.
    if (is_one_program_ && program.buffers[told.buffer].space != Space::hbm) return;
    add(place_key(program, told), told, is_a);
  }

  void add(const Key& key, const StreamEvent& told, bool is_a) {
    Pending& pending = pending_[key];
    if (pending.is_apart) return;
    if (pending.told.empty()) pending.is_of_a = is_a;
    if (pending.is_of_a == is_a) return pending.told.push_back(told);
    const StreamEvent other = pending.told[pending.first++];
    const StreamEvent &a = is_a ? told : other, &b = is_a ? other : told;
    const bool is_core = key[0] == static_cast<std::int64_t>(Stream::core);
    if (is_core && a.what != b.what) {
      note_event({a.step, b.step});
      pending.is_apart = true;
      pending.told.clear();
      return;
    }
    compare_values(a, b);
    if (pending.first == pending.told.size()) pending_.erase(key);
  }

  void compare_values(const StreamEvent& a, const StreamEvent& b) {
    if (!found_.has_values || !a.is_write || !b.is_write || a.value == b.value) return;
    if (found_.value && found_.value->events.a <= a.step) return;
    found_.value = ValueDifference{{a.step, b.step}, a.owner, b.owner, a.buffer, b.buffer, a.box};
  }

  void note_event(const EventPair& pair) {
    const auto first = [](const EventPair& events) { return events.a >= 0 ? events.a : events.b; };
    if (!found_.event || first(pair) < first(*found_.event)) found_.event = pair;
  }

  const Program& a_;
  const Program& b_;
  bool is_one_program_;
  RunDifference& found_;
  Table<BufferId, bool> shared_a_, shared_b_;
  std::map<Key, Pending> pending_;
  std::int64_t ordered_ = 0;  // number of steps with compared order
};

bool has_parallel_loops(const Program& program) {
  return std::any_of(program.body.begin(), program.body.end(), [](const Stmt& statement) {
    const auto* const loop = std::get_if<For>(&statement.op);
    return loop != nullptr && loop->parallel != 0;
  });
}

const Tensor* tensor_of(const KeptRun& run, std::size_t device, const Buffer& like) {
  const Buffer* const buffer = run.program.find_buffer(like.name);
  if (buffer == nullptr || buffer->role != like.role || device >= run.operands.size())
    return nullptr;
  return &run.operands[device].find(like.name)->second;
}

TensorDifference compare_bytes(const std::string& name, std::size_t device, const Tensor& a,
                               const Tensor& b) {
  TensorDifference found{name, static_cast<int>(device), a.elements()};
  const auto size = static_cast<std::size_t>(size_of(a.dtype()));
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    const auto at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(a.data() + at, b.data() + at, size) == 0) continue;
    if (found.first < 0) found.first = i;
    ++found.different;
  }
  return found;
}

// Compares the tensors of one run with the tensors of the other run.
void compare_tensors(const KeptRun& run, const KeptRun& other, bool is_first,
                     RunDifference& found) {
  const UnknownValues unknown = unknown_values(run.program);
  const UnknownValues of_other = unknown_values(other.program);
  const auto is_known = [&](const Buffer& buffer) {
    const Buffer* const same = other.program.find_buffer(buffer.name);
    return !unknown.buffers[run.program.buffers.id_of(buffer)] &&
           (same == nullptr || !of_other.buffers[other.program.buffers.id_of(*same)]);
  };
  for (std::size_t device = 0; device < run.operands.size(); ++device)
    for (const Buffer& buffer : run.program.buffers) {
      if (buffer.role == Role::scratch) continue;
      const Tensor* const x = tensor_of(run, device, buffer);
      const Tensor* const y = tensor_of(other, device, buffer);
      const bool is_like = y != nullptr && x->dtype() == y->dtype() && x->shape() == y->shape();
      if (is_like && is_known(buffer)) {
        if (!is_first) continue;
        TensorDifference one = compare_bytes(buffer.name, device, *x, *y);
        if (buffer.role == Role::out)
          found.results.push_back(std::move(one));
        else if (one.different > 0)
          found.operands.push_back(std::move(one));
        continue;
      }
      const bool is_told = std::find(found.uncompared.begin(), found.uncompared.end(),
                                     buffer.name) != found.uncompared.end();
      if (buffer.role == Role::out && !is_told) found.uncompared.push_back(buffer.name);
    }
}

bool same(const std::vector<Finding>& a, const std::vector<Finding>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Finding& x, const Finding& y) {
           return x.kind == y.kind && x.message == y.message;
         });
}

bool is_truncated(const RunDifference& found) {
  return found.end_a != RunEnd::program || found.end_b != RunEnd::program;
}

// Fails unless there is a difference before the limit.
Expected<void> check_cut(const RunDifference& found) {
  const bool is_stopped = found.end_a == RunEnd::stop || found.end_b == RunEnd::stop;
  if (!is_stopped && (found.event || found.value)) return {};
  Diags diags;
  if (found.end_a != RunEnd::program) diags.push_back(cut_off(found.end_a, "run A"));
  if (found.end_b != RunEnd::program) diags.push_back(cut_off(found.end_b, "run B"));
  return diags;
}

}  // namespace

bool RunDifference::is_same() const {
  return !event && !value && uncompared.empty() && same(findings_a, findings_b) &&
         std::all_of(results.begin(), results.end(),
                     [](const TensorDifference& result) { return result.different == 0; });
}

Expected<RunDifference> difference(KeptRun& a, KeptRun& b) try {
  RunDifference found;
  found.is_one_program = print(a.program) == print(b.program) &&
                         a.options.machine.devices == b.options.machine.devices &&
                         a.options.machine.cores == b.options.machine.cores;
  // Iterations in another order find other blocks in their slots.
  found.compares_cores =
      found.is_one_program &&
      (!has_parallel_loops(a.program) || TRY(parse_schedule(a.options.schedule)).order ==
                                             TRY(parse_schedule(b.options.schedule)).order);
  found.has_values = a.options.math != Math::none && b.options.math != Math::none;
  const auto one = TRY(WriteStream::open(a));
  const auto other = TRY(WriteStream::open(b));
  Comparer comparer(a.program, b.program, found.is_one_program, found);
  for (bool a_goes = true, b_goes = true; a_goes || b_goes;) {
    leave_if_stopped();
    if (a_goes) a_goes = one->advance(steps_at_once);
    if (b_goes) b_goes = other->advance(steps_at_once);
    comparer.take(*one, *other);
  }
  found.events_a = one->steps();
  found.events_b = other->steps();
  RunResult of_a = TRY(one->finish()), of_b = TRY(other->finish());
  found.findings_a = std::move(of_a.findings);
  found.findings_b = std::move(of_b.findings);
  found.end_a = of_a.end;
  found.end_b = of_b.end;
  if (is_truncated(found)) {
    TRY(check_cut(found));
    return found;
  }
  comparer.finish();
  if (!found.has_values) return found;
  compare_tensors(a, b, true, found);
  compare_tensors(b, a, false, found);
  return found;
} catch (...) {
  return given_up("comparing the runs");
}

}  // namespace tessera

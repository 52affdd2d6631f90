// The dispatch loop: scalars and jumps inline, everything else through the table of exec().
#include <algorithm>
#include <optional>

#include "core/passes/at_once.h"
#include "core/report/check.h"
#include "interp/machine/machine.h"
#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

// So many ops without a step, and the machine is asked whether to go on.
constexpr std::int64_t longest_pass = 1 << 18;
// Ops for which a change between the two forms of run_ops() counts, so that a loop of such changes
// ends at a limit.
constexpr std::int64_t ops_of_a_change = 256;

}  // namespace

Core::Pause Core::rest(std::size_t pc, std::int64_t ops) {
  pc_ = pc;
  ops_ += ops;
  // A core that deals points, or waits for them, is before what comes next.
  if (dealt_ != nullptr) stmt_ = &machine_.program().body[code_.statement[pc]];
  const Pause pause = machine_.stopped()     ? Pause::stopped
                      : machine_.is_paused() ? Pause::ready
                      : finished_            ? Pause::finished
                      : blocked_             ? Pause::blocked
                      : is_free_             ? Pause::point
                      : dealt_ != nullptr    ? Pause::forked
                                             : Pause::ready;
  // The run may end here; else what comes tells them before anybody can tell the difference.
  if (!to_tell_.empty() && (pause != Pause::ready || machine_.is_paused())) tell_loads();
  return pause;
}

// Private scalars are read and written in place once all of them are defined; before that, and out
// of bounds, by the op's exec().
void Core::find_cells(BufferId buffer) {
  Storage& storage = *machine_.core_state(site_).storages[buffer];
  cells_[buffer] = {storage.cells(), 0};
  if (cells_[buffer].data != nullptr)
    cells_[buffer].count = static_cast<std::uint64_t>(storage.buffer().shape[0]);
}

Core::Pause Core::run(std::int64_t steps, bool until_start) {
  if (is_free_) {
    CHECK(steps > 0);
    if (!machine_.begin_step()) return machine_.stopped() ? Pause::stopped : Pause::ready;
    machine_.take_point(*this);
    if (machine_.stopped()) return Pause::stopped;
    ++steps_;
    --steps;
  }
  for (;;) {
    const std::optional<Pause> pause =
        undefined_.tracks ? run_ops<true>(steps, until_start) : run_ops<false>(steps, until_start);
    if (pause) return *pause;
  }
}

// One function, so that the instruction and the registers stay in processor registers. Short ops
// are written in the switch; longer ones have an exec(). tracks: some register is undefined.
template <bool tracks>
std::optional<Core::Pause> Core::run_ops(std::int64_t& steps, bool until_start) {
  const Instruction* const code = code_.instructions.data();
  const Instruction* i = code + pc_;
  std::int64_t* const r = registers_.entries().data();
  std::int64_t ops = 0;
  std::int64_t pass_ends = longest_pass;  // in ops
  // At the end of a loop's body: loops alone can go on without a step.
  const auto may_pass = [&] {
    if (ops < pass_ends) return true;
    pass_ends = ops + longest_pass;
    return machine_.pass(longest_pass);
  };
  for (;; ++ops) {
    bool stores_undefined = false;
    if constexpr (tracks) {
      const auto pc = static_cast<std::size_t>(i - code);
      if (undefined_.count == 0) {
        undefined_.tracks = false;
        if (!machine_.pass(ops_of_a_change)) return rest(pc, ops);
        pc_ = pc;
        ops_ += ops;
        return std::nullopt;
      }
      if (!pass_undefined(*i, code_.statement[pc])) return rest(pc, ops);
      stores_undefined = this->stores_undefined(code_.statement[pc]);
    }
    switch (i->code) {
#define SCALAR_OP(Struct, expression)                                          \
  case op_index<Struct>(): {                                                   \
    [[maybe_unused]] const std::int64_t a = r[i->a], b = r[i->b], c = r[i->c]; \
    r[i->dst] = (expression);                                                  \
    ++i;                                                                       \
    continue;                                                                  \
  }
      TESSERA_SCALAR_OPS(SCALAR_OP)
#undef SCALAR_OP
      case op_index<DeviceId>():
        r[i->dst] = id_.device;
        ++i;
        continue;
      case op_index<DeviceCount>():
        r[i->dst] = machine_.topology().devices;
        ++i;
        continue;
      case op_index<CoreId>():
        r[i->dst] = id_.core;
        ++i;
        continue;
      case op_index<CoreCount>():
        r[i->dst] = machine_.topology().cores;
        ++i;
        continue;
      case op_index<ToReal>():
        r[i->dst] = to_register(static_cast<float>(r[i->a]));
        ++i;
        continue;

      case static_cast<std::uint16_t>(Jump::always):
        i = code + i->c;
        continue;
      case static_cast<std::uint16_t>(Jump::if_zero):
        i = r[i->a] == 0 ? code + i->c : i + 1;
        continue;
      case static_cast<std::uint16_t>(Jump::for_enter):
        r[i->dst] = r[i->a];
        i = r[i->a] < r[i->b] ? i + 1 : code + i->c;
        continue;
      case static_cast<std::uint16_t>(Jump::for_next):
        if (!may_pass()) return rest(static_cast<std::size_t>(i - code), ops);
        i = ++r[i->dst] < r[i->b] ? code + i->c : i + 1;
        continue;
      case static_cast<std::uint16_t>(Jump::while_enter):
        r[i->dst] = 0;
        ++i;
        continue;
      case static_cast<std::uint16_t>(Jump::while_next):
        if (!may_pass()) return rest(static_cast<std::size_t>(i - code), ops);
        ++r[i->dst];
        i = code + i->c;
        continue;
      case static_cast<std::uint16_t>(Jump::points_enter):
        r[i->aux] = 0;
        ++r[i->aux + 1];
        if (r[i->a] >= r[i->b]) {
          i = code + i->c;
        } else if (deals_) {
          if (dealt_ == nullptr) fork_end_ = static_cast<std::size_t>(i->c) - 1;
          dealt_ = i;
          dealt_end_ = static_cast<std::size_t>(i->c) - 1;
          ++i;
          if (reach_point(i[-1])) return rest(static_cast<std::size_t>(i - code), ops);
        } else {
          enter_point(*i);
          ++i;
        }
        continue;
      case static_cast<std::uint16_t>(Jump::points_next): {
        if (!may_pass()) return rest(static_cast<std::size_t>(i - code), ops);
        const auto here = static_cast<std::size_t>(i - code);
        if (here == point_end_) {
          is_free_ = true;
          return rest(here, ops);
        }
        const bool more = ++r[i->aux] < r[i->b] - r[i->a];
        if (dealt_ != nullptr) {
          const Instruction& loop = *i;
          i = more ? code + i->c : i + 1;
          const bool is_last = !more && here == fork_end_;
          if (is_last || (more && reach_point(loop)))
            return rest(static_cast<std::size_t>(i - code), ops);
          continue;
        }
        if (more)
          enter_point(*i);
        else
          leave_points(*i);
        i = more ? code + i->c : i + 1;
        continue;
      }
      // Beside the run: no op is counted.
      case static_cast<std::uint16_t>(Jump::look):
        look(code_.statement[static_cast<std::size_t>(i - code)]);
        --ops;
        ++i;
        continue;
      case static_cast<std::uint16_t>(Jump::ask):
        if (!ask(code_.statement[static_cast<std::size_t>(i - code)]))
          return rest(static_cast<std::size_t>(i - code), ops);
        --ops;
        ++i;
        continue;
      case op_index<Assert>():
        if (r[i->a] == 0) break;
        --ops;
        ++i;
        continue;

      case static_cast<std::uint16_t>(Jump::finish):
        finished_ = true;
        return rest(static_cast<std::size_t>(i - code), ops);

      case static_cast<std::uint16_t>(Jump::load_number):
        if (!load_number(*i)) break;
        ++i;
        continue;
      case static_cast<std::uint16_t>(Jump::store_number):
        if (stores_undefined || !store_number(*i)) break;
        ++i;
        continue;
      case static_cast<std::uint16_t>(Jump::load_cell): {
        const Cells& cells = cells_[BufferId(i->aux)];
        if (static_cast<std::uint64_t>(r[i->a]) >= cells.count) break;
        r[i->dst] = cells.data[r[i->a]];
        ++i;
        continue;
      }
      case static_cast<std::uint16_t>(Jump::store_cell): {
        const Cells& cells = cells_[BufferId(i->aux)];
        if (stores_undefined || static_cast<std::uint64_t>(r[i->a]) >= cells.count) break;
        cells.data[r[i->a]] = r[i->b];
        ++i;
        continue;
      }
      case static_cast<std::uint16_t>(Jump::search_cells): {
        const Cells& cells = cells_[BufferId(i->aux)];
        if (cells.count == 0) break;
        r[i->dst] = std::upper_bound(cells.data, cells.data + cells.count, r[i->a]) - cells.data;
        ++i;
        continue;
      }

      // Checks that hold are scalars; one that fails is a step like any other.
      case op_index<Limit>():
        if (r[i->a] < 0 || r[i->a] > r[i->b]) break;
        r[i->dst] = r[i->a];
        ++i;
        continue;
      case op_index<Require>():
        if (r[i->a] == 0) break;
        ++i;
        continue;
      case op_index<Bounds>():
        if (r[i->b] != 0 && (r[i->a] < 0 || r[i->b] < 0 || r[i->a] > scalar::sub(r[i->c], r[i->b])))
          break;
        ++i;
        continue;
      default:
        break;
    }
    const auto pc = static_cast<std::size_t>(i - code);
    stmt_ = &machine_.program().body[code_.statement[pc]];
    const bool is_cell = i->code >= static_cast<std::uint16_t>(Jump::load_cell);
    const bool is_region = is_cell || i->code == op_index<Trace>() || i->code == op_index<End>();
    // Copies that were started move before a pipeline is told that is not run.
    const bool may_skip =
        machine_.regions() != nullptr && i->code == op_index<Trace>() && pipeline_of(stmt_->op);
    if (steps == 0 && (!is_region || may_skip)) {
      if (would_block()) machine_.block(*this);
      return rest(pc, ops);
    }
    // A wait that blocks is no step, and a limit of steps ends none: the schedule of these steps
    // ends here as well.
    if (!is_region && machine_.looks_before_step() && would_block()) {
      machine_.block(*this);
      return rest(pc, ops);
    }
    if (!is_region && !machine_.begin_step()) return rest(pc, ops);
    if (!is_region) pass_ends = ops + longest_pass;
    const bool is_number = i->code == static_cast<std::uint16_t>(Jump::load_number) ||
                           i->code == static_cast<std::uint16_t>(Jump::store_number);
    const Step step =
        exec_table[is_cell || is_number ? stmt_->op.index() : i->code](stmt_->op, *this);
    if (is_cell) find_cells(BufferId(i->aux));
    if (is_number) find_numbers(BufferId(i->aux));
    if (step == Step::block) {
      machine_.undo_step();
      machine_.block(*this);
      return rest(pc, ops);
    }
    if (step == Step::skip) {
      i = code + i->c;
      continue;
    }
    if (!results_written_.empty()) check_written();
    if (!is_region) ++steps_;  // also one that stops the run: its schedule ends with it
    if (machine_.stopped()) return rest(pc, ops);
    ++i;
    if (!is_region) {
      --steps;
      const bool is_start = until_start && class_of(i[-1].code) == OpClass::copy;
      if (is_start && !is_at_once(machine_.program(), stmt_->op)) steps = 0;
    }
    if constexpr (!tracks) {
      if (!undefined_.tracks) continue;
      pc_ = static_cast<std::size_t>(i - code);
      if (!machine_.pass(ops_of_a_change)) return rest(pc_, ops + 1);
      ops_ += ops + 1;
      return std::nullopt;
    }
  }
}

}  // namespace tessera

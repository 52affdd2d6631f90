// The dispatch loop: scalars and jumps are inlined, all other ops call exec() (core_step.cpp).
#include <algorithm>
#include <optional>

#include "core/report/check.h"
#include "interp/machine/machine.h"
#include "interp/machine/scalar_ops.h"

// X(op, its result): further ops that access only registers.
#define TESSERA_MACHINE_OPS(X)                \
  X(DeviceId, id_.device)                     \
  X(DeviceCount, machine_.topology().devices) \
  X(CoreId, id_.core)                         \
  X(CoreCount, machine_.topology().cores)     \
  X(ToReal, to_register(static_cast<float>(a)))

// X(instruction): each is a function of Core::Dispatch.
// clang-format off
#define TESSERA_JUMPS(X) \
  X(always) X(if_zero) X(for_enter) X(for_next) X(while_enter) X(while_next) \
  X(points_enter) X(points_next) X(look) X(ask) \
  X(load_number) X(store_number) X(load_cell) X(store_cell) X(search_cells) X(finish)
// clang-format on

// X(op, function): ops that check something, and are steps only if the check fails.
#define TESSERA_CHECKS(X) \
  X(Assert, check_assert) X(Limit, check_limit) X(Require, check_require) X(Bounds, check_bounds)

#define TESSERA_INLINE [[gnu::always_inline]] inline

namespace tessera {
namespace {

// Number of ops without a step after which the machine checks whether the core continues.
constexpr std::int64_t longest_pass = 1 << 18;
// A change between the two instantiations of run_ops() counts as this many ops, so a loop of such
// changes reaches a limit.
constexpr std::int64_t ops_of_a_change = 256;

}  // namespace

// State of the dispatch loop. Its functions are inlined, so its fields stay in processor registers.
struct Core::Dispatch {
  Core& core;
  const Instruction* const code;
  std::int64_t* const r;
  const Instruction* i;
  std::int64_t ops = 0;                   // since the loop began
  std::int64_t pass_ends = longest_pass;  // in ops
  bool stores_undefined = false;

  std::size_t pc() const { return static_cast<std::size_t>(i - code); }
  StmtId statement() const { return core.code_.statement[pc()]; }

  TESSERA_INLINE Next go_to(std::int32_t target) {
    i = code + target;
    return Next::op;
  }
  TESSERA_INLINE Next next(Next then = Next::op) {
    ++i;
    return then;
  }
  // Called at the end of a loop's body, because a loop may run without steps.
  TESSERA_INLINE bool may_pass() {
    if (ops < pass_ends) return true;
    pass_ends = ops + longest_pass;
    return core.machine_.pass(longest_pass);
  }

  TESSERA_INLINE Next always() { return go_to(i->c); }
  TESSERA_INLINE Next if_zero() { return r[i->a] == 0 ? go_to(i->c) : next(); }
  TESSERA_INLINE Next for_enter() {
    r[i->dst] = r[i->a];
    return r[i->a] < r[i->b] ? next() : go_to(i->c);
  }
  TESSERA_INLINE Next for_next() {
    if (!may_pass()) return Next::rest;
    return ++r[i->dst] < r[i->b] ? go_to(i->c) : next();
  }
  TESSERA_INLINE Next while_enter() {
    r[i->dst] = 0;
    return next();
  }
  TESSERA_INLINE Next while_next() {
    if (!may_pass()) return Next::rest;
    ++r[i->dst];
    return go_to(i->c);
  }

  TESSERA_INLINE Next points_enter() {
    r[i->aux] = 0;
    ++r[i->aux + 1];
    if (r[i->a] >= r[i->b]) return go_to(i->c);
    const Instruction& loop = *i++;
    if (!core.deals_) {
      core.enter_point(loop);
      return Next::op;
    }
    const auto end = static_cast<std::size_t>(loop.c) - 1;
    if (core.dealt_ == nullptr) core.fork_end_ = end;
    core.dealt_ = &loop;
    core.dealt_end_ = end;
    return core.reach_point(loop) ? Next::rest : Next::op;
  }
  TESSERA_INLINE Next points_next() {
    if (!may_pass()) return Next::rest;
    const std::size_t here = pc();
    if (here == core.point_end_) {
      core.is_free_ = true;
      return Next::rest;
    }
    const Instruction& loop = *i;
    const bool more = ++r[loop.aux] < r[loop.b] - r[loop.a];
    i = more ? code + loop.c : i + 1;
    if (core.dealt_ == nullptr) {
      more ? core.enter_point(loop) : core.leave_points(loop);
      return Next::op;
    }
    const bool ends_here = more ? core.reach_point(loop) : here == core.fork_end_;
    return ends_here ? Next::rest : Next::op;
  }

  TESSERA_INLINE Next look() {
    core.look(statement());
    return next(Next::uncounted);
  }
  TESSERA_INLINE Next ask() { return core.ask(statement()) ? next(Next::uncounted) : Next::rest; }
  TESSERA_INLINE Next finish() {
    core.finished_ = true;
    return Next::rest;
  }

  TESSERA_INLINE Next load_number() { return core.load_number(*i) ? next() : Next::step; }
  TESSERA_INLINE Next store_number() {
    return stores_undefined || !core.store_number(*i) ? Next::step : next();
  }
  TESSERA_INLINE Next load_cell() {
    const Cells& cells = core.cells_[BufferId(i->aux)];
    if (static_cast<std::uint64_t>(r[i->a]) >= cells.count) return Next::step;
    r[i->dst] = cells.data[r[i->a]];
    return next();
  }
  TESSERA_INLINE Next store_cell() {
    const Cells& cells = core.cells_[BufferId(i->aux)];
    if (stores_undefined || static_cast<std::uint64_t>(r[i->a]) >= cells.count) return Next::step;
    cells.data[r[i->a]] = r[i->b];
    return next();
  }
  TESSERA_INLINE Next search_cells() {
    const Cells& cells = core.cells_[BufferId(i->aux)];
    if (cells.count == 0) return Next::step;
    r[i->dst] = std::upper_bound(cells.data, cells.data + cells.count, r[i->a]) - cells.data;
    return next();
  }

  TESSERA_INLINE Next check_assert() { return r[i->a] == 0 ? Next::step : next(Next::uncounted); }
  TESSERA_INLINE Next check_limit() {
    if (r[i->a] < 0 || r[i->a] > r[i->b]) return Next::step;
    r[i->dst] = r[i->a];
    return next();
  }
  TESSERA_INLINE Next check_require() { return r[i->a] == 0 ? Next::step : next(); }
  TESSERA_INLINE Next check_bounds() {
    const std::int64_t start = r[i->a], size = r[i->b];
    const bool is_inside =
        size == 0 || (start >= 0 && size >= 0 && start <= scalar::sub(r[i->c], size));
    return is_inside ? next() : Next::step;
  }
};

Core::Pause Core::rest(std::size_t pc, std::int64_t ops) {
  pc_ = pc;
  ops_ += ops;
  // A core that has iterations for loop workers, or waits for them, is before the next instruction.
  if (dealt_ != nullptr) stmt_ = &machine_.program().body[code_.statement[pc]];
  const Pause pause = machine_.stopped()     ? Pause::stopped
                      : machine_.is_paused() ? Pause::ready
                      : finished_            ? Pause::finished
                      : blocked_             ? Pause::blocked
                      : is_free_             ? Pause::point
                      : dealt_ != nullptr    ? Pause::forked
                                             : Pause::ready;
  // The run may end or pause here, so pending loads are reported. Otherwise the next event reports
  // them early enough.
  if (!to_tell_.empty() && (pause != Pause::ready || machine_.is_paused())) tell_loads();
  return pause;
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

// Continues in the other instantiation of run_ops() at pc. ops: number of ops done so far.
std::optional<Core::Pause> Core::change_loop(std::size_t pc, std::int64_t ops) {
  if (!machine_.pass(ops_of_a_change)) return rest(pc, ops);
  pc_ = pc;
  ops_ += ops;
  return std::nullopt;
}

// One function, so that the instruction and the registers stay in processor registers. tracks: at
// least one register is undefined.
template <bool tracks>
std::optional<Core::Pause> Core::run_ops(std::int64_t& steps, bool until_start) {
  Dispatch at{*this, code_.instructions.data(), registers_.entries().data(),
              code_.instructions.data() + pc_};
  std::int64_t* const r = at.r;
  for (;; ++at.ops) {
    if constexpr (tracks) {
      undefined_.tracks = undefined_.count > 0;
      if (!undefined_.tracks) return change_loop(at.pc(), at.ops);
      if (!pass_undefined(*at.i, at.statement())) return rest(at.pc(), at.ops);
      at.stores_undefined = stores_undefined(at.statement());
    }
    Next next = Next::step;
    switch (at.i->code) {
#define SCALAR_OP(Struct, expression)                                                   \
  case op_index<Struct>(): {                                                            \
    [[maybe_unused]] const std::int64_t a = r[at.i->a], b = r[at.i->b], c = r[at.i->c]; \
    r[at.i->dst] = (expression);                                                        \
    ++at.i;                                                                             \
    continue;                                                                           \
  }
      TESSERA_SCALAR_OPS(SCALAR_OP)
      TESSERA_MACHINE_OPS(SCALAR_OP)
#undef SCALAR_OP
#define JUMP(name)                             \
  case static_cast<std::uint16_t>(Jump::name): \
    next = at.name();                          \
    break;
      TESSERA_JUMPS(JUMP)
#undef JUMP
#define CHECK_OP(Struct, name) \
  case op_index<Struct>():     \
    next = at.name();          \
    break;
      TESSERA_CHECKS(CHECK_OP)
#undef CHECK_OP
      default:
        break;
    }
    if (next == Next::op) continue;
    if (next == Next::step) {
      const Instruction* i = at.i;
      next = step(i, steps, until_start);
      at.i = i;
      if (next == Next::step) at.pass_ends = at.ops + longest_pass;
      if (next != Next::rest && !tracks && undefined_.tracks)
        return change_loop(at.pc(), at.ops + 1);
    }
    if (next == Next::rest) return rest(at.pc(), at.ops);
    if (next == Next::uncounted) --at.ops;
  }
}

}  // namespace tessera

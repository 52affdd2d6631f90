// Compilation of statements to instructions and jumps.
#include "interp/machine/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/passes/at_once.h"
#include "core/passes/purpose.h"
#include "core/program/refs.h"
#include "core/report/check.h"
#include "core/report/try.h"
#include "interp/machine/planning_memory.h"
#include "interp/machine/point_sharing.h"
#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

template <typename T>
constexpr bool is_structured =
    std::is_same_v<T, Pipeline> || std::is_same_v<T, Grid> || std::is_same_v<T, Window> ||
    std::is_same_v<T, View> || std::is_same_v<T, ViewAs>;

class Compiler {
 public:
  Compiler(const Program& program, bool sees_private, const UntracedScalars* untraced)
      : program_(program),
        is_dealt_(dealt_loops(program)),
        purpose_(purposes(program)),
        untraced_(untraced) {
    code_.is_private = private_buffers(program);
    if (untraced != nullptr)
      for (const UntracedScalars::Mode mode : untraced->mode)
        code_.is_told.add(mode == UntracedScalars::Mode::batched);
    if (!sees_private) return;
    // Iterations can only exchange data in buffers that parallel loops store to. Other buffers stay
    // private, and so does the state that expand_at_once() added.
    const Table<BufferId, bool> stored = stored_by_points(program);
    const BufferId state = at_once_state(program);
    for (const BufferId b : program.buffers.ids())
      if (stored[b] && b != state) code_.is_private[b] = false;
  }

  Expected<Code> compile(std::optional<std::uint64_t> order) {
    code_.order = order;
    for (const Value& v : program_.values) {
      if (!v.constant)
        code_.registers.add(0);
      else if (v.kind == ValueKind::real)
        code_.registers.add(to_register(static_cast<float>(v.real)));
      else
        code_.registers.add(v.integer);
    }
    code_.registers.resize(code_.registers.size() +
                           1);  // for instructions without operands, which name register 0
    for (const StmtId i : program_.body.ids()) {
      statement_ = i;
      TRY(std::visit([&](const auto& op) { return emit(op); }, program_.body[i].op));
    }
    statement_ = program_.body.last();
    append({.code = static_cast<std::uint16_t>(Jump::finish)});
    CHECK(open_.empty());
    return std::move(code_);
  }

 private:
  // An open region: its begin is patched with the position of its end.
  struct Region {
    enum class Kind : std::uint8_t { loop, turns, branch, other } kind;
    std::int32_t at;         // position of the instruction to patch, or of while_enter
    std::int32_t exit = -1;  // `while`: position of its `proceed`
  };

  const Stmt& stmt() const { return program_.body[statement_]; }
  std::int32_t here() const { return static_cast<std::int32_t>(code_.instructions.size()); }
  Instruction& at(std::int32_t i) { return code_.instructions[static_cast<std::size_t>(i)]; }

  std::int32_t append(Instruction instruction) {
    code_.instructions.push_back(instruction);
    code_.statement.push_back(statement_);
    return here() - 1;
  }
  std::int32_t jump(Jump code, Instruction rest) {
    rest.code = static_cast<std::uint16_t>(code);
    return append(rest);
  }

  template <typename T>
  Expected<void> emit(const T& op) {
    if (looks()) {
      jump(Jump::look, {.dst = result()});
      return {};
    }
    if constexpr (is_structured<T>) {
      const OpInfo& row = info(stmt().op);
      return Diag{
          ErrorCode::unsupported,
          program_.loc(stmt().place),
          fmt::format("`{}` cannot be run directly: expand the program first", row.mnemonic),
          {}};
    } else if constexpr (is_scalar_op<T>) {
      Instruction instruction{.code = op_index<T>(), .dst = result()};
      std::int32_t* operand[] = {&instruction.a, &instruction.b, &instruction.c};
      std::size_t n = 0;
      for (const FieldInfo& f : info(stmt().op).fields)
        *operand[n++] = reg(field<ValueId>(stmt().op, f));
      append(instruction);
    } else if constexpr (std::is_same_v<T, Nothing>) {
      // Removed by a pass.
    } else {
      call(op);
    }
    return {};
  }

  bool looks() const {
    return purpose_[statement_] == Purpose::show && info(stmt().op).scope == Scope::none;
  }

  template <typename T>
  void call(const T&) {
    append({.code = op_index<T>(), .dst = result()});
  }
  // The register of a value has the number of the value.
  static std::int32_t reg(ValueId value) { return value.index; }
  std::int32_t result() const { return reg(stmt().result); }
  bool is_private(const Slice& slice) const {
    const Value& base = program_.value(slice.base);
    return base.kind == ValueKind::ref && code_.is_private[base.buffer];
  }
  // Index of the buffer, as a plain number for an instruction.
  std::int32_t buffer(const Slice& slice) const { return program_.value(slice.base).buffer.index; }
  void read(std::size_t code) {
    if (purpose_[statement_] == Purpose::assertion)
      jump(Jump::ask, {.dst = result()});
    else
      append({.code = static_cast<std::uint16_t>(code), .dst = result()});
  }
  void call(const LoadReal&) { read(op_index<LoadReal>()); }
  bool is_untraced() const { return untraced_ != nullptr && untraced_->statements[statement_]; }
  void number(Jump code, std::int32_t dst, const Slice& slice) {
    Instruction at{.dst = dst, .aux = buffer(slice)};
    std::int32_t* index[max_indices] = {&at.a, &at.b, &at.c};
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
      *index[d] = reg(slice.start[d]);
    jump(code, at);
  }
  void call(const Load& op) {
    if (!is_private(op.src) && is_untraced()) return number(Jump::load_number, result(), op.src);
    if (!is_private(op.src)) return static_cast<void>(read(op_index<Load>()));
    jump(Jump::load_cell, {.dst = result(), .a = reg(op.src.start[0]), .aux = buffer(op.src)});
  }
  void call(const Store& op) {
    if (!is_private(op.dst) && is_untraced())
      return number(Jump::store_number, reg(op.value), op.dst);
    if (!is_private(op.dst)) return static_cast<void>(append({.code = op_index<Store>()}));
    jump(Jump::store_cell, {.a = reg(op.dst.start[0]), .b = reg(op.value), .aux = buffer(op.dst)});
  }
  void call(const SearchRight& op) {
    if (!is_private(op.sorted) || !is_whole(program_, op.sorted))
      return static_cast<void>(read(op_index<SearchRight>()));
    jump(Jump::search_cells, {.dst = result(), .a = reg(op.a), .aux = buffer(op.sorted)});
  }
  void call(const Limit& op) {
    append({.code = op_index<Limit>(), .dst = result(), .a = reg(op.a), .b = reg(op.bound)});
  }
  void call(const Assert& op) { append({.code = op_index<Assert>(), .a = reg(op.condition)}); }
  void call(const Require& op) { append({.code = op_index<Require>(), .a = reg(op.condition)}); }
  void call(const Bounds& op) {
    append({.code = op_index<Bounds>(), .a = reg(op.start), .b = reg(op.size), .c = reg(op.limit)});
  }
  void call(const ToReal& op) {
    append({.code = op_index<ToReal>(), .dst = result(), .a = reg(op.a)});
  }

  void call(const For& op) {
    Instruction loop{.dst = result(), .a = reg(op.lower), .b = reg(op.upper)};
    if (op.parallel != 0) {
      loop.aux = static_cast<std::int32_t>(code_.registers.size());
      loop.is_dealt = is_dealt_[statement_];
      code_.registers.resize(code_.registers.size() + 2);
    }
    open_.push_back(
        {Region::Kind::loop, jump(op.parallel != 0 ? Jump::points_enter : Jump::for_enter, loop)});
  }
  void call(const While&) {
    open_.push_back({Region::Kind::turns, jump(Jump::while_enter, {.dst = result()})});
  }
  void call(const Proceed& op) {
    open_.back().exit = jump(Jump::if_zero, {.a = reg(op.condition)});
  }
  void call(const If& op) {
    open_.push_back({Region::Kind::branch, jump(Jump::if_zero, {.a = reg(op.condition)})});
  }
  void call(const Else&) {
    const std::int32_t skip = jump(Jump::always, {});
    at(open_.back().at).c = here();
    open_.back().at = skip;
  }
  void call(const Trace&) {
    open_.push_back({Region::Kind::other, append({.code = op_index<Trace>()})});
  }
  void call(const End&) {
    const Region region = open_.back();
    open_.pop_back();
    if (region.kind == Region::Kind::other) append({.code = op_index<End>()});
    if (region.kind == Region::Kind::loop) {
      Instruction next = at(region.at);
      const bool points = next.code == static_cast<std::uint16_t>(Jump::points_enter);
      next.c = region.at + 1;
      jump(points ? Jump::points_next : Jump::for_next, next);
    }
    if (region.kind == Region::Kind::turns) {
      jump(Jump::while_next, {.dst = at(region.at).dst, .c = region.at + 1});
      at(region.exit).c = here();
    } else if (region.at >= 0) {
      at(region.at).c = here();
    }
  }

  const Program& program_;
  const Table<StmtId, bool> is_dealt_;
  const Table<StmtId, Purpose> purpose_;
  const UntracedScalars* const untraced_;
  Code code_;
  std::vector<Region> open_;
  StmtId statement_{0};
};

}  // namespace

std::int64_t to_register(float value) { return std::bit_cast<std::int32_t>(value); }
float real_register(std::int64_t bits) {
  return std::bit_cast<float>(static_cast<std::int32_t>(bits));
}

Expected<Code> compile(const Program& program, std::optional<std::uint64_t> order,
                       bool sees_private, const UntracedScalars* untraced) {
  return Compiler(program, sees_private, untraced).compile(order);
}

}  // namespace tessera

#include "core/program/verify.h"

#include <fmt/format.h>

#include <set>

#include "core/data/shape_limits.h"
#include "core/passes/simplify.h"
#include "core/program/unknown_values.h"

namespace tessera {

Diags Verifier::run() {
  declarations();
  for (const StmtId at : program_.body.ids()) {
    at_ = at;
    report_.at(at);
    statement(at);
  }
  if (!open_.empty())
    report_.fail_at(program_.body[open_.back()].place, "this region is never closed");
  return report_.take();
}

void Verifier::declarations() {
  std::set<std::string, std::less<>> names;
  for (const Buffer& b : program_.buffers) {
    defined_[b.value] = true;
    if (!names.insert(b.name).second)
      report_.fail_at(b.place, fmt::format("`{}` is declared twice", b.name));
    // Checked here because a window's slots get their shape from its blocks.
    if (std::string problem = shape_problem(b.shape); !problem.empty())
      report_.fail_at(b.place, std::move(problem));
    const bool operand = b.role != Role::scratch;
    if (operand && b.space == Space::tile)
      report_.fail_at(b.place, fmt::format("operand `{}` cannot be in tile registers", b.name));
    if (b.space == Space::smem && b.dtype != DType::f32 && is_float(b.dtype))
      report_.fail_at(b.place,
                      fmt::format("scalar memory holds integers or f32, found {}", name(b.dtype)),
                      ErrorCode::invalid_type);
  }
  std::set<std::int64_t> barriers;
  for (const Semaphore& s : program_.semaphores) {
    defined_[s.value] = true;
    if (!names.insert(s.name).second)
      report_.fail_at(s.place, fmt::format("`{}` is declared twice", s.name));
    if (s.kind == SemKind::barrier && !s.shape.empty())
      report_.fail_at(s.place, "a barrier is one semaphore, not an array");
    if (s.kind == SemKind::barrier && s.scoped)
      report_.fail_at(
          s.place,
          "a barrier belongs to the device and exists as long as it does, so it cannot be scoped");
    if (s.monotone && s.kind != SemKind::count)
      report_.fail_at(s.place, "only a semaphore declared `count` can be monotone");
  }
}

void Verifier::define(ValueId value) {
  defined_[value] = true;
  scopes_.back().push_back(value);
}

void Verifier::use(ValueId id, ValueKind kind, std::string_view field) {
  if (!program_.values.has(id)) return report_.fail(report_.field_text(field) + " has no value");
  const Value& v = program_.value(id);
  if (v.kind != kind)
    return report_.fail(report_.field_text(field) + " is not of the kind it must be",
                        ErrorCode::invalid_type);
  if (!v.constant && !defined_[id])
    report_.fail(fmt::format("`{}` is used where it is not defined",
                             v.name.empty() ? std::string(field) : v.name));
}

bool Verifier::check_slice(const Slice& slice, std::string_view field) {
  if (!program_.values.has(slice.base)) {
    report_.fail(report_.field_text(field) + " has no memory");
    return false;
  }
  const Value& base = program_.value(slice.base);
  if (!base.constant && !defined_[slice.base]) {
    report_.fail(fmt::format("`{}` is used where it is not defined", base.name));
    return false;
  }
  if (base.kind == ValueKind::scalar || base.kind == ValueKind::real) {
    if (slice.rank != 0) report_.fail(report_.field_text(field) + " indexes a number");
    return false;
  }
  const std::size_t rank = base.kind == ValueKind::sem
                               ? program_.semaphores[base.semaphore].shape.size()
                               : ref_info(program_, slice.base).bound.size();
  if (static_cast<std::size_t>(slice.rank) != rank) {
    report_.fail(
        fmt::format("`{}` has {} dimensions, found {} indices", base.name, rank, slice.rank));
    return false;
  }
  return true;
}

void Verifier::use(const Slice& slice, std::string_view field) {
  if (!check_slice(slice, field)) return;
  const std::size_t before = report_.size();
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    use(slice.start[d], ValueKind::scalar, field);
    use(slice.size[d], ValueKind::scalar, field);
  }
  if (report_.size() != before) return;
  // Slices that are known to be out of bounds are reported before the run.
  const Value& base = program_.value(slice.base);
  const Shape extent = base.kind == ValueKind::sem ? program_.semaphores[base.semaphore].shape
                                                   : ref_info(program_, slice.base).bound;
  const bool window = std::holds_alternative<Window>(program_.body[at_].op);
  for (std::size_t d = 0; d < extent.size(); ++d) {
    const auto start = program_.constant(slice.start[d]), size = program_.constant(slice.size[d]);
    if (size && *size < 0)
      report_.fail(
          fmt::format("{} has a negative size in dimension {}", report_.name_of(slice), d));
    if (!start) continue;
    if (*start < 0 || (!window && size && *start + *size > extent[d] && *size > 0))
      report_.fail(fmt::format("{} is not within dimension {}, which has {} elements",
                               report_.name_of(slice), d, extent[d]));
  }
}

void Verifier::statement(StmtId at) {
  const Stmt& stmt = program_.body[at];
  const OpInfo& row = info(stmt.op);
  const std::size_t before = report_.size();
  if (row.scope == Scope::middle || row.scope == Scope::close) {
    if (open_.empty()) return report_.fail(fmt::format("`{}` closes no block", row.mnemonic));
    const bool is_else = row.scope == Scope::middle;
    if (is_else && !std::holds_alternative<If>(program_.body[open_.back()].op))
      report_.fail("`else` belongs to an if");
    for (ValueId v : scopes_.back()) defined_[v] = false;
    scopes_.back().clear();
    if (!is_else) {
      close(open_.back());
      open_.pop_back();
      scopes_.pop_back();
    }
    return;
  }
  for (const FieldInfo& f : row.fields) {
    if (f.kind == FieldKind::Value) {
      const auto id = field<ValueId>(stmt.op, f);
      use(id, ValueKind::scalar, f.name);
    } else if (f.kind == FieldKind::Maybe) {
      const ValueId id = field<Maybe>(stmt.op, f).id;
      if (id != no_value) use(id, ValueKind::scalar, f.name);
    } else if (f.kind == FieldKind::Slice) {
      use(field<Slice>(stmt.op, f), f.name);
    }
  }
  if (report_.size() == before) rules(stmt);
  if (row.scope == Scope::open) {
    open_.push_back(at);
    scopes_.emplace_back();
    if (std::holds_alternative<While>(stmt.op)) proceeds_.push_back(0);
    if (std::holds_alternative<Pipeline>(stmt.op)) {
      grid_body_.push_back(0);
      last_grid_parallel_ = true;
    }
  }
  if (stmt.result != no_value) define(stmt.result);
}

void Verifier::rules(const Stmt& stmt) {
  const Op& op = stmt.op;
  // Any op that is not scalar code begins the body of its pipeline.
  const bool in_pipeline =
      !open_.empty() && std::holds_alternative<Pipeline>(program_.body[open_.back()].op);
  if (in_pipeline && !is_pure(op) && !std::holds_alternative<Limit>(op) &&
      !std::holds_alternative<Grid>(op) && !std::holds_alternative<Window>(op))
    grid_body_.back() = 2;
  if (std::holds_alternative<Grid>(op)) return grid(stmt);
  if (std::holds_alternative<Window>(op)) return window(stmt);
  if (std::holds_alternative<Proceed>(op)) return proceed();
  ops_.check(op);
}

// A `while` has exactly one exit, which every iteration reaches.
void Verifier::proceed() {
  const int count = proceeds_.empty() ? 0 : ++proceeds_.back();
  if (open_.empty() || !std::holds_alternative<While>(program_.body[open_.back()].op))
    return report_.fail(
        "expected `proceed` directly in the braces of a `while`, not in a block inside them");
  if (count > 1) report_.fail("a `while` has one condition or one `proceed`");
}

void Verifier::close(StmtId opened) {
  const Op& op = program_.body[opened].op;
  if (std::holds_alternative<Pipeline>(op)) grid_body_.pop_back();
  if (!std::holds_alternative<While>(op)) return;
  if (proceeds_.back() == 0)
    report_.fail_at(program_.body[opened].place,
                    "expected the condition of the `while`, or a `proceed(condition)` in its "
                    "braces");
  proceeds_.pop_back();
}

void Verifier::grid(const Stmt& stmt) {
  const auto& op = std::get<Grid>(stmt.op);
  if (open_.empty() || !std::holds_alternative<Pipeline>(program_.body[open_.back()].op))
    return report_.fail(
        "`grid` declares a dimension of a pipeline; expected it in the pipeline's braces");
  if (grid_body_.back() > 0)
    return report_.fail(
        "expected a `grid` dimension before the windows and the body of its pipeline");
  if (op.parallel != 0 && !last_grid_parallel_)
    report_.fail("expected the `parallel` dimensions of a pipeline before the others");
  last_grid_parallel_ = op.parallel != 0;
}

void Verifier::window(const Stmt& stmt) {
  const auto& op = std::get<Window>(stmt.op);
  if (open_.empty() || !std::holds_alternative<Pipeline>(program_.body[open_.back()].op))
    return report_.fail(
        "a window moves with the grid of a pipeline; expected it in the pipeline's braces");
  if (grid_body_.back() > 1)
    return report_.fail(
        "expected the windows of a pipeline before its body: only windows and scalar code may "
        "precede this one");
  grid_body_.back() = 1;
  if (program_.value(op.source.base).kind != ValueKind::ref)
    return report_.fail("a window is a slice of memory");
  if (op.depth < 1 || op.depth > max_window_depth)
    report_.fail(
        fmt::format("the depth of a window is 1 to {}, found {}", max_window_depth, op.depth));
  for (int d : kept(op.source))
    if (!program_.constant(op.source.size[static_cast<std::size_t>(d)]))
      report_.fail(
          "the sizes of a window must be known when the kernel is instantiated: numbers, "
          "parameters, or computed from these");
}

Diags verify(const Program& program) {
  Diags diags = Verifier(program).run();
  return diags.empty() ? unknown_control(program) : diags;
}

}  // namespace tessera

// Debug statements. The parts of a `print` are consecutive statements; the last one reports all of
// them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/program/refs.h"
#include "core/program/unknown_values.h"
#include "interp/exec/condition_values.h"
#include "interp/findings/describe.h"
#include "interp/findings/memory_text.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/machine.h"
#include "interp/memory/elements.h"
#include "interp/observe/debug_sink.h"

namespace tessera {
namespace {

std::string number_text(const Program& program, const Print& part, const Core& core) {
  const Value& value = program.value(part.what.base);
  std::string number = fmt::format("{}", core.scalar(part.what.base));
  if (value.kind == ValueKind::real) number = fmt::format("{:.6g}", core.real(part.what.base));
  if (core.is_undefined(part.what.base)) number = "?";
  if (!why_unknown(program, part.what.base).empty()) number = "unknown";
  const std::string& words = program.texts[part.words];
  return words.empty() || words == number ? number : fmt::format("{} = {}", words, number);
}

bool has_undefined_place(const Slice& slice, const Core& core) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
    if (core.is_undefined(slice.start[d]) || core.is_undefined(slice.size[d])) return true;
  return false;
}

// The cell that the indices select.
std::string semaphore_text(const Program& program, const Print& part, Core& core) {
  const std::optional<std::int64_t> cell = core.peek_cell(part.what);
  if (!cell) return fmt::format("{}: it has no such cell", program.texts[part.words]);
  const std::optional<std::int64_t> count = core.peek_count(part.what);
  const std::string name = cell_text(program, program.value(part.what.base).semaphore, *cell);
  return count ? fmt::format("{} = {}", name, *count) : name + ": it does not exist now";
}

std::string part_text(const Program& program, const Print& part, Core& core) {
  if (part.what.rank == 0 && program.value(part.what.base).kind != ValueKind::ref &&
      program.value(part.what.base).kind != ValueKind::sem)
    return number_text(program, part, core);
  if (has_undefined_place(part.what, core))
    return fmt::format("{}: its location depends on undefined data", program.texts[part.words]);
  if (program.value(part.what.base).kind == ValueKind::sem)
    return semaphore_text(program, part, core);
  const BufferId buffer = program.value(part.what.base).buffer;
  const Buffer& declared = program.buffers[buffer];
  const Region at = core.peek(part.what);
  const bool is_known = why_unknown(program, buffer).empty();
  if (is_known && at.storage != nullptr && declared.space == Space::smem &&
      kept(part.what).empty()) {
    const Element one = elements_of(*at.storage, at.box).front();
    const bool is_real = is_float(declared.dtype);
    return fmt::format("{} = {}", slice_text(program, buffer, at.box),
                       !one.is_defined ? "?"
                       : is_real       ? fmt::format("{:.6g}", one.real)
                                       : fmt::format("{}", one.integer));
  }
  const bool is_computed = core.machine().options().math != Math::none ||
                           declared.space == Space::smem || declared.role == Role::in;
  return memory_text(program, buffer, *core.machine().core_state(at.core).storages[buffer], at.box,
                     is_computed ? Computed::yes : Computed::no);
}

// Statements of the parts of a print. last: the last part.
std::vector<StmtId> parts_of(const Program& program, StmtId last) {
  std::vector<StmtId> parts = {last};
  for (StmtId i = last - 1; i; --i) {
    const Op& op = program.body[i].op;
    if (info(op).scope != Scope::none) break;
    if (class_of(op) != OpClass::debug) continue;
    const auto* shown = std::get_if<Print>(&op);
    const auto* words = std::get_if<PrintText>(&op);
    const bool goes_on = shown != nullptr ? shown->goes_on != 0 : words && words->goes_on != 0;
    if (!goes_on) break;
    parts.push_back(i);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

// Joins the parts: texts and numbers in the first line, rows of memory below. Texts precede the
// values that they describe.
std::string line_of(const Program& program, const std::vector<StmtId>& parts, Core& core) {
  std::string line, rows;
  bool follows_words = true;
  for (const StmtId i : parts) {
    const auto* words = std::get_if<PrintText>(&program.body[i].op);
    std::string text = words != nullptr
                           ? program.texts[words->words]
                           : part_text(program, std::get<Print>(program.body[i].op), core);
    const std::size_t end = words != nullptr ? text.size() : std::min(text.find('\n'), text.size());
    rows += text.substr(end);
    text.resize(end);
    if (!line.empty()) line += follows_words ? " " : words != nullptr ? "; " : ", ";
    line += text;
    follows_words = words != nullptr;
  }
  return line + rows;
}

void tell(Core& core, const std::string& text) {
  const Program& program = core.machine().program();
  const StmtId statement = core.statement();
  core.machine().options().debug_sink->receive(
      program, {.agent = core.id(),
                .statement = statement,
                .loc = program.loc(statement),
                .loops = core.machine().loops_of(core.id(), statement),
                .text = text});
}

// True if the conditions around the statement are known. If a condition reads undefined memory, the
// core executes the `else`, but this may not be the right branch.
bool is_known_to_run(const Program& program, const Core& core) {
  int inner = 0;
  for (StmtId i = core.statement() - 1; i; --i) {
    const Op& op = program.body[i].op;
    const Scope scope = info(op).scope;
    if (scope == Scope::close) ++inner;
    if (scope != Scope::open || inner-- > 0) continue;
    inner = 0;
    const auto* branch = std::get_if<If>(&op);
    if (branch != nullptr && core.is_undefined(branch->condition)) return false;
  }
  return true;
}

bool is_wanted(Core& core) {
  DebugSink* const sink = core.machine().options().debug_sink;
  const Program& program = core.machine().program();
  return sink != nullptr && is_known_to_run(program, core) &&
         sink->accepts(program, core.statement());
}

Step print(Core& core, bool goes_on) {
  if (goes_on || !is_wanted(core)) return Step::next;
  const Program& program = core.machine().program();
  tell(core, line_of(program, parts_of(program, core.statement()), core));
  return Step::next;
}

}  // namespace

Step exec(const Print& op, Core& core) { return print(core, op.goes_on != 0); }

Step exec(const PrintText& op, Core& core) { return print(core, op.goes_on != 0); }

Step exec(const Breakpoint& op, Core& core) {
  const bool holds = !core.is_undefined(op.condition) && core.scalar(op.condition) != 0;
  if (holds && is_wanted(core)) tell(core, {});
  return Step::next;
}

// For assertions that do not hold: the dispatch loop passes the others. If control needs arithmetic
// that the run skips, the condition is unknown, like a branch.
Step exec(const Assert& op, Core& core) {
  Machine& machine = core.machine();
  if (machine.options().math == Math::none && control_needs_arithmetic(machine.program()))
    return Step::next;
  const std::string& message = core.text(op.message);
  std::string text = fmt::format("{}{}`{}` does not hold", message, message.empty() ? "" : ": ",
                                 core.text(op.words));
  const std::vector<std::string> values = condition_values(core, op.condition);
  if (!values.empty()) text += fmt::format(", where {}", fmt::join(values, ", "));
  core.fail(FindingKind::assertion, std::move(text));
  return Step::stop;
}

}  // namespace tessera

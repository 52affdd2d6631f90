// Printing of programs as text: declarations, then one statement per line with the text of its row
// in the op table.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/lang/language.h"
#include "core/program/refs.h"
#include "core/program/unknown_values.h"

namespace tessera {
namespace {

const std::set<std::string, std::less<>>& reserved_words() {
  static const std::set<std::string, std::less<>> words = [] {
    std::set<std::string, std::less<>> w = {
        "kernel",   "function", "in",        "tile",     "vmem",          "smem",
        "hbm",      "sem",      "scoped",    "if",       "else",          "for",
        "parallel", "trace",    "require",   "pipeline", "grid",          "window",
        "depth",    "pad",      "when",      "update",   "start",         "copy",
        "wait",     "await",    "signal",    "on",       "return",        "const",
        "alloc",    "free",     "fresh",     "once",     "mod",           "and",
        "or",       "not",      "max",       "min",      "add",           "device",
        "devices",  "core",     "cores",     "count",    "bytes",         "barrier",
        "monotone", "order",    "first",     "last",     "accumulator",   "clamp",
        "abs",      "concat",   "cast",      "largest",  "may_be_unread", "while",
        "as",       "reshaped", "broadcast", "tiled",    "opaque",        "from",
        "mesh"};
    for (const OpInfo& row : op_table()) w.emplace(row.mnemonic);
    for (int i = 0; i < dtype_count; ++i) w.emplace(name(static_cast<DType>(i)));
    return w;
  }();
  return words;
}

class Printer {
 public:
  Printer(const Program& program, const Printing& how)
      : program_(program), with_lines_(how.with_lines), names_(program.values.size()) {
    for (const Buffer& b : program.buffers) give_name(b.value, b.name);
    for (const Semaphore& s : program.semaphores) give_name(s.value, s.name);
    for (const Stmt& s : program.body)
      if (s.result != no_value) give_name(s.result, program.value(s.result).name);
  }

  std::string run() {
    std::string_view doc = program_.doc;
    while (!doc.empty()) {
      const std::size_t end = std::min(doc.find('\n'), doc.size());
      out_ += fmt::format("// {}\n", doc.substr(0, end));
      doc.remove_prefix(std::min(end + 1, doc.size()));
    }
    out_ += fmt::format("kernel {}()\n", program_.name);
    for (const Buffer& b : program_.buffers) come_from(b.place), declare(b);
    for (const Semaphore& s : program_.semaphores) come_from(s.place), declare(s);
    out_ += "{\n";
    for (const Stmt& s : program_.body) come_from(s.place), statement(s);
    come_from({});
    return out_ + "}\n";
  }

 private:
  void give_name(ValueId id, std::string base) {
    if (base.empty()) base = "x";
    // Names are never reused, so the earlier candidates of this base are still in use.
    int& n = numbers_[base];
    std::string candidate;
    do {
      ++n;
      candidate = n == 1 ? base : fmt::format("{}_{}", base, n);
    } while (reserved_words().contains(candidate) || used_.contains(candidate));
    used_.insert(candidate);
    names_[id] = candidate;
  }

  // Writes a `# line` directive if the origin changes. For inlined code it contains the chain of
  // calls.
  void come_from(PlaceId place) {
    if (!with_lines_) return;
    std::string line;
    if (place && program_.places[place].written) {
      for (PlaceId at = place; at; at = program_.places[at].caller) {
        const Loc& loc = program_.places[at].loc;
        line += fmt::format(" {}{} {}", line.empty() ? "" : "from ", loc.line,
                            quoted(loc.source->name));
      }
    }
    if (line == line_) return;
    out_ += fmt::format("# line{}\n", line);
    line_ = line;
  }

  static std::string dims(const Shape& shape) {
    std::string text;
    for (std::int64_t d : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", d);
    return text;
  }

  void declare(const Buffer& b) {
    const std::string type = fmt::format("{}{}", tessera::name(b.dtype),
                                         b.shape.empty() ? "" : fmt::format("[{}]", dims(b.shape)));
    std::string order, attributes;
    for (int d : b.order) order += fmt::format("{}{}", order.empty() ? "" : ", ", d);
    if (!order.empty()) attributes = fmt::format(" order({})", order);
    if (b.may_be_unread) attributes += " may_be_unread";
    const std::string& id = names_[b.value];
    if (b.role != Role::scratch)
      out_ += fmt::format("  {} {}: {} {}{}\n", tessera::name(b.role), id, type,
                          tessera::name(b.space), attributes);
    else
      out_ += fmt::format("  {}{} {}: {}{}\n", b.scoped ? "scoped " : "", tessera::name(b.space),
                          id, type, attributes);
  }

  void declare(const Semaphore& s) {
    const std::string kind = s.kind == SemKind::barrier ? fmt::format("barrier({})", s.collective)
                                                        : std::string(tessera::name(s.kind));
    out_ += fmt::format("  {}sem {}{}: {}{}\n", s.scoped ? "scoped " : "", names_[s.value],
                        s.shape.empty() ? "" : fmt::format("[{}]", dims(s.shape)), kind,
                        s.monotone ? " monotone" : "");
  }

  std::string value(ValueId id) const {
    const Value& v = program_.value(id);
    if (!v.constant) return names_[id];
    if (v.kind == ValueKind::scalar) return std::to_string(v.integer);
    const std::string text = fmt::format("{}", v.real);
    const bool is_real = text.find_first_of(".e") != std::string::npos || std::isinf(v.real);
    return is_real ? text : text + ".0";
  }

  std::string slice(const Slice& s) const {
    const std::string base = value(s.base);
    const bool is_sem = program_.value(s.base).kind == ValueKind::sem;
    if (s.rank == 0 || (is_sem && s.dropped == 0) || (!is_sem && is_whole(program_, s)))
      return base;
    std::string items;
    const RefInfo ref = is_sem ? RefInfo{} : ref_info(program_, s.base);
    for (std::size_t d = 0; d < static_cast<std::size_t>(s.rank); ++d) {
      if (!items.empty()) items += ", ";
      const bool whole = !is_sem && program_.constant(s.start[d]) == 0 &&
                         (ref.extent[d] != no_value ? ref.extent[d] == s.size[d]
                                                    : program_.constant(s.size[d]) == ref.bound[d]);
      if (s.dropped >> d & 1)
        items += value(s.start[d]);
      else if (whole)
        items += ':';
      else
        items += fmt::format("{} +: {}", value(s.start[d]), value(s.size[d]));
    }
    return fmt::format("{}[{}]", base, items);
  }

  std::string field_text(const Op& op, const FieldInfo& f) const {
    switch (f.kind) {
      case FieldKind::Value:
        return value(field<ValueId>(op, f));
      case FieldKind::Maybe:
        return value(field<Maybe>(op, f).id);
      case FieldKind::Slice:
        return slice(field<Slice>(op, f));
      case FieldKind::Int:
        return std::to_string(field<std::int64_t>(op, f));
      case FieldKind::Text:
        return quoted(program_.texts[field<TextId>(op, f)]);
    }
    return {};
  }

  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  }

  // Returns the text of the op's row with its {fields} filled in. " name {name}" is removed for an
  // omitted value. Flags that the row does not mention are appended if they are set.
  std::string by_row(const Op& op) const {
    const OpInfo& row = info(op);
    std::string text(row.text);
    if (text.empty()) {
      for (const FieldInfo& f : row.fields)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", field_text(op, f));
      return fmt::format("{}({})", row.mnemonic, text);
    }
    for (const FieldInfo& f : row.fields) {
      const bool is_left_out = f.kind == FieldKind::Maybe && field<Maybe>(op, f).id == no_value;
      const std::string slot =
          is_left_out ? fmt::format(" {0} {{{0}}}", f.name) : fmt::format("{{{}}}", f.name);
      if (const std::size_t at = text.find(slot); at != std::string::npos)
        text.replace(at, slot.size(), is_left_out ? "" : field_text(op, f));
      else if (f.kind == FieldKind::Int && field<std::int64_t>(op, f) != 0)
        text += fmt::format(" {}", f.name);
    }
    return text;
  }

  std::string loop(std::string_view word, ValueId index, ValueId lower, ValueId upper,
                   std::int64_t parallel) const {
    return fmt::format("{} {} in {} .. {}{}", word, value(index), value(lower), value(upper),
                       parallel != 0 ? " parallel" : "");
  }

  std::string text_of(const Stmt& s) const {
    if (const auto* o = std::get_if<For>(&s.op))
      return loop("for", s.result, o->lower, o->upper, o->parallel);
    if (const auto* o = std::get_if<Grid>(&s.op))
      return loop("grid", s.result, o->lower, o->upper, o->parallel);
    if (const auto* o = std::get_if<Window>(&s.op)) {
      std::string text =
          fmt::format("window {} = {} depth {}", value(s.result), slice(o->source), o->depth);
      if (o->pad != 0) text += " pad 0";
      if (program_.constant(o->when) != 1) text += fmt::format(" when {}", value(o->when));
      if (o->update != 0) text += " update";
      if (o->update != 0 && program_.constant(o->update_when) != 1)
        text += fmt::format(" when {}", value(o->update_when));
      return text;
    }
    if (std::holds_alternative<While>(s.op)) return "while";  // iterations have no name in the text
    if (const auto* o = std::get_if<ViewAs>(&s.op))
      return fmt::format("{} = view({}) as {}", value(s.result), slice(o->source),
                         program_.texts[o->type]);
    if (const auto* o = std::get_if<Breakpoint>(&s.op); o && program_.constant(o->condition))
      return "breakpoint";
    return (s.result != no_value ? value(s.result) + " = " : "") + by_row(s.op);
  }

  // Adds one part of a `print`. All parts are written in one line after the ops that compute them.
  // Returns true if more parts follow.
  bool add_part(const Op& op) {
    const auto* shown = std::get_if<Print>(&op);
    const auto* words = std::get_if<PrintText>(&op);
    if (shown == nullptr && words == nullptr) return false;
    parts_ += parts_.empty() ? "print " : ", ";
    parts_ += shown != nullptr ? slice(shown->what) : quoted(program_.texts[words->words]);
    return shown != nullptr ? shown->goes_on != 0 : words->goes_on != 0;
  }

  // Adds one part of an `opaque` in the same way: reads come before writes. A read without a write
  // is a statement of its own.
  bool add_opaque(const Stmt& s) {
    const auto* read = std::get_if<OpaqueRead>(&s.op);
    const auto* write = std::get_if<OpaqueWrite>(&s.op);
    if (read == nullptr && write == nullptr) return false;
    std::string& list = read != nullptr ? opaque_sources_ : opaque_targets_;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", slice(read ? read->src : write->dst));
    const StmtId next = next_of_opaque(program_, program_.body.id_of(s));
    const bool goes_on =
        next && (read != nullptr || std::holds_alternative<OpaqueWrite>(program_.body[next].op));
    if (goes_on) return true;
    const std::string to = std::exchange(opaque_targets_, {}),
                      from = std::exchange(opaque_sources_, {});
    parts_ = to.empty()     ? fmt::format("opaque_read({})", from)
             : from.empty() ? fmt::format("opaque {}", to)
                            : fmt::format("opaque {} from {}", to, from);
    return false;
  }

  void statement(const Stmt& s) {
    if (add_part(s.op) || add_opaque(s)) return;
    const bool is_print = !parts_.empty();
    const Scope scope = info(s.op).scope;
    if (scope == Scope::close || scope == Scope::middle) --depth_;
    const std::string indent(static_cast<std::size_t>(depth_) * 2, ' ');
    if (scope == Scope::close)
      out_ += indent + "}\n";
    else if (scope == Scope::middle)
      out_ += indent + "} else {\n";
    else
      out_ += indent + (is_print ? std::exchange(parts_, {}) : text_of(s)) +
              (scope == Scope::open ? " {\n" : "\n");
    if (scope == Scope::open || scope == Scope::middle) ++depth_;
  }

  const Program& program_;
  const bool with_lines_;
  std::string line_;  // content of the last `# line` directive
  Table<ValueId, std::string> names_;
  std::set<std::string, std::less<>> used_;
  std::map<std::string, int, std::less<>> numbers_;  // per base: the last candidate's number
  std::string out_;
  std::string parts_;                            // current `print` or `opaque`
  std::string opaque_targets_, opaque_sources_;  // current `opaque`
  int depth_ = 1;
};

}  // namespace

std::string print(const Program& program, const Printing& how) {
  return Printer(program, how).run();
}

}  // namespace tessera

// Output of the debugger on the current position.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "core/report/try.h"
#include "debugger/commands/debugger.h"
#include "debugger/commands/reference.h"
#include "debugger/session/frames.h"
#include "interp/findings/describe.h"
#include "text/numbers.h"

namespace tessera::debugger {
namespace {

constexpr int listed_lines = 11;

std::string source_line(const Source& source, int line) {
  std::size_t begin = 0;
  for (int at = 1; at < line && begin != std::string::npos; ++at) {
    begin = source.text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos || begin >= source.text.size()) return {};
  std::string text = source.text.substr(begin, source.text.find('\n', begin) - begin);
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

int lines_of(const Source& source) {
  const auto ends = std::count(source.text.begin(), source.text.end(), '\n');
  return static_cast<int>(ends) + (source.text.ends_with('\n') ? 0 : 1);
}

}  // namespace

std::string Debugger::place_text(StmtId statement, const LoopIndices& loops) const {
  if (!statement) return "no statement";
  std::string text = line_text(session_.program(), statement);
  if (!loops.empty()) text += ", " + to_string(loops);
  return text;
}

std::string Debugger::standing_text(CoreIndex core) {
  const Standing stands = standing(session_.machine(), core);
  if (stands.status == CoreStatus::finished) return "has finished";
  std::string text = place_text(stands.statement, stands.loops);
  if (stands.status == CoreStatus::waits)
    text += fmt::format(", waits: {} has {} of {}", stands.semaphore, stands.count, stands.need);
  return text;
}

void Debugger::show_source(StmtId statement) {
  if (const Loc loc = session_.program().loc(statement); loc && !loc.source->text.empty())
    out_ << fmt::format("{:>5} | {}\n", loc.line, source_line(*loc.source, loc.line));
}

void Debugger::show_place() {
  list_from_ = 0;
  const Moment here = session_.here();
  out_ << fmt::format("event {}{}: ", here.position,
                      session_.length() ? fmt::format(" of {}", *session_.length()) : "");
  if (here.mover && *here.mover == focus_) {
    out_ << fmt::format("{} is next, {}\n", to_string(focus_), standing_text(focus_core()));
  } else {
    out_ << fmt::format("{} {}\n", to_string(focus_), standing_text(focus_core()));
    if (here.mover)
      out_ << fmt::format(
          "{} is next, {}{}\n", to_string(*here.mover), here.mover->is_copy() ? "started at " : "",
          place_text(here.statement, here.mover->is_copy() ? LoopIndices{}
                                                           : session_.machine().loops_of(
                                                                 *here.mover, here.statement)));
  }
  const Standing stands = standing(session_.machine(), focus_core());
  if (stands.status != CoreStatus::finished && stands.statement) show_source(stands.statement);
}

void Debugger::info_devices() {
  const Moment here = session_.here();
  for (const CoreIndex core : session_.machine().topology().core_ids()) {
    const AgentId agent = session_.machine().topology().agent(core);
    out_ << fmt::format("{}{} {}  {}\n", agent == focus_ ? '*' : ' ',
                        here.mover == agent ? '>' : ' ', to_string(agent), standing_text(core));
  }
}

void Debugger::info_semaphores() {
  bool is_any = false;
  for (const SemaphoreCount& count : semaphore_counts(session_.machine())) {
    const Topology& topology = session_.machine().topology();
    is_any = true;
    out_ << fmt::format("{} {} = {}{}\n", topology.name(count.sem.core),
                        cell_text(session_.program(), count.sem.semaphore, count.sem.cell),
                        count.count, count.waiter ? ", waited for" : "");
  }
  if (!is_any) out_ << "every semaphore is zero, and no core waits\n";
}

void Debugger::info_copies() {
  const std::vector<CopyInFlight> copies = copies_in_flight(session_.machine());
  if (copies.empty()) out_ << "no copy is in flight\n";
  for (const CopyInFlight& copy : copies)
    out_ << fmt::format("{}  {} -> {}, {} of {} B read, {} written, started at {}\n",
                        to_string(copy.agent), copy.source, copy.target, copy.read, copy.bytes,
                        copy.written, line_text(session_.program(), copy.statement));
}

void Debugger::info_findings() {
  if (session_.findings().empty()) out_ << "there are no findings up to here\n";
  for (const Finding& finding : session_.findings()) out_ << render(finding);
}

void Debugger::info_buffers() {
  const Program& program = session_.program();
  for (const BufferId b : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[b];
    const Loc loc = program.loc(buffer.place);
    out_ << fmt::format("{} {} {} {}{}\n", name(buffer.role), shape_text(program, b),
                        name(buffer.dtype), name(buffer.space),
                        loc ? fmt::format(", line {}", loc.line) : "");
  }
}

Expected<void> Debugger::info(const Words& words) {
  struct Topic {
    std::string_view name;
    void (Debugger::*show)();
  };
  constexpr Topic topics[] = {
      {"devices", &Debugger::info_devices},   {"semaphores", &Debugger::info_semaphores},
      {"copies", &Debugger::info_copies},     {"buffers", &Debugger::info_buffers},
      {"breakpoints", &Debugger::info_stops}, {"findings", &Debugger::info_findings},
  };
  const std::string_view word = words.empty() ? std::string_view("devices") : words.front();
  std::vector<const Topic*> meant;
  for (const Topic& topic : topics)
    if (topic.name.starts_with(word)) meant.push_back(&topic);
  if (meant.size() > 1)
    return error(fmt::format("`{}` may be {} or {}", word, meant[0]->name, meant[1]->name));
  if (!meant.empty()) {
    (this->*meant[0]->show)();
    return {};
  }
  return error(fmt::format(
      "`{}` is none of devices, semaphores, copies, buffers, breakpoints, findings", word));
}

Expected<void> Debugger::backtrace(const Words&) {
  const Standing stands = standing(session_.machine(), focus_core());
  if (stands.status == CoreStatus::finished) out_ << to_string(focus_) << " has finished\n";
  for (const Frame& frame : frames_of(session_.program(), stands.statement, stands.loops)) {
    const std::string place =
        frame.loc ? fmt::format("{}:{}", frame.loc.source->name, frame.loc.line) : "";
    out_ << fmt::format("{:<20} {}\n", place, to_string(frame));
  }
  return {};
}

Expected<void> Debugger::focus(const Words& words) {
  if (!words.empty()) focus_ = TRY(parse_core(session_, words.front()));
  show_place();
  return {};
}

Expected<void> Debugger::list(const Words& words) {
  const Program& program = session_.program();
  const Standing stands = standing(session_.machine(), focus_core());
  Loc loc = program.loc(stands.statement);
  for (const PlaceId place : program.places.ids())
    if (!loc) loc = program.loc(place);
  if (!loc) return error("the program has no source");
  if (loc.source->text.empty())
    return error(fmt::format("the text of {} is not available: a `# line` of the program names it",
                             loc.source->name));
  int first = list_from_ > 0 ? list_from_ : std::max(1, loc.line - listed_lines / 2);
  if (!words.empty()) {
    const auto line = parse_integer(words.front());
    if (!line || *line < 1 || *line > lines_of(*loc.source))
      return error(fmt::format("`{}` is not a line of {}, which has {}", words.front(),
                               loc.source->name, lines_of(*loc.source)));
    first = std::max(1, static_cast<int>(*line) - listed_lines / 2);
  }
  std::map<int, std::string> standing_there;
  for (const CoreIndex core : session_.machine().topology().core_ids()) {
    const Standing other = standing(session_.machine(), core);
    const Loc at = program.loc(other.statement);
    if (at && at.source->name == loc.source->name)
      standing_there[at.line] += " " + session_.machine().topology().name(core);
  }
  const int last = std::min(first + listed_lines - 1, lines_of(*loc.source));
  for (int line = first; line <= last; ++line) {
    const auto there = standing_there.find(line);
    out_ << fmt::format("{:>5} {} {}{}\n", line, there == standing_there.end() ? '|' : '>',
                        source_line(*loc.source, line),
                        there == standing_there.end() ? "" : "   <-" + there->second);
  }
  list_from_ = last < lines_of(*loc.source) ? last + 1 : 0;
  return {};
}

}  // namespace tessera::debugger

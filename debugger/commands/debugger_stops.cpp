// Stops of the debugger.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>

#include "core/report/try.h"
#include "debugger/commands/comparison.h"
#include "debugger/commands/debugger.h"
#include "debugger/commands/reference.h"
#include "interp/findings/describe.h"
#include "text/numbers.h"

namespace tessera::debugger {
namespace {

std::string_view did(EventKind kind) {
  switch (kind) {
    case EventKind::read:
      return "has read";
    case EventKind::accumulate:
      return "has added to";
    case EventKind::signal:
      return "has signalled";
    case EventKind::wait:
      return "has taken from";
    default:
      return "has written";
  }
}

}  // namespace

// LINE [devD] [i=2] [if A < B]
Expected<void> Debugger::add_break(const Words& words, bool is_once) {
  const auto when = std::find(words.begin(), words.end(), "if");
  const PlaceReference place = TRY(parse_place(session_, Words(words.begin(), when)));
  std::optional<Comparison> comparison;
  if (when != words.end())
    comparison = TRY(Comparison::parse(
        session_, focus_, fmt::format("{}", fmt::join(std::next(when), words.end(), " "))));
  std::string text = place.line.source.empty()
                         ? fmt::format("{}", place.line.line)
                         : fmt::format("{}:{}", place.line.source, place.line.line);
  for (std::size_t i = 1; i < words.size(); ++i) text += " " + words[i];
  std::unique_ptr<StopCondition> condition =
      std::make_unique<LineReached>(session_.program(), place.line, place.whose, place.loops);
  if (comparison) condition = guarded(std::move(condition), *std::move(comparison));
  stops_.push_back({next_number_++, text, text, false, is_once, std::move(condition)});
  out_ << fmt::format("{} {} at line {}\n", is_once ? "temporary breakpoint" : "breakpoint",
                      stops_.back().number, text);
  return {};
}

Expected<void> Debugger::set_break(const Words& words) { return add_break(words, false); }
Expected<void> Debugger::set_temporary_break(const Words& words) { return add_break(words, true); }

Expected<void> Debugger::set_watch(const Words& words) {
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  if (Comparison::is_in(text)) {
    Comparison comparison = TRY(Comparison::parse(session_, focus_, text));
    const std::string full = comparison.full_text(session_);
    stops_.push_back({next_number_++, text, full, true, false, becoming(std::move(comparison))});
    out_ << fmt::format("watch {} on {}\n", stops_.back().number, text);
    return {};
  }
  const Reference what = TRY(parse_reference(session_, focus_, text));
  std::unique_ptr<StopCondition> condition;
  if (const auto* memory = std::get_if<BufferReference>(&what))
    condition = std::make_unique<Written>(memory->buffer, memory->box, memory->owner);
  else if (const auto* semaphore = std::get_if<SemId>(&what))
    condition = std::make_unique<Counted>(*semaphore);
  else if (const auto* copy = std::get_if<CopyReference>(&what))
    condition = std::make_unique<CopyMoved>(copy->copy);
  else
    return error(
        fmt::format("`{}` is a scalar of a core, which has no event to stop at; expected "
                    "memory, a semaphore, a copy, or a comparison as in `{} == 1`",
                    text, text));
  stops_.push_back(
      {next_number_++, text, full_text(session_, what), true, false, std::move(condition)});
  out_ << fmt::format("watch {} on {}\n", stops_.back().number, text);
  return {};
}

Expected<void> Debugger::remove(const Words& words) {
  if (words.empty()) {
    stops_.clear();
    return {};
  }
  for (const std::string& word : words) {
    const auto number = parse_integer(word);
    if (std::erase_if(stops_, [&](const Stop& stop) { return number == stop.number; }) == 0)
      return error(
          fmt::format("there is no stop with number `{}`; `info breakpoints` lists them", word));
  }
  return {};
}

Expected<int> Debugger::add_breakpoint(const Words& place) {
  TRY(add_break(place, false));
  return stops_.back().number;
}

Expected<int> Debugger::add_watch(const std::string& name) {
  TRY(set_watch({name}));
  return stops_.back().number;
}

void Debugger::remove_stop(int number) {
  std::erase_if(stops_, [&](const Stop& stop) { return stop.number == number; });
}

bool Debugger::has_stop(int number) const {
  return std::any_of(stops_.begin(), stops_.end(),
                     [&](const Stop& stop) { return stop.number == number; });
}

void Debugger::tell_stop(Stop& stop, const Cause& cause) {
  if (stop.is_watch && Comparison::is_in(stop.text)) {
    out_ << fmt::format("watch {}: {}, after {}, {}\n", stop.number, stop.text,
                        to_string(cause.agent), line_text(session_.program(), cause.statement));
    return;
  }
  if (stop.is_watch) {
    out_ << fmt::format("watch {}: {} {} {}, {}\n", stop.number, to_string(cause.agent),
                        did(cause.kind), stop.text, line_text(session_.program(), cause.statement));
    return;
  }
  out_ << fmt::format("breakpoint {}, {}\n", stop.number, to_string(cause.agent));
  focus_ = cause.agent.issuer();
  if (!stop.is_once) return;
  remove_stop(stop.number);
}

void Debugger::info_stops() {
  if (stops_.empty()) out_ << "no breakpoint and no watch\n";
  for (const Stop& stop : stops_)
    out_ << fmt::format("{:<3} {} {}{}\n", stop.number, stop.is_watch ? "watch" : "break",
                        stop.text, stop.is_once ? ", once" : "");
}

}  // namespace tessera::debugger

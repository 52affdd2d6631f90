// Movements of the debugger.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "core/report/try.h"
#include "debugger/commands/debugger.h"
#include "debugger/commands/reference.h"
#include "debugger/session/frames.h"
#include "interp/cut_off.h"
#include "interp/findings/cause.h"
#include "interp/findings/describe.h"
#include "text/numbers.h"

namespace tessera::debugger {
namespace {

Expected<std::int64_t> times_of(const Debugger::Words& words) {
  if (words.empty()) return 1;
  const auto number = words.size() == 1 ? parse_integer(words.front()) : std::nullopt;
  if (!number || *number < 1)
    return error(fmt::format("expected a number of times, as in 3, found `{}`", words.back()));
  return *number;
}

}  // namespace

Expected<bool> Debugger::move_once(Way way, StopCondition* condition, bool is_last) {
  Found found(passed_over_);
  BreakpointPassed passed;
  std::vector<StopCondition*> all;
  for (Stop& stop : stops_) all.push_back(stop.condition.get());
  all.push_back(&found);
  all.push_back(&passed);
  const std::size_t own = all.size();
  if (condition != nullptr) all.push_back(condition);
  if (pause_ != nullptr) all.push_back(pause_);
  const Arrival arrival = TRY(way == Way::forward ? session_.forward(all) : session_.backward(all));
  const bool is_own =
      arrival.why == Arrival::Why::condition && condition != nullptr && arrival.condition == own;
  if (is_own) focus_ = arrival.cause.agent.issuer();
  if (way == Way::forward) TRY(tell_printed());
  halt_ = halt_of(arrival, is_own);
  if (!is_own || (is_last && session_.is_over())) tell_arrival(way, arrival, is_own);
  return is_own;
}

Expected<void> Debugger::move(Way way, StopCondition* condition, std::int64_t times) {
  for (std::int64_t i = 1; i <= times; ++i)
    if (!TRY(move_once(way, condition, i == times))) break;
  show_place();
  return {};
}

Expected<void> Debugger::go_to_finding(const std::vector<Finding>& findings) {
  const std::vector<CauseLink> links = causes(findings);
  const auto first = std::find_if(links.begin(), links.end(),
                                  [](const CauseLink& link) { return link.is_cause(); });
  const Finding* const cause =
      first == links.end() ? nullptr : &findings[static_cast<std::size_t>(first - links.begin())];
  // The run may report a consequence of a race at a later event.
  const bool is_race = cause != nullptr && cause->kind == FindingKind::race;
  if (!is_race || !TRY(go_to_place_of(*cause))) {
    TRY(session_.go_to(0));
    Found found;
    StopCondition* const met = &found;
    const Arrival arrival = TRY(session_.forward({&met, 1}));
    if (arrival.why == Arrival::Why::condition)
      TRY(go_to_event_of(arrival.cause));
    else if (cause != nullptr)
      TRY(go_to_place_of(*cause));
  }
  if (session_.is_over()) out_ << over_text() << "\n";
  show_place();
  return {};
}

// Moves to before the first event at the place of a finding. False if the run has no such event; it
// is then at its end.
Expected<bool> Debugger::go_to_place_of(const Finding& finding) {
  FindingReached place(finding.at);
  const std::optional<Cause> there = TRY(go_to_first(session_, place));
  if (!there) return false;
  focus_ = there->agent.issuer();
  out_ << fmt::format("{}: the next event is the one that it describes\n", name(finding.kind));
  return true;
}

// Moves back from the position after a finding to the position before its event, if its core caused
// that event.
Expected<void> Debugger::go_to_event_of(const Cause& finding) {
  focus_ = finding.agent.issuer();
  const std::int64_t after = session_.position();
  if (after == 0) return {};
  TRY(session_.go_to(after - 1));
  const std::optional<AgentId> mover = session_.here().mover;
  if (!mover || mover->issuer() != focus_) return session_.go_to(after);
  out_ << "the next event finds something\n";
  return {};
}

Debugger::Halt Debugger::halt_of(const Arrival& arrival, bool is_own) const {
  using Why = Halt::Why;
  if (arrival.why == Arrival::Why::beginning) return {Why::beginning};
  if (arrival.why == Arrival::Why::end) return {Why::end};
  if (arrival.condition < stops_.size()) {
    const Stop& stop = stops_[arrival.condition];
    return {stop.is_watch ? Why::watch : Why::breakpoint, stop.number};
  }
  if (arrival.condition == stops_.size()) return {Why::finding};
  if (arrival.condition == stops_.size() + 1) return {Why::breakpoint};
  if (session_.is_over()) return {Why::end};
  return {is_own ? Why::asked : Why::paused};
}

std::string Debugger::over_text() const {
  const RunEnd end = session_.ended_by();
  return end == RunEnd::program ? "the run is over" : cut_off(end, "the run").message;
}

// Prints the output of the program during the movement.
Expected<void> Debugger::tell_printed() {
  for (const DebugOutput& told : TRY(session_.printed())) {
    const std::string line = to_string(told) + "\n";
    out_ << line;
    program_said_ += line;
  }
  return {};
}

// Removes a temporary stop after reporting it.
void Debugger::tell_arrival(Way way, const Arrival& arrival, bool is_own) {
  const bool is_condition = arrival.why == Arrival::Why::condition && !is_own;
  const bool is_stop = is_condition && arrival.condition < stops_.size();
  const bool finds = is_condition && arrival.condition == stops_.size();
  const bool is_pause = is_condition && arrival.condition > stops_.size() + 1;
  if (arrival.why == Arrival::Why::beginning) out_ << "this is the beginning\n";
  if (is_stop) tell_stop(stops_[arrival.condition], arrival.cause);
  if (is_condition && arrival.condition == stops_.size() + 1) {
    focus_ = arrival.cause.agent;
    out_ << fmt::format("the program's breakpoint, {}, {}\n", to_string(focus_),
                        line_text(session_.program(), arrival.cause.statement));
  }
  if (finds) focus_ = arrival.cause.agent.issuer();
  if (finds && way == Way::backward) out_ << "the next event finds something\n";
  if (way == Way::forward && (finds || session_.is_over()))
    for (const Finding& finding : session_.findings()) out_ << render(finding);
  if (is_pause) out_ << "paused\n";
  if (session_.is_over()) out_ << over_text() << "\n";
}

Expected<void> Debugger::follow(const AgentId& copy, Way way) {
  CopyMoved moved(copy);
  return move(way, &moved);
}

Expected<void> Debugger::step(const Words& words) {
  const std::int64_t times = TRY(times_of(words));
  Stepped stepped(focus_, 1);
  return move(Way::forward, &stepped, times);
}

Expected<void> Debugger::next(const Words& words) {
  const std::int64_t times = TRY(times_of(words));
  LineLeft left(focus_);
  return move(Way::forward, &left, times);
}

Expected<void> Debugger::step_event(const Words& words) {
  const std::int64_t times = TRY(times_of(words));
  const std::int64_t here = session_.position();
  Reached reached(times > Turn::unlimited - here ? Turn::unlimited : here + times, focus_);
  return move(Way::forward, &reached);
}

Expected<void> Debugger::go_on(const Words&) { return move(Way::forward, nullptr); }

Expected<void> Debugger::reverse_step(const Words& words) {
  const std::int64_t times = TRY(times_of(words));
  AboutToStep before(focus_);
  return move(Way::backward, &before, times);
}

Expected<void> Debugger::reverse_next(const Words& words) {
  const std::int64_t times = TRY(times_of(words));
  for (std::int64_t i = 1; i <= times; ++i) {
    const Standing stands = standing(session_.machine(), focus_core());
    AboutToStep before(focus_, line_of(session_.program(), stands.statement));
    if (!TRY(move_once(Way::backward, &before, i == times))) break;
  }
  show_place();
  return {};
}

Expected<void> Debugger::reverse_event(const Words& words) {
  const std::int64_t times = TRY(times_of(words));
  const std::int64_t here = session_.position();
  if (times > here)
    return error(fmt::format("there are only {} before this place", counted(here, "event")));
  Reached reached(here - times, focus_);
  return move(Way::backward, &reached);
}

Expected<void> Debugger::reverse_go_on(const Words&) { return move(Way::backward, nullptr); }

Expected<void> Debugger::finish(const Words&) {
  FrameLeft left(focus_);
  return move(Way::forward, &left);
}

Expected<void> Debugger::until(const Words& words) {
  const PlaceReference place = TRY(parse_place(session_, words));
  LineReached reached(session_.program(), place.line, place.whose, place.loops);
  return move(Way::forward, &reached);
}

Expected<void> Debugger::go_to(const Words& words) {
  const auto event = words.size() == 1 ? parse_integer(words.front()) : std::nullopt;
  if (!event || *event < 0)
    return error("expected the number of an event, as in goto 12; the first is 0");
  const bool was_over = session_.is_over();
  const bool is_forward = *event >= session_.position();
  TRY(session_.go_to(*event));
  halt_ = Halt{};
  if (is_forward) TRY(tell_printed());
  if (session_.is_over() && session_.position() < *event)
    out_ << fmt::format("the run has {} only\n", counted(session_.position(), "event"));
  if (session_.is_over() && !was_over) {
    for (const Finding& finding : session_.findings()) out_ << render(finding);
    out_ << over_text() << "\n";
  }
  show_place();
  return {};
}

}  // namespace tessera::debugger

// Finds the places where two runs differ, with the agents and the contents of memory there.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "cli/reports/diff_report.h"
#include "core/report/try.h"
#include "debugger/session/conditions.h"
#include "debugger/session/inspect.h"
#include "interp/findings/describe.h"
#include "interp/memory/layout.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t max_elements = 1 << 22;  // compared one by one
constexpr std::size_t max_results = 4;          // with a search for the writers

Expected<std::optional<DiffPlace>> place_of(Session& session, std::int64_t event) {
  if (event < 0) return std::optional<DiffPlace>();
  TRY(session.go_to(event));
  const Moment here = session.here();
  if (!here.mover) return std::optional<DiffPlace>();
  DiffPlace place{.event = event, .agent = *here.mover};
  if (here.statement) {
    place.loc = session.program().loc(here.statement);
    place.line = line_text(session.program(), here.statement);
    place.loops = loops_around(session.machine(), *here.mover, here.statement);
  }
  return std::optional(std::move(place));
}

Expected<DiffPlaces> places_of(Session& a, Session& b, const EventPair& events) {
  DiffPlaces places;
  places.a = TRY(place_of(a, events.a));
  places.b = TRY(place_of(b, events.b));
  return places;
}

std::string value_text(const Element& element, bool is_real) {
  if (!element.is_defined) return "?";
  return is_real ? fmt::format("{}", element.real) : fmt::format("{}", element.integer);
}

bool same(const Element& a, const Element& b) {
  return a.is_defined == b.is_defined && a.integer == b.integer &&
         std::bit_cast<std::uint32_t>(a.real) == std::bit_cast<std::uint32_t>(b.real);
}

Expected<std::vector<Element>> elements_at(Session& session, CoreIndex owner, BufferId buffer,
                                           const Box& box) {
  Storage& storage = *TRY(session.valued())->core_state(owner).storages[buffer];
  if (!storage.is_live() || storage.is_idle()) return std::vector<Element>();
  return elements_of(storage, box);
}

// Compares the memory at the current positions of the sessions.
Expected<DiffValue> value_at(Session& a, Session& b, const ValueDifference& found) {
  const Program& program = a.program();
  const Buffer& buffer = program.buffers[found.buffer_a];
  const std::string whose = a.machine().topology().name(found.owner_a, buffer.space);
  DiffValue value{fmt::format("{} {}", whose, slice_text(program, found.buffer_a, found.box))};
  if (found.box.elements() > max_elements) return value;
  const auto x = TRY(elements_at(a, found.owner_a, found.buffer_a, found.box));
  const auto y = TRY(elements_at(b, found.owner_b, found.buffer_b, found.box));
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (same(x[i], y[i])) continue;
    const Index index = index_in(found.box, static_cast<std::int64_t>(i));
    value.where = fmt::format("{} {}", whose, element_text(program, found.buffer_a, index));
    value.value_a = value_text(x[i], is_float(buffer.dtype));
    value.value_b = value_text(y[i], is_float(buffer.dtype));
    break;
  }
  return value;
}

// The last event that wrote the box; -1: none. Requires that the session is at the end of its run.
Expected<std::int64_t> last_write(Session& session, CoreIndex owner, BufferId buffer,
                                  const Box& box) {
  Written written(buffer, box, owner);
  StopCondition* const one = &written;
  // The accesses of the last event are only known after that event.
  const std::int64_t end = session.position();
  TRY(session.go_to(std::max<std::int64_t>(end - 1, 0)));
  const Arrival ahead = TRY(session.forward({&one, 1}));
  if (ahead.why == Arrival::Why::condition) return end - 1;
  const Arrival arrival = TRY(session.backward({&one, 1}));
  return arrival.why == Arrival::Why::condition ? session.position() - 1 : -1;
}

Expected<DiffValue> first_of(Session& a, Session& b, const TensorDifference& result) {
  const BufferId of_a = *find_buffer(a.program(), result.name);
  const BufferId of_b = *find_buffer(b.program(), result.name);
  const Layout layout(a.program().buffers[of_a]);
  const Box box = element(layout.whole(), layout.index(result.first));
  const CoreIndex core_a = a.machine().topology().first_of(result.device);
  const CoreIndex core_b = b.machine().topology().first_of(result.device);
  const ValueDifference found{
      {}, owner_of(a.machine(), core_a, of_a), owner_of(b.machine(), core_b, of_b), of_a, of_b,
      box};
  TRY(a.go_to(Turn::unlimited));
  TRY(b.go_to(Turn::unlimited));
  DiffValue value = TRY(value_at(a, b, found));
  EventPair events;
  events.a = TRY(last_write(a, found.owner_a, of_a, box));
  events.b = TRY(last_write(b, found.owner_b, of_b, box));
  value.places = TRY(places_of(a, b, events));
  return value;
}

}  // namespace

Expected<DiffReport> diff_report(std::string a, std::string b, RunDifference difference,
                                 Session& session_a, Session& session_b) {
  DiffReport report{std::move(a), std::move(b), std::move(difference)};
  const RunDifference& found = report.difference;
  if (found.order)
    report.order = TRY(places_of(session_a, session_b, {*found.order, *found.order}));
  if (found.event) report.event = TRY(places_of(session_a, session_b, *found.event));
  if (found.value) {
    TRY(session_a.go_to(found.value->events.a + 1));
    TRY(session_b.go_to(found.value->events.b + 1));
    report.value = TRY(value_at(session_a, session_b, *found.value));
    report.value->places = TRY(places_of(session_a, session_b, found.value->events));
  }
  std::size_t looked_at = 0;
  for (const TensorDifference& result : found.results) {
    DiffResult one{result, fmt::format("dev{} {}", result.device, result.name)};
    if (result.different > 0 && ++looked_at <= max_results)
      one.first = TRY(first_of(session_a, session_b, result));
    report.results.push_back(std::move(one));
  }
  return report;
}

}  // namespace tessera::cli

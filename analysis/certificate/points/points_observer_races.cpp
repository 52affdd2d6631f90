// Accesses of two iterations to one element, and the findings of their races.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/certificate/points/points_observer.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

constexpr std::size_t max_races = 20;  // listed findings; further ones are counted

}  // namespace

void PointsObserver::compare(CoreState& core, const OpenLoop& loop, CoreIndex owner,
                             BufferId buffer, const Log& log, CoreIndex core_index) {
  if (loop.points.size() < 2) return;
  const auto boxes = [](const std::vector<LoopAccess>& accesses) {
    std::vector<const Box*> result;
    for (const LoopAccess& t : accesses) result.push_back(&t.box);
    return result;
  };
  constexpr std::int64_t enough = 100'000;  // max compared pairs per buffer
  std::int64_t pairs = 0;
  // For each pair of statements, the pair with the first iterations is reported. Pairs of two
  // stores come before pairs with a read.
  std::map<std::tuple<bool, StmtId, StmtId>, std::pair<LoopAccess, LoopAccess>> races;
  const auto note = [&](const LoopAccess& here, const LoopAccess& there) {
    const auto [known, is_new] = races.try_emplace(
        {here.access == Access::read, here.statement, there.statement}, here, there);
    if (is_new) return;
    auto& [x, y] = known->second;
    if (std::pair(here.point, there.point) < std::pair(x.point, y.point))
      known->second = {here, there};
  };
  const std::vector<const Box*> reads = boxes(log.reads), stores = boxes(log.stores);
  for_each_meeting(reads, stores, [&](std::size_t i, std::size_t j) {
    if (log.reads[i].point == log.stores[j].point) return true;
    note(log.reads[i], log.stores[j]);
    return ++pairs < enough;
  });
  pairs = 0;
  if (is_shared(buffer))
    for_each_meeting(stores, stores, [&](std::size_t i, std::size_t j) {
      const LoopAccess &x = log.stores[i], &y = log.stores[j];
      if (x.point >= y.point || (x.access == Access::add && y.access == Access::add)) return true;
      note(x, y);
      return ++pairs < enough;
    });
  for (const auto& [statements, pair] : races)
    race(core, loop, owner, buffer, core_index, pair.first, pair.second);
}

void PointsObserver::race(const CoreState& core, const OpenLoop& loop, CoreIndex owner,
                          BufferId buffer, CoreIndex core_index, const LoopAccess& here,
                          const LoopAccess& there) {
  ParallelLoop& judged = verdict_.loops[facts(loop.statement).verdict];
  judged.any_order = judged.any_split = false;
  judged.why_whole.clear();
  // One finding for all devices and runs of the loop, and for a line that both reads and stores.
  const PlaceId x = program_->body[here.statement].place, y = program_->body[there.statement].place;
  if (!known_.insert({std::min(x, y), std::max(x, y), buffer}).second) return;
  if (verdict_.findings.size() >= max_races) {
    ++verdict_.more_races;
    return;
  }
  const auto verb = [](Access access) {
    return access == Access::read ? "reads" : access == Access::add ? "adds to" : "stores";
  };
  const auto range = [&](const LoopAccess& access) {
    return fmt::format("{} of {}", slice_text(*program_, buffer, access.box),
                       topology_.name(owner, program_->buffers[buffer].space));
  };
  const bool is_same = here.box == there.box;
  Finding finding{.kind = FindingKind::race};
  finding.message = fmt::format(
      "point {} of {} {} {}{}, and point {} {} {}", place(core, loop, here.point),
      to_string(topology_.agent(core_index)), verb(here.access), range(here),
      here.access != Access::store && !is_shared(buffer) ? " as it was before the loop" : "",
      place(core, loop, there.point), verb(there.access), is_same ? "it" : range(there));
  finding.at = at(here.statement, core_index, "");
  finding.about = {.statement = here.statement,
                   .other = there.statement,
                   .buffer = buffer,
                   .points_of = loop.statement};
  finding.devices = {finding.at.device};
  if (here.statement != there.statement)
    finding.notes.push_back(
        at(there.statement, core_index,
           fmt::format("point {} {} it here", place(core, loop, there.point), verb(there.access))));
  finding.notes.push_back(at(loop.statement, core_index,
                             "why: points of this loop run in any order, also concurrently"));
  add_call_chain(*program_, program_->body[here.statement].place, finding.notes);
  verdict_.findings.push_back(std::move(finding));
}

// Text such as "i=0 j=1": the parallel loops around this loop, and its iteration.
std::string PointsObserver::place(const CoreState& core, const OpenLoop& loop,
                                  std::int32_t point) const {
  std::string text;
  const auto add = [&](const OpenLoop& of, std::int64_t value) {
    const Stmt& s = program_->body[of.statement];
    const std::string& name = program_->value(s.result).name;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name.empty() ? "loop" : name, value);
  };
  for (const OpenLoop& outer : core.open) add(outer, outer.points.back());
  add(loop, loop.points[at_index(point)]);
  return text;
}

FindingPlace PointsObserver::at(StmtId statement, CoreIndex core_index, std::string message) const {
  const AgentId agent = topology_.agent(core_index);
  return {.loc = program_->loc(statement),
          .message = std::move(message),
          .device = agent.device,
          .agent = to_string(agent)};
}

}  // namespace tessera

// Scratch that is still defined after a loop: the iterations that stored it, and its readers.
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "analysis/certificate/points/points_observer.h"
#include "interp/findings/describe.h"

namespace tessera {
// Stores the scratch that the iterations wrote in their own copies, and the parts that two of them
// wrote.
void PointsObserver::leave_behind(CoreState& core, const OpenLoop& loop, BufferId buffer,
                                  const Log& log) {
  struct Stored {
    std::int32_t first, second;  // iterations; second -1: none
    StmtId statement;
  };
  const auto order = [](const Box& a, const Box& b) {
    return std::tie(a.start, a.size) < std::tie(b.start, b.size);
  };
  std::map<Box, Stored, decltype(order)> stored(order);
  const auto note = [&](const Box& box, const Stored& by) {
    const auto [known, is_new] = stored.try_emplace(box, by);
    if (is_new || known->second.second >= 0) return;
    if (by.second >= 0)
      known->second = by;
    else if (by.first != known->second.first)
      known->second.second = by.first;
  };
  for (const LoopAccess& t : log.stores) note(t.box, {t.point, -1, t.statement});
  std::vector<std::pair<Box, Stored>> single;
  for (const auto& [box, by] : stored)
    if (by.second < 0) single.emplace_back(box, by);
  std::vector<const Box*> boxes;
  for (const auto& [box, by] : single) boxes.push_back(&box);
  for_each_meeting(boxes, boxes, [&](std::size_t i, std::size_t j) {
    const Stored &a = single[i].second, &b = single[j].second;
    if (a.first < b.first)
      note(intersection(single[i].first, single[j].first), {a.first, b.first, a.statement});
    return true;
  });
  std::vector<Left>& left = core.left[buffer];
  for (const auto& [box, by] : stored) {
    left.push_back({box, loop.statement, by.statement, place(core, loop, by.first),
                    by.second < 0 ? std::string() : place(core, loop, by.second)});
    if (seen_ != nullptr) seen_->left.emplace_back(buffer, left.back());
  }
}

// Checks an access to scratch that iterations of an earlier loop stored. The value read depends on
// the iteration that stored last.
void PointsObserver::look_at_left(CoreState& core, CoreIndex core_index, const Event& event,
                                  Access access) {
  const BufferId buffer = event.object.buffer();
  std::vector<Left>& of_buffer = core.left[buffer];
  if (access != Access::store) {
    for (const Left& left : of_buffer) {
      if (!intersects(left.box, *event.box)) continue;
      ParallelLoop& loop = verdict_.loops[facts(left.loop).verdict];
      if (left.second.empty()) {
        if (loop.any_split && loop.any_order)
          loop.why_whole = fmt::format("{}, which {} stores, is read after the loop",
                                       slice_text(*program_, buffer, left.box), left.first);
        loop.any_split = false;
        continue;
      }
      if (loop.any_order) {
        Finding finding{.kind = FindingKind::race};
        finding.message = fmt::format(
            "{} reads {} of {}, which points {} and {} of a parallel loop both stored: the values "
            "of either may remain",
            to_string(event.agent.issuer()), slice_text(*program_, buffer, *event.box),
            topology_.name(core_index, program_->buffers[buffer].space), left.first, left.second);
        finding.at = at(event.statement, core_index, "");
        finding.about = {.statement = event.statement,
                         .other = left.statement,
                         .buffer = buffer,
                         .points_of = left.loop};
        finding.devices = {finding.at.device};
        finding.notes.push_back(at(left.statement, core_index, "stored here"));
        finding.notes.push_back(at(left.loop, core_index, "points of this loop run in any order"));
        verdict_.findings.push_back(std::move(finding));
      }
      loop.any_order = loop.any_split = false;
    }
  }
  if (access == Access::read) return;
  std::vector<Left> rest;
  for (const Left& left : of_buffer) {
    for (const Box& box : without(left.box, *event.box)) {
      rest.push_back(left);
      rest.back().box = box;
    }
  }
  of_buffer = std::move(rest);
}

}  // namespace tessera

#include "interp/certificate/conflicts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Entering the kernel concerns what it brings; leaving it, all that it uses.
bool is_of_kernel(const Program& program, const Range& range) {
  if (range.kind == ObjectKind::buffer) {
    const Buffer& buffer = program.buffers[at(range.object)];
    return buffer.role == Role::scratch && !buffer.scoped;
  }
  const Semaphore& semaphore = program.semaphores[at(range.object)];
  return semaphore.kind != SemKind::barrier && !semaphore.scoped;
}

}  // namespace

Conflicts::Conflicts(const Record& record)
    : record_(record), overlapping_(record.ranges.size()), users_(record.ranges.size()) {
  find_users();
  find_overlaps();
}

void Conflicts::find_users() {
  for (const RecordedEvent& event : record_.events) {
    if (event.act != Act::access) continue;
    const RecordedAgent& agent = record_.agents[at(event.agent)];
    const bool is_copy = !record_.is_core(event.agent);
    const auto self = static_cast<std::int32_t>(&event - record_.events.data());
    const std::int32_t end = (is_copy ? agent.started_at : self) + 1;
    std::vector<User>& users = users_[at(event.object)];
    auto user = std::find_if(users.begin(), users.end(),
                             [&](const User& u) { return u.core == agent.issuer; });
    if (user == users.end()) user = users.insert(users.end(), User{.core = agent.issuer});
    user->end_of_any = std::max(user->end_of_any, end);
    if (event.access != AccessKind::read)
      user->end_of_changes = std::max(user->end_of_changes, end);
    user->has_copies = user->has_copies || is_copy;
  }
}

void Conflicts::find_overlaps() {
  std::map<std::tuple<std::int32_t, ObjectKind, std::int32_t>, std::vector<std::int32_t>> objects;
  for (std::size_t r = 0; r < record_.ranges.size(); ++r) {
    const Range& range = record_.ranges[r];
    objects[{range.device, range.kind, range.object}].push_back(static_cast<std::int32_t>(r));
  }
  for (auto& [object, ranges] : objects)
    if (std::get<1>(object) != ObjectKind::none) overlap(ranges);
  for (auto& [object, ranges] : objects) {
    const auto [device, kind, is_leave] = object;
    if (kind != ObjectKind::none) continue;
    const std::int32_t whole = ranges.front();
    for (std::size_t r = 0; r < record_.ranges.size(); ++r) {
      const Range& range = record_.ranges[r];
      if (range.device != device || range.kind == ObjectKind::none) continue;
      if (is_leave != 0)
        overlapping_[r].push_back(whole);
      else if (is_of_kernel(*record_.program, range))
        overlapping_[at(whole)].push_back(static_cast<std::int32_t>(r));
    }
  }
}

// All pairs of one object's ranges, found along the first dimension.
void Conflicts::overlap(std::vector<std::int32_t>& ranges) {
  const auto box = [&](std::int32_t r) -> const Box& { return record_.ranges[at(r)].box; };
  bool is_shared = false, is_changed = false;
  std::int32_t only = -1;
  for (const std::int32_t r : ranges) {
    for (const User& user : users_[at(r)]) {
      is_changed = is_changed || user.end_of_changes > 0;
      is_shared = is_shared || user.has_copies || (only >= 0 && only != user.core);
      only = user.core;
    }
  }
  if (!is_shared || !is_changed) return;
  if (record_.ranges[at(ranges.front())].kind == ObjectKind::semaphore ||
      box(ranges.front()).rank == 0) {
    for (const std::int32_t r : ranges) overlapping_[at(r)] = ranges;
    return;
  }
  std::stable_sort(ranges.begin(), ranges.end(), [&](std::int32_t a, std::int32_t b) {
    return box(a).start[0] < box(b).start[0];
  });
  std::vector<std::int32_t> open;
  for (const std::int32_t r : ranges) {
    std::erase_if(open, [&](std::int32_t o) { return box(o).end(0) <= box(r).start[0]; });
    overlapping_[at(r)].push_back(r);
    for (const std::int32_t o : open) {
      if (!intersects(box(o), box(r))) continue;
      overlapping_[at(o)].push_back(r);
      overlapping_[at(r)].push_back(o);
    }
    open.push_back(r);
  }
}

}  // namespace tessera

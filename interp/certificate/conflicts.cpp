#include "interp/certificate/conflicts.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

template <typename T>
Conflicts::Lists<T>::Lists(std::size_t ranges, const std::vector<std::pair<std::int32_t, T>>& pairs)
    : begin_(ranges + 1), entries_(pairs.size()) {
  for (const auto& [range, entry] : pairs) ++begin_[at(range) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [range, entry] : pairs) entries_[next[at(range)]++] = entry;
}

Conflicts::Conflicts(const Record& record) : record_(record) {
  find_users();
  find_overlaps();
}

void Conflicts::find_users() {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::pair<std::int32_t, User>> users;
  std::vector<std::size_t> first(record_.ranges.size(), none), next;  // lists through `users`
  for (std::size_t e = 0; e < record_.events.size(); ++e) {
    const RecordedEvent& event = record_.events[e];
    if (event.act != Act::access) continue;
    const RecordedAgent& agent = record_.agents[at(event.agent)];
    const bool is_copy = !record_.is_core(event.agent);
    const std::int32_t end = (is_copy ? agent.started_at : static_cast<std::int32_t>(e)) + 1;
    std::size_t u = first[at(event.object)];
    while (u != none && users[u].second.core != agent.issuer) u = next[u];
    if (u == none) {
      u = users.size();
      users.push_back({event.object, {.core = agent.issuer}});
      next.push_back(std::exchange(first[at(event.object)], u));
    }
    User& user = users[u].second;
    user.end_of_any = std::max(user.end_of_any, end);
    if (event.access != AccessKind::read) user.end_of_changes = std::max(user.end_of_changes, end);
    user.has_copies = user.has_copies || is_copy;
  }
  users_ = Lists<User>(record_.ranges.size(), users);
}

void Conflicts::find_overlaps() {
  const Program& program = *record_.program;
  const std::size_t buffers = program.buffers.size();
  const std::size_t each = buffers + program.semaphores.size();
  const auto all = static_cast<std::int32_t>(record_.ranges.size());
  std::vector<std::int32_t> enter(at(record_.cores()), -1), leave = enter;
  Pairs by_object, pairs;
  for (std::int32_t r = 0; r < all; ++r) {
    const Range& range = record_.ranges[at(r)];
    if (range.kind == ObjectKind::none) {
      (range.object != 0 ? leave : enter)[at(range.site)] = r;
      continue;
    }
    const std::size_t object =
        (range.kind == ObjectKind::semaphore ? buffers : 0) + at(range.object);
    by_object.emplace_back(static_cast<std::int32_t>(at(range.home) * each + object), r);
  }
  const std::size_t objects = at(record_.cores()) * each;
  const Lists<std::int32_t> ranges(objects, by_object);
  pairs.reserve(2 * at(all));
  for (std::size_t o = 0; o < objects; ++o) overlap(ranges.of(static_cast<std::int32_t>(o)), pairs);
  for (std::int32_t r = 0; r < all; ++r) {
    const Range& range = record_.ranges[at(r)];
    if (range.kind == ObjectKind::none) continue;
    const std::int32_t entering = enter[at(range.site)], leaving = leave[at(range.site)];
    if (leaving >= 0) pairs.emplace_back(r, leaving);
    if (entering >= 0 && is_of_kernel(program, range)) pairs.emplace_back(entering, r);
  }
  overlapping_ = Lists<std::int32_t>(record_.ranges.size(), pairs);
}

// All pairs of one object's ranges, found along the first dimension.
void Conflicts::overlap(std::span<const std::int32_t> of_object, Pairs& pairs) const {
  if (of_object.empty()) return;
  const auto box = [&](std::int32_t r) -> const Box& { return record_.ranges[at(r)].box; };
  bool is_shared = false, is_changed = false;
  std::int32_t only = -1;
  for (const std::int32_t r : of_object) {
    for (const User& user : users(r)) {
      is_changed = is_changed || user.end_of_changes > 0;
      is_shared = is_shared || user.has_copies || (only >= 0 && only != user.core);
      only = user.core;
    }
  }
  if (!is_shared || !is_changed) return;
  if (record_.ranges[at(of_object.front())].kind == ObjectKind::semaphore ||
      box(of_object.front()).rank == 0) {
    for (const std::int32_t r : of_object)
      for (const std::int32_t other : of_object) pairs.emplace_back(r, other);
    return;
  }
  std::vector<std::int32_t> ranges(of_object.begin(), of_object.end());
  std::stable_sort(ranges.begin(), ranges.end(), [&](std::int32_t a, std::int32_t b) {
    return box(a).start[0] < box(b).start[0];
  });
  std::vector<std::int32_t> open;
  for (const std::int32_t r : ranges) {
    std::erase_if(open, [&](std::int32_t o) { return box(o).end(0) <= box(r).start[0]; });
    pairs.emplace_back(r, r);
    for (const std::int32_t o : open) {
      if (!intersects(box(o), box(r))) continue;
      pairs.emplace_back(o, r);
      pairs.emplace_back(r, o);
    }
    open.push_back(r);
  }
}

}  // namespace tessera

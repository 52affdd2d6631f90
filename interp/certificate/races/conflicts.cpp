#include "interp/certificate/races/conflicts.h"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

// Pairs and comparisons per range of an object up to which its overlaps are listed.
constexpr std::size_t listed = 16, compared = 256;

// Entering the kernel concerns what it brings; leaving it, all that it uses.
bool is_of_kernel(const Program& program, const Range& range) {
  if (range.kind == ObjectKind::none) return false;
  if (range.kind == ObjectKind::buffer) {
    const Buffer& buffer = program.buffers[range.buffer()];
    return buffer.role == Role::scratch && !buffer.scoped;
  }
  return program.semaphores[range.semaphore()].kind != SemKind::barrier;
}

bool is_leaving(const Range& range) { return range.kind == ObjectKind::none && range.object != 0; }

}  // namespace

Conflicts::Conflicts(const Record& record)
    : record_(record),
      leaving_(at(record.cores()), -1),
      trees_(record.ranges),
      roots_(record.ranges.size(), -1) {
  find_places();
  Users users = users_of_ranges();
  users_ = Lists<User>(record.ranges.size(), users);
  find_overlaps();
  if (at(trees_.nodes()) == record.ranges.size()) return;
  add_users_of_trees(users);
  users_ = Lists<User>(at(trees_.nodes()), users);
}

void Conflicts::find_places() {
  const Program& program = *record_.program;
  const std::size_t buffers = program.buffers.size();
  const std::size_t each = buffers + program.semaphores.size() + 2;
  for (const Range& range : record_.ranges) {
    std::size_t object = at(range.object);
    if (range.kind == ObjectKind::semaphore) object += buffers;
    if (range.kind == ObjectKind::none) object += each - 2;
    if (is_leaving(range)) leaving_[at(range.site)] = static_cast<std::int32_t>(places_.size());
    places_.push_back(static_cast<std::int32_t>(at(range.home) * each + object));
  }
  place_count_ = static_cast<std::int32_t>(at(record_.cores()) * each);
}

// Core after core, each with its copies: the last user of a range is the one at hand, or none of
// the others is.
Conflicts::Users Conflicts::users_of_ranges() const {
  Users users;
  std::vector<std::int32_t> last(record_.ranges.size(), -1);  // into users
  const auto note = [&](std::int32_t agent, bool is_copy) {
    const RecordedAgent& self = record_.agents[at(agent)];
    for (std::int32_t e = self.begin; e < self.end; ++e) {
      const RecordedEvent& event = record_.events[at(e)];
      if (event.act != Act::access) continue;
      const std::int32_t end = (is_copy ? self.started_at : e) + 1;
      std::int32_t& u = last[at(event.object)];
      if (u < 0 || users[at(u)].second.core != self.issuer) {
        u = static_cast<std::int32_t>(users.size());
        users.push_back({event.object, {.core = self.issuer}});
      }
      User& user = users[at(u)].second;
      user.end_of_any = std::max(user.end_of_any, end);
      if (event.access != AccessKind::read)
        user.end_of_changes = std::max(user.end_of_changes, end);
      user.has_copies = user.has_copies || is_copy;
    }
  };
  const Lists<std::int32_t> copies = copies_by_issuer(record_);
  for (std::int32_t core = 0; core < record_.cores(); ++core) {
    note(core, false);
    for (const std::int32_t copy : copies.of(core)) note(copy, true);
  }
  return users;
}

bool Conflicts::overlap(std::int32_t x, std::int32_t y) const {
  const Range &a = record_.ranges[at(x)], &b = record_.ranges[at(y)];
  if (a.kind == ObjectKind::none)
    return a.object == 0 && a.site == b.site && is_of_kernel(*record_.program, b);
  if (b.kind == ObjectKind::none) return b.object != 0 && a.site == b.site;
  if (place(x) != place(y)) return false;
  return x == y || a.kind == ObjectKind::semaphore || intersects(a.box, b.box);
}

void Conflicts::find_overlaps() {
  const auto all = static_cast<std::int32_t>(record_.ranges.size());
  std::vector<std::int32_t> entering(at(record_.cores()), -1);
  Pairs by_place, pairs;
  for (std::int32_t r = 0; r < all; ++r) {
    const Range& range = record_.ranges[at(r)];
    if (range.kind != ObjectKind::none)
      by_place.emplace_back(place(r), r);
    else if (!is_leaving(range))
      entering[at(range.site)] = r;
  }
  const Lists<std::int32_t> ranges(at(place_count_), by_place);
  pairs.reserve(2 * at(all));
  for (std::int32_t p = 0; p < place_count_; ++p) {
    const std::span<const std::int32_t> of_object = ranges.of(p);
    if (!is_contested(of_object) || list_overlaps(of_object, pairs)) continue;
    std::vector<std::int32_t> filled;
    for (const std::int32_t r : of_object) {
      if (record_.ranges[at(r)].box.empty())
        pairs.emplace_back(r, r);
      else
        filled.push_back(r);
    }
    const std::int32_t root = trees_.add(filled);
    for (const std::int32_t r : filled) roots_[at(r)] = root;
  }
  for (std::int32_t r = 0; r < all; ++r) {
    const Range& range = record_.ranges[at(r)];
    const std::int32_t enter = range.kind == ObjectKind::none ? -1 : entering[at(range.site)];
    if (enter >= 0 && is_of_kernel(*record_.program, range)) pairs.emplace_back(enter, r);
  }
  near_ = Lists<std::int32_t>(record_.ranges.size(), pairs);
}

// Whether different agents use the object, and somebody changes it.
bool Conflicts::is_contested(std::span<const std::int32_t> of_object) const {
  bool is_shared = false, is_changed = false;
  std::int32_t only = -1;
  for (const std::int32_t r : of_object) {
    for (const User& user : users(r)) {
      is_changed = is_changed || user.end_of_changes > 0;
      is_shared = is_shared || user.has_copies || (only >= 0 && only != user.core);
      only = user.core;
    }
  }
  return is_shared && is_changed;
}

// All pairs of one object's ranges, found along the first dimension. False, and none, when they are
// too many.
bool Conflicts::list_overlaps(std::span<const std::int32_t> of_object, Pairs& pairs) const {
  const auto box = [&](std::int32_t r) -> const Box& { return record_.ranges[at(r)].box; };
  if (record_.ranges[at(of_object.front())].kind == ObjectKind::semaphore) {
    for (const std::int32_t r : of_object)
      for (const std::int32_t other : of_object) pairs.emplace_back(r, other);
    return true;
  }
  std::vector<std::int32_t> ranges(of_object.begin(), of_object.end());
  if (box(ranges.front()).rank > 0)
    std::stable_sort(ranges.begin(), ranges.end(), [&](std::int32_t a, std::int32_t b) {
      return box(a).start[0] < box(b).start[0];
    });
  const std::size_t before = pairs.size();
  std::size_t tests = 0;
  std::vector<std::int32_t> open;
  for (const std::int32_t r : ranges) {
    if (box(r).rank > 0)
      std::erase_if(open, [&](std::int32_t o) { return box(o).end(0) <= box(r).start[0]; });
    tests += open.size();
    if (tests > compared * ranges.size() || pairs.size() - before > listed * ranges.size()) {
      pairs.resize(before);
      return false;
    }
    pairs.emplace_back(r, r);
    for (const std::int32_t o : open) {
      if (!intersects(box(o), box(r))) continue;
      pairs.emplace_back(o, r);
      pairs.emplace_back(r, o);
    }
    open.push_back(r);
  }
  return true;
}

// Of an inner node, those of its children: core by core, ascending.
void Conflicts::add_users_of_trees(Users& users) const {
  std::vector<User> of_node;
  std::vector<std::pair<std::size_t, std::size_t>> span_of;  // into users, by inner node
  const auto first = static_cast<std::int32_t>(record_.ranges.size());
  for (std::int32_t node = first; node < trees_.nodes(); ++node) {
    of_node.clear();
    for (const std::int32_t child : trees_.children(node)) {
      if (child < first) {
        of_node.insert(of_node.end(), users_.of(child).begin(), users_.of(child).end());
        continue;
      }
      const auto [begin, end] = span_of[at(child - first)];
      for (std::size_t u = begin; u < end; ++u) of_node.push_back(users[u].second);
    }
    std::stable_sort(of_node.begin(), of_node.end(),
                     [](const User& a, const User& b) { return a.core < b.core; });
    const std::size_t begin = users.size();
    for (const User& user : of_node) {
      if (users.size() == begin || users.back().second.core != user.core) {
        users.emplace_back(node, user);
        continue;
      }
      User& known = users.back().second;
      known.end_of_any = std::max(known.end_of_any, user.end_of_any);
      known.end_of_changes = std::max(known.end_of_changes, user.end_of_changes);
      known.has_copies = known.has_copies || user.has_copies;
    }
    span_of.emplace_back(begin, users.size());
  }
}

}  // namespace tessera

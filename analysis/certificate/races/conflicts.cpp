#include "analysis/certificate/races/conflicts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera {
namespace {

// Limits, per range of an object, of the pairs that are listed and compared.
constexpr std::size_t listed = 16, compared = 256;

// True if the object begins with the kernel.
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
      leaving_(record.core_ids().size()),
      trees_(record.ranges),
      roots_(record.ranges.size()) {
  find_places();
  Users users = users_of_ranges();
  users_ = Lists<RangeNodeId, User>(record.ranges.size(), users);
  find_overlaps();
  if (trees_.nodes() == record.ranges.size()) return;
  add_users_of_trees(users);
  users_ = Lists<RangeNodeId, User>(trees_.nodes(), users);
}

void Conflicts::find_places() {
  const Program& program = *record_.program;
  const std::size_t buffers = program.buffers.size();
  const std::size_t each = buffers + program.semaphores.size() + 2;
  for (const RangeId r : record_.ranges.ids()) {
    const Range& range = record_.ranges[r];
    auto object = static_cast<std::size_t>(range.object);
    if (range.kind == ObjectKind::semaphore) object += buffers;
    if (range.kind == ObjectKind::none) object += each - 2;
    if (is_leaving(range)) leaving_[Record::core_at(range.core)] = r;
    places_.add(RangePlaceId(static_cast<std::size_t>(range.owner.index) * each + object));
  }
  place_count_ = record_.core_ids().size() * each;
}

// Processes one core after another, each with its copies. So if the core is already a user of a
// range, it is the last one.
Conflicts::Users Conflicts::users_of_ranges() const {
  Users users;
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  Table<RangeId, std::size_t> last(record_.ranges.size(), none);  // index in users
  const auto note = [&](RecordedAgentId agent, bool is_copy) {
    const RecordedAgent& self = record_.agents[agent];
    for (const EventId e : self.events()) {
      const RecordedEvent& event = record_.events[e];
      if (event.act != Act::access) continue;
      const EventId end = (is_copy ? self.started_at : e) + 1;
      std::size_t& u = last[event.range()];
      if (u == none || users[u].second.core != self.issuer) {
        u = users.size();
        users.push_back({RangeTrees::node_of(event.range()), {.core = self.issuer}});
      }
      User& user = users[u].second;
      user.end_of_any = std::max(user.end_of_any, end);
      if (event.access != AccessKind::read)
        user.end_of_changes = std::max(user.end_of_changes, end);
      user.has_copies = user.has_copies || is_copy;
    }
  };
  const Lists<RecordedAgentId, RecordedAgentId> copies = copies_by_issuer(record_);
  for (const RecordedAgentId core : record_.core_ids()) {
    note(core, false);
    for (const RecordedAgentId copy : copies.of(core)) note(copy, true);
  }
  return users;
}

bool Conflicts::overlap(RangeId x, RangeId y) const {
  const Range &a = record_.ranges[x], &b = record_.ranges[y];
  if (a.kind == ObjectKind::none)
    return a.object == 0 && a.core == b.core && is_of_kernel(*record_.program, b);
  if (b.kind == ObjectKind::none) return b.object != 0 && a.core == b.core;
  if (place(x) != place(y)) return false;
  return x == y || a.kind == ObjectKind::semaphore || intersects(a.box, b.box);
}

void Conflicts::find_overlaps() {
  Table<RecordedAgentId, RangeId> entering(record_.core_ids().size());
  std::vector<std::pair<RangePlaceId, RangeId>> by_place;
  Pairs pairs;
  for (const RangeId r : record_.ranges.ids()) {
    const Range& range = record_.ranges[r];
    if (range.kind != ObjectKind::none)
      by_place.emplace_back(place(r), r);
    else if (!is_leaving(range))
      entering[Record::core_at(range.core)] = r;
  }
  const Lists<RangePlaceId, RangeId> ranges(place_count_, by_place);
  pairs.reserve(2 * record_.ranges.size());
  for (const RangePlaceId p : IdRange(RangePlaceId(0), RangePlaceId(place_count_))) {
    const std::span<const RangeId> of_object = ranges.of(p);
    if (!is_contested(of_object) || list_overlaps(of_object, pairs)) continue;
    std::vector<RangeId> filled;
    for (const RangeId r : of_object) {
      if (record_.ranges[r].box.empty())
        pairs.emplace_back(r, r);
      else
        filled.push_back(r);
    }
    const RangeNodeId root = trees_.add(filled);
    for (const RangeId r : filled) roots_[r] = root;
  }
  for (const RangeId r : record_.ranges.ids()) {
    const Range& range = record_.ranges[r];
    const RangeId enter =
        range.kind == ObjectKind::none ? RangeId() : entering[Record::core_at(range.core)];
    if (enter && is_of_kernel(*record_.program, range)) pairs.emplace_back(enter, r);
  }
  near_ = Lists<RangeId, RangeId>(record_.ranges.size(), pairs);
}

// True if different agents use the object and at least one of them changes it.
bool Conflicts::is_contested(std::span<const RangeId> of_object) const {
  bool is_shared = false, is_changed = false;
  RecordedAgentId only;
  for (const RangeId r : of_object) {
    for (const User& user : users(RangeTrees::node_of(r))) {
      is_changed = is_changed || user.end_of_changes > EventId(0);
      is_shared = is_shared || user.has_copies || (only && only != user.core);
      only = user.core;
    }
  }
  return is_shared && is_changed;
}

// Adds all overlapping pairs of one object's ranges, found by a pass along the first dimension.
// Returns false and adds none if there are too many.
bool Conflicts::list_overlaps(std::span<const RangeId> of_object, Pairs& pairs) const {
  const auto box = [&](RangeId r) -> const Box& { return record_.ranges[r].box; };
  if (record_.ranges[of_object.front()].kind == ObjectKind::semaphore) {
    for (const RangeId r : of_object)
      for (const RangeId other : of_object) pairs.emplace_back(r, other);
    return true;
  }
  std::vector<RangeId> ranges(of_object.begin(), of_object.end());
  if (box(ranges.front()).rank > 0)
    std::stable_sort(ranges.begin(), ranges.end(),
                     [&](RangeId a, RangeId b) { return box(a).start[0] < box(b).start[0]; });
  const std::size_t before = pairs.size();
  std::size_t tests = 0;
  std::vector<RangeId> open;
  for (const RangeId r : ranges) {
    if (box(r).rank > 0)
      std::erase_if(open, [&](RangeId o) { return box(o).end(0) <= box(r).start[0]; });
    tests += open.size();
    if (tests > compared * ranges.size() || pairs.size() - before > listed * ranges.size()) {
      pairs.resize(before);
      return false;
    }
    pairs.emplace_back(r, r);
    for (const RangeId o : open) {
      if (!intersects(box(o), box(r))) continue;
      pairs.emplace_back(o, r);
      pairs.emplace_back(r, o);
    }
    open.push_back(r);
  }
  return true;
}

// The users of an inner node are the users of its children, in ascending order of cores.
void Conflicts::add_users_of_trees(Users& users) const {
  std::vector<User> of_node;
  Table<RangeNodeId, std::pair<std::size_t, std::size_t>> span_of(trees_.nodes());  // in users
  for (const RangeNodeId node : trees_.inner_nodes()) {
    of_node.clear();
    for (const RangeNodeId child : trees_.children(node)) {
      if (trees_.is_range(child)) {
        of_node.insert(of_node.end(), users_.of(child).begin(), users_.of(child).end());
        continue;
      }
      const auto [begin, end] = span_of[child];
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
    span_of[node] = {begin, users.size()};
  }
}

}  // namespace tessera

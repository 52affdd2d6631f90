#include "interp/machine/ready.h"

#include "core/report/check.h"

namespace tessera {

void Ready::add(Handle agent, bool is_slow, Kind kind, std::int64_t serial) {
  if (index(agent) >= nodes_.size()) nodes_.resize(index(agent) + 1);
  Side& side = sides_[is_slow ? 1 : 0];
  List& list = side.lists[static_cast<std::size_t>(kind)];
  // Copies that had to wait for another copy are inserted in the order of their starts.
  Handle after = list.last;
  while (after != nobody && nodes_[index(after)].serial > serial)
    after = nodes_[index(after)].previous;
  const Handle before = after == nobody ? list.first : nodes_[index(after)].next;
  Node& node = nodes_[index(agent)];
  CHECK(node.position < 0);
  node = {after, before, static_cast<std::int32_t>(side.all.size()), is_slow, kind, serial};
  (after == nobody ? list.first : nodes_[index(after)].next) = agent;
  (before == nobody ? list.last : nodes_[index(before)].previous) = agent;
  side.all.push_back(agent);
}

void Ready::remove(Handle agent) {
  Node& node = nodes_[index(agent)];
  CHECK(node.position >= 0);
  Side& side = sides_[node.is_slow ? 1 : 0];
  List& list = side.lists[static_cast<std::size_t>(node.kind)];
  (node.previous == nobody ? list.first : nodes_[index(node.previous)].next) = node.next;
  (node.next == nobody ? list.last : nodes_[index(node.next)].previous) = node.previous;
  const Handle last = side.all.back();
  side.all[static_cast<std::size_t>(node.position)] = last;
  nodes_[index(last)].position = node.position;
  side.all.pop_back();
  node.position = -1;
}

}  // namespace tessera

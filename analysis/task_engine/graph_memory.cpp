#include "analysis/task_engine/graph_memory.h"

#include <algorithm>
#include <utility>

#include "core/report/check.h"
#include "interp/memory/layout.h"
#include "interp/tiles/tile_ops.h"

namespace tessera::graph {
namespace {

std::int64_t bytes_of(const TileView& view) { return view.elements() * size_of(view.dtype); }

bool has_sizes_of(const TileView& a, const TileView& b) {
  return a.rank == b.rank && std::equal(a.size.begin(), a.size.begin() + a.rank, b.size.begin());
}

std::int64_t element_bytes(const TaskGraph& graph, MemoryId memory) {
  return size_of(graph.program.buffers[graph.memories[memory].buffer].dtype);
}

}  // namespace

std::vector<CopyRegion> copy_regions(const TaskGraph& graph, ActionId copy) {
  const Action& action = graph.actions[copy];
  if (!action.stored_only) return {{action.from().box, action.to().box}};
  std::vector<CopyRegion> all;
  for (const MemoryAccess& access : graph.accesses[copy])
    if (access.writes)
      all.push_back({counterpart(access.box, action.to().box, action.from().box), access.box});
  return all;
}

std::int64_t moved_bytes(const TaskGraph& graph, ActionId copy) {
  std::int64_t elements = 0;
  for (const CopyRegion& region : copy_regions(graph, copy)) elements += region.dst.elements();
  return elements * element_bytes(graph, graph.actions[copy].to().memory);
}

std::int64_t message_bytes(const TaskGraph& graph, NodeId node) {
  std::int64_t bytes = 0;
  for (const ActionId copy : graph.nodes[node].actions) bytes += moved_bytes(graph, copy);
  return bytes;
}

Table<MemoryId, bool> private_memories(const TaskGraph& graph) {
  Table<MemoryId, bool> is_private(graph.memories.size(), false);
  Table<MemoryId, bool> is_read = is_private, is_shared = is_private;
  Table<MemoryId, NodeId> user(graph.memories.size());
  for (const MemoryId m : graph.memories.ids()) {
    const BufferId buffer = graph.memories[m].buffer;
    is_private[m] = buffer && graph.program.buffers[buffer].role == Role::scratch;
  }
  for (const NodeSide& side : graph.sides)
    for (const MemoryAccess& access : side.accesses) {
      const MemoryId m = access.memory;
      if (side.kind != SideKind::whole) is_private[m] = false;
      if (user[m] && user[m] != side.node) is_shared[m] = true;
      user[m] = side.node;
      if (access.reads) is_read[m] = true;
    }
  for (const MemoryId m : graph.memories.ids())
    if (is_shared[m] && is_read[m]) is_private[m] = false;
  return is_private;
}

void move_elements(const TileView& to, const TileView& from, bool adds) {
  if (!has_sizes_of(to, from)) {
    std::vector<std::byte> rows(static_cast<std::size_t>(bytes_of(from)));
    copy_elements(compact(rows.data(), from), from);
    return move_elements(to, compact(rows.data(), to), adds);
  }
  if (!adds) return copy_elements(to, from);
  TileView sum = to, addend = from;
  sum.owner = addend.owner = nullptr;
  tile::binary(tile::Binary::add, sum, sum, addend, {Math::exact, {}});
}

GraphMemory::GraphMemory(const TaskGraph& graph, const std::vector<Binding>& bindings,
                         std::vector<bool> local_devices, ScratchPool* scratch_pool)
    : graph_(graph),
      local_devices_(std::move(local_devices)),
      scratch_pool_(scratch_pool),
      private_(private_memories(graph)),
      scalars_(std::make_unique<std::atomic<std::int64_t>[]>(graph.memories.size())) {
  CHECK(local_devices_.empty() ||
        local_devices_.size() == static_cast<std::size_t>(graph.topology.devices));
  for (const MemoryId m : graph.memories.ids()) {
    const Memory& memory = graph.memories[m];
    shared_.emplace_back();
    const int device = graph.topology.device(memory.owner);
    if (!memory.buffer || private_[m] || !is_local(device)) continue;
    shared_.back() = std::make_unique<Shared>();
    const Buffer& buffer = graph.program.buffers[memory.buffer];
    if (buffer.role != Role::scratch)
      shared_.back()->tensor = bindings[static_cast<std::size_t>(device)].find(buffer.name)->second;
  }
  for (const NodeSide& side : graph.sides)
    for (const MemoryAccess& access : side.accesses)
      if (Shared* const shared = shared_[index(access.memory)].get()) ++shared->open_sides;
}

Tensor& GraphMemory::tensor(MemoryId memory) {
  Shared* const shared = shared_[index(memory)].get();
  CHECK(shared != nullptr);  // else: private, a scalar, or on a device that is not local
  std::call_once(shared->taken, [&] {
    if (shared->tensor != nullptr) return;
    const Buffer& buffer = graph_.program.buffers[graph_.memories[memory].buffer];
    shared->own = scratch_pool_ != nullptr ? scratch_pool_->acquire(buffer.dtype, buffer.shape)
                                           : Tensor(buffer.dtype, buffer.shape);
    shared->tensor = &shared->own;
  });
  return *shared->tensor;
}

TileView GraphMemory::view(MemoryId memory, const Box& box) {
  if (is_elided(memory)) {
    const Action& copy = source_copy(memory, box);
    return view(copy.from().memory, counterpart(box, copy.to().box, copy.from().box));
  }
  const Buffer& buffer = graph_.program.buffers[graph_.memories[memory].buffer];
  const Layout layout(buffer);
  TileView view = layout.view(box, buffer.dtype);
  view.data = tensor(memory).data();
  if (!box.empty()) view.data += layout.offset(box.start) * size_of(buffer.dtype);
  return view;
}

void GraphMemory::move(NodeId node) {
  for (const ActionId a : graph_.nodes[node].actions) {
    const Action& copy = graph_.actions[a];
    for (const CopyRegion& region : copy_regions(graph_, a))
      move_elements(view(copy.to().memory, region.dst), view(copy.from().memory, region.src),
                    copy.adds);
  }
}

void GraphMemory::read(NodeId node, std::byte* out) {
  for (const ActionId a : graph_.nodes[node].actions)
    for (const CopyRegion& region : copy_regions(graph_, a)) {
      const TileView from = view(graph_.actions[a].from().memory, region.src);
      copy_elements(compact(out, from), from);
      out += bytes_of(from);
    }
}

void GraphMemory::write(NodeId node, const std::byte* in) {
  for (const ActionId a : graph_.nodes[node].actions)
    for (const CopyRegion& region : copy_regions(graph_, a)) {
      const TileView to = view(graph_.actions[a].to().memory, region.dst);
      move_elements(to, compact(const_cast<std::byte*>(in), to), graph_.actions[a].adds);
      in += bytes_of(to);
    }
}

std::byte* GraphMemory::in_place(NodeId node, SideKind part) {
  const Node& of = graph_.nodes[node];
  if (of.actions.size() != 1) return nullptr;
  const Action& copy = graph_.actions[of.actions.front()];
  const std::vector<CopyRegion> moved = copy_regions(graph_, of.actions.front());
  if (moved.size() != 1 || (part == SideKind::write && copy.adds)) return nullptr;
  const TileView at = part == SideKind::read ? view(copy.from().memory, moved.front().src)
                                             : view(copy.to().memory, moved.front().dst);
  return is_dense(at) ? at.data : nullptr;
}

void GraphMemory::release(SideId side) {
  if (observer_ != nullptr) observer_->on_complete(side, *this);
  for (const MemoryAccess& access : graph_.sides[side].accesses) {
    release(access.memory);
    if (is_elided(access.memory))
      for (const MemoryId source : elided_copies_->sources[access.memory]) release(source);
  }
}

void GraphMemory::release(MemoryId memory) {
  Shared* const shared = shared_[index(memory)].get();
  if (shared != nullptr && --shared->open_sides == 0) give_back(*shared);
}

void GraphMemory::give_back(Shared& shared) {
  if (shared.tensor != &shared.own) return;
  shared.tensor = nullptr;
  Tensor own = std::exchange(shared.own, Tensor());
  if (scratch_pool_ != nullptr) scratch_pool_->release(std::move(own));
}

GraphMemory::~GraphMemory() {
  for (const auto& shared : shared_)
    if (shared != nullptr) give_back(*shared);
}

}  // namespace tessera::graph

#include "analysis/task_engine/memories.h"

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

std::vector<Piece> pieces(const TaskGraph& graph, ActionId copy) {
  const Action& action = graph.actions[copy];
  if (!action.stored_only) return {{action.from().box, action.to().box}};
  std::vector<Piece> all;
  for (const Touch& touch : graph.touches[copy])
    if (touch.writes)
      all.push_back({counterpart(touch.box, action.to().box, action.from().box), touch.box});
  return all;
}

std::int64_t moved_bytes(const TaskGraph& graph, ActionId copy) {
  std::int64_t elements = 0;
  for (const Piece& piece : pieces(graph, copy)) elements += piece.to.elements();
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
  for (const Half& half : graph.halves)
    for (const Touch& touch : half.touches) {
      const MemoryId m = touch.memory;
      if (half.part != Part::whole) is_private[m] = false;
      if (user[m] && user[m] != half.node) is_shared[m] = true;
      user[m] = half.node;
      if (touch.reads) is_read[m] = true;
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

Memories::Memories(const TaskGraph& graph, const std::vector<Binding>& bindings,
                   std::vector<bool> held, KeptScratch* kept)
    : graph_(graph),
      held_(std::move(held)),
      kept_(kept),
      private_(private_memories(graph)),
      numbers_(std::make_unique<std::atomic<std::int64_t>[]>(graph.memories.size())) {
  CHECK(held_.empty() || held_.size() == static_cast<std::size_t>(graph.topology.devices));
  for (const MemoryId m : graph.memories.ids()) {
    const Memory& memory = graph.memories[m];
    shared_.emplace_back();
    const int device = graph.topology.device(memory.home);
    if (!memory.buffer || private_[m] || !is_held(device)) continue;
    shared_.back() = std::make_unique<Shared>();
    const Buffer& buffer = graph.program.buffers[memory.buffer];
    if (buffer.role != Role::scratch)
      shared_.back()->tensor = bindings[static_cast<std::size_t>(device)].find(buffer.name)->second;
  }
  for (const Half& half : graph.halves)
    for (const Touch& touch : half.touches)
      if (Shared* const shared = shared_[index(touch.memory)].get()) ++shared->halves;
}

Tensor& Memories::tensor(MemoryId memory) {
  Shared* const shared = shared_[index(memory)].get();
  CHECK(shared != nullptr);  // else it is private, a number, or of a device that is not held
  std::call_once(shared->taken, [&] {
    if (shared->tensor != nullptr) return;
    const Buffer& buffer = graph_.program.buffers[graph_.memories[memory].buffer];
    shared->own = kept_ != nullptr ? kept_->take(buffer.dtype, buffer.shape)
                                   : Tensor(buffer.dtype, buffer.shape);
    shared->tensor = &shared->own;
  });
  return *shared->tensor;
}

TileView Memories::view(MemoryId memory, const Box& box) {
  if (is_forwarded(memory)) {
    const Action& copy = bringer(memory, box);
    return view(copy.from().memory, counterpart(box, copy.to().box, copy.from().box));
  }
  const Buffer& buffer = graph_.program.buffers[graph_.memories[memory].buffer];
  const Layout layout(buffer);
  TileView view = layout.view(box, buffer.dtype);
  view.data = tensor(memory).data();
  if (!box.empty()) view.data += layout.offset(box.start) * size_of(buffer.dtype);
  return view;
}

void Memories::move(NodeId node) {
  for (const ActionId a : graph_.nodes[node].actions) {
    const Action& copy = graph_.actions[a];
    for (const Piece& piece : pieces(graph_, a))
      move_elements(view(copy.to().memory, piece.to), view(copy.from().memory, piece.from),
                    copy.adds);
  }
}

void Memories::read(NodeId node, std::byte* out) {
  for (const ActionId a : graph_.nodes[node].actions)
    for (const Piece& piece : pieces(graph_, a)) {
      const TileView from = view(graph_.actions[a].from().memory, piece.from);
      copy_elements(compact(out, from), from);
      out += bytes_of(from);
    }
}

void Memories::write(NodeId node, const std::byte* in) {
  for (const ActionId a : graph_.nodes[node].actions)
    for (const Piece& piece : pieces(graph_, a)) {
      const TileView to = view(graph_.actions[a].to().memory, piece.to);
      move_elements(to, compact(const_cast<std::byte*>(in), to), graph_.actions[a].adds);
      in += bytes_of(to);
    }
}

std::byte* Memories::in_place(NodeId node, Part part) {
  const Node& of = graph_.nodes[node];
  if (of.actions.size() != 1) return nullptr;
  const Action& copy = graph_.actions[of.actions.front()];
  const std::vector<Piece> moved = pieces(graph_, of.actions.front());
  if (moved.size() != 1 || (part == Part::write && copy.adds)) return nullptr;
  const TileView at = part == Part::read ? view(copy.from().memory, moved.front().from)
                                         : view(copy.to().memory, moved.front().to);
  return is_dense(at) ? at.data : nullptr;
}

void Memories::leave(HalfId half) {
  if (observer_ != nullptr) observer_->done(half, *this);
  for (const Touch& touch : graph_.halves[half].touches) {
    leave(touch.memory);
    if (is_forwarded(touch.memory))
      for (const MemoryId source : forwards_->sources[touch.memory]) leave(source);
  }
}

void Memories::leave(MemoryId memory) {
  Shared* const shared = shared_[index(memory)].get();
  if (shared != nullptr && --shared->halves == 0) give_back(*shared);
}

void Memories::give_back(Shared& shared) {
  if (shared.tensor != &shared.own) return;
  shared.tensor = nullptr;
  Tensor own = std::exchange(shared.own, Tensor());
  if (kept_ != nullptr) kept_->give(std::move(own));
}

Memories::~Memories() {
  for (const auto& shared : shared_)
    if (shared != nullptr) give_back(*shared);
}

}  // namespace tessera::graph

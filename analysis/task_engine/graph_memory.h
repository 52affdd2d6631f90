// What the nodes of a task graph work on: the memories of the devices that this process holds, and
// the moving of rectangles between them. Several workers use it at once: what they reach at the
// same time is disjoint, or only read, for the edges of the graph order the rest.
#pragma once
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/task_engine/elided_copies.h"
#include "analysis/task_engine/scratch_pool.h"
#include "analysis/task_graph/task_graph.h"
#include "core/data/tensor.h"
#include "interp/binding.h"

namespace tessera::graph {

// A rectangle of the source of a copy and the one where its elements land, in order.
struct CopyRegion {
  Box src{}, dst{};
};
// What a copy moves: one piece, or of a write-back those that were stored; none: nothing was.
std::vector<CopyRegion> copy_regions(const TaskGraph& graph, ActionId copy);
// Bytes of what a copy moves, and of all that a node of copies does: its message.
std::int64_t moved_bytes(const TaskGraph& graph, ActionId copy);
std::int64_t message_bytes(const TaskGraph& graph, NodeId node);

// Of which memory no node reads what another has written: scratch that one node alone reaches, or
// that each writes before it reads it. Every worker has it for himself.
Table<MemoryId, bool> private_memories(const TaskGraph& graph);

class GraphMemory;

// Is told of each side that is done, by the thread that did it, before anybody may change what it
// has written. NodeSides may be done at the same time.
class SideObserver {
 public:
  virtual void on_complete(SideId side, GraphMemory& memories) = 0;

 protected:
  ~SideObserver() = default;
};

class GraphMemory {
 public:
  // bindings: by device, results and operands by name; of devices that are not held they are not
  // looked at, and no memory is taken for those. held: by device; empty: all. kept: where scratch
  // comes from and goes to; null: it is new, and goes. They all live longer.
  GraphMemory(const TaskGraph& graph, const std::vector<Binding>& bindings,
              std::vector<bool> held = {}, ScratchPool* kept = nullptr);
  ~GraphMemory();
  // Of an engine with one worker: what the copies of `forwards` bring stays where it is. Before the
  // worker is made; nobody else moves bytes of such memory.
  void elide_copies(const ElidedCopies& forwards);
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  const TaskGraph& graph() const { return graph_; }
  bool is_local(int device) const {
    return local_devices_.empty() || local_devices_[static_cast<std::size_t>(device)];
  }
  // There are no bytes of it here.
  bool is_private(MemoryId memory) const { return private_[memory]; }
  // What is copied there stays where it comes from: there are no bytes of it here either.
  bool is_elided(MemoryId memory) const {
    return elided_copies_ != nullptr && elided_copies_->is_filled[memory];
  }
  // Such a copy is done.
  void complete_elided(ActionId copy);
  // The bytes of other memory; that of scratch is taken with the first call.
  Tensor& tensor(MemoryId memory);
  TileView view(MemoryId memory, const Box& box);

  // Of memory without a buffer: the bits of one number.
  std::int64_t scalar(MemoryId memory) const { return scalars_[index(memory)]; }
  void set_scalar(MemoryId memory, std::int64_t bits) { scalars_[index(memory)] = bits; }

  // Of a node of copies, whose memories are shared. read, write: its sides; the data between them
  // has message_bytes(), piece by piece, each row-major.
  void move(NodeId node);
  void read(NodeId node, std::byte* out);
  void write(NodeId node, const std::byte* in);
  // Where all of a message can be read from, or written to, without read() and write(): where it is
  // one rectangle of adjacent elements that is not added. Null: nowhere.
  std::byte* in_place(NodeId node, SideKind part);

  // Who is told of each side that is done; lives longer. Before the first.
  void set_observer(SideObserver* observer) { observer_ = observer; }
  // The side is done; memory of scratch goes when no side that reaches it is left.
  void release(SideId side);

 private:
  static std::size_t index(MemoryId memory) { return static_cast<std::size_t>(memory.index); }

  struct Shared {
    std::once_flag taken;
    Tensor own;                               // of scratch
    Tensor* tensor = nullptr;                 // or the caller's
    std::atomic<std::int64_t> open_sides{0};  // that are not done
  };

  void give_back(Shared& shared);
  void release(MemoryId memory);
  // The copy that has brought a rectangle of forwarded memory.
  const Action& source_copy(MemoryId memory, const Box& box) const;

  const TaskGraph& graph_;
  std::vector<bool> local_devices_;
  ScratchPool* const scratch_pool_;
  Table<MemoryId, bool> private_;
  std::vector<std::unique_ptr<Shared>> shared_;  // by memory; null: it is private or a number
  std::unique_ptr<std::atomic<std::int64_t>[]> scalars_;  // by memory
  SideObserver* observer_ = nullptr;
  const ElidedCopies* elided_copies_ = nullptr;
  std::map<MemoryId, std::vector<ActionId>> last_copies_;  // to forwarded memory, the last ones
};

// The elements of a view as others of the same type and number, row by row; adds: to those there.
void move_elements(const TileView& to, const TileView& from, bool adds);

}  // namespace tessera::graph

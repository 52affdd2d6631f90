// The memory of a task graph's devices that are in this process, and copies of rectangles between
// them. Workers may use it concurrently: the edges of the graph order conflicting accesses.
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

// A rectangle of a copy's source and the rectangle of its destination, with equal numbers of
// elements.
struct CopyRegion {
  Box src{}, dst{};
};
// Returns the regions that a copy moves: one region; for a write-back the stored ones, maybe none.
// copy: an action with Action::is_copy.
std::vector<CopyRegion> copy_regions(const TaskGraph& graph, ActionId copy);
// Return the number of bytes that a copy moves, and that all copies of a node move: the size of the
// node's message.
std::int64_t moved_bytes(const TaskGraph& graph, ActionId copy);
std::int64_t message_bytes(const TaskGraph& graph, NodeId node);

// Returns, by memory, true for memory that carries no data between nodes: scratch that no copy node
// accesses, and that only one node accesses or no node reads before it writes it. Each worker has
// its own copy.
Table<MemoryId, bool> private_memories(const TaskGraph& graph);

class GraphMemory;

// Observes the completion of sides.
class SideObserver {
 public:
  // Called by the thread that ran the side, before another side may overwrite its results. Calls
  // may be concurrent.
  virtual void on_complete(SideId side, GraphMemory& memories) = 0;

 protected:
  ~SideObserver() = default;
};

class GraphMemory {
 public:
  // bindings: all results and operands of each device by name; ignored for devices of other
  // processes. local_devices: one entry per device, true for devices of this process; empty: all.
  // scratch_pool: source of scratch memory; null: it is allocated and freed. The graph, the bound
  // tensors and the pool must outlive this object.
  GraphMemory(const TaskGraph& graph, const std::vector<Binding>& bindings,
              std::vector<bool> local_devices = {}, ScratchPool* scratch_pool = nullptr);
  ~GraphMemory();
  // Omits these copies: ops read the source instead. Only for engines with one worker; must be
  // called at most once, before the worker is created. No other code may copy bytes of such memory.
  // forwards: must outlive this object.
  void elide_copies(const ElidedCopies& forwards);
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  const TaskGraph& graph() const { return graph_; }
  bool is_local(int device) const {
    return local_devices_.empty() || local_devices_[static_cast<std::size_t>(device)];
  }
  // True for private_memories(), of which this object has no bytes.
  bool is_private(MemoryId memory) const { return private_[memory]; }
  // True if the copies to this memory are omitted, so this object has no bytes of it.
  bool is_elided(MemoryId memory) const {
    return elided_copies_ != nullptr && elided_copies_->is_filled[memory];
  }
  // Marks an omitted copy as complete; view() of its destination requires this.
  void complete_elided(ActionId copy);
  // Returns the tensor of memory of a local device that is not private, elided or a scalar. The
  // first call allocates scratch, and throws NoMemory if there is none; it stays valid until the
  // last side that accesses it is complete.
  Tensor& tensor(MemoryId memory);
  // Returns a view of a rectangle of such memory. For elided memory: a view of the source of the
  // last completed copy that contains the rectangle; a CHECK fails if there is none.
  TileView view(MemoryId memory, const Box& box);

  // The bits of a scalar, for memory without a buffer; 0 before they are set.
  std::int64_t scalar(MemoryId memory) const { return scalars_[index(memory)]; }
  void set_scalar(MemoryId memory, std::int64_t bits) { scalars_[index(memory)] = bits; }

  // Run the copies of a node, which must be a copy or gather: move() completely, read() only the
  // read side, to a message, and write() only the write side, from a message. The message has
  // message_bytes(), region by region, each row-major. None of them marks a side as complete.
  void move(NodeId node);
  void read(NodeId node, std::byte* out);
  void write(NodeId node, const std::byte* in);
  // Returns the address of the message in the memory of a side if it is one rectangle of adjacent
  // elements that is not added there, so read() or write() is not needed; else null. Stays valid
  // until the side is complete. part: `read` or `write`.
  std::byte* in_place(NodeId node, SideKind part);

  // Null: none; else it must outlive this object. Must be called before the first side runs.
  void set_observer(SideObserver* observer) { observer_ = observer; }
  // Marks a side as complete: calls the observer, then frees the scratch whose sides are all
  // complete. Must be called once per side. Thread-safe.
  void release(SideId side);

 private:
  static std::size_t index(MemoryId memory) { return static_cast<std::size_t>(memory.index); }

  struct Shared {
    std::once_flag taken;
    Tensor own;                               // scratch memory
    Tensor* tensor = nullptr;                 // operand, result or `own`
    std::atomic<std::int64_t> open_sides{0};  // not complete
  };

  void give_back(Shared& shared);
  void release(MemoryId memory);
  // Returns the omitted copy whose destination contains the rectangle.
  const Action& source_copy(MemoryId memory, const Box& box) const;

  const TaskGraph& graph_;
  std::vector<bool> local_devices_;
  ScratchPool* const scratch_pool_;
  Table<MemoryId, bool> private_;
  std::vector<std::unique_ptr<Shared>> shared_;           // by memory; null: private or a scalar
  std::unique_ptr<std::atomic<std::int64_t>[]> scalars_;  // by memory
  SideObserver* observer_ = nullptr;
  const ElidedCopies* elided_copies_ = nullptr;
  std::map<MemoryId, std::vector<ActionId>> last_copies_;  // omitted copies, by destination
};

// Copies the elements of a view to another one of the same type and size, in row-major order; adds:
// adds them.
void move_elements(const TileView& to, const TileView& from, bool adds);

}  // namespace tessera::graph

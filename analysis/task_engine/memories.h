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

#include "analysis/task_engine/forwards.h"
#include "analysis/task_engine/kept_scratch.h"
#include "analysis/task_graph/task_graph.h"
#include "core/data/tensor.h"
#include "interp/binding.h"

namespace tessera::graph {

// A rectangle of the source of a copy and the one where its elements land, in order.
struct Piece {
  Box from{}, to{};
};
// What a copy moves: one piece, or of a write-back those that were stored; none: nothing was.
std::vector<Piece> pieces(const TaskGraph& graph, ActionId copy);
// Bytes of what a copy moves, and of all that a node of copies does: its message.
std::int64_t moved_bytes(const TaskGraph& graph, ActionId copy);
std::int64_t message_bytes(const TaskGraph& graph, NodeId node);

// Of which memory no node reads what another has written: scratch that one node alone reaches, or
// that each writes before it reads it. Every worker has it for himself.
Table<MemoryId, bool> private_memories(const TaskGraph& graph);

class Memories;

// Is told of each half that is done, by the thread that did it, before anybody may change what it
// has written. Halves may be done at the same time.
class HalfObserver {
 public:
  virtual void done(HalfId half, Memories& memories) = 0;

 protected:
  ~HalfObserver() = default;
};

class Memories {
 public:
  // bindings: by device, results and operands by name; of devices that are not held they are not
  // looked at, and no memory is taken for those. held: by device; empty: all. kept: where scratch
  // comes from and goes to; null: it is new, and goes. They all live longer.
  Memories(const TaskGraph& graph, const std::vector<Binding>& bindings,
           std::vector<bool> held = {}, KeptScratch* kept = nullptr);
  ~Memories();
  // Of an engine with one worker: what the copies of `forwards` bring stays where it is. Before the
  // worker is made; nobody else moves bytes of such memory.
  void read_in_place(const Forwards& forwards);
  Memories(const Memories&) = delete;
  Memories& operator=(const Memories&) = delete;

  const TaskGraph& graph() const { return graph_; }
  bool is_held(int device) const {
    return held_.empty() || held_[static_cast<std::size_t>(device)];
  }
  // There are no bytes of it here.
  bool is_private(MemoryId memory) const { return private_[memory]; }
  // What is copied there stays where it comes from: there are no bytes of it here either.
  bool is_forwarded(MemoryId memory) const {
    return forwards_ != nullptr && forwards_->is_filled[memory];
  }
  // Such a copy is done.
  void forward(ActionId copy);
  // The bytes of other memory; that of scratch is taken with the first call.
  Tensor& tensor(MemoryId memory);
  TileView view(MemoryId memory, const Box& box);

  // Of memory without a buffer: the bits of one number.
  std::int64_t number(MemoryId memory) const { return numbers_[index(memory)]; }
  void set_number(MemoryId memory, std::int64_t bits) { numbers_[index(memory)] = bits; }

  // Of a node of copies, whose memories are shared. read, write: its halves; the data between them
  // has message_bytes(), piece by piece, each row-major.
  void move(NodeId node);
  void read(NodeId node, std::byte* out);
  void write(NodeId node, const std::byte* in);
  // Where all of a message can be read from, or written to, without read() and write(): where it is
  // one rectangle of adjacent elements that is not added. Null: nowhere.
  std::byte* in_place(NodeId node, Part part);

  // Who is told of each half that is done; lives longer. Before the first.
  void tell(HalfObserver* observer) { observer_ = observer; }
  // The half is done; memory of scratch goes when no half that reaches it is left.
  void leave(HalfId half);

 private:
  static std::size_t index(MemoryId memory) { return static_cast<std::size_t>(memory.index); }

  struct Shared {
    std::once_flag taken;
    Tensor own;                           // of scratch
    Tensor* tensor = nullptr;             // or the caller's
    std::atomic<std::int64_t> halves{0};  // that are not done
  };

  void give_back(Shared& shared);
  void leave(MemoryId memory);
  // The copy that has brought a rectangle of forwarded memory.
  const Action& bringer(MemoryId memory, const Box& box) const;

  const TaskGraph& graph_;
  std::vector<bool> held_;
  KeptScratch* const kept_;
  Table<MemoryId, bool> private_;
  std::vector<std::unique_ptr<Shared>> shared_;  // by memory; null: it is private or a number
  std::unique_ptr<std::atomic<std::int64_t>[]> numbers_;  // by memory
  HalfObserver* observer_ = nullptr;
  const Forwards* forwards_ = nullptr;
  std::map<MemoryId, std::vector<ActionId>> brought_;  // to forwarded memory, the last ones
};

// The elements of a view as others of the same type and number, row by row; adds: to those there.
void move_elements(const TileView& to, const TileView& from, bool adds);

}  // namespace tessera::graph

// Records a run, core by core, for splitting it into nodes: ops with their scalars, copies, and
// synchronisations of cores.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/task_graph/loaded_scalars.h"
#include "analysis/task_graph/task_graph.h"
#include "interp/memory/bounded_boxes.h"
#include "interp/observe/observer.h"

namespace tessera::graph {

// A cell of a semaphore, numbered in the order of first use.
struct GraphCell {
  SemaphoreId semaphore{};
  bool is_own = true;  // only copies within its core signal it, and only `wait` reads it
};
using GraphCellId = Id<GraphCell>;

// open, close: lifetime of a scoped object. wait: includes waits for a monotone count and reads of
// a semaphore. enter, leave: a pipeline that moves its blocks synchronously.
enum class ItemKind : std::uint8_t { action, start, wait, signal, open, close, enter, leave };

// The pipeline of an `enter` item.
struct Entry {
  StmtId pipeline{};      // in the structured program
  InstanceId instance{};  // the pipeline repeats a pattern: its instance
  PatternId pattern{};    // the pipeline is the first of this pattern
};
using EntryId = Id<Entry>;

struct Item {
  ItemKind kind = ItemKind::action;
  ObjectKind object_kind = ObjectKind::none;  // open, close
  ActionId action{};                          // action; start: the copy
  GraphCellId cell{};                         // wait; start: counts the arrival
  EntryId entry{};                            // enter
  ObjectId object{};                          // open, close
  std::int64_t step = 0;
  std::int64_t amount = 0;  // wait, start: counts or bytes
};

struct Log {
  Table<MemoryId, Memory> memories;
  Actions actions;
  ActionAccesses accesses;
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  Instances instances;
  Table<CoreIndex, GrownArray<Item>> items;
  Table<GraphCellId, GraphCell> cells;
  Table<EntryId, Entry, GrownArray<Entry>> entries;
  // Accesses to memory outside the pipeline, as the run reported them.
  Table<InstanceId, AccessList, GrownArray<AccessList>> reported;
  // Rectangles of results that the run wrote.
  std::map<MemoryId, BoundedBoxes> written;
};

// The values and buffers of an op that are recorded with each of its actions.
struct Needs {
  std::vector<ValueId> scalars, numbers;
  std::vector<BufferId> buffers;  // in the order of its slices
  std::size_t dimensions = 0;     // sum over all slices
};

class Recorder : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool is_full() const override;
  // Returns the action of the event that on() received last, which must access a buffer. None if
  // only control flow needs the access.
  ActionId action_of(const Event& event) const;
  const Log& log() const { return log_; }
  // Moves the log out of this object; call it once, after the run. Fails with
  // ErrorCode::unsupported if LoadedScalars rejects an op, or with too_many_actions().
  Expected<Log> take();
  const Topology& topology() const { return topology_; }
  const Program& program() const { return program_; }

 private:
  void on_region(const Event& event);
  void begin_pattern(const Event& event);
  void end_pattern(CoreIndex core);
  void reach(Pattern& pattern, CoreIndex core, MemoryId memory);
  InstanceId add_instance(const Event& event);
  void on_lifetime(const Event& event);
  void on_start(const Event& event);
  void on_copy(const Event& event);
  void on_core(const Event& event);
  void on_semaphore(const Event& event);
  // The current lifetime of a buffer. memory: set by the first access.
  struct Lifetime {
    std::int64_t number = 0;
    bool is_inner = false;  // Memory::is_inner
    MemoryId memory{};
  };
  // The last action of a core, and its step.
  struct Last {
    std::int64_t step = -1;
    ActionId action{};
  };
  MemoryId loaded(CoreIndex here, ValueId value);
  void begin_action(const Event& event);
  void add_touch(ActionId id, const MemoryAccess& access);
  void on_told(const Event& event);
  void note_written(const MemoryAccess& access);
  void set_ends(Action& action, const Rectangle& from, const Rectangle& to);
  void begin_move(const Event& event);
  const Needs& needs(StmtId statement);
  void need(Needs& needs, ValueId value) const;
  static std::int64_t flops(const AccessList& accesses);
  Item& add(CoreIndex core, ItemKind kind, const Event& event);
  CoreIndex core_index(const Event& event) const { return topology_.of(event.agent.issuer()); }
  MemoryId memory(CoreIndex core, BufferId buffer);
  Lifetime& lifetime(CoreIndex core, BufferId buffer);
  GraphCellId cell(CoreIndex core, SemaphoreId semaphore, std::int64_t cell);
  Box box(const Event& event, const Slice& slice) const;
  ActionId copy(const AgentId& agent) const {
    return copies_[topology_.of(agent.issuer())][static_cast<std::size_t>(agent.dma)];
  }

  Program program_;
  Topology topology_;
  Table<BufferId, bool> is_result_;
  bool writes_blocks_ = false;  // write-backs write the whole block
  bool moves_at_once_ = false;  // pipelines move their blocks synchronously (core/passes/at_once.h)
  std::optional<LoadedScalars> numbers_;
  Log log_;
  Table<StmtId, std::optional<Needs>> needs_;
  Table<CoreIndex, Table<BufferId, Lifetime>> lives_;  // indexed by the owner of the buffer
  Table<CoreIndex, Table<SemaphoreId, std::vector<GraphCellId>>> cells_;
  std::map<std::pair<CoreIndex, ValueId>, MemoryId> loaded_;  // scalars by their last load
  Table<CoreIndex, std::vector<ActionId>> copies_;            // started by the core
  Table<CoreIndex, Last> last_;
  Table<CoreIndex, bool> is_inside_;            // in a pipeline that moves its blocks synchronously
  std::map<std::int64_t, PatternId> patterns_;  // by Event::token
  PatternId seen_;                              // pattern whose first pipeline is running
  bool is_told_ = false;  // the events are the reported accesses of an instance
};

}  // namespace tessera::graph

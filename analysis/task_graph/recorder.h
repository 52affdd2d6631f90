// What a run does, core by core, as the nodes of a graph are cut from it: ops with their scalars,
// copies, and where a core synchronises.
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

// A cell of a semaphore, numbered as it is met.
struct GraphCell {
  SemaphoreId semaphore{};
  bool is_own = true;  // only copies within its core count on it, and it waits for nothing else
};
using GraphCellId = Id<GraphCell>;

// open, close: of the lifetime of a scoped object. wait: also for a monotone count, and for a look
// at one. enter, leave: of a pipeline whose blocks move at once.
enum class ItemKind : std::uint8_t { action, start, wait, signal, open, close, enter, leave };

// What a pipeline is entered with.
struct Entry {
  StmtId pipeline{};      // of the structured program
  InstanceId instance{};  // what follows is that
  PatternId pattern{};    // if this is its first pipeline
};
using EntryId = Id<Entry>;

struct Item {
  ItemKind kind = ItemKind::action;
  ObjectKind object_kind = ObjectKind::none;  // of open and close
  ActionId action{};                          // and of a start the copy
  GraphCellId cell{};       // of a wait; of a start the one that counts its arrival
  EntryId entry{};          // of enter
  ObjectId object{};        // of open and close
  std::int64_t step = 0;    // of the run
  std::int64_t amount = 0;  // counts or bytes, of a wait and a start
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

// What an op needs that is kept with it.
struct Needs {
  std::vector<ValueId> scalars, numbers;
  std::vector<BufferId> buffers;  // as its slices name them
  std::size_t dimensions = 0;     // of them all
};

class Recorder : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool is_full() const override;
  // What an event that reaches a buffer belongs to, after on(); none: it is for control alone.
  ActionId action_of(const Event& event) const;
  const Log& log() const { return log_; }
  // After the run. Nothing is left here.
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
  // The lifetime that a buffer has now; the memory once it has been reached.
  struct Lifetime {
    std::int64_t number = 0;
    bool is_inner = false;  // Memory::is_inner
    MemoryId memory{};
  };
  // What the core's last action was, and the step that it is.
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
  bool writes_blocks_ = false;  // a write-back takes the whole block
  bool moves_at_once_ = false;  // so do blocks of its pipelines (core/passes/at_once.h)
  std::optional<LoadedScalars> numbers_;
  Log log_;
  Table<StmtId, std::optional<Needs>> needs_;
  Table<CoreIndex, Table<BufferId, Lifetime>> lives_;  // at the buffers' homes
  Table<CoreIndex, Table<SemaphoreId, std::vector<GraphCellId>>> cells_;
  std::map<std::pair<CoreIndex, ValueId>, MemoryId> loaded_;  // numbers, as they were read last
  Table<CoreIndex, std::vector<ActionId>> copies_;            // that the core started
  Table<CoreIndex, Last> last_;
  Table<CoreIndex, bool> is_inside_;            // a pipeline whose blocks move at once
  std::map<std::int64_t, PatternId> patterns_;  // by Event::token
  PatternId seen_;                              // the pattern whose first pipeline runs
  bool is_told_ = false;                        // what comes is what an instance reaches
};

}  // namespace tessera::graph

// What a run does, core by core, as the nodes of a graph are cut from it: ops with their scalars,
// copies, and where a core synchronises.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "interp/graph/numbers.h"
#include "interp/graph/task_graph.h"
#include "interp/observe/observer.h"

namespace tessera::graph {

// A cell of a semaphore, numbered as it is met.
struct GraphCell {
  SemaphoreId semaphore{};
  bool is_own = true;  // only copies within its core count on it, and it waits for nothing else
};
using GraphCellId = Id<GraphCell>;

// open, close: of the life of a scoped object. wait: also for a monotone count, and for a look at
// one.
enum class ItemKind : std::uint8_t { action, start, wait, signal, open, close };

struct Item {
  ItemKind kind = ItemKind::action;
  std::int64_t step = 0;    // of the run
  ActionId action{};        // and of a start the copy
  GraphCellId cell{};       // of a wait; of a start the one that counts its arrival
  std::int64_t amount = 0;  // counts or bytes, of a wait and a start
  ObjectKind object_kind = ObjectKind::none;  // of open and close
  ObjectId object{};
};

struct Log {
  Table<MemoryId, Memory> memories;
  Table<ActionId, Action> actions;
  Table<ActionId, std::vector<Touch>> touches;
  Table<SiteId, std::vector<Item>> items;
  Table<GraphCellId, GraphCell> cells;
};

class Recorder : public Observer {
 public:
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool is_full() const override;
  // After the run. Nothing is left here.
  Expected<Log> take();
  const Topology& topology() const { return topology_; }
  const Program& program() const { return program_; }

 private:
  void on_life(const Event& event);
  void on_start(const Event& event);
  void on_copy(const Event& event);
  void on_core(const Event& event);
  void on_semaphore(const Event& event);
  void begin_action(const Event& event);
  void keep_scalars(const Event& event, Action& action);
  void keep_scalar(const Event& event, Action& action, ValueId value) const;
  std::int64_t flops(const std::vector<Touch>& touches) const;
  Item& add(SiteId site, ItemKind kind, const Event& event);
  SiteId site(const Event& event) const { return topology_.of(event.agent.issuer()); }
  MemoryId memory(SiteId site, BufferId buffer);
  MemoryId memory(const Memory& memory);
  GraphCellId cell(SiteId site, SemaphoreId semaphore, std::int64_t cell);
  Box box(const Event& event, const Slice& slice) const;
  ActionId copy(const AgentId& agent) const {
    return copies_[topology_.of(agent.issuer())][static_cast<std::size_t>(agent.dma)];
  }

  Program program_;
  Topology topology_;
  bool writes_blocks_ = false;  // a write-back takes the whole block
  std::optional<Numbers> numbers_;
  Log log_;
  std::map<Memory, MemoryId> memory_ids_;
  std::map<std::tuple<SiteId, SemaphoreId, std::int64_t>, GraphCellId> cell_ids_;
  std::map<std::pair<SiteId, BufferId>, std::int64_t> lives_;
  std::map<std::pair<SiteId, ValueId>, MemoryId> loaded_;  // numbers, as they were read last
  Table<SiteId, std::vector<ActionId>> copies_;            // that the core started
  Table<SiteId, std::pair<std::int64_t, ActionId>> last_;  // action, and the step that it is
};

}  // namespace tessera::graph

// Runs a task graph in any order of its halves, by the ops of the interpreter: each op on a core
// that has the scalars that the graph kept, and memory of the life that it names.
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "interp/exec/exec.h"
#include "interp/graph/task_graph.h"
#include "interp/launch.h"

namespace tessera::test {

class GraphExecutor {
 public:
  // launch: of the program that the graph is of; results go to its operands.
  GraphExecutor(const graph::TaskGraph& graph, KeptRun& launch) : graph_(graph), launch_(launch) {
    const std::vector<Binding> bindings = launch_.bindings();
    auto machine = launched(launch_.program, bindings, launch_.options);
    CHECK(machine);
    machine_ = *std::move(machine);
    for (const SiteId s : machine_->topology().core_ids())
      idle_.push_back(machine_->core_state(s).core.save());
    storages_.resize(graph.memories.size());
  }
  GraphExecutor(const GraphExecutor&) = delete;
  GraphExecutor& operator=(const GraphExecutor&) = delete;
  ~GraphExecutor() {
    in_flight_.clear();
    for (const auto& storage : storages_)
      if (storage != nullptr) storage->drop_aliases();
  }

  // False where an op has found something wrong.
  bool run(const std::vector<graph::HalfId>& order) {
    for (const graph::HalfId h : order) {
      const graph::Half& half = graph_.halves[h];
      for (const graph::ActionId a : graph_.nodes[half.node].actions) {
        const graph::Action& action = graph_.actions[a];
        if (!action.is_copy) {
          perform(action);
        } else {
          if (half.part != graph::Part::write) in_flight_[a] = read(action);
          if (half.part != graph::Part::read) land(action, in_flight_.at(a));
        }
        if (machine_->stopped()) return false;
      }
    }
    return true;
  }

 private:
  std::shared_ptr<Storage>& storage(graph::MemoryId m) {
    std::shared_ptr<Storage>& found = storages_[m];
    if (found != nullptr) return found;
    const graph::Memory& memory = graph_.memories[m];
    const Buffer& buffer = launch_.program.buffers[memory.buffer];
    if (!buffer.scoped) return found = machine_->core_state(memory.home).storages[memory.buffer];
    found = std::make_shared<Storage>(buffer, Checks::on, Contents::plain);
    found->allocate(buffer.place);
    return found;
  }

  void perform(const graph::Action& action) {
    CoreState& state = machine_->core_state(action.site);
    for (const graph::MemoryId m : action.memories)
      state.storages[graph_.memories[m].buffer] = storage(m);
    Core::Image image = idle_[static_cast<std::size_t>(action.site.index)];
    const auto set = [&](ValueId v, std::int64_t x) {
      image.registers[static_cast<std::size_t>(v.index)] = x;
    };
    for (const auto& scalar : action.scalars) set(scalar.first, scalar.second);
    for (const auto& number : action.numbers) set(number.first, numbers_.at(number.second));
    const Stmt& s = launch_.program.body[action.statement];
    image.statement = &s;
    state.core.restore(image);
    exec_table[s.op.index()](s.op, state.core);
    if (action.loads)
      numbers_[action.loads] = state.core.registers()[static_cast<std::size_t>(s.result.index)];
  }

  Snapshot read(const graph::Action& copy) {
    Storage& from = *storage(copy.from.memory);
    const bool carries = !storage(copy.to.memory)->is_idle();
    return copy.stored_only ? from.snapshot_stored(copy.from.box, carries)
                            : from.snapshot(copy.from.box, carries);
  }

  void land(const graph::Action& copy, const Snapshot& data) {
    Storage& to = *storage(copy.to.memory);
    const PlaceId place = launch_.program.place_of(copy.statement);
    if (copy.adds)
      to.land_add(copy.to.box, data, place);
    else if (copy.stored_only)
      to.land_stored(copy.to.box, data, place, machine_->topology().core(copy.site));
    else
      to.land(copy.to.box, data, place);
  }

  const graph::TaskGraph& graph_;
  KeptRun& launch_;
  std::unique_ptr<Machine> machine_;
  std::vector<Core::Image> idle_;  // by site
  Table<graph::MemoryId, std::shared_ptr<Storage>> storages_;
  std::map<graph::MemoryId, std::int64_t> numbers_;
  std::map<graph::ActionId, Snapshot> in_flight_;
};

}  // namespace tessera::test

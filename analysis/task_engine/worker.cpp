#include "analysis/task_engine/worker.h"

#include <utility>

#include "core/report/try.h"
#include "interp/exec/exec.h"

namespace tessera::graph {

Expected<std::unique_ptr<const WorkerConfig>> worker_config(const TaskGraph& graph, Math math) {
  auto made = std::make_unique<WorkerConfig>();
  made->code = TRY(compile(graph.program, std::nullopt));
  made->schedule = TRY(parse_schedule("eager"));
  made->options.machine.devices = graph.topology.devices;
  made->options.machine.cores = graph.topology.cores;
  made->options.math = math;
  made->options.checks.enabled = false;  // the checks of the planned run are valid here
  return std::unique_ptr<const WorkerConfig>(std::move(made));
}

Worker::Worker(GraphMemory& memories, const WorkerConfig& config)
    : memories_(memories),
      graph_(memories.graph()),
      machine_(graph_.program, config.options, config.schedule, config.code),
      images_(static_cast<std::size_t>(graph_.topology.count())),
      shared_(graph_.memories.size()) {
  for (const Buffer& buffer : graph_.program.buffers) {
    scratch_.add(std::make_shared<Storage>(buffer, Checks::off));
    scratch_.entries().back()->allocate(buffer.place);
  }
}

// Elided memory is not read any more, so its references to source memory are dropped.
Worker::~Worker() {
  for (const MemoryId m : shared_.ids())
    if (shared_[m] != nullptr && memories_.is_elided(m)) shared_[m]->drop_aliases();
}

// Returns the state of a core; creates it before the core's first op here.
Core::Image& Worker::image(CoreIndex core) {
  Core::Image& found = images_[core];
  CoreState& state = machine_.core_state(core);
  if (!state.storages.empty()) return found;
  found = state.core.save();
  for (const auto& own : scratch_) {
    state.storages.add(own);
    state.lives.add(0);
  }
  return found;
}

const std::shared_ptr<Storage>& Worker::storage(MemoryId memory) {
  const BufferId buffer = graph_.memories[memory].buffer;
  if (memories_.is_private(memory)) return scratch_[buffer];
  std::shared_ptr<Storage>& found = shared_[memory];
  if (found == nullptr && memories_.is_elided(memory)) {
    found = std::make_shared<Storage>(graph_.program.buffers[buffer], Checks::off);
    found->allocate(graph_.program.buffers[buffer].place);
  }
  if (found == nullptr)
    found = std::make_shared<Storage>(graph_.program.buffers[buffer], memories_.tensor(memory),
                                      Checks::off);
  return found;
}

bool Worker::run(NodeId node) {
  const Node& of = graph_.nodes[node];
  if (!of.copies()) return run(of.actions);
  const ActionId first = of.actions.front();
  if (memories_.is_elided(graph_.actions[first].to().memory)) {
    copy(first);
    memories_.complete_elided(first);
  } else {
    memories_.move(node);
  }
  return true;
}

bool Worker::run(std::span<const ActionId> actions) {
  for (const ActionId a : actions) {
    const Action& action = graph_.actions[a];
    if (action.is_copy)
      copy(a);
    else
      perform(action);
    if (machine_.stopped()) break;
    if (between_) between_();
  }
  // Scratch may still reference other memory that later nodes may write.
  for (const auto& own : scratch_) own->drop_aliases();
  return !machine_.stopped();
}

void Worker::perform(const Action& action) {
  const Stmt& s = graph_.program.body[action.statement];
  // Not needed: the graph contains the stored elements of each write-back.
  if (std::holds_alternative<Fresh>(s.op)) return;
  Core::Image& here = image(action.core);
  CoreState& state = machine_.core_state(action.core);
  for (const MemoryId m : action.memories) state.storages[graph_.memories[m].buffer] = storage(m);
  const auto set = [&](ValueId v, std::int64_t bits) {
    here.registers[static_cast<std::size_t>(v.index)] = bits;
  };
  for (const auto& scalar : action.scalars) set(scalar.first, scalar.second);
  for (const auto& number : action.loaded_scalars)
    set(number.first, memories_.scalar(number.second));
  here.statement = &s;
  state.core.restore(here);
  exec_table[s.op.index()](s.op, state.core);
  if (action.loads)
    memories_.set_scalar(action.loads,
                         state.core.registers()[static_cast<std::size_t>(s.result.index)]);
}

// Runs a copy within a node. A copy of a whole rectangle to private scratch is deferred until the
// source or the destination changes.
void Worker::copy(ActionId id) {
  const Action& action = graph_.actions[id];
  Storage &from = *storage(action.from().memory), &to = *storage(action.to().memory);
  const bool is_whole = !action.stored_only && !action.adds;
  if (is_whole && same_kept_sizes(action.from().box, action.to().box))
    return to.land(action.to().box, from.snapshot(action.from().box),
                   graph_.program.place_of(action.statement));
  for (const CopyRegion& region : copy_regions(graph_, id)) {
    const TileView into = action.adds ? to.update(region.dst) : to.write(region.dst);
    move_elements(into, from.read(region.src), action.adds);
  }
}

}  // namespace tessera::graph

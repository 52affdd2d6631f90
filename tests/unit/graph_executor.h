// Runs a task graph in a given order of its sides. Each device has its own memories, as in separate
// processes: devices only exchange messages.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "analysis/task_engine/worker.h"
#include "interp/launch.h"

namespace tessera::test {

class GraphExecutor {
 public:
  // launch: a launch of the graph's program. Results are written to its operands. Both must outlive
  // this object.
  GraphExecutor(const graph::TaskGraph& graph, KeptRun& launch)
      : graph_(graph), kit_(*graph::worker_config(graph, launch.options.math)) {
    const std::vector<Binding> all = launch.bindings();
    for (std::size_t d = 0; d < all.size(); ++d) {
      std::vector<Binding> own(all.size());
      own[d] = all[d];
      std::vector<bool> held(all.size(), false);
      held[d] = true;
      memories_.push_back(std::make_unique<graph::GraphMemory>(graph, own, held));
      workers_.push_back(std::make_unique<graph::Worker>(*memories_.back(), *kit_));
    }
  }

  void tell(graph::SideObserver* observer) {
    for (const auto& memories : memories_) memories->set_observer(observer);
  }

  // Returns false if an op reports a finding.
  bool run(const std::vector<graph::SideId>& order) {
    for (const graph::SideId h : order) {
      const graph::NodeSide& side = graph_.sides[h];
      const auto device = static_cast<std::size_t>(graph_.topology.device(graph_.owner(side)));
      graph::GraphMemory& memories = *memories_[device];
      std::vector<std::byte>& message = messages_[side.node];
      if (side.kind == graph::SideKind::whole) {
        if (!workers_[device]->run(side.node)) return false;
      } else if (side.kind == graph::SideKind::read) {
        message.resize(static_cast<std::size_t>(graph::message_bytes(graph_, side.node)));
        memories.read(side.node, message.data());
      } else {
        memories.write(side.node, message.data());
      }
      memories.release(h);
    }
    return true;
  }

 private:
  const graph::TaskGraph& graph_;
  std::unique_ptr<const graph::WorkerConfig> kit_;
  std::vector<std::unique_ptr<graph::GraphMemory>> memories_;  // by device
  std::vector<std::unique_ptr<graph::Worker>> workers_;
  std::map<graph::NodeId, std::vector<std::byte>> messages_;
};

}  // namespace tessera::test

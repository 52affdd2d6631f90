// Runs a task graph in any order of its halves, each device with memories of its own as processes
// have them: what goes between devices are messages alone.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "analysis/task_engine/worker.h"
#include "interp/launch.h"

namespace tessera::test {

class GraphExecutor {
 public:
  // launch: of the program that the graph is of; results go to its operands.
  GraphExecutor(const graph::TaskGraph& graph, KeptRun& launch)
      : graph_(graph), kit_(*graph::kit(graph, launch.options.math)) {
    const std::vector<Binding> all = launch.bindings();
    for (std::size_t d = 0; d < all.size(); ++d) {
      std::vector<Binding> own(all.size());
      own[d] = all[d];
      std::vector<bool> held(all.size(), false);
      held[d] = true;
      memories_.push_back(std::make_unique<graph::Memories>(graph, own, held));
      workers_.push_back(std::make_unique<graph::Worker>(*memories_.back(), *kit_));
    }
  }

  void tell(graph::HalfObserver* observer) {
    for (const auto& memories : memories_) memories->tell(observer);
  }

  // False where an op has found something wrong.
  bool run(const std::vector<graph::HalfId>& order) {
    for (const graph::HalfId h : order) {
      const graph::Half& half = graph_.halves[h];
      const auto device = static_cast<std::size_t>(graph_.topology.device(graph_.home(half)));
      graph::Memories& memories = *memories_[device];
      std::vector<std::byte>& message = messages_[half.node];
      if (half.part == graph::Part::whole) {
        if (!workers_[device]->run(half.node)) return false;
      } else if (half.part == graph::Part::read) {
        message.resize(static_cast<std::size_t>(graph::message_bytes(graph_, half.node)));
        memories.read(half.node, message.data());
      } else {
        memories.write(half.node, message.data());
      }
      memories.leave(h);
    }
    return true;
  }

 private:
  const graph::TaskGraph& graph_;
  std::unique_ptr<const graph::Kit> kit_;
  std::vector<std::unique_ptr<graph::Memories>> memories_;  // by device
  std::vector<std::unique_ptr<graph::Worker>> workers_;
  std::map<graph::NodeId, std::vector<std::byte>> messages_;
};

}  // namespace tessera::test

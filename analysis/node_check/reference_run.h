// The interpreter's own run of the program that a task graph is of, by the eager schedule and with
// arithmetic: what each node leaves there where others may see it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "analysis/node_check/image.h"
#include "analysis/node_check/run_match.h"
#include "analysis/running_error/error_run.h"
#include "analysis/task_graph/recorder.h"
#include "interp/binding.h"
#include "interp/machine/machine.h"

namespace tessera::graph {

// A rectangle that a node's op or copy wrote: where that stands, and who did it.
struct WriteEvent {
  ActionId action{};
  Rectangle at{};
  AgentId agent{};
  LoopIndices loops{};
};

class ReferenceRun final : private Observer, private Pausing {
 public:
  // Takes what a side has left, as soon as all of it is written. Another node may have changed
  // parts of it meanwhile; the images have what the side itself wrote.
  using Take = std::function<void(SideId side, Images images)>;

  // wanted: by side. The graph lives longer.
  ReferenceRun(const TaskGraph& graph, const Table<SideId, bool>& wanted, Take take);

  // Operands are only read; results go nowhere. errors: bounds what rounding may change; null:
  // images have no bounds. The findings of the run: after one it has not come to its end.
  Expected<std::vector<Finding>> run(const std::vector<Binding>& bindings, RunOptions options,
                                     running_error::ErrorRun* errors);
  // Of the sides that were wanted, in their order, also into memory that nobody else sees.
  const std::vector<WriteEvent>& writes() const { return writes_; }
  void keep_writes() { keeps_writes_ = true; }
  // The writes of all nodes to one memory, instead.
  void keep_writes_to(MemoryId memory) { watched_ = memory; }
  // The results at the end of the run, of all devices, that have a defined element. After run().
  const Images& results() const { return results_; }

 private:
  struct Pending {
    SideId side{};
    Rectangle at{};
    CoreIndex owner{};
  };

  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool before_step() override;
  void settle();
  void put(const Pending& write);
  void put(Image& image, const Pending& write);
  void take_results();
  bool is_seen(MemoryId memory) const {
    return graph_.memories[memory].buffer && !private_[memory];
  }

  const TaskGraph& graph_;
  const Table<MemoryId, bool> private_;
  Take take_;
  Table<SideId, std::vector<Rectangle>> outputs_;
  Table<SideId, std::int64_t> left_;  // writes that are still to come
  Table<ActionId, SideId> side_of_;
  Recorder recorder_;
  RunMatch match_;
  Machine* machine_ = nullptr;
  const running_error::ErrorRun* errors_ = nullptr;
  std::vector<Pending> pending_;  // of this step, whose values are there when it is over
  std::map<SideId, Images> open_;
  bool keeps_writes_ = false;
  MemoryId watched_{};
  std::vector<WriteEvent> writes_;
  Images results_;
};

}  // namespace tessera::graph

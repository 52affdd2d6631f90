// The interpreter's run of a task graph's program, with the eager schedule and with arithmetic. It
// provides the expected output of each node.
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

// A write by an action of a node: its rectangle, agent and loop indices.
struct WriteEvent {
  ActionId action{};
  Rectangle at{};
  AgentId agent{};
  LoopIndices loops{};
};

class ReferenceRun final : private Observer, private Pausing {
 public:
  // Receives the output of a side when its last write is done. Another node may have overwritten
  // parts of it by then; the images contain the values that the side wrote.
  using Take = std::function<void(SideId side, Images images)>;

  // wanted: true for each side whose output `take` receives. The graph must outlive this object.
  ReferenceRun(const TaskGraph& graph, const Table<SideId, bool>& wanted, Take take);

  // Runs the program; must be called only once. Operands are only read, and results are discarded.
  // options: the machine and the arithmetic; schedule, checks and observers are replaced. errors:
  // computes error bounds; null: images have no bounds. Returns the findings of the run; a run with
  // a finding ends early. Fails if the operands do not fit the program, if rounding may decide a
  // branch, if memory is missing, on a stop request, and with ErrorCode::runtime if the run has
  // other actions than the graph.
  Expected<std::vector<Finding>> run(const std::vector<Binding>& bindings, RunOptions options,
                                     running_error::ErrorRun* errors);
  // Recorded writes in the order of the run. Requires keep_writes() or keep_writes_to() before
  // run(); else empty.
  const std::vector<WriteEvent>& writes() const { return writes_; }
  // Records the writes of the wanted sides, including writes to private memory.
  void keep_writes() { keeps_writes_ = true; }
  // Records all writes to one memory instead, by any node.
  void keep_writes_to(MemoryId memory) { watched_ = memory; }
  // The results of all devices at the end of the run, without results that have no defined element.
  // Requires run().
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
  // settle: copies the values of the pending writes, and passes images that are complete. put:
  // copies the values of a write to its images. take_results: sets results_.
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
  Table<SideId, std::int64_t> left_;  // writes that are still missing
  Table<ActionId, SideId> side_of_;
  Recorder recorder_;
  RunMatch match_;
  Machine* machine_ = nullptr;
  const running_error::ErrorRun* errors_ = nullptr;
  std::vector<Pending> pending_;  // writes of the current step; their values are in memory after it
  std::map<SideId, Images> open_;
  bool keeps_writes_ = false;
  MemoryId watched_{};
  std::vector<WriteEvent> writes_;
  Images results_;
};

}  // namespace tessera::graph

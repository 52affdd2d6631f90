// A program that is planned once for its control inputs and run by threads.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/task_engine/tasks.h"
#include "devices/device.h"
#include "devices/planned_graphs.h"

namespace tessera {

class PlannedProgram final : public Executable {
 public:
  explicit PlannedProgram(const Program& structured) : graphs_(structured) {}

  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) override;
  std::vector<std::string> notes() const override;

 private:
  struct Plan {
    std::shared_ptr<const graph::TaskGraph> graph;
    std::int64_t smallest = 0;  // minimum work of a task
    std::vector<graph::Task> tasks;
    double seconds = 0;
  };
  Expected<std::shared_ptr<const Plan>> plan(const std::vector<DeviceBinding>& bindings,
                                             const RunOptions& options);

  PlannedGraphs graphs_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Plan> plan_;  // last plan
};

}  // namespace tessera

// A program that is planned once for its control inputs and run by threads.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/passes/purpose.h"
#include "devices/device.h"
#include "interp/certificate/points/judged_points.h"
#include "interp/engine/tasks.h"
#include "interp/graph/kept_graphs.h"
#include "interp/run_options.h"

namespace tessera {

class PlannedProgram final : public Executable {
 public:
  explicit PlannedProgram(const Program& structured)
      : structured_(without(structured, Purpose::show)), points_(structured_) {}

  Expected<DeviceReport> run(const std::vector<DeviceBinding>& bindings,
                             const DeviceOptions& options) override;
  std::vector<std::string> notes() const override;

 private:
  struct Plan {
    std::shared_ptr<const graph::TaskGraph> graph;
    std::int64_t smallest = 0;  // of its tasks
    std::vector<graph::Task> tasks;
    double seconds = 0;
  };
  Expected<std::shared_ptr<const Plan>> plan(const std::vector<DeviceBinding>& bindings,
                                             const RunOptions& options);

  const Program structured_;
  mutable std::mutex mutex_;  // of what follows
  std::optional<Program> expanded_;
  std::optional<graph::ProgramGraphs> graphs_;
  JudgedPoints points_;
  std::shared_ptr<const Plan> plan_;  // the last
};

}  // namespace tessera

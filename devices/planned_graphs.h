// Task graphs of one program, for the engines that run them. Each graph is planned for its control
// inputs, and cached.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/certificate/points/judged_points.h"
#include "analysis/task_graph/graph_cache.h"
#include "devices/device.h"
#include "interp/run_options.h"

namespace tessera {

// Thread-safe.
class PlannedGraphs {
 public:
  // Removes the statements of the program that only show values.
  explicit PlannedGraphs(const Program& structured);

  // Returns the graph of a call with these operands, from the cache if possible. options:
  // planning_options(). Fails if the program cannot be expanded or the operands do not fit it, or
  // like graph::task_graph(). May overwrite the results of `bindings`.
  Expected<std::shared_ptr<const graph::TaskGraph>> of(const std::vector<DeviceBinding>& bindings,
                                                       const RunOptions& options);
  // Returns the names of the operands that decide the program's actions. Fails if the program
  // cannot be expanded.
  Expected<std::vector<std::string>> control_inputs();

 private:
  Expected<void> prepare();

  const Program structured_;
  std::mutex mutex_;  // guards the members below
  std::optional<Program> expanded_;
  std::optional<graph::ProgramGraphs> graphs_;
  JudgedPoints points_;
};

// Returns the options of a run that matter for planning, without its observers; with the default
// profile if `given` has none. devices: number of devices.
Expected<RunOptions> planning_options(const DeviceOptions& given, std::size_t devices);

}  // namespace tessera

// A planned task graph on GPUs: code of the kernels, memory for scratch, and the CUDA graph. Can be
// launched repeatedly.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/graph/graph_plan.h"
#include "devices/cuda/runtime/device_graph.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/device.h"

namespace tessera::cuda {

class GraphInstance {
 public:
  // Compiles the kernels and allocates the memory. Distributes the simulated devices over
  // `contexts`, which must not be empty; devices with adjacent indices share a context. Fails like
  // compile_cached() and Kernel::make().
  static Expected<std::shared_ptr<GraphInstance>> make(GraphPlan plan,
                                                       std::vector<Context> contexts);
  ~GraphInstance();
  GraphInstance(const GraphInstance&) = delete;
  GraphInstance& operator=(const GraphInstance&) = delete;

  // Enqueues one run on a stream of the first context. operands: addresses of operands and results
  // for each simulated device, by buffer name. Nothing must be reset between runs. Runs are
  // executed in order, because they share the scratch memory. If the operands are not the same as
  // in the last launch, waits for that launch first. Fails with ErrorCode::invalid_value if an
  // operand has no address. Fails with ErrorCode::unsupported if the operands are not the same as
  // in the last launch, and either a launch was captured before or `stream` is under capture.
  Expected<void> launch(const std::vector<DeviceAddresses>& operands, void* stream);

  // Runs the steps in order, and waits for them. Calls `after` when a step is complete, before the
  // next step starts; an error of `after` ends the run. Fails with ErrorCode::unsupported if the
  // graph was captured.
  Expected<void> run_in_turn(const std::vector<DeviceAddresses>& operands,
                             const std::function<Expected<void>(std::size_t step)>& after);
  // Copies bytes of a memory, from byte `offset` on, at its address in the last run, to the host.
  // Requires a run. The memory must not be private to CTAs.
  Expected<void> read(graph::MemoryId memory, std::int64_t offset, std::span<std::byte> to) const;

  // True if a launch was captured. This object must then outlive all replays.
  bool is_captured() {
    const std::lock_guard lock(mutex_);
    return is_captured_;
  }
  const GraphPlan& plan() const { return plan_; }
  // Context that runs a simulated device.
  Context context_of(int device) const;
  const std::vector<std::string>& compiler_notes() const { return compiler_notes_; }

 private:
  // Data of one context, shared by its simulated devices.
  struct Place {
    Context context = nullptr;
    LoadedKernel kernel;
    std::uint64_t memories = 0;  // address table on the device, by memory
  };
  // Data of one simulated device. of_ctas: private memory of all CTAs.
  struct Own {
    std::size_t place = 0;
    std::uint64_t words = 0, scratch = 0, of_ctas = 0;
  };

  // Data of one product step.
  struct Product {
    std::size_t place = 0;
    std::shared_ptr<Kernel> kernel;
    std::unique_ptr<LaunchMemory> memory;
    std::uint64_t list = 0;
  };

  GraphInstance(GraphPlan plan) : plan_(std::move(plan)) {}
  Expected<void> load(const std::vector<Context>& contexts);
  Expected<void> allocate_all();
  Expected<void> put_addresses(const std::vector<DeviceAddresses>& operands);
  Expected<void> make_products();
  Expected<DeviceNode> product_node(const GraphStep& step) const;
  Expected<std::vector<DeviceNode>> nodes() const;

  GraphPlan plan_;
  std::vector<Place> places_;
  std::vector<Own> own_;  // by simulated device
  std::vector<Product> products_;
  std::vector<std::string> compiler_notes_;
  std::mutex mutex_;  // protects the following members
  std::vector<DeviceAddresses> operands_;
  std::vector<std::uint64_t> addresses_;  // by memory
  std::unique_ptr<DeviceGraph> graph_;
  Event last_{};              // recorded after the last launch outside a capture
  bool is_captured_ = false;  // a capture contains the graph and its addresses
};

}  // namespace tessera::cuda

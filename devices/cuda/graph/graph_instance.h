// A planned task graph on GPUs: the kernels' code, the memory that it needs beside operands and
// results, and the CUDA graph, ready to be launched again and again.
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
  // On the first of `contexts`, or on all: simulated devices with neighbouring numbers share one.
  static Expected<std::shared_ptr<GraphInstance>> make(GraphPlan plan,
                                                       std::vector<Context> contexts);
  ~GraphInstance();
  GraphInstance(const GraphInstance&) = delete;
  GraphInstance& operator=(const GraphInstance&) = delete;

  // Enqueues one run on operands and results of each simulated device, by the names of the
  // program's buffers, on a stream of the first context. Nothing has to be reset between runs; runs
  // follow each other, since they share the program's own memory. Once it was captured the operands
  // stay those that it was captured with; others are refused.
  Expected<void> launch(const std::vector<DeviceAddresses>& operands, void* stream);

  // The same, step after step: `after` is called when one is done and before the next begins.
  Expected<void> run_in_turn(const std::vector<DeviceAddresses>& operands,
                             const std::function<Expected<void>(std::size_t step)>& after);
  // Copies bytes of a memory that is no CTA's own, where it lies since the last launch.
  Expected<void> read(graph::MemoryId memory, std::int64_t offset, std::span<std::byte> to) const;

  // Whoever replays a capture of it needs it.
  bool is_captured() {
    const std::lock_guard lock(mutex_);
    return is_captured_;
  }
  const GraphPlan& plan() const { return plan_; }
  Context context_of(int device) const;
  const std::vector<std::string>& compiler_notes() const { return compiler_notes_; }

 private:
  // What a context has for all simulated devices that share it.
  struct Place {
    Context context = nullptr;
    LoadedKernel kernel;
    std::uint64_t memories = 0;  // the table of addresses, by memory
  };
  // What a simulated device has.
  struct Own {
    std::size_t place = 0;
    std::uint64_t words = 0, scratch = 0, of_ctas = 0;
  };

  // What a product's step has.
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
  std::mutex mutex_;  // of what follows
  std::vector<DeviceAddresses> operands_;
  std::vector<std::uint64_t> addresses_;  // by memory
  std::unique_ptr<DeviceGraph> graph_;
  Event last_{};              // behind the last launch that no capture took
  bool is_captured_ = false;  // some capture has the graph, and the addresses with it
};

}  // namespace tessera::cuda

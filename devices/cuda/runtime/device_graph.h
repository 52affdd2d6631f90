// A CUDA graph of kernels and copies on the GPUs of this process. The driver has all dependencies,
// so no node blocks a queue in front of a node that could run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {

struct KernelNode {
  LoadedKernel kernel;  // loaded in the context in which the node runs
  int ctas = 0, threads = 0, shared_bytes = 0;
  std::vector<std::byte> arguments;
};

// Copy between two addresses, on the same or on different GPUs, executed by the copy engines of the
// context's GPU.
struct CopyNode {
  Context context = nullptr;
  std::uint64_t to = 0, from = 0;
  std::size_t bytes = 0;
};

struct DeviceNode {
  std::variant<KernelNode, CopyNode> what;
  std::vector<std::size_t> before;  // indices of nodes that must complete first
};

class DeviceGraph {
 public:
  // Instantiates a graph of these nodes. Predecessors must precede a node in the list. All members,
  // including the destructor, require that the context of one of the nodes is current. They fail
  // with ErrorCode::environment if a call of the driver fails.
  static Expected<std::unique_ptr<DeviceGraph>> make(const std::vector<DeviceNode>& nodes);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  // Replaces the arguments and addresses of the same nodes, by a new instance if the driver cannot
  // update them in place. Must not be called while the graph runs.
  Expected<void> update(const std::vector<DeviceNode>& nodes);
  // Enqueues one run. If the stream is under capture, the graph becomes part of the captured graph.
  // A run starts after the previous run of the same graph has ended.
  Expected<void> launch(void* stream);

 private:
  DeviceGraph() = default;

  void* exec_ = nullptr;
};

// Returns contexts of at most `most` GPUs, at least one, that can access the memory of all others
// in the list, and enables this access. The first is the current context, or the primary context of
// device 0 if none is current. GPUs without such access are skipped. Requires driver_available().
Expected<std::vector<Context>> contexts_of(int most);

}  // namespace tessera::cuda

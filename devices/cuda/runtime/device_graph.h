// A CUDA graph over the GPUs of this process: kernels and copies, each behind those that have to be
// done before. The driver sees all of it, so nothing waits in a queue for what stands behind it.
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
  LoadedKernel kernel;  // of the context that it runs in
  int ctas = 0, threads = 0, shared_bytes = 0;
  std::vector<std::byte> arguments;
};

// Bytes from one address to another, of whichever GPU; done by the engines of the context's GPU.
struct CopyNode {
  Context context = nullptr;
  std::uint64_t to = 0, from = 0;
  std::size_t bytes = 0;
};

struct DeviceNode {
  std::variant<KernelNode, CopyNode> what;
  std::vector<std::size_t> before;  // nodes that stand in front of it
};

class DeviceGraph {
 public:
  // The current context is that of one of its nodes, also when it is destroyed.
  static Expected<std::unique_ptr<DeviceGraph>> make(const std::vector<DeviceNode>& nodes);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  // The same nodes with other addresses. Not while it runs.
  Expected<void> update(const std::vector<DeviceNode>& nodes);
  // Enqueues one run; where the stream is captured, the graph becomes a part of the capture's. One
  // run of a graph begins when the one before it has ended.
  Expected<void> launch(void* stream);

 private:
  DeviceGraph() = default;

  void* exec_ = nullptr;
};

// The contexts of so many GPUs, whose memory each of them reaches: the current one, else the
// primary one of device 0, is the first. Fewer where there are no more, or where some do not reach
// the others' memory.
Expected<std::vector<Context>> contexts_of(int most);

}  // namespace tessera::cuda

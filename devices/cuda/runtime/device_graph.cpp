#include "devices/cuda/runtime/device_graph.h"

#include <utility>

#include "core/report/try.h"
#include "devices/cuda/runtime/driver_calls.h"
#include "devices/cuda/runtime/graph_parameters.h"

namespace tessera::cuda {
namespace {

// A graph under construction, from which the executable graph is instantiated.
struct Template {
  void* graph = nullptr;
  Template() = default;
  Template(const Template&) = delete;
  Template& operator=(const Template&) = delete;
  ~Template() {
    if (graph != nullptr) driver().graph_destroy(graph);
  }
};

Expected<void*> add(void* graph, const KernelNode& kernel, const std::vector<void*>& before) {
  void* parameters[] = {const_cast<std::byte*>(kernel.arguments.data())};
  const KernelNodeParameters how{.function = kernel.kernel.function,
                                 .grid = {static_cast<unsigned>(kernel.ctas), 1, 1},
                                 .block = {static_cast<unsigned>(kernel.threads), 1, 1},
                                 .shared_bytes = static_cast<unsigned>(kernel.shared_bytes),
                                 .parameters = parameters};
  void* node = nullptr;
  TRY(outcome("cuGraphAddKernelNode",
              driver().graph_add_kernel(&node, graph, before.data(), before.size(), &how)));
  return node;
}

Expected<void*> add(void* graph, const CopyNode& copy, const std::vector<void*>& before) {
  const CopyParameters how{.from = {.memory = unified_memory, .device = copy.from},
                           .to = {.memory = unified_memory, .device = copy.to},
                           .width = copy.bytes,
                           .height = 1,
                           .depth = 1};
  void* node = nullptr;
  TRY(outcome("cuGraphAddMemcpyNode", driver().graph_add_copy(&node, graph, before.data(),
                                                              before.size(), &how, copy.context)));
  return node;
}

Expected<void> fill(Template& made, const std::vector<DeviceNode>& nodes) {
  TRY(outcome("cuGraphCreate", driver().graph_create(&made.graph, 0)));
  std::vector<void*> handles;
  for (const DeviceNode& node : nodes) {
    std::vector<void*> before;
    for (const std::size_t b : node.before) before.push_back(handles.at(b));
    handles.push_back(TRY(
        std::visit([&](const auto& what) { return add(made.graph, what, before); }, node.what)));
  }
  return {};
}

bool reaches(int from, int to) {
  int can = 0;
  return driver().can_access_peer(&can, from, to) == 0 && can != 0;
}

Expected<Context> primary(int device) {
  Context context = nullptr;
  TRY(outcome("cuDevicePrimaryCtxRetain", driver().retain_context(&context, device)));
  return context;
}

// Enables access to memory of context `to` for kernels and copies of context `from`.
Expected<void> enable(Context from, Context to) {
  constexpr int is_enabled = 704;  // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
  const ContextScope here(from);
  TRY(here.entered());
  const int result = driver().enable_peer(to, 0);
  return result == is_enabled ? Expected<void>() : outcome("cuCtxEnablePeerAccess", result);
}

}  // namespace

Expected<std::unique_ptr<DeviceGraph>> DeviceGraph::make(const std::vector<DeviceNode>& nodes) {
  Template made;
  TRY(fill(made, nodes));
  std::unique_ptr<DeviceGraph> graph(new DeviceGraph());
  TRY(outcome("cuGraphInstantiate", driver().graph_instantiate(&graph->exec_, made.graph, 0)));
  return graph;
}

DeviceGraph::~DeviceGraph() {
  if (exec_ != nullptr) driver().graph_exec_destroy(exec_);
}

Expected<void> DeviceGraph::update(const std::vector<DeviceNode>& nodes) {
  Template made;
  TRY(fill(made, nodes));
  UpdateResult result{};
  if (driver().graph_update(exec_, made.graph, &result) == 0) return {};
  // The driver cannot update this change in place, so the graph is instantiated again.
  void* exec = nullptr;
  TRY(outcome("cuGraphInstantiate", driver().graph_instantiate(&exec, made.graph, 0)));
  driver().graph_exec_destroy(std::exchange(exec_, exec));
  return {};
}

Expected<void> DeviceGraph::launch(void* stream) {
  return outcome("cuGraphLaunch", driver().graph_launch(exec_, stream));
}

Expected<std::vector<Context>> contexts_of(int most) {
  Context first = nullptr;
  TRY(use_device(first));
  std::vector<Context> contexts{first};
  std::vector<int> numbers{device_facts().device};
  for (const DeviceFacts& facts : driver().devices) {
    if (static_cast<int>(contexts.size()) >= most) break;
    if (facts.device == numbers.front() || !facts.refusal().empty()) continue;
    bool reach = true;
    for (const int other : numbers)
      reach = reach && reaches(other, facts.device) && reaches(facts.device, other);
    if (!reach) continue;
    const Context context = TRY(primary(facts.device));
    for (const Context other : contexts) {
      TRY(enable(other, context));
      TRY(enable(context, other));
    }
    contexts.push_back(context);
    numbers.push_back(facts.device);
  }
  return contexts;
}

}  // namespace tessera::cuda

// A driver without a GPU: two devices, contexts, and handles that belong to one context, as CUDA
// has them. What a driver would refuse is refused with its number. Kernels do not run; the memory
// is the host's. Loaded in libcuda.so.1's place, it shows what the host side asks of a driver.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "devices/cuda/runtime/graph_parameters.h"

namespace {

constexpr int ok = 0, invalid_value = 1, out_of_memory = 2, invalid_context = 201,
              invalid_handle = 400, not_found = 500, not_while_capturing = 900,
              implicit_while_capturing = 906;
constexpr int device_count = 2;

std::mutex guard;
char primary[device_count];                // contexts are their addresses
thread_local std::vector<void*> contexts;  // current: the last
std::map<void*, void*> owners;             // of modules, functions, events and memory: a context
std::vector<int> launches(device_count, 0);

void* current() { return contexts.empty() ? nullptr : contexts.back(); }

int device_of(void* context) { return static_cast<int>(static_cast<char*>(context) - primary); }

void* made() {
  void* handle = std::malloc(1);
  const std::scoped_lock lock(guard);
  owners[handle] = current();
  return handle;
}

int is_here(void* handle) {
  if (current() == nullptr) return invalid_context;
  const std::scoped_lock lock(guard);
  const auto found = owners.find(handle);
  return found != owners.end() && found->second == current() ? ok : invalid_handle;
}

// What the driver knows of a stream; the default one's handle is null.
struct Stream {
  unsigned long long id = 0;
  bool is_captured = false;
};
std::map<void*, Stream> streams = {{nullptr, {1, false}}};
unsigned long long last_stream = 1;
constexpr int global_mode = 0, relaxed_mode = 2;
thread_local int capture_mode = global_mode;

bool is_capturing() {
  return std::any_of(streams.begin(), streams.end(),
                     [](const auto& stream) { return stream.second.is_captured; });
}
// For what a graph cannot hold: allocations, and whatever waits.
int outside_of_captures() {
  const std::scoped_lock lock(guard);
  return is_capturing() && capture_mode != relaxed_mode ? not_while_capturing : ok;
}
// For what is enqueued: the stream is one, and the default one would join the capture.
int on_stream(void* stream) {
  if (current() == nullptr) return invalid_context;
  const std::scoped_lock lock(guard);
  if (streams.find(stream) == streams.end()) return invalid_handle;
  return stream == nullptr && is_capturing() ? implicit_while_capturing : ok;
}

// What a test asks: the streams that memory was read and set on, and what runs as a kernel.
std::vector<void*> used_streams;
void (*kernel)(void* stream, const void* arguments) = nullptr;

void use(void* stream) {
  const std::scoped_lock lock(guard);
  used_streams.push_back(stream);
}

// A graph's nodes, each behind those before it; of a kernel its parameter, of a copy what it moves.
struct GraphNode {
  void* context = nullptr;
  int ctas = 0;  // 0: a copy
  std::vector<char> arguments;
  char* to = nullptr;
  const char* from = nullptr;
  std::size_t bytes = 0;
  std::vector<std::size_t> before;
};
using Graph = std::vector<GraphNode>;

void (*graph_kernel)(const void* arguments, int ctas) = nullptr;
std::size_t graph_argument_bytes = 0;
std::minstd_rand graph_order;
bool has_peers = true, refuses_updates = false;

// A node's handle is its number, from 1 on.
int add_node(void** node, void* graph, void* const* before, std::size_t count, GraphNode made) {
  auto& nodes = *static_cast<Graph*>(graph);
  for (std::size_t b = 0; b < count; ++b) {
    const auto number = reinterpret_cast<std::size_t>(before[b]);
    if (number == 0 || number > nodes.size()) return invalid_value;
    made.before.push_back(number - 1);
  }
  nodes.push_back(std::move(made));
  *node = reinterpret_cast<void*>(nodes.size());
  return ok;
}

int with_context() { return current() == nullptr ? invalid_context : ok; }

}  // namespace

extern "C" {

int cuInit(unsigned) { return ok; }
int cuGetErrorName(int, const char** text) { return *text = "CUDA_ERROR_OF_THE_TEST", ok; }
int cuGetErrorString(int, const char** text) { return *text = "refused", ok; }
int cuDriverGetVersion(int* version) {
  const char* const chosen = std::getenv("FAKE_DRIVER_VERSION");
  return *version = chosen == nullptr ? 13000 : std::atoi(chosen), ok;
}
// The toolkit's compiler asks for it; there are no such tables here.
int cuGetExportTable(const void** table, const void*) { return *table = nullptr, not_found; }
int cuDeviceGetCount(int* count) { return *count = device_count, ok; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, ok; }
int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, device == 0 ? "first" : "second", static_cast<std::size_t>(size));
  return ok;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 16 ? 132 - device * 18 : attribute == 75 ? 9 : 0;
  return ok;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = std::size_t{1} << 36, ok; }
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = &primary[device], ok; }
int cuCtxSetCurrent(void* context) {
  if (!contexts.empty()) contexts.pop_back();
  if (context != nullptr) contexts.push_back(context);
  return ok;
}
int cuCtxGetCurrent(void** context) { return *context = current(), ok; }
int cuCtxPushCurrent_v2(void* context) {
  if (context == nullptr) return invalid_context;
  return contexts.push_back(context), ok;
}
int cuCtxPopCurrent_v2(void** context) {
  if (contexts.empty()) return invalid_context;
  *context = current();
  return contexts.pop_back(), ok;
}
int cuCtxGetDevice(int* device) {
  if (current() == nullptr) return invalid_context;
  return *device = device_of(current()), ok;
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (const int refused = with_context(); refused != ok) return refused;
  if (const int refused = outside_of_captures(); refused != ok) return refused;
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return out_of_memory;
  const std::scoped_lock lock(guard);
  owners[memory] = current();
  return *address = reinterpret_cast<std::uint64_t>(memory), ok;
}
int cuMemFree_v2(std::uint64_t address) {
  void* const memory = reinterpret_cast<void*>(address);
  if (const int refused = is_here(memory); refused != ok) return refused;
  const std::scoped_lock lock(guard);
  owners.erase(memory);
  return std::free(memory), ok;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  if (const int refused = with_context(); refused != ok) return refused;
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), ok;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  if (const int refused = on_stream(nullptr); refused != ok) return refused;
  use(nullptr);
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), ok;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  if (const int refused = on_stream(stream); refused != ok) return refused;
  use(stream);
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), ok;
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream) {
  if (const int refused = on_stream(stream); refused != ok) return refused;
  use(stream);
  return std::memset(reinterpret_cast<void*>(to), value, bytes), ok;
}
int cuStreamCreate(void** stream, unsigned) {
  if (const int refused = with_context(); refused != ok) return refused;
  *stream = made();
  const std::scoped_lock lock(guard);
  return streams[*stream] = {++last_stream, false}, ok;
}
int cuStreamDestroy_v2(void* stream) {
  const std::scoped_lock lock(guard);
  return streams.erase(stream) == 1 ? ok : invalid_handle;
}
int cuStreamSynchronize(void* stream) {
  if (const int refused = on_stream(stream); refused != ok) return refused;
  return outside_of_captures();
}
int cuStreamGetId(void* stream, unsigned long long* id) {
  const std::scoped_lock lock(guard);
  const auto found = streams.find(stream);
  if (found == streams.end()) return invalid_handle;
  if (found->second.is_captured) return not_while_capturing;  // seen of the driver 580.159
  return *id = found->second.id, ok;
}
int cuStreamIsCapturing(void* stream, int* status) {
  const std::scoped_lock lock(guard);
  const auto found = streams.find(stream);
  if (found == streams.end()) return invalid_handle;
  return *status = found->second.is_captured ? 1 : 0, ok;
}
int cuThreadExchangeStreamCaptureMode(int* mode) { return std::swap(*mode, capture_mode), ok; }
int cuModuleLoadData(void** module, const void*) {
  if (const int refused = with_context(); refused != ok) return refused;
  return *module = made(), ok;
}
int cuModuleGetFunction(void** function, void* module, const char*) {
  if (const int refused = is_here(module); refused != ok) return refused;
  return *function = made(), ok;
}
int cuFuncSetAttribute(void* function, int, int) { return is_here(function); }
int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void* stream, void** arguments, void**) {
  if (const int refused = is_here(function); refused != ok) return refused;
  if (const int refused = on_stream(stream); refused != ok) return refused;
  if (blocks > static_cast<unsigned>(132 - device_of(current()) * 18)) return invalid_value;
  if (kernel != nullptr) kernel(stream, arguments[0]);
  const std::scoped_lock lock(guard);
  return ++launches[static_cast<std::size_t>(device_of(current()))], ok;
}
int cuTensorMapEncodeTiled(void*, int, std::uint32_t, void*, const std::uint64_t*,
                           const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int,
                           int, int, int) {
  return with_context();
}
int cuEventCreate(void** event, unsigned) {
  if (const int refused = with_context(); refused != ok) return refused;
  return *event = made(), ok;
}
int cuEventDestroy_v2(void* event) { return is_here(event); }
int cuEventRecord(void* event, void*) { return is_here(event); }
int cuEventSynchronize(void* event) { return is_here(event); }
int cuEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 1, ok; }

// Whether a device reaches another one's memory; they all do, but where the test says otherwise.
int cuDeviceCanAccessPeer(int* can, int, int) { return *can = has_peers ? 1 : 0, ok; }
int cuCtxEnablePeerAccess(void* context, unsigned) {
  if (current() == nullptr || context == current()) return invalid_context;
  return ok;
}

int cuGraphCreate(void** graph, unsigned) { return *graph = new Graph, ok; }
int cuGraphDestroy(void* graph) { return delete static_cast<Graph*>(graph), ok; }
int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* before, std::size_t count,
                            const void* how) {
  const auto& given = *static_cast<const tessera::cuda::KernelNodeParameters*>(how);
  const std::scoped_lock lock(guard);
  const auto owner = owners.find(given.function);
  if (owner == owners.end()) return invalid_handle;
  GraphNode made;
  made.context = owner->second;
  made.ctas = static_cast<int>(given.grid[0]);
  const auto* const bytes = static_cast<const char*>(given.parameters[0]);
  made.arguments.assign(bytes, bytes + graph_argument_bytes);
  return add_node(node, graph, before, count, std::move(made));
}
int cuGraphAddMemcpyNode(void** node, void* graph, void* const* before, std::size_t count,
                         const void* how, void* context) {
  const auto& given = *static_cast<const tessera::cuda::CopyParameters*>(how);
  if (context == nullptr) return invalid_context;
  if (given.from.memory != 4 || given.to.memory != 4 || given.height != 1 || given.depth != 1)
    return invalid_value;
  GraphNode made;
  made.context = context;
  made.to = reinterpret_cast<char*>(given.to.device);
  made.from = reinterpret_cast<const char*>(given.from.device);
  made.bytes = given.width;
  const std::scoped_lock lock(guard);
  return add_node(node, graph, before, count, std::move(made));
}
int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  if (const int refused = with_context(); refused != ok) return refused;
  return *exec = new Graph(*static_cast<Graph*>(graph)), ok;
}
int cuGraphExecUpdate_v2(void* exec, void* graph, void*) {
  if (refuses_updates) return 910;  // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
  return *static_cast<Graph*>(exec) = *static_cast<Graph*>(graph), ok;
}
int cuGraphExecDestroy(void* exec) { return delete static_cast<Graph*>(exec), ok; }
// Each node at any time when those before it are done; a copy reads and writes at two of them.
int cuGraphLaunch(void* exec, void* stream) {
  if (const int refused = on_stream(stream); refused != ok) return refused;
  const Graph& graph = *static_cast<Graph*>(exec);
  std::vector<std::size_t> ready, missing;
  std::vector<std::vector<std::size_t>> after(graph.size());
  for (std::size_t n = 0; n < graph.size(); ++n) {
    missing.push_back(graph[n].before.size());
    for (const std::size_t before : graph[n].before) after[before].push_back(n);
    if (missing[n] == 0) ready.push_back(n);
  }
  std::vector<std::pair<std::size_t, std::vector<char>>> under_way;
  while (!ready.empty() || !under_way.empty()) {
    const std::size_t pick = graph_order() % (ready.size() + under_way.size());
    std::size_t node = 0;
    if (pick < ready.size()) {
      std::swap(ready[pick], ready.back());
      node = ready.back();
      ready.pop_back();
      const GraphNode& one = graph[node];
      if (one.ctas == 0) {
        under_way.emplace_back(node, std::vector<char>(one.from, one.from + one.bytes));
        continue;
      }
      if (graph_kernel != nullptr) graph_kernel(one.arguments.data(), one.ctas);
      ++launches[static_cast<std::size_t>(device_of(one.context))];
    } else {
      std::swap(under_way[pick - ready.size()], under_way.back());
      node = under_way.back().first;
      std::copy(under_way.back().second.begin(), under_way.back().second.end(), graph[node].to);
      under_way.pop_back();
    }
    for (const std::size_t next : after[node])
      if (--missing[next] == 0) ready.push_back(next);
  }
  return ok;
}

// What runs as a kernel of a graph, whose parameter has so many bytes; in which order nodes are
// done; what the driver refuses.
void fake_graph(void (*run)(const void* arguments, int ctas), std::size_t bytes, unsigned seed) {
  graph_kernel = run;
  graph_argument_bytes = bytes;
  graph_order.seed(seed);
}
void fake_refusals(bool peers, bool updates) { has_peers = !peers, refuses_updates = updates; }

// What a test asks and says: how many kernels a device was given; what runs when a kernel is
// launched; where a capture begins and ends; on which streams memory was read and set since this
// was last asked.
void fake_kernel(void (*run)(void* stream, const void* arguments)) { kernel = run; }
void fake_capture(void* stream, bool is_captured) { streams.at(stream).is_captured = is_captured; }
std::size_t fake_used_streams(void** used, std::size_t most) {
  const std::size_t count = std::min(used_streams.size(), most);
  std::copy_n(used_streams.begin(), count, used);
  used_streams.clear();
  return count;
}
int fake_launches(int device) { return launches[static_cast<std::size_t>(device)]; }
}

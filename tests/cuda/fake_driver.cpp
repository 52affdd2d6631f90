// A driver without a GPU: two devices, contexts, and handles that belong to one context, as CUDA
// has them. What a driver would refuse is refused with its number. Kernels do not run; the memory
// is the host's. Loaded in libcuda.so.1's place, it shows what the host side asks of a driver.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace {

constexpr int ok = 0, invalid_value = 1, invalid_context = 201, invalid_handle = 400,
              not_found = 500, not_while_capturing = 900, implicit_while_capturing = 906;
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

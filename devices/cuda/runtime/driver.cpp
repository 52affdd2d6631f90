#include "devices/cuda/runtime/driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/try.h"
#include "devices/cuda/runtime/driver_calls.h"

namespace tessera::cuda {

Driver::Driver() {
#define TESSERA_DRIVER(member, function, ...) library.find(member, #function);
#include "devices/cuda/runtime/symbols.def"
  support = probe();
}

std::string Driver::text(int result) const {
  const char *word = nullptr, *said = nullptr;
  if (error_name(result, &word) != 0 || word == nullptr) word = "unknown error";
  if (error_text(result, &said) != 0 || said == nullptr) said = "";
  return fmt::format("{} ({})", word, said);
}

Support Driver::probe() {
  if (!library || !library.problem().empty())
    return {false, fmt::format("no CUDA driver is found ({})", library.problem())};
  if (const int result = init(0); result != 0) return {false, "cuInit failed: " + text(result)};
  int count = 0;
  if (const int result = device_count(&count); result != 0)
    return {false, "cuDeviceGetCount failed: " + text(result)};
  if (count == 0) return {false, "the CUDA driver has no device"};
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    if (const int result = device_get(&device, ordinal); result != 0)
      return {false, "cuDeviceGet failed: " + text(result)};
    devices.push_back(facts_of(device));
  }
  if (std::string reason = devices.front().refusal(); !reason.empty())
    return {false, std::move(reason)};
  if (const int result = retain_context(&context, devices.front().device); result != 0)
    return {false, "cuDevicePrimaryCtxRetain failed: " + text(result)};
  return {};
}

DeviceFacts Driver::facts_of(int device) const {
  DeviceFacts facts{.device = device};
  char name[256] = {};
  device_name(name, sizeof name, device);
  facts.name = name;
  device_attribute(&facts.multiprocessors, 16,
                   device);                    // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
  device_attribute(&facts.major, 75, device);  // .._COMPUTE_CAPABILITY_MAJOR
  device_attribute(&facts.minor, 76, device);  // .._COMPUTE_CAPABILITY_MINOR
  device_memory(&facts.memory, device);
  driver_version(&facts.driver);
  return facts;
}

Driver& driver() {
  static Driver loaded;
  return loaded;
}

Expected<void> outcome(const char* call, int result) {
  if (result == 0) return {};
  return error(ErrorCode::environment, fmt::format("{} failed: {}", call, driver().text(result)));
}

namespace {

int tensor_type(DType dtype) {  // CUtensorMapDataType
  switch (dtype) {
    case DType::f16:
      return 6;
    case DType::f32:
      return 7;
    case DType::bf16:
      return 9;
    default:
      return 0;  // unsigned bytes
  }
}

}  // namespace

Support driver_available() { return driver().support; }

const DeviceFacts& device_facts() {
  static const DeviceFacts none;
  const Driver& here = driver();
  if (here.devices.empty()) return none;
  int device = 0;
  if (Context current = nullptr;
      here.get_context(&current) == 0 && current != nullptr && here.context_device(&device) == 0) {
    for (const DeviceFacts& facts : here.devices)
      if (facts.device == device) return facts;
  }
  return here.devices.front();
}

std::string DeviceFacts::refusal() const {
  if (major >= 8) return {};
  return fmt::format("{} has compute capability {}.{}; the CUDA kernels are for 8.0 and newer",
                     name, major, minor);
}

int driver_version() {
  static const int version = [] {
    SharedLibrary library({"libcuda.so.1"}, SharedLibrary::From::machine);
    int (*ask)(int*) = nullptr;
    library.find(ask, "cuDriverGetVersion");
    int found = 0;
    return ask != nullptr && ask(&found) == 0 ? found : 0;
  }();
  return version;
}

std::string device_text() {
  const DeviceFacts& facts = device_facts();
  if (facts.name.empty()) return "no GPU";
  return fmt::format("{}, driver {}.{}", facts.name, facts.driver / 1000, facts.driver % 1000 / 10);
}

Expected<void> use_device(Context& context) {
  if (driver().get_context(&context) == 0 && context != nullptr) return {};  // the caller's context
  context = driver().context;
  return outcome("cuCtxSetCurrent", driver().set_context(context));
}

ContextScope::ContextScope(Context context)
    : entered_(outcome("cuCtxPushCurrent", driver().push_context(context))) {}

ContextScope::~ContextScope() {
  Context left = nullptr;
  if (entered_) driver().pop_context(&left);
}

Expected<void> allocate(std::uint64_t& address, std::size_t bytes) {
  return outcome("cuMemAlloc", driver().mem_alloc(&address, std::max<std::size_t>(bytes, 16)));
}
void release(std::uint64_t address) { driver().mem_free(address); }
Expected<void> to_device(std::uint64_t to, const void* from, std::size_t bytes) {
  if (bytes == 0) return {};
  return outcome("cuMemcpyHtoD", driver().copy_to_device(to, from, bytes));
}
Expected<void> to_host(void* to, std::uint64_t from, std::size_t bytes) {
  if (bytes == 0) return {};
  return outcome("cuMemcpyDtoH", driver().copy_to_host(to, from, bytes));
}
Expected<void> set_bytes(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream) {
  if (bytes == 0) return {};
  return outcome("cuMemsetD8Async", driver().set_async(to, value, bytes, stream));
}
Expected<void> synchronise(void* stream) {
  return outcome("cuStreamSynchronize", driver().stream_sync(stream));
}

Expected<void> set_to_zero(std::uint64_t to, std::size_t bytes) {
  constexpr unsigned non_blocking = 1;  // CU_STREAM_NON_BLOCKING: ignores the default stream
  void* stream = nullptr;
  TRY(outcome("cuStreamCreate", driver().stream_create(&stream, non_blocking)));
  Expected<void> written = set_bytes(to, 0, bytes, stream);
  if (written) written = synchronise(stream);
  driver().stream_destroy(stream);
  return written;
}
Expected<void> read_after(void* stream, void* to, std::uint64_t from, std::size_t bytes) {
  TRY(outcome("cuMemcpyDtoHAsync", driver().copy_to_host_async(to, from, bytes, stream)));
  return synchronise(stream);
}

Expected<std::uint64_t> stream_id(void* stream) {
  unsigned long long id = 0;
  TRY(outcome("cuStreamGetId", driver().stream_id(stream, &id)));
  return std::uint64_t{id};
}
Expected<bool> is_capturing(void* stream) {
  int status = 0;  // CU_STREAM_CAPTURE_STATUS_NONE
  TRY(outcome("cuStreamIsCapturing", driver().stream_is_capturing(stream, &status)));
  return status != 0;
}

RelaxedCapture::RelaxedCapture() : before_(2) {  // CU_STREAM_CAPTURE_MODE_RELAXED
  driver().exchange_capture_mode(&before_);
}
RelaxedCapture::~RelaxedCapture() { driver().exchange_capture_mode(&before_); }

Expected<void> encode_map(EncodedMap& map, const MapPlan& plan, DType dtype, std::uint64_t address,
                          const std::vector<std::uint64_t>& stride) {
  // An operand without elements is never copied, but its map must be valid.
  std::vector<std::uint64_t> extent;
  std::vector<std::uint32_t> box, step;
  for (std::size_t d = 0; d < plan.extent.size(); ++d) {
    extent.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(plan.extent[d], 1)));
    box.push_back(static_cast<std::uint32_t>(plan.box[d]));
    step.push_back(1);
  }
  alignas(64) EncodedMap encoded{};
  constexpr int no_interleave = 0, swizzle_128b = 3, promote_256b = 3, zeros_outside = 0;
  const int result = driver().encode_tiled(
      encoded.data(), tensor_type(dtype), static_cast<std::uint32_t>(extent.size()),
      reinterpret_cast<void*>(address), extent.data(), stride.data(), box.data(), step.data(),
      no_interleave, swizzle_128b, promote_256b, zeros_outside);
  map = encoded;
  return outcome("cuTensorMapEncodeTiled", result);
}

Expected<void> load_kernel(LoadedKernel& kernel, const std::string& cubin, const std::string& entry,
                           int shared_bytes) {
  TRY(outcome("cuModuleLoadData", driver().module_load(&kernel.module, cubin.data())));
  TRY(outcome("cuModuleGetFunction",
              driver().module_function(&kernel.function, kernel.module, entry.c_str())));
  constexpr int max_dynamic_shared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  return outcome("cuFuncSetAttribute",
                 driver().function_attribute(kernel.function, max_dynamic_shared, shared_bytes));
}

Expected<void> launch(const LoadedKernel& kernel, int blocks, int threads, int shared_bytes,
                      void* stream, const std::vector<std::byte>& arguments) {
  void* parameters[] = {const_cast<std::byte*>(arguments.data())};
  return outcome(
      "cuLaunchKernel",
      driver().launch_kernel(kernel.function, static_cast<unsigned>(blocks), 1, 1,
                             static_cast<unsigned>(threads), 1, 1,
                             static_cast<unsigned>(shared_bytes), stream, parameters, nullptr));
}

Expected<void> create_event(Event& event) {
  return outcome("cuEventCreate", driver().event_create(&event.handle, 0));
}
void destroy_event(const Event& event) { driver().event_destroy(event.handle); }
Expected<void> record(Event& event, void* stream) {
  return outcome("cuEventRecord", driver().event_record(event.handle, stream));
}
Expected<void> wait_for(const Event& event) {
  return outcome("cuEventSynchronize", driver().event_sync(event.handle));
}
Expected<void> elapsed_seconds(double& seconds, Event& begin, Event& end) {
  TRY(outcome("cuEventSynchronize", driver().event_sync(end.handle)));
  float milliseconds = 0;
  TRY(outcome("cuEventElapsedTime", driver().event_time(&milliseconds, begin.handle, end.handle)));
  seconds = static_cast<double>(milliseconds) * 1e-3;
  return {};
}

}  // namespace tessera::cuda

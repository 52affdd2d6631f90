// The CUDA driver, looked up when the program runs: what launching a kernel takes of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/runtime/arguments.h"
#include "devices/device.h"

namespace tessera::cuda {

// Whether there is a driver with a device that the kernels run on (compute capability 8.0 and
// newer; the fast ones are for 9.0); the reason when not.
Support driver_available();

struct DeviceFacts {
  int device = 0;  // CUdevice
  std::string name;
  int multiprocessors = 0;
  int major = 0, minor = 0;
  std::size_t memory = 0;  // bytes
  int driver = 0;          // the newest CUDA that the driver knows: 13000 is 13.0

  // The fast kernels are code for exactly this capability.
  bool has_fast_kernels() const { return major == 9 && minor == 0; }
  // Why no kernel runs there; empty where they do.
  std::string refusal() const;
};
// Of the device that this thread uses: that of its current context, else device 0. All zero without
// one.
const DeviceFacts& device_facts();
// The newest CUDA that the driver knows, as in DeviceFacts; 0 without a driver. Starts nothing.
int driver_version();
// "NVIDIA H200, driver 13.0": what a time was measured on.
std::string device_text();

// What follows calls the driver: where that fails, the error is ErrorCode::environment and names
// the driver's function. Streams are CUstream; null is the default one.

// A CUcontext: modules, memory and events are of the one that was current when they were made.
using Context = void*;
// The current context of this thread; where it has none, the primary one of device 0 becomes it.
Expected<void> use_device(Context& context);

// Makes a context current in this thread for the length of a scope.
class ContextScope {
 public:
  explicit ContextScope(Context context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  // Whether it is current, or why not.
  const Expected<void>& entered() const { return entered_; }

 private:
  Expected<void> entered_;
};

Expected<void> allocate(std::uint64_t& address, std::size_t bytes);
// Frees it. Says nothing of failure: it is for destructors, which have nobody to tell.
void release(std::uint64_t address);
Expected<void> to_device(std::uint64_t to, const void* from, std::size_t bytes);
Expected<void> to_host(void* to, std::uint64_t from, std::size_t bytes);
Expected<void> set_bytes(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream);
Expected<void> synchronise(void* stream);
// Zeros, written when this returns; by a stream of its own, so that it waits for no other.
Expected<void> set_to_zero(std::uint64_t to, std::size_t bytes);
// What lies there when all is done that was enqueued on the stream before; waits for it.
Expected<void> read_after(void* stream, void* to, std::uint64_t from, std::size_t bytes);

// A number that no other stream of the process has or had.
Expected<std::uint64_t> stream_id(void* stream);
// What is enqueued on the stream becomes a graph.
Expected<bool> is_capturing(void* stream);

// While another stream of this thread is captured, the driver refuses what a graph cannot hold,
// memory among it. This allows it for the length of a scope: none of it is meant for the graph.
class RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int before_;
};

// A tensor map of an operand at `address` (cuTensorMapEncodeTiled): 128-byte swizzle, zeros
// outside. `stride`: arguments.h's strides_of.
Expected<void> encode_map(EncodedMap& map, const MapPlan& plan, DType dtype, std::uint64_t address,
                          const std::vector<std::uint64_t>& stride);

struct LoadedKernel {
  void* module = nullptr;
  void* function = nullptr;
};
// Machine code into the current context, with leave to use `shared_bytes` of shared memory.
Expected<void> load_kernel(LoadedKernel& kernel, const std::string& cubin, const std::string& entry,
                           int shared_bytes);
Expected<void> launch(const LoadedKernel& kernel, int blocks, int threads, int shared_bytes,
                      void* stream, const std::vector<std::byte>& arguments);

// Events, for times on the device.
struct Event {
  void* handle = nullptr;
};
Expected<void> create_event(Event& event);
// Says nothing of failure, as release.
void destroy_event(const Event& event);
Expected<void> record(Event& event, void* stream);
// Until all is done that was enqueued before the event was recorded; at once where it never was.
Expected<void> wait_for(const Event& event);
Expected<void> elapsed_seconds(double& seconds, Event& begin, Event& end);

}  // namespace tessera::cuda

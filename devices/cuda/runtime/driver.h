// The functions of the CUDA driver that kernel launches need, loaded at run time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/runtime/arguments.h"
#include "devices/device.h"

namespace tessera::cuda {

// Returns ok if there is a driver and device 0 runs the kernels (compute capability 8.0 and newer;
// 9.0 for the fast kernels); else the reason. The first call initialises the driver; later calls
// return the same result.
Support driver_available();

struct DeviceFacts {
  int device = 0;  // CUdevice
  std::string name;
  int multiprocessors = 0;
  int major = 0, minor = 0;
  std::size_t memory = 0;  // bytes
  int driver = 0;          // newest CUDA version that the driver supports: 13000 is 13.0

  // True for the only capability that the fast kernels are compiled for.
  bool has_fast_kernels() const { return major == 9 && minor == 0; }
  // Reason why no kernel runs on the device; empty if kernels run.
  std::string refusal() const;
};
// Facts about the device of this thread's current context, or about device 0 if no context is
// current. Empty name and all zero without a device. Initialises the driver. The reference stays
// valid.
const DeviceFacts& device_facts();
// Newest CUDA version that the driver supports, as in DeviceFacts; 0 without a driver. Does not
// initialise the driver.
int driver_version();
// Device and driver, as a label for measured times: "NVIDIA H200, driver 13.0"; "no GPU" without a
// device.
std::string device_text();

// The following functions call the driver. They require driver_available(), and all except
// use_device() and ContextScope require a current context. They fail with ErrorCode::environment
// and the name of the driver's function if the call fails. Streams are CUstream; null: the default
// stream.

// A CUcontext. Modules, memory and events belong to the context that was current at their creation.
using Context = void*;
// Output: the current context of this thread. If there is none, makes the primary context of device
// 0 current.
Expected<void> use_device(Context& context);

// Makes a context current in this thread during a scope.
class ContextScope {
 public:
  explicit ContextScope(Context context);
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  // The error if the context could not be made current.
  const Expected<void>& entered() const { return entered_; }

 private:
  Expected<void> entered_;
};

// Allocates memory in the current context, at least 16 bytes. Output: its address.
Expected<void> allocate(std::uint64_t& address, std::size_t bytes);
// Frees the memory. Ignores failures, because destructors call it and cannot report them.
void release(std::uint64_t address);
// Copy between host and device. The host memory may be reused or read afterwards.
Expected<void> to_device(std::uint64_t to, const void* from, std::size_t bytes);
Expected<void> to_host(void* to, std::uint64_t from, std::size_t bytes);
// Enqueues a write of `value` to each byte.
Expected<void> set_bytes(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream);
// Waits for all work enqueued on the stream.
Expected<void> synchronise(void* stream);
// Sets bytes to 0; synchronous. Uses a stream of its own, so it does not wait for other streams.
Expected<void> set_to_zero(std::uint64_t to, std::size_t bytes);
// Reads the memory after all work enqueued on the stream before; waits for that work.
Expected<void> read_after(void* stream, void* to, std::uint64_t from, std::size_t bytes);

// Returns the unique id of a stream: no other stream of the process has or had it. The stream must
// not be under capture: the call would end it.
Expected<std::uint64_t> stream_id(void* stream);
// True if the stream is under capture: enqueued work becomes a graph.
Expected<bool> is_capturing(void* stream);

// Allows calls during a scope that the driver rejects while another stream of this thread is
// captured, for example memory allocation. These calls do not become part of the graph.
class RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int before_;
};

// Output: the tensor map of an operand at `address` (cuTensorMapEncodeTiled), with 128-byte swizzle
// and zeros out of bounds. stride: result of strides_of (arguments.h).
Expected<void> encode_map(EncodedMap& map, const MapPlan& plan, DType dtype, std::uint64_t address,
                          const std::vector<std::uint64_t>& stride);

struct LoadedKernel {
  void* module = nullptr;
  void* function = nullptr;
};
// Loads machine code into the current context and allows it `shared_bytes` of dynamic shared
// memory. The code is never unloaded. Output: the kernel. entry: name of the kernel in the code.
Expected<void> load_kernel(LoadedKernel& kernel, const std::string& cubin, const std::string& entry,
                           int shared_bytes);
// Enqueues one run of the kernel. blocks: number of CTAs; threads: per CTA; arguments: bytes of the
// kernel's parameter, copied by the call.
Expected<void> launch(const LoadedKernel& kernel, int blocks, int threads, int shared_bytes,
                      void* stream, const std::vector<std::byte>& arguments);

// Event for times measured on the device.
struct Event {
  void* handle = nullptr;
};
Expected<void> create_event(Event& event);
// Ignores failures, like release().
void destroy_event(const Event& event);
Expected<void> record(Event& event, void* stream);
// Waits for the work that was enqueued before the event was recorded; returns immediately if it was
// never recorded.
Expected<void> wait_for(const Event& event);
// Waits for `end`. Output: the seconds between the two events, which must be recorded.
Expected<void> elapsed_seconds(double& seconds, Event& begin, Event& end);

}  // namespace tessera::cuda

// A compiled kernel, for programs whose data is already in device memory. A launch neither copies
// operands nor waits, and can be captured into a CUDA graph. The kernel belongs to the context that
// was current when it was created, or to the primary context of device 0 if there was none. Any
// thread may launch, check and destroy it.
// Launches on different streams may run concurrently, and so may replays of graphs with different
// captured launches. Each stream and each captured launch has its own scratch memory, tile counters
// and error word, which live as long as the kernel.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "devices/cuda/lower/lower.h"
#include "devices/cuda/runtime/device_graph.h"
#include "devices/cuda/runtime/driver.h"
#include "devices/cuda/runtime/launch_memory.h"
#include "devices/device.h"

namespace tessera::cuda {

class Kernel {
 public:
  // Lowers (general.h), compiles (or reads the cache) and loads a program. Programs that differ
  // only in sizes share the code. Fails with ErrorCode::unsupported if the program has no such
  // kernel, with ErrorCode::environment if the compiler or the GPU is not available, and like
  // compile_cached().
  static Expected<std::shared_ptr<Kernel>> make(const Program& program,
                                                const PrepareOptions& how = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Enqueues one run on `stream` (a CUstream; null: the default stream). Addresses must be
  // multiples of 16 bytes. Fails like check_operands and check_pitches (arguments.h). Allocates
  // memory at each captured launch, and at the first launch on each stream, except for the first
  // launch of the kernel.
  Expected<void> launch(const DeviceOperands& operands, void* stream, const Pitches& pitches = {});
  // Returns a finding of the launches on `stream`, or of replays of launches captured from it,
  // since the last call; nullopt if there is none. Further findings are returned by the next calls.
  // Fails with ErrorCode::invalid_value if a requirement of the program is violated. Waits for this
  // stream only. The stream must not be under capture.
  Expected<std::optional<Finding>> finding(void* stream);
  // Like finding(stream), for all streams. The caller must synchronise them first.
  Expected<std::optional<Finding>> finding();
  // Like finding(stream) and finding(), but a finding is an error (ErrorCode::runtime).
  Expected<void> check(void* stream);
  Expected<void> check();

  // For graphs built node by node. node_memory: allocates the memory of one node, which must
  // outlive the graph's runs. node: returns the launch parameters of a node with this memory; fails
  // like check_operands. finding() does not read this memory.
  Expected<std::unique_ptr<LaunchMemory>> node_memory() const;
  Expected<KernelNode> node(const LaunchMemory& memory, const DeviceOperands& operands) const;

  const LoweredKernel& plan() const { return plan_; }
  Context context() const { return context_; }
  // Why a cache entry was rejected, and defects of the compiled code (compiler.h).
  const std::vector<std::string>& compiler_notes() const { return compiler_notes_; }

 private:
  Kernel() = default;

  // State of one stream or of one captured launch.
  struct Slot {
    void* handle = nullptr;
    std::uint64_t stream = 0;  // stream_id(); a later stream may reuse the handle
    bool is_captured = false;  // no id then: cuStreamGetId would end the capture
    bool is_of(void* asked, std::uint64_t id) const {
      return is_captured ? handle == asked : stream == id;
    }
    std::unique_ptr<LaunchMemory> memory;
    // Operands of the last launch, and its encoded arguments, which are reused if the operands did
    // not change.
    DeviceOperands operands;
    Pitches pitches;
    std::vector<std::byte> arguments;
  };

  Expected<void> lay_out(const DeviceFacts& facts);
  Expected<Slot*> slot_of(void* stream);
  Expected<std::vector<std::byte>> arguments_of(const LaunchMemory& memory,
                                                const DeviceOperands& operands,
                                                const Pitches& pitches) const;
  Expected<std::vector<const LaunchMemory*>> memories(std::optional<void*> stream);
  Expected<std::optional<Finding>> finding_in(const LaunchMemory& memory, void* stream) const;

  Program program_;
  LoweredKernel plan_;
  Context context_ = nullptr;
  LoadedKernel loaded_;
  std::vector<std::string> compiler_notes_;
  int ctas_ = 0, shared_bytes_ = 0;
  LaunchMemory::Sizes sizes_;
  std::mutex mutex_;  // protects the following members
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<LaunchMemory> spare_;  // for the first launch, which therefore allocates nothing
};

}  // namespace tessera::cuda

// A kernel that is ready to launch on memory of the device: for programs whose data is there
// already. Nothing is copied and nothing is waited for; a launch can be captured into a CUDA graph.
// It belongs to the context that was current when it was made, else to the primary one of device 0;
// any thread may launch, check and destroy it. Launches on different streams, and replays of graphs
// that different launches were captured into, may run at the same time: each stream and each
// captured launch has scratch memory, tile counters and an error word of its own, for as long as
// the kernel lives.
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
  // Lowers (general.h), compiles (or finds in the cache) and loads. Programs that differ in sizes
  // alone share the code. ErrorCode::unsupported where there is no such kernel.
  static Expected<std::shared_ptr<Kernel>> make(const Program& program,
                                                const PrepareOptions& how = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Enqueues one run on `stream` (a CUstream; null: the default one). Addresses are multiples of
  // 16 bytes. The first launch on a second stream, and each captured one, allocates memory.
  Expected<void> launch(const DeviceOperands& operands, void* stream, const Pitches& pitches = {});
  // What the launches on `stream`, and the replays of those captured from it, found wrong with
  // their operands since it was last asked; ErrorCode::invalid_value for what the program requires.
  // Waits for the stream and touches no other. Not while it is captured.
  Expected<std::optional<Finding>> finding(void* stream);
  // The same of all streams, which the caller has synchronised.
  Expected<std::optional<Finding>> finding();
  // The same; a finding is an error, too.
  Expected<void> check(void* stream);
  Expected<void> check();

  // For graphs that are made node by node: memory of one node, and what it is launched with.
  Expected<std::unique_ptr<LaunchMemory>> node_memory() const;
  Expected<KernelNode> node(const LaunchMemory& memory, const DeviceOperands& operands) const;

  const LoweredKernel& plan() const { return plan_; }
  Context context() const { return context_; }
  // Why what the cache holds of it was not used, and what the compiler did badly (compiler.h).
  const std::vector<std::string>& compiler_notes() const { return compiler_notes_; }

 private:
  Kernel() = default;

  // A stream, or one captured launch, and what it uses.
  struct Slot {
    void* handle = nullptr;    // the stream's
    std::uint64_t stream = 0;  // stream_id(), which tells it from a later one with its handle
    bool is_captured = false;  // then it has no id: asking for it would end the capture
    bool is_of(void* asked, std::uint64_t id) const {
      return is_captured ? handle == asked : stream == id;
    }
    std::unique_ptr<LaunchMemory> memory;
    // Of the last launch: its argument is used again when nothing moved.
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
  std::mutex mutex_;  // of what follows
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<LaunchMemory> spare_;  // for the first launch, so that it allocates nothing
};

}  // namespace tessera::cuda

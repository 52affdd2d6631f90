// A kernel that is ready to launch on memory of the device: for programs whose data is there
// already. Nothing is copied and nothing is waited for; a launch can be captured into a CUDA graph.
// It belongs to the context that was current when it was made, else to the primary one of device 0;
// any thread may launch, check and destroy it. Launches of one kernel share its scratch memory, its
// counter of tiles and its error word: they are enqueued by one thread at a time and run one after
// the other, on one stream or on streams that wait for each other.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "devices/cuda/lower/lower.h"
#include "devices/cuda/runtime/driver.h"
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
  // 16 bytes.
  Problem launch(const DeviceOperands& operands, void* stream, const Pitches& pitches = {});
  // After the stream was synchronised: what the kernel found wrong with its operands;
  // ErrorCode::invalid_value for what the program requires.
  Expected<std::optional<Finding>> finding();
  // The same, a finding being an error, too.
  Problem check();

  const LoweredKernel& plan() const { return plan_; }
  Context context() const { return context_; }
  // Why what the cache holds of it was not used, and what the compiler did badly (compiler.h).
  const std::vector<std::string>& compiler_notes() const { return compiler_notes_; }

 private:
  Kernel() = default;

  Program program_;
  LoweredKernel plan_;
  Context context_ = nullptr;
  LoadedKernel loaded_;
  std::vector<std::string> compiler_notes_;
  int blocks_ = 0, shared_bytes_ = 0;
  std::uint64_t error_ = 0, arrays_ = 0, tiles_ = 0;
  Pitches pitches_;
  DeviceOperands bound_;  // of the last launch: its argument is used again when nothing moved
  std::vector<std::byte> arguments_;
};

}  // namespace tessera::cuda

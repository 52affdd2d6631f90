// NVRTC: a kernel's source to machine code of sm_90a, with the log that says what became of it.
#pragma once
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/lower/lower.h"
#include "devices/device.h"

namespace tessera::cuda {

struct CompiledKernel {
  std::string cubin;
  std::string log;         // the compiler's and the assembler's, with registers and spills
  double seconds = 0;      // 0: from the cache
  double cpu_seconds = 0;  // of this thread; wall time also counts what else the machine does
  bool cached = false;
  std::vector<std::string>
      notes;  // why what the cache holds was not used; what this compiler did badly
};

// Whether there is a compiler here; the reason when not.
Support compiler_available();
// Whether what it makes can be loaded by the driver here, where there is one.
Support compiler_fits_driver();
// "NVRTC 13.0"; empty without one.
std::string compiler_version();
// The version, and what tells two builds of one version apart.
std::string compiler_build();
std::vector<std::string> compiler_flags(const LoweredKernel& kernel);
// Compiles in this process. A failure is ErrorCode::runtime with the log in a note; no compiler is
// ErrorCode::environment.
Expected<CompiledKernel> compile(const LoweredKernel& kernel);
// The same through the disk cache (cache.h).
Expected<CompiledKernel> compile_cached(const LoweredKernel& kernel);

}  // namespace tessera::cuda

// Compiles kernel source to machine code with NVRTC.
#pragma once
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "devices/cuda/lower/lower.h"
#include "devices/device.h"

namespace tessera::cuda {

struct CompiledKernel {
  std::string cubin;       // machine code
  std::string log;         // output of the compiler and the assembler, with registers and spills
  double seconds = 0;      // wall time; 0: from the cache
  double cpu_seconds = 0;  // CPU time of this thread, independent of the machine's load; 0: cached
  bool cached = false;
  std::vector<std::string>
      notes;  // why a cache entry was rejected, and defects of the compiled code
};

// Returns ok if NVRTC is found, else the reason.
Support compiler_available();
// Returns ok if the installed driver can load code of this compiler, or if there is no driver; else
// the reason.
Support compiler_fits_driver();
// Returns the name and version of the compiler, for example "NVRTC 13.0"; empty without a compiler.
std::string compiler_version();
// Returns the version and the id of the library build, empty without a compiler. The id
// distinguishes two builds of one version.
std::string compiler_build();
// Returns the options of NVRTC for the kernel's architecture.
std::vector<std::string> compiler_flags(const LoweredKernel& kernel);
// Compiles in this process. Fails with ErrorCode::runtime, and the log in a note, if the
// compilation fails, and with ErrorCode::environment without a compiler.
Expected<CompiledKernel> compile(const LoweredKernel& kernel);
// Like compile(), but returns the kernel from the disk cache (cache.h) if it is there, and adds it
// otherwise; a failed write is ignored. The notes report a rejected entry and slow code.
Expected<CompiledKernel> compile_cached(const LoweredKernel& kernel);

}  // namespace tessera::cuda

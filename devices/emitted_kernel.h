// A kernel as the source that a device compiles, for inspection.
#pragma once  // public
#include <cstdint>
#include <string>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

// A text that a source includes.
struct IncludedText {
  std::string name;  // name in the include directive
  std::string text;  // contents
};

// Result of compiling a source.
struct CompilerReport {
  std::string compiler;                 // name and version
  double seconds = 0;                   // duration of the compilation
  std::int64_t machine_code_bytes = 0;  // size of the result
  int registers = 0;                    // per thread
  int spill_bytes = 0;                  // stored and loaded, in all functions
  std::string log;                      // output of the compiler
};

// A lowered kernel.
class EmittedKernel {
 public:
  virtual ~EmittedKernel() = default;
  std::string summary;                 // description of the plan
  std::string source;                  // source without the included texts
  std::vector<IncludedText> includes;  // in the order of their names
  // Compiles the source on this machine. Fails with ErrorCode::environment without a compiler,
  // and with ErrorCode::runtime and the compiler's log in a note if the compilation fails.
  virtual Expected<CompilerReport> compile() const = 0;
};

}  // namespace tessera

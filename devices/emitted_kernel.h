// A kernel as the source that a device compiles, for whoever wants to read it.
#pragma once  // public
#include <cstdint>
#include <string>
#include <vector>

#include "core/report/expected.h"

namespace tessera {

// A text that a source includes.
struct IncludedText {
  std::string name;  // as the source includes it
  std::string text;  // what it has
};

// What the device's compiler made of a source.
struct CompilerReport {
  std::string compiler;                 // with its version
  double seconds = 0;                   // that it took
  std::int64_t machine_code_bytes = 0;  // of the result
  int registers = 0;                    // of a thread
  int spill_bytes = 0;                  // stored and loaded, of all functions
  std::string log;                      // its own words
};

// A lowered kernel.
class EmittedKernel {
 public:
  virtual ~EmittedKernel() = default;
  std::string summary;                 // the plan in words
  std::string source;                  // of the kernel alone
  std::vector<IncludedText> includes;  // in the order of their names
  // Compiles the source here. ErrorCode::environment without a compiler.
  virtual Expected<CompilerReport> compile() const = 0;
};

}  // namespace tessera

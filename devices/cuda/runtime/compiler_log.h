// Figures from the assembler's log, by which a kernel is checked without a GPU.
#pragma once
#include <string>
#include <vector>

namespace tessera::cuda {

struct CompilerFigures {
  bool found = false;                                      // true if the log has a register count
  int registers = 0, barriers = 0;                         // max over all functions
  int stack_bytes = 0, spill_stores = 0, spill_loads = 0;  // bytes, sums over all functions
  std::vector<std::string>
      warnings;  // serialised matrix instructions, ignored register hints, errors
};

// Number of named barriers in the fast templates: all threads, all consumers, and one for each of
// two consumers.
inline constexpr int named_barriers = 4;

// Parses CompiledKernel::log.
CompilerFigures read_log(const std::string& log);
// Returns the reason to reject a kernel with this number of threads per CTA and named barriers, for
// example a warning, spills or too many registers; empty if there is none.
std::string objection(const CompilerFigures& figures, int threads, int named_barriers);

}  // namespace tessera::cuda

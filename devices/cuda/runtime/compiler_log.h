// What the assembler's log says of a kernel: the figures by which it is judged without a GPU.
#pragma once
#include <string>
#include <vector>

namespace tessera::cuda {

struct CompilerFigures {
  bool found = false;  // the log has figures at all
  int registers = 0, barriers = 0;
  int stack_bytes = 0, spill_stores = 0, spill_loads = 0;  // of all functions together
  std::vector<std::string>
      warnings;  // serialised matrix instructions, ignored register hints, errors
};

// Of the fast templates: all threads, all consumers, and one for each of two consumers.
inline constexpr int named_barriers = 4;

CompilerFigures read_log(const std::string& log);
// Why a kernel of so many threads and named barriers must not pass; empty when it may.
std::string objection(const CompilerFigures& figures, int threads, int named_barriers);

}  // namespace tessera::cuda

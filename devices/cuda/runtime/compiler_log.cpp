#include "devices/cuda/runtime/compiler_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace tessera::cuda {

CompilerFigures read_log(const std::string& log) {
  static const std::regex spills(
      R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)");
  static const std::regex used(R"(Used (\d+) registers(?:, used (\d+) barriers)?)");
  // C75xx and C76xx: messages of the assembler on wgmma and setmaxnreg (serialised, ignored, or too
  // few registers).
  static const std::regex warning(
      R"(\(C7[56]\d\d\)|Potential Performance Loss|is injected in|ptxas (fatal|error)|: (error|warning))");
  CompilerFigures figures;
  std::istringstream lines(log);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, spills)) {
      figures.stack_bytes += std::stoi(match[1]);
      figures.spill_stores += std::stoi(match[2]);
      figures.spill_loads += std::stoi(match[3]);
    }
    if (std::regex_search(line, match, used)) {
      figures.found = true;
      figures.registers = std::max(figures.registers, std::stoi(match[1]));
      if (match[2].matched) figures.barriers = std::max(figures.barriers, std::stoi(match[2]));
    }
    if (std::regex_search(line, warning)) figures.warnings.push_back(line);
  }
  return figures;
}

std::string objection(const CompilerFigures& figures, int threads, int named_barriers) {
  if (!figures.warnings.empty()) return figures.warnings.front();
  if (!figures.found) return "the log has no register count";
  if (figures.stack_bytes + figures.spill_stores + figures.spill_loads > 0) {
    return fmt::format("{} bytes of stack, {} of spill stores, {} of spill loads",
                       figures.stack_bytes, figures.spill_stores, figures.spill_loads);
  }
  const int limit = std::min(255, 65536 / threads / 8 * 8);
  if (figures.registers > limit)
    return fmt::format("{} registers, more than {}", figures.registers, limit);
  if (figures.barriers > named_barriers) {
    return fmt::format(
        "{} barriers are used, and {} are named: the number of a barrier is in a register",
        figures.barriers, named_barriers);
  }
  return "";
}

}  // namespace tessera::cuda

// Command lines for tests that check a property on all programs.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tests/source_dir.h"
#include "tests/unit/graph_lines.h"

namespace tessera::test {

// Returns the small calls of the shipped kernels, and all programs of tests/suite and tests/points,
// correct and incorrect ones.
inline std::vector<std::string> shipped_calls() {
  std::vector<std::string> all;
  const auto add = [&](const std::string& folder, const std::string& begin, bool names_file) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(source_dir() + folder))
      for (const std::string& run : lines_behind(file.path(), begin))
        all.push_back((names_file ? file.path().string() : "") + run);
  };
  add("/kernels/programs", "// small call: ", false);
  add("/tests/suite", "// RUN: verify", true);
  add("/tests/points", "// RUN: verify", true);
  return all;
}

}  // namespace tessera::test

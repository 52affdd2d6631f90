// Returns the lines of a file that begin with `begin`, without this prefix.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tessera::test {

inline std::vector<std::string> lines_behind(const std::filesystem::path& file,
                                             const std::string& begin) {
  std::ifstream in(file);
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(begin)) found.push_back(line.substr(begin.size()));
  return found;
}

}  // namespace tessera::test

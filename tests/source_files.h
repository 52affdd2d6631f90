// The project's own C++ and CUDA sources, for tests of the sources themselves.
#pragma once
#include <string>
#include <vector>

namespace tessera::test {

// Paths from the root, sorted; hidden folders and build/ are no sources.
std::vector<std::string> source_files();

}  // namespace tessera::test

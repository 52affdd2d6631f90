// List of the project's C++ and CUDA sources, for tests that check the sources.
#pragma once
#include <string>
#include <vector>

namespace tessera::test {

// Returns paths from the root, sorted, without hidden folders and build/.
std::vector<std::string> source_files();

}  // namespace tessera::test

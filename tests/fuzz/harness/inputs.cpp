#include "tests/fuzz/harness/inputs.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tessera::fuzz {

int run_inputs(int argc, char** argv, OneInput* one_input, Initialize* initialize) {
  namespace fs = std::filesystem;
  std::vector<fs::path> inputs;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      inputs.push_back(fs::absolute(argv[i]));
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(argv[i]))
      inputs.push_back(fs::absolute(entry.path()));
  }
  std::sort(inputs.begin(), inputs.end());
  if (initialize != nullptr) initialize(&argc, &argv);
  for (const fs::path& input : inputs) {
    std::ifstream file(input, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      std::fprintf(stderr, "%s cannot be read\n", input.c_str());
      return 3;
    }
    // Where the harness ends the process, the last line names the input.
    std::fprintf(stderr, "%s\n", input.c_str());
    one_input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::fprintf(stderr, "%zu inputs\n", inputs.size());
  return inputs.empty() ? 2 : 0;
}

}  // namespace tessera::fuzz

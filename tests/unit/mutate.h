// Random damage to a file's header, and the memory cost of reading it.
#pragma once
#include <fstream>
#include <random>
#include <sstream>
#include <string>

namespace tessera {

// Returns `bytes` with one to three small changes in the first `header` bytes: flipped bits, random
// bytes, inserted numbers, and removed or repeated substrings.
inline std::string mutate(std::string bytes, std::size_t header, std::mt19937& random) {
  static const char* const texts[] = {"-1",    "0",    "99999999999", "9223372036854775807",
                                      "1e400", "null", "{",           "[[",
                                      "\"",    "\xFF", "'",           "True"};
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    const std::size_t at = below(std::min(header, bytes.size()));
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        bytes.replace(at, below(4), texts[below(std::size(texts))]);
        break;
      case 3:
        bytes.erase(at, 1 + below(8));
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(16)));
        break;
    }
    if (bytes.empty()) bytes.push_back('x');
  }
  return bytes;
}

// Returns the peak virtual memory size of this process, in MiB.
inline std::int64_t peak_address_space() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::int64_t kib = 0;
    if (word == "VmPeak:" && status >> kib) return kib / 1024;
  }
  return 0;
}

}  // namespace tessera

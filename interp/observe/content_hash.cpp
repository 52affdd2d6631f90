#include "interp/observe/content_hash.h"

#include <algorithm>
#include <cstring>

namespace tessera {

std::uint64_t text_hash(const std::string& text) {
  ContentHash hash;
  for (const char c : text) hash.mix(static_cast<unsigned char>(c));
  return hash.value();
}

std::uint64_t code_hash(const std::string& program) {
  std::size_t at = 0;
  while (program.compare(at, 2, "//") == 0) at = program.find('\n', at) + 1;
  return text_hash(program.substr(at));
}

std::uint64_t bytes_hash(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.mix(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    hash.mix(word);
  }
  return hash.value();
}

}  // namespace tessera

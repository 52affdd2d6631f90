// Hashes of texts and contents. Equal contents have equal hashes in every process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera {

class ContentHash {
 public:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15ULL;
    hash_ = hash_ << 29 | hash_ >> 35;
  }
  std::uint64_t value() const { return hash_ ^ hash_ >> 29; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

std::uint64_t text_hash(const std::string& text);
// Hash of a printed program without the comment lines above the kernel.
std::uint64_t code_hash(const std::string& program);
std::uint64_t bytes_hash(std::span<const std::byte> bytes);

}  // namespace tessera

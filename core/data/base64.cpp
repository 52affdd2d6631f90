#include "core/data/base64.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> all{};
  all.fill(no_digit);
  for (std::size_t i = 0; i < digits.size(); ++i)
    all[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  return all;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < n ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= n ? digits[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::string> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t n = i + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint8_t value = j < n ? values[static_cast<unsigned char>(text[i + j])] : 0;
      if (value == no_digit) return std::nullopt;
      group = group << 6 | value;
    }
    // Bits of the last digit that belong to no byte must be 0, so that bytes have only one text.
    if ((group & ((1U << 8 * (4 - n)) - 1)) != 0) return std::nullopt;
    for (std::size_t j = 0; j + 1 < n; ++j) bytes += static_cast<char>(group >> (16 - 8 * j) & 255);
  }
  return bytes;
}

}  // namespace tessera

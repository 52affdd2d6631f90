#include "core/report/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Length in bytes of the UTF-8 character that starts with this byte; 0: not a start byte.
std::size_t length_of(unsigned first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

// Returns false for bytes that are not continuation bytes, overlong forms, surrogates and code
// points over 0x10FFFF. index: position of the byte in the character, from 1.
bool continues(unsigned first, std::size_t index, unsigned byte) {
  const unsigned from = index > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned to = index > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return byte >= from && byte <= to;
}

// Returns the number of bytes at the beginning of the text that belong to one character, complete
// or not; 0: no valid character begins there.
std::size_t begun(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const std::size_t length = std::min(length_of(first), text.size());
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(first, i, byte_at(text, i))) return 0;
  return length;
}

char32_t decoded(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  char32_t code = character.size() == 1 ? first : first & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i)
    code = (code << 6U) | (byte_at(character, i) & 0x3FU);
  return code;
}

// True for characters that act on a terminal or on the order of the characters around them.
bool is_control(char32_t code) {
  const auto within = [&](char32_t from, char32_t to) { return code >= from && code <= to; };
  return within(0, 0x1F) || within(0x7F, 0x9F) || code == 0x61C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t length = begun(rest);
    if (length == 0 || length < length_of(byte_at(rest, 0))) {
      result += fmt::format("\\x{:02x}", byte_at(rest, 0));
      ++at;
      continue;
    }
    const std::string_view character = rest.substr(0, length);
    const char32_t code = decoded(character);
    if (is_control(code) && kept.find(character) == std::string_view::npos)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    else
      result += character;
    at += length;
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, "\t\n"); }

std::string printable_line(std::string_view text) { return escaped(text, "\t"); }

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t size = std::min<std::size_t>(3, text.size()); size > 0; --size) {
    const std::string_view tail = text.substr(text.size() - size);
    if (begun(tail) == size && length_of(byte_at(tail, 0)) > size) return size;
  }
  return 0;
}

}  // namespace tessera

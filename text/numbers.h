// Numbers as text: in options, and for human readers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Parses one integer; none if `text` is anything else.
std::optional<std::int64_t> parse_integer(std::string_view text);
// Parses "100,150,50"; none if an entry is not an integer.
std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text);
// Parses "1,0.5,-inf"; none if an entry is not a number.
std::optional<std::vector<double>> parse_reals(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);

// "4.2 ms", "96 KiB", "12.3": about three significant figures, for human readers.
std::string human_seconds(double seconds);
std::string human_bytes(std::int64_t bytes);
std::string human_count(double count);
// "1 copy", "2 copies".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural);

}  // namespace tessera

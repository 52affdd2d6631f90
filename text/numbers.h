// Numbers as text: in options, and for human readers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Parses one decimal integer, with an optional minus sign; none if `text` is anything else or the
// number exceeds 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);
// Parses "100,150,50"; none if an entry is not such an integer, also for empty text.
std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text);
// Parses "1,0.5,-inf"; none if an entry is not a number or is out of a double's range, also for
// empty text. "nan" is a number.
std::optional<std::vector<double>> parse_reals(std::string_view text);
// Returns the parts between the separators, at least one; empty parts are kept.
std::vector<std::string> split(std::string_view text, char separator);

// Return "4.20 ms", "96 KiB", "12.3 million": about three significant figures, for human readers.
// Counts below a million have all digits; the units are us to s, B to TiB.
std::string human_seconds(double seconds);
std::string human_bytes(std::int64_t bytes);
std::string human_count(double count);
// Returns the count with the noun in its form: "1 copy", "2 copies".
std::string counted(std::int64_t count, std::string_view singular, std::string_view plural);

}  // namespace tessera

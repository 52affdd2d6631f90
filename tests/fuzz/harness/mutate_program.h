// Changes program text as programs are made: by lines, tokens and numbers.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::fuzz {

// The text with one change or a few; no longer than `longest`.
std::string mutated_program(std::string_view text, std::uint64_t seed, std::size_t longest);
// Lines of both.
std::string spliced_programs(std::string_view a, std::string_view b, std::uint64_t seed,
                             std::size_t longest);

}  // namespace tessera::fuzz

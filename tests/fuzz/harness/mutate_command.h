// Changes a command line as one is made: by options of its command, and their values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::fuzz {

// `text` is an input of fuzz_command_line: its first line changes, or what follows it.
std::string mutated_command(std::string_view text, std::uint64_t seed, std::size_t longest);

}  // namespace tessera::fuzz

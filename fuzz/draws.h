// Random cases of each operation, and their common parts.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/choices.h"
#include "text/invocation.h"

namespace tessera::fuzz {

using Numbers = std::vector<std::int64_t>;

// Append an option to the case: one with a value, or a switch without one. name: without "--".
void add(Invocation& to, std::string_view name, std::string value);
void add_switch(Invocation& to, std::string_view name);
// Returns the numbers as text: "100,150,50".
std::string list(const Numbers& numbers);
std::int64_t sum(const Numbers& numbers);
// Returns the sizes of `groups` groups in multiples of `unit`, at least 1; some are 0. most:
// largest size.
Numbers draw_sizes(Choices& choices, std::int64_t groups, std::int64_t most, std::int64_t unit);
// Adds --interpret and options of the interpreter run: schedule, granularity and order of copies,
// arithmetic.
void draw_run(Choices& choices, Invocation& to);
// Like draw_run(), and adds --tiling with sides in multiples of `tile_unit`, --buffers in half of
// the cases, and --fill and --seed of the operands.
void draw_operands_and_run(Choices& choices, Invocation& to, std::int64_t tile_unit);

// Return a random valid case of the operation, with the interpreter's options. operation: "gmm" or
// "tgmm"; empty: one of them.
Invocation draw_grouped_matmul(Choices& choices, std::string_view operation);
Invocation draw_ragged_dot(Choices& choices);
Invocation draw_grouped_gemm(Choices& choices);

}  // namespace tessera::fuzz

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

// Appends an option to the case.
void add(Invocation& to, std::string_view name, std::string value);
void add_switch(Invocation& to, std::string_view name);
// "100,150,50"
std::string list(const Numbers& numbers);
std::int64_t sum(const Numbers& numbers);
// Returns group sizes in multiples of `unit`; some are 0.
Numbers draw_sizes(Choices& choices, std::int64_t groups, std::int64_t most, std::int64_t unit);
// Adds options of the interpreter: schedule, granularity and order of copies, arithmetic.
void draw_run(Choices& choices, Invocation& to);
// Like draw_run(), and adds tiles with sides in multiples of `tile_unit`, operands and a seed.
void draw_operands_and_run(Choices& choices, Invocation& to, std::int64_t tile_unit);

Invocation draw_grouped_matmul(Choices& choices, std::string_view operation);
Invocation draw_ragged_dot(Choices& choices);
Invocation draw_grouped_gemm(Choices& choices);

}  // namespace tessera::fuzz

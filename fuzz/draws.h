// The draws of each operation, and what they have in common.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/choices.h"
#include "text/invocation.h"

namespace tessera::fuzz {

using Numbers = std::vector<std::int64_t>;

// An option at the end of the case.
void add(Invocation& to, std::string_view name, std::string value);
void add_switch(Invocation& to, std::string_view name);
// "100,150,50"
std::string list(const Numbers& numbers);
std::int64_t sum(const Numbers& numbers);
// Sizes of groups, in multiples of `unit`; empty ones occur.
Numbers draw_sizes(Choices& choices, std::int64_t groups, std::int64_t most, std::int64_t unit);
// How it runs on the interpreter: schedule, granularity and order of copies, arithmetic.
void draw_run(Choices& choices, Invocation& to);
// The same with tiles of multiples of `tile_unit`, operands and seed.
void draw_operands_and_run(Choices& choices, Invocation& to, std::int64_t tile_unit);

Invocation draw_grouped_matmul(Choices& choices, std::string_view operation);
Invocation draw_ragged_dot(Choices& choices);
Invocation draw_grouped_gemm(Choices& choices);

}  // namespace tessera::fuzz

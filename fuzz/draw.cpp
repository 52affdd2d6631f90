#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/report/check.h"
#include "fuzz/draws.h"
#include "fuzz/fuzz.h"

namespace tessera::fuzz {
namespace {

constexpr std::array<std::string_view, 4> all_operations = {"gmm", "tgmm", "ragged-dot",
                                                            "grouped-gemm"};

}  // namespace

std::span<const std::string_view> operations() { return all_operations; }

Invocation draw(std::string_view operation, std::uint64_t seed, std::int64_t index) {
  Choices choices(seed, index);
  if (operation == "ragged-dot") return draw_ragged_dot(choices);
  if (operation == "grouped-gemm") return draw_grouped_gemm(choices);
  CHECK(operation.empty() || operation == "gmm" || operation == "tgmm");
  return draw_grouped_matmul(choices, operation);
}

void add(Invocation& to, std::string_view name, std::string value) {
  to.options.push_back({std::string(name), std::move(value)});
}

void add_switch(Invocation& to, std::string_view name) {
  to.options.push_back({std::string(name), std::nullopt});
}

std::string list(const Numbers& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

std::int64_t sum(const Numbers& numbers) {
  std::int64_t total = 0;
  for (const std::int64_t number : numbers) total += number;
  return total;
}

Numbers draw_sizes(Choices& choices, std::int64_t groups, std::int64_t most, std::int64_t unit) {
  Numbers sizes;
  for (std::int64_t g = 0; g < groups; ++g)
    sizes.push_back(choices.percent(20) ? 0 : choices.between(0, most / unit) * unit);
  return sizes;
}

void draw_run(Choices& choices, Invocation& to) {
  add_switch(to, "interpret");
  const std::string schedule = draw_schedule(choices);
  if (schedule != "eager") add(to, "schedule", schedule);
  if (choices.percent(30)) add(to, "copy-granularity", "partial");
  if (choices.percent(30)) add(to, "dma-order", "fifo");
  if (choices.percent(30)) add(to, "math", "exact");
}

void draw_operands_and_run(Choices& choices, Invocation& to, std::int64_t tile_unit) {
  constexpr std::array<const char*, 5> fills = {"integers", "integers", "integers", "normal",
                                                "uniform"};
  const auto side = [&] {
    const std::int64_t tile = choices.tile();
    return (tile + tile_unit - 1) / tile_unit * tile_unit;
  };
  const std::int64_t m = side(), k = side(), n = side();
  add(to, "tiling", list({m, k, n}));
  if (choices.percent(50)) add(to, "buffers", std::to_string(choices.between(1, 4)));
  add(to, "fill", choices.among(fills));
  add(to, "seed", std::to_string(choices.between(0, 999)));
  draw_run(choices, to);
}

}  // namespace tessera::fuzz

#include "cli/fuzz/fuzz_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "cli/fuzz/fuzz_choices.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera::cli {
namespace {

std::vector<std::int64_t> draw_sizes(Choices& choices, std::int64_t rows) {
  constexpr std::array<std::string_view, 7> names = {
      "uniform", "multinomial", "zipf:1.2", "onehot", "empty:50", "jitter:30", ""};
  const std::int64_t groups = choices.percent(80) ? choices.between(1, 6) : choices.between(7, 24);
  const std::string_view distribution = choices.among(names);
  if (!distribution.empty()) {
    const auto sizes = generate_group_sizes(distribution, groups, rows, choices.word());
    if (sizes) return *sizes;
    // Half of one group is no group, and the rows go nowhere.
    std::vector<std::int64_t> one(static_cast<std::size_t>(groups), 0);
    one.back() = rows;
    return one;
  }
  // Differences of sorted cuts, drawn with replacement: empty groups occur.
  std::vector<std::int64_t> cuts = {0, rows};
  for (std::int64_t g = 1; g < groups; ++g) cuts.push_back(choices.between(0, rows));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::int64_t> sizes;
  for (std::size_t g = 1; g < cuts.size(); ++g) sizes.push_back(cuts[g] - cuts[g - 1]);
  return sizes;
}

void draw_types(Choices& choices, Problem& problem) {
  constexpr std::array<DType, 8> operands = {DType::f32, DType::bf16, DType::f16,  DType::i8,
                                             DType::f32, DType::bf16, DType::e4m3, DType::e5m2};
  constexpr std::array<DType, 4> results = {DType::f32, DType::bf16, DType::f16, DType::i32};
  constexpr std::array<Fill, 5> fills = {Fill::integers, Fill::integers, Fill::integers,
                                         Fill::normal, Fill::uniform};
  problem.dtype = problem.rhs_dtype = choices.among(operands);
  problem.out_dtype = choices.among(results);
  if (problem.out_dtype == DType::i32 && problem.dtype != DType::i8) problem.out_dtype = DType::f32;
  problem.fill = choices.among(fills);
}

void draw_window(Choices& choices, Problem& problem) {
  problem.local_groups = problem.groups();
  if (!choices.percent(30)) return;
  problem.group_offset = choices.between(0, problem.groups() - 1);
  problem.local_groups = choices.between(1, problem.groups() - problem.group_offset);
  problem.local_rows = choices.percent(40);
  if (problem.local_rows) problem.m = problem.processed_rows() + (choices.percent(30) ? 5 : 0);
}

}  // namespace

FuzzCase draw_case(std::uint64_t seed, std::int64_t index, std::optional<Operation> only) {
  constexpr std::array<std::string_view, 6> schedules = {"eager", "lazy",   "lifo",
                                                         "eager", "random", "random"};
  Choices choices(seed, index);
  FuzzCase result;
  Problem& problem = result.problem;
  const bool draws_tgmm = choices.percent(35);
  problem.operation = only.value_or(draws_tgmm ? Operation::tgmm : Operation::gmm);
  problem.m = choices.extent(160);
  problem.k = choices.percent(2) ? 0 : choices.extent(96);
  problem.n = choices.extent(96);
  // Rows that no group owns, in one of four.
  const bool has_tail = choices.percent(25);
  problem.group_sizes = draw_sizes(choices, has_tail ? choices.between(0, problem.m) : problem.m);
  draw_types(choices, problem);
  draw_window(choices, problem);
  problem.transpose_rhs = problem.operation == Operation::gmm && choices.percent(40);
  if (choices.percent(30)) {
    problem.existing = choices.percent(50) ? Existing::accumulate : Existing::overwrite;
  }
  problem.tiling = Tiling{choices.tile(), choices.tile(), choices.tile()};
  problem.buffers = choices.percent(50) ? 2 : choices.between(1, 4);
  problem.seed = static_cast<std::uint64_t>(choices.between(0, 999));
  result.schedule = choices.among(schedules);
  if (result.schedule == "random") {
    result.schedule += fmt::format(":{}", choices.between(0, 9999));
  }
  if (choices.percent(30)) result.landing = Landing::partial;
  if (choices.percent(30)) result.dma_order = DmaOrder::fifo;
  if (choices.percent(30)) result.math = Math::exact;
  return result;
}

std::vector<std::string> to_words(const FuzzCase& a_case) {
  std::vector<std::string> words = to_words(a_case.problem);
  words.emplace_back("--interpret");
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (a_case.schedule != "eager") add("--schedule", a_case.schedule);
  if (a_case.landing == Landing::partial) add("--landing", "partial");
  if (a_case.dma_order == DmaOrder::fifo) add("--dma-order", "fifo");
  if (a_case.math == Math::exact) add("--math", "exact");
  return words;
}

}  // namespace tessera::cli

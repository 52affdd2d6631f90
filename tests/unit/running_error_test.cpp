// Random programs, compared with an evaluation with 64-bit significands: no element differs by more
// than its bound from the exact value, or from other roundings if the bound allows for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/running_error/bounded_run.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"
#include "tests/unit/tile_programs.h"

namespace tessera {
namespace {

using test::Drawn;
using test::Draws;
using test::Evaluation;
using test::Real;
using test::State;
using test::Step;
using test::Variable;

struct Tally {
  std::int64_t elements = 0, known = 0, exact = 0, off = 0;
  std::vector<double> ratios;  // bound / error, for elements with an error
};

// Compares a run of the program for `seed` with one evaluation.
void judge(std::uint64_t seed, bool is_exact, Math math, Tally& tally) {
  const Drawn drawn = Draws(seed).program();
  SCOPED_TRACE(fmt::format("seed {}\n{}", seed, drawn.text));
  const auto program = test::program(drawn.text);
  ASSERT_TRUE(program) << test::messages(program.diags());
  const auto expanded = expand(*program);
  ASSERT_TRUE(expanded);
  testing::Operands operands(*expanded, 1);
  for (const auto& [name, variable] : drawn.state)
    for (std::size_t i = 0; i < variable.values.size(); ++i)
      operands.of(0, "a" + name)
          .set(static_cast<std::int64_t>(i), static_cast<double>(variable.values[i]));
  RunOptions options;
  options.math = math;
  const auto result = run(*expanded, operands.bindings(), options);
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->findings.empty()) << testing::text(*result);
  KeptRun kept = testing::launch(*expanded, operands, options);
  const auto errors =
      running_error::bounded(kept, is_exact ? std::nullopt : std::optional(DType::f32));
  ASSERT_TRUE(errors) << render(errors.diags());

  State state = drawn.state;
  Evaluation evaluation(is_exact, seed);
  for (const Step& step : drawn.steps) step(state, evaluation);
  for (const BufferId id : expanded->buffers.ids()) {
    const Buffer& buffer = expanded->buffers[id];
    if (buffer.role != Role::out) continue;
    const auto bounds = (*errors)->bounds(id, 0);
    const std::vector<double> got = operands.values(0, buffer.name);
    const Variable& variable = state.at(buffer.name.substr(1));
    for (std::size_t i = 0; i < got.size(); ++i) {
      ++tally.elements;
      if (!running_error::is_known(bounds[i])) continue;
      ++tally.known;
      const Real exact = variable.values[i];
      if (std::isinf(got[i]) && exact == Real{got[i]}) continue;
      const Real error = std::abs(Real{got[i]} - exact), bound = Real{bounds[i]};
      // The evaluation also has rounding errors.
      ASSERT_LE(error, bound * (1 + 1e-9L) + 1e-17L * std::abs(exact))
          << buffer.name << " " << i << ": " << got[i] << ", exact " << static_cast<double>(exact);
      tally.exact += bound == 0 ? 1 : 0;
      if (error == 0 || bound == 0) continue;
      ++tally.off;
      tally.ratios.push_back(static_cast<double>(bound / error));
    }
  }
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void judge_many(std::uint64_t first, std::uint64_t count, bool is_exact, Math math) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    judge(seed, is_exact, math, tally);
    if (::testing::Test::HasFatalFailure()) return;
  }
  ::testing::Test::RecordProperty("elements", std::to_string(tally.elements));
  ::testing::Test::RecordProperty("known", std::to_string(tally.known));
  ::testing::Test::RecordProperty("exact", std::to_string(tally.exact));
  ::testing::Test::RecordProperty("off", std::to_string(tally.off));
  ::testing::Test::RecordProperty("median_bound_over_error", std::to_string(median(tally.ratios)));
  // Trivial bounds would also hold, so check that bounds are tight.
  EXPECT_GT(tally.known, tally.elements * 8 / 10);
  EXPECT_GT(tally.exact, tally.elements / 10);
  EXPECT_LT(median(tally.ratios), is_exact ? 8 : 40);
}

TEST(RunningError, HoldsForRandomProgramsBesideExactValues) {
  judge_many(0, 2000, true, Math::library);
}

TEST(RunningError, HoldsForProductsInPlainOrder) { judge_many(100'000, 500, true, Math::exact); }

TEST(RunningError, HoldsBesideOtherRoundingsWhereItAllowsForThem) {
  judge_many(200'000, 2000, false, Math::library);
}

}  // namespace
}  // namespace tessera

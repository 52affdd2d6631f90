// Value mutants: programs in which one op on values is changed. Checks which mutants exist and
// their fates, and compares the verdicts with runs on integers, which are exact.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/equality/equality.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "kernels/programs/kernels.h"
#include "tests/mutation/integer_runs.h"
#include "tests/mutation/value_test.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using fields::JudgedValueMutant;
using fields::Outcome;
using fields::ValueMutant;

fields::ValueTest judged(const std::string& text) {
  const auto program = test::program(text);
  CHECK(program);
  const auto expanded = expand(*program);
  CHECK(expanded);
  testing::Operands operands(*expanded, 1);
  const auto test = fields::value_test(
      [&](const RunOptions& options) { return run(*expanded, operands.bindings(), options); },
      CertifyOptions{});
  EXPECT_TRUE(test) << render(test.diags());
  return *test;
}

// Returns a line like "7 matmul, a[1]: one on -> finding" for each mutant in the lines from
// `first`.
std::string fates_of(const std::string& text, int first) {
  const fields::ValueTest test = judged(text);
  if (!test.refusal.empty()) return "not compared: " + test.refusal;
  std::string lines;
  for (const JudgedValueMutant& m : test.mutants)
    if (m.loc.line >= first)
      lines +=
          fmt::format("{} {}{}{}: {} -> {}\n", m.loc.line, m.mnemonic, m.place.empty() ? "" : ", ",
                      m.place, name(m.mutant.mutation), name(m.fate));
  return lines;
}

TEST(ValueMutation, OfASumInALoop) {
  EXPECT_EQ(fates_of("kernel k()\n"
                     "  in x: f32[4, 8, 8] hbm\n"
                     "  out y: f32[8, 8] hbm\n"
                     "  vmem a: f32[4, 8, 8]\n"
                     "  vmem s: f32[8, 8]\n"
                     "{ copy x -> a\n"
                     "  for i in 4 {\n"
                     "    if first(i) { s = 0 }\n"
                     "    s = s + a[i, :, :]\n"
                     "    if last(i) { copy s -> y }\n"
                     "  }\n"
                     "}\n",
                     8),
            "8 eq: negated -> different\n"
            "8 eq: always -> different\n"
            "8 eq: a turn later -> different\n"
            "8 eq: other end -> different\n"
            "8 cast: removed -> finding\n"
            "8 cast, dst[0]: one on -> finding\n"
            "8 cast, dst[1]: one on -> finding\n"
            "9 tile_add: removed -> different\n"
            "9 tile_add: = for += -> different\n"
            "9 tile_add, dst[0]: one on -> finding\n"
            "9 tile_add, dst[1]: one on -> finding\n"
            "9 tile_add, a[0]: one on -> finding\n"
            "9 tile_add, a[1]: one on -> finding\n"
            "9 tile_add, b[0]: at zero -> different\n"
            "9 tile_add, b[0]: one on -> finding\n"
            "9 tile_add, b[0]: another slot -> equal\n"
            "9 tile_add, b[1]: one on -> finding\n"
            "9 tile_add, b[2]: one on -> finding\n"
            "9 tile_add: turned -> different\n"
            "10 eq: negated -> different\n"
            "10 eq: always -> equal\n"
            "10 eq: a turn later -> finding\n"
            "10 eq: other end -> different\n"
            "10 start, src[0]: one on -> finding\n"
            "10 start, src[1]: one on -> finding\n"
            "10 start, dst[0]: one on -> finding\n"
            "10 start, dst[1]: one on -> finding\n");
}

TEST(ValueMutation, OfAProduct) {
  EXPECT_EQ(fates_of("kernel k()\n"
                     "  in x: f32[8, 8] hbm\n"
                     "  out y: f32[8, 8] hbm\n"
                     "  vmem a: f32[8, 8]\n"
                     "  vmem b: f32[8, 8]\n"
                     "  vmem s: f32[8, 8]\n"
                     "{ copy x -> a\n"
                     "  b = a - transpose(a)\n"
                     "  s = 1.0\n"
                     "  s += a . b\n"
                     "  s = s * 1.0\n"
                     "  copy s -> y\n"
                     "}\n",
                     10),
            "10 matmul: removed -> different\n"
            "10 matmul: = for += -> different\n"
            "10 matmul: swapped -> different\n"
            "10 matmul, transpose_a: transposed -> different\n"
            "10 matmul, transpose_b: transposed -> different\n"
            "10 matmul, acc: another operand -> different\n"
            "10 matmul, acc[0]: one on -> finding\n"
            "10 matmul, acc[1]: one on -> finding\n"
            "10 matmul, a: another operand -> different\n"
            "10 matmul, a[0]: one on -> finding\n"
            "10 matmul, a[1]: one on -> finding\n"
            "10 matmul, b: another operand -> different\n"
            "10 matmul, b[0]: one on -> finding\n"
            "10 matmul, b[1]: one on -> finding\n"
            "11 tile_mul: removed -> equal\n"
            "11 tile_mul, dst: another operand -> equal\n"
            "11 tile_mul, dst[0]: one on -> finding\n"
            "11 tile_mul, dst[1]: one on -> finding\n"
            "11 tile_mul, a: another operand -> different\n"
            "11 tile_mul, a[0]: one on -> finding\n"
            "11 tile_mul, a[1]: one on -> finding\n"
            "12 start, src: another operand -> different\n"
            "12 start, src[0]: one on -> finding\n"
            "12 start, src[1]: one on -> finding\n"
            "12 start, dst[0]: one on -> finding\n"
            "12 start, dst[1]: one on -> finding\n");
}

// Cases that the rules do not decide are decided by runs on integers, or remain open.
TEST(ValueMutation, OfWhatTheRulesDoNotShow) {
  EXPECT_EQ(fates_of("kernel k()\n"
                     "  in x: f32[8, 8] hbm\n"
                     "  out y: f32[8, 8] hbm\n"
                     "  vmem a: f32[8, 8]\n"
                     "{ copy x -> a\n"
                     "  a = a * 3.0\n"
                     "  a = max(a, 2.0)\n"
                     "  copy a -> y\n"
                     "}\n",
                     7),
            "7 tile_max: removed -> other results\n"
            "7 tile_max, dst[0]: one on -> finding\n"
            "7 tile_max, dst[1]: one on -> finding\n"
            "7 tile_max, a[0]: one on -> finding\n"
            "7 tile_max, a[1]: one on -> finding\n"
            "7 tile_max: turned -> other results\n"
            "8 start, src[0]: one on -> finding\n"
            "8 start, src[1]: one on -> finding\n"
            "8 start, dst[0]: one on -> finding\n"
            "8 start, dst[1]: one on -> finding\n");
}

TEST(ValueMutation, OfAProgramThatCannotBeCompared) {
  EXPECT_EQ(fates_of("kernel k()\n"
                     "  in x: f32[8, 8] hbm\n"
                     "  out y: f32[8, 8] hbm\n"
                     "  vmem a: f32[8, 8]\n"
                     "  vmem c: i32[1]\n"
                     "  smem n: i32[1]\n"
                     "{ copy x -> a\n"
                     "  c = cast(a[0, 0 +: 1], i32)\n"
                     "  copy c -> n\n"
                     "  if n[0] > 0 { a = a + 1.0 }\n"
                     "  copy a -> y\n"
                     "}\n",
                     1),
            "not compared: control flow depends on `n`, whose values come from floats: this has no "
            "rule over the field");
}

KeptRun kept(const Program& program, const std::vector<std::int64_t>& group_sizes) {
  testing::Operands operands(program, 1);
  for (std::size_t i = 0; i < group_sizes.size(); ++i)
    operands.of(0, "group_sizes")
        .set(static_cast<std::int64_t>(i), static_cast<double>(group_sizes[i]));
  return testing::launch(program, operands, RunOptions{});
}

// Mutants that are reported equal must have equal results on integers, and mutants that are
// reported different must not.
void expect_that_of_integers(const std::string& kernel, Settings settings) {
  settings.insert({{"T", "f32"}, {"U", "f32"}, {"m", "14"}, {"k", "16"}, {"n", "16"}});
  settings.insert({{"groups", "3"}, {"tm", "8"}, {"tk", "8"}, {"tn", "8"}});
  const auto program = make_kernel(kernel, settings);
  ASSERT_TRUE(program);
  const auto expanded = expand(*program);
  ASSERT_TRUE(expanded);
  KeptRun a = kept(*expanded, {5, 0, 9}), b = kept(*expanded, {5, 0, 9});
  fields::IntegerRuns integers(a);
  std::map<Outcome, int> counts;
  for (const ValueMutant& mutant : fields::value_mutants(*expanded)) {
    b.program = fields::mutated(*expanded, mutant);
    const auto equality = fields::compare(a, b, 7, fields::Tracing::none);
    if (!equality) continue;
    ++counts[equality->outcome];
    if (equality->outcome == Outcome::not_shown) continue;
    const auto end_otherwise = integers.end_otherwise(b);
    ASSERT_TRUE(end_otherwise) << render(end_otherwise.diags());
    EXPECT_EQ(equality->outcome == Outcome::different, *end_otherwise)
        << kernel << " statement " << mutant.statement.index << " " << place(*expanded, mutant)
        << ": " << name(mutant.mutation);
  }
  EXPECT_GT(counts[Outcome::different], 0);
}

TEST(ValueMutation, AgreesWithRunsOnIntegers) {
  expect_that_of_integers("gmm", {});
  expect_that_of_integers("gmm", {{"existing", "1"}, {"tn", "16"}});
  expect_that_of_integers("grouped_gemm", {{"R", "f32"}, {"B", "f32"}, {"biased", "1"}});
}

}  // namespace
}  // namespace tessera

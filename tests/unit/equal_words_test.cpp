// Tile functions compute the same real functions as their definitions, and similar expressions do
// not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/equality/equality.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using fields::Outcome;

KeptRun kept(const std::string& body) {
  const auto program = test::program(fmt::format(
      "kernel k()\n"
      "  in  x: f32[2, 3, 4] hbm\n  in  y: f32[2, 4, 3] hbm\n  out o: f32[2, 3, 3] hbm\n"
      "  vmem a: f32[2, 3, 4]\n  vmem b: f32[2, 4, 3]\n  vmem r: f32[2, 3, 3]\n"
      "  vmem i: i32[2, 3, 3]\n"
      "{{\n  copy x -> a\n  copy y -> b\n  i = 0\n  r = 0\n{}\n  copy r -> o\n}}\n",
      body));
  EXPECT_TRUE(program) << test::messages(program.diags());
  const auto expanded = expand(*program);
  EXPECT_TRUE(expanded);
  testing::Operands operands(*expanded, 1);
  return testing::launch(*expanded, operands, RunOptions{});
}

Outcome compared(const std::string& a, const std::string& b) {
  KeptRun run_a = kept(a), run_b = kept(b);
  const auto equality = fields::compare(run_a, run_b, 1);
  EXPECT_TRUE(equality) << (equality ? "" : test::messages(equality.diags()));
  return equality ? equality->outcome : Outcome::not_shown;
}

TEST(EqualWords, AreWhatTheyAreMadeOf) {
  const std::string c = "  c = a[:, :, 0 +: 3]\n  d = b[:, 0 +: 3, :]\n";
  const std::pair<std::string, std::string> same[] = {
      {"  r += a . b", "  for s in 2 { r[s, :, :] += a[s, :, :] . b[s, :, :] }"},
      {"  r += transpose(a, 0, 2, 1)[:, 0 +: 3, :]",
       "  for s in 2 { r[s, :, :] = transpose(a[s, :, 0 +: 3]) }"},
      {"  r += reduce_sum(a, 2)", "  for s in 4 { r += a[:, :, s +: 1] }"},
      {"  r += reduce_sum(a, 0, 1)[:, :, 0 +: 3]",
       "  for s in 2 { for t in 3 { r += a[s +: 1, t +: 1, 0 +: 3] } }"},
      {c + "  r = logistic(c)", c + "  r = 1 / (1 + exp(-c))"},
      {c + "  r = expm1(c)", c + "  r = exp(c) - 1"},
      {c + "  r = log1p(c)", c + "  r = log(1 + c)"},
      {c + "  r = erfc(c)", c + "  r = 1 - erf(c)"},
      {c + "  r = pow(c, d) + sqrt(c) + sin(d)", c + "  e = sin(d)\n  r = sqrt(c) + pow(c, d) + e"},
      {c + "  i = bit_and(c < d, d < 2.0)\n  r = cast(i)",
       c + "  i = (c < d) * (d < 2.0)\n  r = cast(i)"},
      {c + "  i = bit_or(c < d, d < 2.0)\n  r = cast(i)",
       c + "  i = 1 - (1 - (c < d)) * (1 - (d < 2.0))\n  r = cast(i)"},
      {c + "  i = shift_left(c < d, 2)\n  r = cast(i)",
       c + "  m = c < d\n  i = shift_left(m, 2)\n  r = cast(i)"},
      {c + "  r += cast(reduce_max(c < d, 2), f32)",
       c + "  m = c < d\n  n = 1 - (1 - m[:, :, 0 +: 1]) * (1 - m[:, :, 1 +: 1]) * (1 - m[:, :, 2 "
           "+: 1])\n  r += cast(n, f32)"},
  };
  for (const auto& [a, b] : same) EXPECT_EQ(compared(a, b), Outcome::equal) << a << "\n" << b;
}

TEST(EqualWords, AreNotWhatTheyAreNot) {
  const std::string c = "  c = a[:, :, 0 +: 3]\n  d = b[:, 0 +: 3, :]\n";
  const std::pair<std::string, std::string> other[] = {
      {"  r += a . b", "  for s in 2 { r[s, :, :] += a[s, :, :] . b[1 - s, :, :] }"},
      {"  r += reduce_sum(a, 2)", "  for s in 3 { r += a[:, :, s +: 1] }"},
      {"  r += reduce_sum(a, 2)", "  r += transpose(reduce_sum(a[:, :, 0 +: 3], 1), 0, 2, 1)"},
      {c + "  r = logistic(c)", c + "  r = 1 / (1 + exp(c))"},
      {c + "  r = pow(c, d)", c + "  r = pow(d, c)"},
      {c + "  r = floor(c)", c + "  r = ceil(c)"},
      {c + "  i = bit_and(c < d, d < 2.0)\n  r = cast(i)",
       c + "  i = bit_or(c < d, d < 2.0)\n  r = cast(i)"},
  };
  for (const auto& [a, b] : other) EXPECT_NE(compared(a, b), Outcome::equal) << a << "\n" << b;
}

}  // namespace
}  // namespace tessera

// Random small programs that are equal or unequal by construction: all equal pairs, and no unequal
// pairs, are reported as equal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analysis/equality/equality.h"
#include "core/data/splitmix.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using fields::Equality;
using fields::Outcome;

KeptRun kept(const std::string& text) {
  const auto program = test::program(text);
  CHECK(program);
  const auto expanded = expand(*program);
  CHECK(expanded);
  testing::Operands operands(*expanded, 1);
  return testing::launch(*expanded, operands, RunOptions{});
}

Equality compared(const std::string& a, const std::string& b, std::uint64_t seed = 0) {
  KeptRun run_a = kept(a), run_b = kept(b);
  const auto equality = fields::compare(run_a, run_b, seed);
  CHECK(equality);
  return *equality;
}

constexpr std::string_view operands =
    "  in  x: f32[8, 8] hbm\n"
    "  in  y: bf16[8, 8] hbm\n"
    "  in  z: f32[8, 8] hbm\n"
    "  out out: f32[8, 8] hbm\n"
    "  vmem a: f32[8, 8]\n"
    "  vmem b: bf16[8, 8]\n"
    "  vmem c: f32[8, 8]\n"
    "  vmem r: f32[8, 8]\n"
    "  tile t: f32[8, 8]\n"
    "  tile u: f32[8, 8]\n";

// Returns a program that computes `r` by the body, from a, b and c, which contain x, y and z.
std::string program(const std::string& body) {
  return fmt::format(
      "kernel k()\n{}{{\n  copy x -> a\n  copy y -> b\n  copy z -> c\n{}  copy r -> out\n}}\n",
      operands, body);
}

std::string outcome(Outcome outcome) {
  constexpr std::array<const char*, 3> names = {"equal", "different", "not shown"};
  return names[static_cast<std::size_t>(outcome)];
}

// Draws sums of products. Factors and terms can be written in any order, and a common factor can be
// factored out.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  std::vector<std::vector<std::string>> terms() {
    static const std::vector<std::string> factors = {
        "a", "b", "c", "transpose(a)", "a[0 .. 1, :]", "c[:, 3 .. 4]", "0.1", "3.0"};
    std::vector<std::vector<std::string>> result(2 + random_.below(3));
    for (auto& term : result) {
      term.push_back(factors[random_.below(3)]);
      while (term.size() < 4 && random_.below(3) != 0)
        term.push_back(factors[random_.below(factors.size())]);
    }
    return result;
  }
  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random_.below(i)]);
  }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }

 private:
  SplitMix random_;
};

// Returns statements, of one operation each, that compute the sum of the terms.
std::string summed(const std::vector<std::vector<std::string>>& terms, bool adds_in_place) {
  std::string body = "  r = 0\n";
  for (const auto& term : terms) {
    body += fmt::format("  t = cast({}, f32)\n", term[0]);
    for (std::size_t i = 1; i < term.size(); ++i) body += fmt::format("  t = t * {}\n", term[i]);
    body += adds_in_place ? "  r += t\n" : "  u = r + t\n  r = u\n";
  }
  return program(body);
}

TEST(Equal, SumsOfProductsInAnyOrderAreEqualAndWithAnythingElseAreNot) {
  int equal = 0, different = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draws draws(seed);
    auto terms = draws.terms();
    auto other = terms;
    draws.shuffle(other);
    for (auto& term : other) {
      std::vector<std::string> factors(term.begin() + 1, term.end());
      draws.shuffle(factors);
      std::copy(factors.begin(), factors.end(), term.begin() + 1);
    }
    const std::string a = summed(terms, true);
    const Equality same = compared(a, summed(other, draws.below(2) == 0), seed);
    EXPECT_EQ(outcome(same.outcome), "equal") << a << same.reason;
    equal += same.outcome == Outcome::equal ? 1 : 0;
    auto wrong = terms;
    switch (seed % 4) {
      case 0:
        wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(draws.below(wrong.size())));
        break;
      case 1:
        wrong.push_back(wrong[draws.below(wrong.size())]);
        break;
      case 2:
        wrong[draws.below(wrong.size())].push_back("c");
        break;
      default:
        wrong[draws.below(wrong.size())].push_back("0.5");
        break;
    }
    const Equality unequal = compared(a, summed(wrong, true), seed);
    EXPECT_EQ(outcome(unequal.outcome), "different") << a << summed(wrong, true);
    ASSERT_TRUE(unequal.difference.has_value());
    different += unequal.outcome == Outcome::different ? 1 : 0;
  }
  EXPECT_EQ(equal, 300);
  EXPECT_EQ(different, 300);
}

// Returns a program for r = a . b. The contraction starts at `begin` and is split into steps of
// `step`. The step at `skipped` is omitted, and the step at `twice` is added twice.
std::string matmul(int step, int begin, int skipped, int twice, bool is_turned = false) {
  std::string body = "  t = 0\n";
  for (int k = begin; k < 8; k += step) {
    if (k == skipped) continue;
    for (int i = 0; i < (k == twice ? 2 : 1); ++i)
      body += fmt::format(
          fmt::runtime(is_turned
                           ? "  t += transpose(a[{0} .. {1}, :]) . cast(b[{0} .. {1}, :], f32)\n"
                           : "  t += a[:, {0} .. {1}] . cast(b[{0} .. {1}, :], f32)\n"),
          k, k + step);
  }
  return program(body + "  r = t\n");
}

TEST(Equal, EveryCutOfAContractionIsTheSameProduct) {
  for (const int step : {1, 2, 4})
    EXPECT_EQ(outcome(compared(matmul(8, 0, -1, -1), matmul(step, 0, -1, -1)).outcome), "equal");
}

TEST(Equal, AMissingADoubledAndATurnedProductAreFound) {
  const std::string good = matmul(2, 0, -1, -1);
  const Equality missing = compared(good, matmul(2, 0, 4, -1));
  ASSERT_EQ(outcome(missing.outcome), "different");
  EXPECT_EQ(missing.difference->terms[0],
            "x[0, 4] (the first of those up to x[0, 5]): A uses it, B does not");
  const Equality doubled = compared(good, matmul(2, 0, -1, 6));
  ASSERT_EQ(outcome(doubled.outcome), "different");
  EXPECT_EQ(doubled.difference->terms[0],
            "x[0, 6] (the first of those up to x[0, 7]): B uses it 2 times as often as A");
  EXPECT_EQ(outcome(compared(good, matmul(2, 0, -1, -1, true)).outcome), "different");
}

// Returns the outcome for two programs with these bodies.
std::string outcome_of(const std::string& a, const std::string& b) {
  const auto whole = [](const std::string& body) {
    return program("  t = " + body + "\n  r = t\n");
  };
  return outcome(compared(whole(a), whole(b)).outcome);
}

TEST(Equal, FactorsMoveOutOfProductsAndSums) {
  EXPECT_EQ(outcome_of("a * c + a * 2.0", "(c + 2.0) * a"), "equal");
  EXPECT_EQ(outcome_of("a / c + 1.0", "(a + c) / c"), "equal");
  EXPECT_EQ(outcome_of("a / c", "c / a"), "different");
}

TEST(Equal, ExponentialsTurnSumsIntoProducts) {
  EXPECT_EQ(outcome_of("exp(a + c)", "exp(a) * exp(c)"), "equal");
  EXPECT_EQ(outcome_of("exp(a - c) * exp(c)", "exp(a)"), "equal");
  EXPECT_EQ(outcome_of("exp(a + c)", "exp(a) + exp(c)"), "different");
}

TEST(Equal, OtherFunctionsAreEqualAtEqualArgumentsAndElseNotShown) {
  EXPECT_EQ(outcome_of("tanh(a + c)", "tanh(c + a)"), "equal");
  EXPECT_EQ(outcome_of("tanh(0.0 - a)", "0.0 - tanh(a)"), "not shown");
}

TEST(Equal, OrderIsTriedOnManyPatterns) {
  const Equality same = compared(program("  t = max(max(a, c), 0.0)\n  r = t\n"),
                                 program("  t = max(a, max(0.0, c))\n  r = t\n"));
  EXPECT_EQ(outcome(same.outcome), "equal");
  EXPECT_TRUE(same.bound.has_order);
  // Some a is less than 0. Computed values are in the finite field, so their order is unknown.
  EXPECT_EQ(outcome_of("max(a, 0.0)", "a + 0.0"), "different");
  EXPECT_EQ(outcome_of("max(a * a, 0.0)", "a * a"), "not shown");
}

// The probability that a draw misses a difference counts everything that may be zero modulo a
// prime: the difference, its coefficients, and the differences of function arguments, for both
// programs.
TEST(Equal, TheProbabilityCountsCoefficientsAndTheArgumentsOfBothPrograms) {
  const auto bound = [](const std::string& body) {
    const std::string whole = program("  t = " + body + "\n  r = t\n");
    const Equality same = compared(whole, whole);
    EXPECT_EQ(outcome(same.outcome), "equal") << body;
    return same;
  };
  const Equality plain = bound("a * c"), large = bound("a * 4000000000000.0");
  EXPECT_EQ(plain.bound.degree, 2);
  EXPECT_LE(plain.bound.height, 1);   // for x - x
  EXPECT_GE(large.bound.height, 42);  // for 4 * 10^12
  EXPECT_GT(large.probability, 2 * plain.probability);
  EXPECT_EQ(bound("tanh(a) * tanh(c)").bound.arguments, 4);
  // With a common denominator, the degrees and coefficients of both sides add up.
  EXPECT_EQ(bound("a / c").bound.degree, 4);
  EXPECT_GE(bound("a * 0.001").bound.height, 2 * 9.9);  // numerator and denominator: 1 and 1000
  // Exponents are drawn from half as many numbers.
  EXPECT_GT(bound("exp(a)").probability, bound("tanh(a)").probability);
}

}  // namespace
}  // namespace tessera

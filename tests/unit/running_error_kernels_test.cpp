// Quality of error bounds. For products, softmax, layernorm and blockwise attention the bounds
// hold, and they are tight enough to find one missing product of 1,024. For integers they are 0.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analysis/running_error/bounded_run.h"
#include "core/data/splitmix.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using Values = std::vector<double>;

// A run of a program on random operands, with its only result and the error bounds.
struct Ran {
  std::map<std::string, Values, std::less<>> operands;
  Values got;
  std::vector<float> bounds;
};

double normal(SplitMix& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum - 6;
}

enum class Data : std::uint8_t { normal, integers };

Ran run_of(const std::string& text, const RunOptions& options = {}, Data data = Data::normal) {
  Ran ran;
  const auto program = test::program(text);
  if (!program) ADD_FAILURE() << test::messages(program.diags());
  CHECK(program);
  const auto expanded = expand(*program);
  CHECK(expanded);
  testing::Operands operands(*expanded, options.machine.devices);
  SplitMix random(7);
  BufferId out;
  for (const BufferId id : expanded->buffers.ids()) {
    const Buffer& buffer = expanded->buffers[id];
    if (buffer.role == Role::out) out = id;
    if (buffer.role != Role::in) continue;
    Tensor& tensor = operands.of(0, buffer.name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      tensor.set(i, data == Data::normal ? normal(random) : std::nearbyint(normal(random)));
    ran.operands[buffer.name] = operands.values(0, buffer.name);
  }
  CHECK(testing::run_ok(*expanded, operands, options).findings.empty());
  ran.got = operands.values(0, expanded->buffers[out].name);
  KeptRun kept = testing::launch(*expanded, operands, options);
  const auto errors = running_error::bounded(kept, std::nullopt);
  CHECK(errors);
  ran.bounds = (*errors)->bounds(out, 0);
  return ran;
}

// Returns the median ratio of bound to error. Expects that all bounds hold.
double median_ratio(const Ran& ran, const Values& exact) {
  Values ratios;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = std::abs(ran.got[i] - exact[i]),
                 bound = static_cast<double>(ran.bounds[i]);
    EXPECT_LE(error, bound + 1e-15 * std::abs(exact[i])) << i;
    if (error > 0) ratios.push_back(bound / error);
  }
  CHECK(!ratios.empty());
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  ::testing::Test::RecordProperty("median_bound_over_error", fmt::format("{:.3g}", *middle));
  return *middle;
}

// Returns the number of elements that differ from `wrong` by more than their bounds.
int found(const Ran& ran, const Values& wrong) {
  int count = 0;
  for (std::size_t i = 0; i < wrong.size(); ++i)
    count += std::abs(ran.got[i] - wrong[i]) > static_cast<double>(ran.bounds[i]) ? 1 : 0;
  ::testing::Test::RecordProperty("found", fmt::format("{} of {}", count, wrong.size()));
  return count;
}

// [m, k] . [k, n]
Values product(const Values& a, const Values& b, std::size_t m, std::size_t k, std::size_t n) {
  Values c(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t s = 0; s < k; ++s)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + s] * b[s * n + j];
  return c;
}

// Returns the softmax of each row of n elements.
Values softmax(Values x, std::size_t n) {
  for (std::size_t row = 0; row < x.size(); row += n) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row);
    const auto end = begin + static_cast<std::ptrdiff_t>(n);
    const double most = *std::max_element(begin, end);
    double sum = 0;
    for (auto at = begin; at != end; ++at) sum += * at = std::exp(*at - most);
    for (auto at = begin; at != end; ++at) *at /= sum;
  }
  return x;
}

std::string matmul(const char* in, const char* out) {
  return fmt::format(
      "kernel k(m = 64, n = 64, k = 1024; tk = 128)\n"
      "  in a: {0}[m, k] hbm;  in b: {0}[k, n] hbm;  out o: {1}[m, n] hbm;  tile acc: f32[m, n]\n"
      "{{\n  pipeline s in k / tk {{\n"
      "    window x = a[:, s * tk +: tk]\n    window y = b[s * tk +: tk, :]\n"
      "    window z = o[:, :]\n"
      "    if first(s) {{ acc = 0 }}\n    acc += x . y\n    if last(s) {{ z = cast(acc, {1}) }}\n"
      "  }}\n}}\n",
      in, out);
}

class MatmulErrors : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(MatmulErrors, FindOneMissingProductOfManyHundreds) {
  const Ran ran = run_of(matmul(GetParam().first, GetParam().second));
  const Values &a = ran.operands.at("a"), &b = ran.operands.at("b");
  const Values exact = product(a, b, 64, 1024, 64);
  median_ratio(ran, exact);
  Values wrong = exact;
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 64; ++j) wrong[i * 64 + j] -= a[i * 1024 + 77] * b[77 * 64 + j];
  EXPECT_GT(found(ran, wrong), 2048);
}

INSTANTIATE_TEST_SUITE_P(Types, MatmulErrors,
                         ::testing::Values(std::pair{"f32", "f32"}, std::pair{"bf16", "f32"},
                                           std::pair{"bf16", "bf16"}));

TEST(RunningErrorOfKernels, IsZeroForProductsOfSmallIntegers) {
  const Ran ran = run_of(matmul("bf16", "f32"), {}, Data::integers);
  EXPECT_EQ(ran.got, product(ran.operands.at("a"), ran.operands.at("b"), 64, 1024, 64));
  EXPECT_EQ(ran.bounds, std::vector<float>(64 * 64, 0));
}

TEST(RunningErrorOfKernels, IsNearThatOfSoftmax) {
  const Ran ran = run_of(
      "kernel k()\n  in x: f32[64, 256] hbm;  out o: f32[64, 256] hbm\n{\n"
      "  pipeline i in 8 {\n    window a = x[i * 8 +: 8, :]\n    window y = o[i * 8 +: 8, :]\n"
      "    y = exp(a - row_max(a))\n    y = y / row_sum(y)\n  }\n}\n");
  EXPECT_LT(median_ratio(ran, softmax(ran.operands.at("x"), 256)), 40);
}

TEST(RunningErrorOfKernels, IsNearThatOfLayernorm) {
  const Ran ran = run_of(
      "kernel k()\n  in x: f32[64, 256] hbm;  out o: f32[64, 256] hbm;  vmem d: f32[8, 256]\n{\n"
      "  pipeline i in 8 {\n    window a = x[i * 8 +: 8, :]\n    window y = o[i * 8 +: 8, :]\n"
      "    d = a - row_sum(a) / 256\n    y = d * rsqrt(row_sum(d * d) / 256 + 0.00001)\n  }\n}\n");
  const Values& x = ran.operands.at("x");
  Values exact;
  for (std::size_t row = 0; row < 64; ++row) {
    double mean = 0, square = 0;
    for (std::size_t j = 0; j < 256; ++j) mean += x[row * 256 + j] / 256;
    for (std::size_t j = 0; j < 256; ++j) square += std::pow(x[row * 256 + j] - mean, 2) / 256;
    for (std::size_t j = 0; j < 256; ++j)
      exact.push_back((x[row * 256 + j] - mean) / std::sqrt(square + 1e-5));
  }
  EXPECT_LT(median_ratio(ran, exact), 60);
}

// The running sum and maximum score are carried from block to block of the keys.
TEST(RunningErrorOfKernels, HoldsForAttentionByBlocks) {
  const Ran ran = run_of(
      "kernel k()\n  in q: f32[32, 64] hbm;  in k: f32[128, 64] hbm;  in v: f32[128, 64] hbm\n"
      "  out o: f32[32, 64] hbm;  vmem x: f32[32, 64];  vmem p: f32[32, 32];  tile s: f32[32, 32]\n"
      "  tile acc: f32[32, 64];  vmem most: f32[32, 1];  vmem next: f32[32, 1]\n"
      "  vmem sum: f32[32, 1];  vmem part: f32[32, 64];  vmem values: f32[32, 64]\n{\n"
      "  copy q -> x\n  most = -inf\n  sum = 0\n  acc = 0\n"
      "  for j in 4 {\n    copy k[j * 32 +: 32, :] -> part\n    copy v[j * 32 +: 32, :] -> values\n"
      "    s = 0\n    s += x . transpose(part)\n    p = s * 0.125\n"
      "    next = max(most, row_max(p))\n    p = exp(p - next)\n    most = exp(most - next)\n"
      "    sum = sum * most + row_sum(p)\n    acc = acc * most\n    acc += p . values\n"
      "    most = next\n  }\n  x = acc / sum\n  copy x -> o\n}\n");
  const Values &q = ran.operands.at("q"), &k = ran.operands.at("k");
  Values turned(64 * 128);
  for (std::size_t i = 0; i < 128; ++i)
    for (std::size_t j = 0; j < 64; ++j) turned[j * 128 + i] = k[i * 64 + j];
  Values scores = product(q, turned, 32, 64, 128);
  for (double& score : scores) score *= 0.125;
  const Values& v = ran.operands.at("v");
  EXPECT_LT(median_ratio(ran, product(softmax(scores, 128), v, 32, 128, 64)), 5000);
  // An omitted key, of 128, is found.
  for (std::size_t i = 0; i < 32; ++i)
    scores[i * 128 + 77] = -std::numeric_limits<double>::infinity();
  EXPECT_GT(found(ran, product(softmax(scores, 128), v, 32, 128, 64)), 32 * 64 * 8 / 10);
}

// Copies that add round like sums. The bound of padding is 0, and the bounds of copied elements are
// copied.
TEST(RunningErrorOfKernels, IsCarriedByCopies) {
  const Ran ran = run_of(
      "kernel k()\n  in x: f32[20, 8] hbm;  out o: bf16[20, 8] hbm;  hbm h: f32[20, 8]\n"
      "  sem done: bytes\n{\n"
      "  pipeline i in 3 {\n    window a = x[i * 8 +: 8, :] pad 0\n    window y = h[i * 8 +: 8, "
      ":]\n"
      "    y = a * 0.1\n  }\n"
      "  start x -> h, done add\n  wait done for h\n"
      "  pipeline i in 3 {\n    window a = h[i * 8 +: 8, :] pad 0\n    window y = o[i * 8 +: 8, "
      ":]\n"
      "    y = cast(a, bf16)\n  }\n}\n");
  Values exact;
  for (const double x : ran.operands.at("x")) exact.push_back(x * 0.1 + x);
  EXPECT_LT(median_ratio(ran, exact), 3);
}

// If a block is partly written back, each element keeps its own bound.
TEST(RunningErrorOfKernels, IsCarriedByWriteBacksOfParts) {
  const Ran ran = run_of(
      "kernel k()\n  in x: f32[24, 8] hbm;  out o: f32[24, 8] hbm;  hbm h: f32[24, 8]\n{\n"
      "  pipeline i in 3 {\n    window y = h[i * 8 +: 8, :]\n    y = 0\n  }\n"
      "  pipeline i in 3 {\n    window a = x[i * 8 +: 8, :]\n    window y = h[i * 8 +: 8, :]\n"
      "    y[2 +: 3, :] = a[2 +: 3, :] * 0.1\n  }\n"
      "  copy h -> o\n}\n");
  Values exact;
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      const bool is_stored = i % 8 >= 2 && i % 8 < 5;
      exact.push_back(is_stored ? ran.operands.at("x")[i * 8 + j] * 0.1 : 0);
      EXPECT_EQ(ran.bounds[i * 8 + j] == 0, !is_stored);
    }
  EXPECT_LT(median_ratio(ran, exact), 3);
}

}  // namespace
}  // namespace tessera

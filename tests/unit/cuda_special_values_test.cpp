// Infinities, NaN, signed zeros and subnormals in negations, maxima, minima and reductions: the
// interpreter, the threads and the emulated CUDA code give the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/data/tensor_file.h"
#include "devices/cuda/lower/general.h"
#include "tests/unit/cuda_emulated_graph.h"
#include "tests/unit/graph_case.h"
#include "tests/unit/language_support.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> special = {0.0F, -0.0F, 1,      -1,      0.5F,  inf,
                                    -inf, nan,   1e-45F, -1e-45F, 3e38F, -3e38F};
const std::vector<std::vector<float>> lines = {
    {-0.0F, -0.0F, -0.0F}, {-0.0F, 0.0F, -0.0F}, {nan, 1, 2},    {1, nan, -1},  {1, 2, nan},
    {-inf, -inf, -inf},    {inf, inf, inf},      {inf, 0, -inf}, {1, -0.0F, 2}, {-1, -0.0F, 0.0F}};
constexpr auto n = std::int64_t{12}, rows = std::int64_t{10}, columns = std::int64_t{3};

constexpr const char* text = R"(
kernel special()
  in x: f32[12, 12] hbm
  in y: f32[12, 12] hbm
  in z: f32[10, 3] hbm
  out negative: f32[12, 12] hbm
  out largest: f32[12, 12] hbm
  out smallest: f32[12, 12] hbm
  out magnitude: f32[12, 12] hbm
  out sums: f32[10, 1] hbm
  out row_largest: f32[10, 1] hbm
  out row_smallest: f32[10, 1] hbm
  out column_sums: f32[1, 10] hbm
  vmem a: f32[12, 12]
  vmem b: f32[12, 12]
  vmem c: f32[12, 12]
  vmem l: f32[10, 3]
  vmem t: f32[3, 10]
  vmem r: f32[10, 1]
  vmem s: f32[1, 10]
{
  copy x -> a
  copy y -> b
  copy z -> l
  c = -a
  copy c -> negative
  c = max(a, b)
  copy c -> largest
  c = min(a, b)
  copy c -> smallest
  c = abs(a)
  copy c -> magnitude
  r = row_sum(l)
  copy r -> sums
  r = row_max(l)
  copy r -> row_largest
  r = reduce_min(l, 1)
  copy r -> row_smallest
  t = transpose(l)
  s = col_sum(t)
  copy s -> column_sums
}
)";

// The same as one pipeline, which is lowered to a CUDA kernel.
constexpr const char* pipeline_text = R"(
kernel special()
  in x: f32[12, 12] hbm
  in y: f32[12, 12] hbm
  in z: f32[10, 3] hbm
  out negative: f32[12, 12] hbm
  out largest: f32[12, 12] hbm
  out smallest: f32[12, 12] hbm
  out magnitude: f32[12, 12] hbm
  out sums: f32[10, 1] hbm
  out row_largest: f32[10, 1] hbm
  out row_smallest: f32[10, 1] hbm
  out column_sums: f32[1, 10] hbm
  tile t: f32[3, 10]
{
  pipeline i in 1 parallel {
    window a = x[12 * i +: 12, 0 +: 12]
    window b = y[12 * i +: 12, 0 +: 12]
    window l = z[10 * i +: 10, 0 +: 3]
    window o1 = negative[12 * i +: 12, 0 +: 12]
    window o2 = largest[12 * i +: 12, 0 +: 12]
    window o3 = smallest[12 * i +: 12, 0 +: 12]
    window o4 = magnitude[12 * i +: 12, 0 +: 12]
    window o5 = sums[10 * i +: 10, 0 +: 1]
    window o6 = row_largest[10 * i +: 10, 0 +: 1]
    window o7 = row_smallest[10 * i +: 10, 0 +: 1]
    window o8 = column_sums[i +: 1, 0 +: 10]
    o1 = -a
    o2 = max(a, b)
    o3 = min(a, b)
    o4 = abs(a)
    o5 = row_sum(l)
    o6 = row_max(l)
    o7 = reduce_min(l, 1)
    t = transpose(l)
    o8 = col_sum(t)
  }
}
)";

// Reference implementation of the rules.
float larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return nan;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
float smaller(float a, float b) { return -larger(-a, -b); }

Tensor tensor(std::int64_t m, std::int64_t k,
              const std::function<float(std::size_t, std::size_t)>& element) {
  Tensor result(DType::f32, {m, k});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < k; ++j)
      result.as<float>()[i * k + j] =
          element(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return result;
}

// Returns the fold of each line by f, starting from its first element.
Tensor folded(std::int64_t m, std::int64_t k, float (*f)(float, float)) {
  return tensor(m, k, [&](std::size_t i, std::size_t j) {
    const std::vector<float>& line = lines[i + j];
    float result = line[0];
    for (std::size_t c = 1; c < line.size(); ++c) result = f(result, line[c]);
    return result;
  });
}

using Tensors = std::map<std::string, Tensor>;

Tensors operands() {
  Tensors all;
  all["x"] = tensor(n, n, [](std::size_t i, std::size_t) { return special[i]; });
  all["y"] = tensor(n, n, [](std::size_t, std::size_t j) { return special[j]; });
  all["z"] = tensor(rows, columns, [](std::size_t i, std::size_t j) { return lines[i][j]; });
  return all;
}

Tensors expected() {
  const auto sum = [](float a, float b) { return a + b; };
  Tensors all;
  all["negative"] = tensor(n, n, [](std::size_t i, std::size_t) { return -special[i]; });
  all["largest"] =
      tensor(n, n, [](std::size_t i, std::size_t j) { return larger(special[i], special[j]); });
  all["smallest"] =
      tensor(n, n, [](std::size_t i, std::size_t j) { return smaller(special[i], special[j]); });
  all["magnitude"] = tensor(n, n, [](std::size_t i, std::size_t) { return std::abs(special[i]); });
  all["sums"] = folded(rows, 1, sum);
  all["row_largest"] = folded(rows, 1, larger);
  all["row_smallest"] = folded(rows, 1, smaller);
  all["column_sums"] = folded(1, rows, sum);
  return all;
}

// Expects equal bits; all NaN are equal.
void expect_bits(const std::string& name, const Tensor& got) {
  const Tensor wanted = std::move(expected().at(name));
  for (std::int64_t i = 0; i < wanted.elements(); ++i) {
    const float a = got.as<float>()[i], b = wanted.as<float>()[i];
    if (std::isnan(a) && std::isnan(b)) continue;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b))
        << name << " element " << i << ": " << a << ", expected " << b;
  }
}

class CudaSpecialValues : public testing::Test {
 protected:
  void SetUp() override { write_bytes(file(), text); }
  std::string file() const { return folder_.file("special.tsr"); }

  void run_on(const std::vector<std::string>& device) {
    std::vector<std::string> words = {"run", file()};
    words.insert(words.end(), device.begin(), device.end());
    for (const auto& [name, values] : operands()) {
      ASSERT_TRUE(save_tensor(folder_.file(name + ".npy"), values));
      words.insert(words.end(), {"--in", fmt::format("{}={}", name, folder_.file(name + ".npy"))});
    }
    for (const auto& [name, values] : expected())
      words.insert(words.end(), {"--out", fmt::format("{}={}", name, folder_.file(name + ".npy"))});
    std::ostringstream out, err;
    ASSERT_EQ(cli::run(words, out, err), 0) << out.str() << err.str();
    for (const auto& [name, values] : expected()) {
      const Expected<Tensor> got = load_tensor(folder_.file(name + ".npy"));
      ASSERT_TRUE(got);
      expect_bits(name, *got);
    }
  }

  TemporaryFolder folder_;
};

TEST_F(CudaSpecialValues, OnTheInterpreter) { run_on({"--interpret"}); }
TEST_F(CudaSpecialValues, OnThreads) { run_on({"--device", "threads"}); }

TEST_F(CudaSpecialValues, InAnEmulatedTaskGraph) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  test::GraphCase of = test::graph_case(file());
  const auto plan = graph_plan(std::make_shared<const graph::TaskGraph>(of.graph),
                               {.smallest = 1, .threads = 32});
  ASSERT_TRUE(plan) << render(plan.diags());
  EmulatedGraph emulated(*plan);
  ASSERT_EQ(emulated.problem(), "");
  KeptRun run = test::copy_of(of.launch);
  for (auto& [name, values] : operands()) run.operands[0].find(name)->second = values.clone();
  ASSERT_EQ(emulated.run(run.bindings(), 1), "");
  for (const auto& [name, values] : expected())
    expect_bits(name, run.operands[0].find(name)->second);
}

TEST_F(CudaSpecialValues, InAnEmulatedKernel) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  const auto program = test::program(pipeline_text);
  ASSERT_TRUE(program) << render(program.diags());
  const Expected<LoweredKernel> kernel = lower_general(*program);
  ASSERT_TRUE(kernel) << render(kernel.diags());
  EmulatedKernel emulated(*kernel);
  ASSERT_EQ(emulated.problem(), "");
  Tensors all = operands();
  for (auto& [name, values] : expected()) all[name] = Tensor(DType::f32, values.shape());
  std::map<BufferId, void*> memory;
  for (const BufferId b : operand_buffers(*program))
    memory[b] = all.at(program->buffers[b].name).data();
  ASSERT_EQ(emulated.run(*kernel, memory, 1, 1), "");
  for (const auto& [name, values] : expected()) expect_bits(name, all.at(name));
}

TEST(CudaEmptyReductions, in_an_emulated_task_graph) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the emulation switches stacks, which the address sanitizer does not follow";
#endif
  const TemporaryFolder folder;
  const std::string file = folder.file("empty.tsr");
  write_bytes(file, R"(
kernel empty(n = 2, k = 0)
  out largest: i32[n, 1] hbm
  out smallest: i8[1, n] hbm
  vmem w: i32[n, k]
  vmem b: i8[k, n]
  vmem r: i32[n, 1]
  vmem s: i8[1, n]
{
  r = row_max(w)
  copy r -> largest
  s = reduce_min(b, 0)
  copy s -> smallest
}
)");
  test::GraphCase of = test::graph_case(file);
  const auto plan = graph_plan(std::make_shared<const graph::TaskGraph>(of.graph),
                               {.smallest = 1, .threads = 32});
  ASSERT_TRUE(plan) << render(plan.diags());
  EmulatedGraph emulated(*plan);
  ASSERT_EQ(emulated.problem(), "");
  KeptRun run = test::copy_of(of.launch);
  ASSERT_EQ(emulated.run(run.bindings(), 1), "");
  EXPECT_TRUE(test::has_results(of, run));
  EXPECT_EQ(run.operands[0].find("largest")->second.as<std::int32_t>()[0], INT32_MIN);
  EXPECT_EQ(run.operands[0].find("smallest")->second.as<std::int8_t>()[0], INT8_MAX);
}

}  // namespace
}  // namespace tessera::cuda

// The definitions of kernels, compared with the Eigen references. Operands are small integers, so
// sums are exact.
#include "kernels/definitions/definitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "interp/run.h"
#include "kernels/grouped_gemm/scaling.h"
#include "kernels/oracle/reference.h"
#include "kernels/programs/kernels.h"
#include "tests/unit/interp_kernel.h"

namespace tessera {
namespace {

// A definition that has run on operands of small integers.
struct Ran {
  Program program;
  testing::Operands operands;
  Tensor& of(std::string_view name) { return operands.of(0, name); }
};

// given: elements by operand name; other operands are small integers.
Ran ran(const std::string& kernel, const Settings& settings, int places,
        const std::map<std::string, std::vector<std::int64_t>>& given) {
  Program named;
  named.name = kernel;
  for (const auto& [name, value] : settings) named.settings.push_back({name, value});
  auto program = make_definition(named, places);
  CHECK(program);
  auto expanded = expand(*program);
  CHECK(expanded);
  Ran result{*expanded, testing::Operands(*expanded, 1)};
  for (const auto& [name, elements] : given)
    for (std::size_t i = 0; i < elements.size(); ++i)
      result.of(name).set(static_cast<std::int64_t>(i), static_cast<double>(elements[i]));
  const RunResult run = testing::run_ok(result.program, result.operands, RunOptions{});
  EXPECT_EQ(testing::text(run), "");
  return result;
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> list;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) list.push_back(tensor.at(i));
  return list;
}

// Compares gmm of [16, 6] by [groups, 6, 7], with the given settings, with Eigen.
void expect_that_of_eigen(Settings settings, GroupedProblem problem) {
  settings.insert({{"T", "f32"}, {"U", "f32"}, {"m", "16"}, {"k", "6"}, {"n", "7"}});
  settings["groups"] = std::to_string(problem.group_sizes.size());
  Ran gmm = ran("gmm", settings, 1, {{"group_sizes", problem.group_sizes}});
  problem.lhs = &gmm.of("lhs");
  problem.rhs = &gmm.of("rhs");
  if (settings.contains("existing")) problem.existing = &gmm.of("existing_out");
  EXPECT_EQ(values(gmm.of("out")), values(reference_gmm(problem, DType::f32)));
}

TEST(Definitions, GroupedProductsAreThoseOfEigen) {
  for (const bool transposed : {false, true})
    expect_that_of_eigen(
        {{"transpose_rhs", transposed ? "1" : "0"}},
        {.group_sizes = {5, 0, 9}, .local_groups = 3, .transpose_rhs = transposed});
}

TEST(Definitions, PartsOfGroupsAndWhatExistsAreThoseOfEigen) {
  for (const bool accumulates : {true, false})
    expect_that_of_eigen(
        {{"local_groups", "2"}, {"group_offset", "1"}, {"existing", accumulates ? "1" : "2"}},
        {.group_sizes = {5, 2, 6, 3},
         .group_offset = 1,
         .local_groups = 2,
         .accumulate = accumulates});
}

// The same codes as the host function, which scaling_test checks.
TEST(Definitions, QuantisedBlocksAreThoseOfTheHost) {
  std::vector<std::int64_t> numbers;  // other magnitudes in each block, and some rows of zeros
  for (std::int64_t i = 0; i < 64 * 96; ++i)
    numbers.push_back(i / 96 % 9 == 4 ? 0 : (i * 37 % 201 - 100) << (i / 32 % 7));
  for (const MxAlong along : {MxAlong::rows, MxAlong::columns})
    for (const ScaleRounding rounding :
         {ScaleRounding::up, ScaleRounding::nearest, ScaleRounding::down}) {
      Ran blocks = ran("quantize_mxfp8",
                       {{"T", "f32"},
                        {"Q", "e4m3"},
                        {"m", "64"},
                        {"n", "96"},
                        {"columns", along == MxAlong::columns ? "1" : "0"},
                        {"scale_rounding", std::to_string(static_cast<int>(rounding))}},
                       1, {{"x", numbers}});
      const auto host = quantize_mx(blocks.of("x"), DType::e4m3, along, {.scale = rounding});
      ASSERT_TRUE(host);
      EXPECT_EQ(values(blocks.of("q")), values(host->data));
      EXPECT_EQ(values(blocks.of("scales")), values(host->scales));
    }
}

TEST(Definitions, GradientsOfWeightsAreThoseOfEigen) {
  const std::vector<std::int64_t> sizes = {5, 0, 9};
  Ran tgmm = ran("tgmm",
                 {{"T", "f32"}, {"U", "f32"}, {"m", "14"}, {"k", "6"}, {"n", "7"}, {"groups", "3"}},
                 1, {{"group_sizes", sizes}});
  const GroupedProblem problem{.lhs = &tgmm.of("lhs"),
                               .rhs = &tgmm.of("rhs"),
                               .group_sizes = sizes,
                               .local_groups = 3,
                               .transpose_lhs = true};
  EXPECT_EQ(values(tgmm.of("out")), values(reference_tgmm(problem, DType::f32)));
}

// Each position of a ring has the product of the concatenated shards of all positions.
TEST(Definitions, TheGatheredProductIsThatOfEigen) {
  constexpr std::int64_t places = 3, rows = 4, shard = 2, cols = 5;
  const std::vector<std::int64_t> ring = {0, 2, 1};
  Ran product =
      ran("allgather_matmul",
          {{"rows", "4"}, {"cols", "5"}, {"k_shard", "2"}, {"rings", "1"}, {"length", "3"}}, places,
          {{"ring", ring}});
  Tensor lhs(DType::f32, {rows, places * shard}), rhs(DType::f32, {1, places * shard, cols});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t s = 0; s < places * shard; ++s)
      lhs.set(i * places * shard + s,
              product.of("lhs").at((ring[static_cast<std::size_t>(s / shard)] * rows + i) * shard +
                                   s % shard));
  for (const std::int64_t place : ring) {
    for (std::int64_t i = 0; i < rhs.elements(); ++i)
      rhs.set(i, product.of("rhs").at(place * rhs.elements() + i));
    const GroupedProblem problem{
        .lhs = &lhs, .rhs = &rhs, .group_sizes = {rows}, .local_groups = 1};
    const std::vector<double> expected = values(reference_gmm(problem, DType::f32));
    std::vector<double> out = values(product.of("out"));
    out.erase(out.begin(), out.begin() + place * rows * cols);
    out.resize(rows * cols);
    EXPECT_EQ(out, expected) << "place " << place;
  }
}

TEST(Definitions, AreOfKernelsWithTheirOperands) {
  for (const std::string& name : defined_kernels()) {
    EXPECT_NE(find_kernel(name), nullptr) << name;
    const auto module = embedded_module(name);
    ASSERT_TRUE(module);
    EXPECT_EQ((*module)->kernels.front().name, name);
  }
}

}  // namespace
}  // namespace tessera

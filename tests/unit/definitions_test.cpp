// The definitions of kernels beside the references in Eigen: small integers, whose sums are exact.
#include "kernels/definitions/definitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "interp/run.h"
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

// `sizes`: the integers of group_sizes or ring, by name.
Ran ran(const std::string& kernel, std::vector<Setting> settings, int places,
        const std::string& integers, const std::vector<std::int64_t>& values) {
  Program named;
  named.name = kernel;
  named.settings = std::move(settings);
  auto program = make_definition(named, places);
  CHECK(program);
  auto expanded = expand(*program);
  CHECK(expanded);
  Ran result{*expanded, testing::Operands(*expanded, 1)};
  Tensor& table = result.of(integers);
  for (std::size_t i = 0; i < values.size(); ++i)
    table.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
  const RunResult run = testing::run_ok(result.program, result.operands, RunOptions{});
  EXPECT_EQ(testing::text(run), "");
  return result;
}

std::vector<double> values(const Tensor& tensor) {
  std::vector<double> list;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) list.push_back(tensor.at(i));
  return list;
}

TEST(Definitions, GroupedProductsAreThoseOfEigen) {
  const std::vector<std::int64_t> sizes = {5, 0, 9};
  for (const char* transposed : {"0", "1"}) {
    Ran gmm = ran("gmm",
                  {{"T", "f32"},
                   {"U", "f32"},
                   {"m", "16"},
                   {"k", "6"},
                   {"n", "7"},
                   {"groups", "3"},
                   {"transpose_rhs", transposed}},
                  1, "group_sizes", sizes);
    const GroupedProblem problem{.lhs = &gmm.of("lhs"),
                                 .rhs = &gmm.of("rhs"),
                                 .group_sizes = sizes,
                                 .local_groups = 3,
                                 .transpose_rhs = transposed == std::string("1")};
    EXPECT_EQ(values(gmm.of("out")), values(reference_gmm(problem, DType::f32)));
  }
}

TEST(Definitions, PartsOfGroupsAndWhatExistsAreThoseOfEigen) {
  const std::vector<std::int64_t> sizes = {5, 2, 6, 3};
  for (const char* existing : {"1", "2"}) {
    Ran gmm = ran("gmm",
                  {{"T", "f32"},
                   {"U", "f32"},
                   {"m", "16"},
                   {"k", "6"},
                   {"n", "7"},
                   {"groups", "4"},
                   {"local_groups", "2"},
                   {"group_offset", "1"},
                   {"existing", existing}},
                  1, "group_sizes", sizes);
    const GroupedProblem problem{.lhs = &gmm.of("lhs"),
                                 .rhs = &gmm.of("rhs"),
                                 .group_sizes = sizes,
                                 .group_offset = 1,
                                 .local_groups = 2,
                                 .existing = &gmm.of("existing_out"),
                                 .accumulate = existing == std::string("1")};
    EXPECT_EQ(values(gmm.of("out")), values(reference_gmm(problem, DType::f32)));
  }
}

TEST(Definitions, GradientsOfWeightsAreThoseOfEigen) {
  const std::vector<std::int64_t> sizes = {5, 0, 9};
  Ran tgmm = ran("tgmm",
                 {{"T", "f32"}, {"U", "f32"}, {"m", "14"}, {"k", "6"}, {"n", "7"}, {"groups", "3"}},
                 1, "group_sizes", sizes);
  const GroupedProblem problem{.lhs = &tgmm.of("lhs"),
                               .rhs = &tgmm.of("rhs"),
                               .group_sizes = sizes,
                               .local_groups = 3,
                               .transpose_lhs = true};
  EXPECT_EQ(values(tgmm.of("out")), values(reference_tgmm(problem, DType::f32)));
}

// Each place of a ring has the product of what all places of it have, side by side.
TEST(Definitions, TheGatheredProductIsThatOfEigen) {
  constexpr std::int64_t places = 3, rows = 4, shard = 2, cols = 5;
  const std::vector<std::int64_t> ring = {0, 2, 1};
  Ran product =
      ran("allgather_matmul",
          {{"rows", "4"}, {"cols", "5"}, {"k_shard", "2"}, {"rings", "1"}, {"length", "3"}}, places,
          "ring", ring);
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

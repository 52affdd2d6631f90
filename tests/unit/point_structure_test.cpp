// Parallel dimensions that are independent by the structure of a program. Runs of single points
// agree with the analysis, and for each rule there is a program that only breaks this rule.
#include "analysis/certificate/points/point_structure.h"

#include <gtest/gtest.h>

#include "interp/run.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

// Returns a tile product. `body` is in a pipeline over parallel i and j, and s.
std::string product(const std::string& windows, const std::string& body,
                    const std::string& after = "") {
  return "kernel k()\n"
         "  in a: f32[16, 16] hbm\n  in b: f32[16, 16] hbm\n  in table: i32[4] smem\n"
         "  out o: f32[16, 16] hbm\n  out p: f32[8, 8] hbm\n"
         "  hbm h: f32[8, 8]\n  sem d: bytes\n  vmem acc: f32[8, 8]\n  smem n: i32[1]\n"
         "{\n  pipeline i in 2 parallel, j in 2 parallel, s in 2 {\n"
         "    window x = a[i * 8 +: 8, s * 8 +: 8]\n    window y = b[s * 8 +: 8, j * 8 +: 8]\n" +
         windows + body + "  }\n" + after + "}\n";
}

const std::string own = "    window z = o[i * 8 +: 8, j * 8 +: 8]\n";
const std::string sum =
    "    if first(s) { acc = 0 }\n    acc += x . y\n    if last(s) { z = acc }\n";

bool is_shown(const std::string& text) {
  const Expected<Program> program = test::program(text);
  if (!program) ADD_FAILURE() << render(program.diags());
  if (!program) return false;
  const auto loops = independent_by_structure(*program);
  if (!loops) return false;
  // A run of single points agrees.
  const Expected<Program> per_point = expand(*program, {.per_point = true});
  if (!per_point) ADD_FAILURE() << render(per_point.diags());
  if (!per_point) return false;
  Tensor a(DType::f32, {16, 16}), b(DType::f32, {16, 16}), o(DType::f32, {16, 16}),
      p(DType::f32, {8, 8}), table(DType::i32, {4});
  const Binding binding = {{"a", &a}, {"b", &b}, {"table", &table}, {"o", &o}, {"p", &p}};
  const Expected<PointsVerdict> verdict =
      judge_points(*per_point, {binding}, {}, CopyGranularity::partial);
  if (!verdict) ADD_FAILURE() << render(verdict.diags());
  if (!verdict) return false;
  EXPECT_TRUE(verdict->findings.empty()) << text;
  EXPECT_EQ(verdict->loops.size(), loops->size());
  for (const ParallelLoop& loop : verdict->loops)
    EXPECT_TRUE(loop.any_order && loop.any_split) << loop.name << "\n" << text;
  return true;
}

TEST(PointStructure, product_of_tiles) {
  EXPECT_TRUE(is_shown(product(own, sum)));
  EXPECT_TRUE(is_shown(product(own,
                               "    if first(s) { if i == 0 { acc = 0 } else { acc = 1 } }\n"
                               "    acc += x . y\n    z = acc\n")));
  EXPECT_TRUE(is_shown(
      product("    window z = o[8 - i * 8 +: 8, j * 8 +: 8] update depth 1\n", "    z = z + x\n")));
}

TEST(PointStructure, a_window_that_points_share) {
  EXPECT_FALSE(is_shown(product("    window z = p[0 +: 8, 0 +: 8]\n", sum)));
  EXPECT_FALSE(is_shown(product("    window z = o[i * 8 +: 8, 0 +: 8]\n", sum)));
  EXPECT_FALSE(is_shown(product("    window z = o[(i + j) * 4 +: 8, j * 8 +: 8]\n", sum)));
  EXPECT_FALSE(is_shown(product("    window z = o[i * 4 +: 8, j * 8 +: 8]\n", sum)));
}

TEST(PointStructure, a_window_whose_place_is_data) {
  EXPECT_FALSE(is_shown(product("    window z = o[table[i] * 8 +: 8, j * 8 +: 8]\n", sum)));
}

TEST(PointStructure, a_result_that_another_window_shows) {
  EXPECT_FALSE(is_shown(product(own + "    window q = o[j * 8 +: 8, i * 8 +: 8]\n",
                                "    if first(s) { acc = 0 }\n    acc += x . q\n    z = acc\n")));
}

TEST(PointStructure, scratch_of_an_earlier_point) {
  EXPECT_FALSE(is_shown(product(own, "    acc += x . y\n    z = acc\n")));
  EXPECT_FALSE(
      is_shown(product(own, "    acc += x . y\n    z = acc\n    if last(s) { acc = 0 }\n")));
  EXPECT_FALSE(is_shown(product(own, "    acc[0 +: 4, :] = 0\n    z = acc\n")));
  EXPECT_FALSE(is_shown(product(own, "    if i == 0 { acc = 0 }\n    z = acc\n")));
  EXPECT_FALSE(
      is_shown(product(own, "    for r in i { acc = 0 }\n    acc += x . y\n    z = acc\n")));
  EXPECT_FALSE(is_shown(product(own, "    n[0] = n[0] + 1\n    z = x\n")));
}

TEST(PointStructure, scratch_that_is_read_behind_the_loop) {
  EXPECT_FALSE(is_shown(product(own, sum, "  copy acc -> p\n")));
}

TEST(PointStructure, more_than_computing) {
  EXPECT_FALSE(is_shown(product(own, sum + "    copy acc -> h\n")));
}

}  // namespace
}  // namespace tessera

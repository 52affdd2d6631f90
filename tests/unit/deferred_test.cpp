// Deferred operands, which are created by the first read, or never.
#include <gtest/gtest.h>

#include "analysis/certificate/certificate.h"
#include "core/data/tensor.h"
#include "interp/run.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

Tensor ones(const Shape& shape) {
  Tensor tensor(DType::f32, shape);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) tensor.set(i, 1);
  return tensor;
}

TEST(deferred, bytes_are_made_when_they_are_asked_for_and_once) {
  int made = 0;
  Tensor tensor = Tensor::deferred(DType::f32, {2, 3}, [&] {
    ++made;
    return ones({2, 3});
  });
  EXPECT_EQ(tensor.elements(), 6);
  EXPECT_EQ(tensor.bytes(), 24);
  const Tensor moved = std::move(tensor);
  EXPECT_FALSE(moved.is_made());
  EXPECT_EQ(made, 0);
  EXPECT_EQ(moved.at(5), 1);
  EXPECT_EQ(moved.clone().at(0), 1);
  EXPECT_TRUE(moved.is_made());
  EXPECT_EQ(made, 1);
}

// Factors of a product are only created in runs with arithmetic. Operands that are copied to a
// result are created in every run.
TEST(deferred, a_run_without_arithmetic_makes_no_operand_that_it_does_not_read) {
  const auto program = test::program(
      "kernel k()\n  in a: f32[8, 8] hbm\n  in b: f32[8, 8] hbm\n  out o: f32[8, 8] hbm\n"
      "  out p: f32[8, 8] hbm\n  vmem t: f32[8, 8]\n  vmem s: f32[8, 8]\n{\n  copy a -> t\n"
      "  s = 0\n  s += t . t\n  copy s -> o\n  copy b -> p\n}\n");
  ASSERT_TRUE(program) << test::messages(program.diags());
  const Program expanded = *expand(*program);
  for (const Math math : {Math::none, Math::library}) {
    bool has_a = false, has_b = false;
    const auto made = [](bool& flag) {
      return Tensor::deferred(DType::f32, {8, 8}, [&flag] {
        flag = true;
        return ones({8, 8});
      });
    };
    Tensor a = made(has_a), b = made(has_b), o(DType::f32, {8, 8}), p(DType::f32, {8, 8});
    RunOptions options;
    options.math = math;
    const auto result =
        run(expanded, {Binding{{"a", &a}, {"b", &b}, {"o", &o}, {"p", &p}}}, options);
    ASSERT_TRUE(result) << render(result.diags());
    EXPECT_TRUE(result->findings.empty());
    EXPECT_EQ(has_a, math != Math::none);
    EXPECT_TRUE(has_b);
    EXPECT_EQ(p.at(9), 1);
  }
}

TEST(deferred, a_rejected_launch_makes_no_operand) {
  const auto program = test::program(
      "kernel k()\n  in a: f32[8, 8] hbm\n  out o: f32[8, 8] hbm\n  vmem t: f32[8, 8]\n"
      "{\n  copy a -> t\n  copy t -> o\n}\n");
  ASSERT_TRUE(program) << test::messages(program.diags());
  bool is_made = false;
  Tensor o(DType::f32, {8, 8}), a = Tensor::deferred(DType::f32, {8, 8}, [&is_made] {
                                  is_made = true;
                                  return ones({8, 8});
                                });
  RunOptions options;
  options.machine.profile.vmem_bytes = 255;
  const auto result = run(*expand(*program), {Binding{{"a", &a}, {"o", &o}}}, options);
  ASSERT_TRUE(result) << render(result.diags());
  ASSERT_EQ(result->findings.size(), 1U);
  EXPECT_EQ(result->findings[0].kind, FindingKind::capacity);
  EXPECT_FALSE(is_made);
}

// A verdict on schedules only needs the values that control depends on: here a product is the
// number of times that the result is copied.
TEST(deferred, certify_makes_an_operand_only_where_control_depends_on_it) {
  for (const std::string count : {"2", "n[0, 0]"}) {
    const auto program = test::program(
        "kernel k()\n  in a: f32[8, 8] hbm\n  out o: i32[8, 8] hbm\n  vmem t: f32[8, 8]\n"
        "  vmem s: f32[8, 8]\n  vmem u: i32[8, 8]\n  smem n: i32[1, 8]\n{\n  copy a -> t\n  s = 0\n"
        "  s += t . t\n  u = cast(s)\n  copy u[0 +: 1, :] -> n\n  for i in " +
        count + " { copy u -> o }\n}\n");
    ASSERT_TRUE(program) << test::messages(program.diags());
    bool is_made = false;
    Tensor o(DType::i32, {8, 8}), a = Tensor::deferred(DType::f32, {8, 8}, [&is_made] {
                                    is_made = true;
                                    Tensor tensor(DType::f32, {8, 8});
                                    for (std::int64_t i = 0; i < 64; ++i) tensor.set(i, 1);
                                    return tensor;
                                  });
    const Expected<Certificate> certificate =
        certify(*expand(*program), {Binding{{"a", &a}, {"o", &o}}}, {});
    ASSERT_TRUE(certificate) << render(certificate.diags());
    EXPECT_EQ(certificate->verdict, SchedulesVerdict::proved) << certificate->why_explored();
    EXPECT_EQ(is_made, count != "2");
    EXPECT_EQ(certificate->run.stats.dmas, count == "2" ? 4 : 10);
  }
}

}  // namespace
}  // namespace tessera

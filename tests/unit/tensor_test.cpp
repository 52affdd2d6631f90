// Shapes of any size are checked without overflow. Tensors are aligned, initially zero, and
// converted element by element.
#include "core/data/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/report/invalid_value.h"

// A failed allocation must be reported by Tessera, not by the sanitizer.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }  // NOLINT

namespace tessera {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

TEST(DType, NamesParseBack) {
  for (int i = 0; i < dtype_count; ++i) {
    const DType dtype{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(parse_dtype(name(dtype)), dtype);
  }
  EXPECT_EQ(name(DType::bf16), "bf16");
  EXPECT_EQ(name(DType::i64), "i64");
  EXPECT_EQ(parse_dtype("f64"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
  EXPECT_EQ(parse_dtype("BF16"), std::nullopt);
}

TEST(DType, SizesFamiliesAndAccumulators) {
  EXPECT_EQ(size_of(DType::f32), 4);
  EXPECT_EQ(size_of(DType::f16), 2);
  EXPECT_EQ(size_of(DType::e8m0), 1);
  EXPECT_EQ(size_of(DType::i64), 8);
  EXPECT_TRUE(is_float(DType::e8m0));
  EXPECT_TRUE(is_integer(DType::u32));
  EXPECT_EQ(accumulator(DType::e4m3), DType::f32);
  EXPECT_EQ(accumulator(DType::i8), DType::i32);
}

TEST(Shape, Text) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape{300}), "(300,)");
  EXPECT_EQ(to_string(Shape{300, 64, 0}), "(300, 64, 0)");
}

TEST(Shape, HugeOnesDoNotOverflow) {
  EXPECT_EQ(checked_bytes(DType::f32, {}), 4);
  EXPECT_EQ(checked_bytes(DType::bf16, {300, 64}), 38400);
  EXPECT_EQ(checked_bytes(DType::i8, {huge}), huge);
  EXPECT_EQ(checked_bytes(DType::bf16, {huge}), std::nullopt);
  EXPECT_EQ(checked_bytes(DType::i8, {std::int64_t{1} << 32, std::int64_t{1} << 31}), std::nullopt);
  EXPECT_EQ(checked_bytes(DType::i8, {huge, huge, 0}), 0);
  EXPECT_EQ(checked_bytes(DType::i8, {-1}), std::nullopt);
  EXPECT_EQ(checked_bytes(DType::i8, {0, -1}), std::nullopt);
  EXPECT_EQ(elements({huge, 0, huge}), 0);
}

TEST(Tensor, NoTensorHasAShapeThatOverflows) {
  const auto make = [] { return Tensor(); };
  EXPECT_THROW(Tensor(DType::f32, {huge, 2}), InvalidValue);
  EXPECT_THROW(Tensor::uninitialised(DType::bf16, {huge}), InvalidValue);
  EXPECT_THROW(Tensor::deferred(DType::f32, {std::int64_t{1} << 31, std::int64_t{1} << 31}, make),
               InvalidValue);
  EXPECT_THROW(Tensor::deferred(DType::f32, {-1}, make), InvalidValue);
  EXPECT_THROW(elements({huge, 2}), InvalidValue);
}

TEST(Tensor, AllocateReportsWhatCannotBe) {
  const auto negative = Tensor::allocate(DType::f32, {2, -3});
  ASSERT_FALSE(negative);
  EXPECT_EQ(render(negative.diags()),
            "error: expected extents of at least 0, found shape (2, -3)\n");
  const auto overflowing = Tensor::allocate(DType::f32, {huge, huge});
  ASSERT_FALSE(overflowing);
  EXPECT_EQ(overflowing.diags()[0].code, ErrorCode::invalid_value);
  EXPECT_EQ(overflowing.diags()[0].message.find("expected fewer than 2^63 bytes, found shape ("),
            0U);
  const auto too_large = Tensor::allocate(DType::i8, {std::int64_t{1} << 62});
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.diags()[0].message.find(
                "no memory for a tensor i8(4611686018427387904,) of 4611686018427387904 bytes "
                "while making a tensor: the process may have "),
            0U)
      << too_large.diags()[0].message;
  EXPECT_EQ(too_large.diags()[0].code, ErrorCode::environment);
  const auto largest = Tensor::allocate(DType::i8, {huge});
  EXPECT_FALSE(largest);
}

TEST(Tensor, IsAlignedAndZero) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 100'000}) {
    for (int i = 0; i < dtype_count; ++i) {
      const DType dtype{static_cast<std::uint8_t>(i)};
      const Tensor tensor(dtype, {n});
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U);
      for (std::int64_t b = 0; b < tensor.bytes(); ++b) ASSERT_EQ(tensor.data()[b], std::byte{0});
    }
  }
}

TEST(Tensor, ScalarHasOneElement) {
  Tensor tensor(DType::f16, {});
  EXPECT_EQ(tensor.rank(), 0);
  EXPECT_EQ(tensor.elements(), 1);
  tensor.set(0, 1.5);
  EXPECT_EQ(tensor.at(0), 1.5);
}

TEST(Tensor, SetRoundsAndAtIsExact) {
  const double values[] = {0, 1, -2.5, 448, 1e6, -3};
  const struct {
    DType dtype;
    double expected[6];
  } rows[] = {
      {DType::f32, {0, 1, -2.5, 448, 1e6, -3}},
      {DType::bf16, {0, 1, -2.5, 448, 999424, -3}},
      {DType::f16, {0, 1, -2.5, 448, INFINITY, -3}},
      {DType::e4m3, {0, 1, -2.5, 448, 448, -3}},
      {DType::e5m2, {0, 1, -2.5, 448, 57344, -3}},
      {DType::e8m0, {0x1p-127, 1, 4, 512, 0x1p20, 4}},
      {DType::i8, {0, 1, -2, 127, 127, -3}},
      {DType::i32, {0, 1, -2, 448, 1e6, -3}},
      {DType::u32, {0, 1, 0, 448, 1e6, 0}},
      {DType::i64, {0, 1, -2, 448, 1e6, -3}},
  };
  for (const auto& row : rows) {
    Tensor tensor(row.dtype, {2, 3});
    for (int i = 0; i < 6; ++i) tensor.set(i, values[i]);
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(tensor.at(i), row.expected[i]) << name(row.dtype) << ' ' << i;
  }
}

TEST(Tensor, CloneIsIndependent) {
  Tensor tensor(DType::i32, {2});
  tensor.set(1, 7);
  const Tensor copy = tensor.clone();
  tensor.set(1, 8);
  EXPECT_EQ(copy.at(1), 7);
  EXPECT_EQ(copy.shape(), Shape{2});
  EXPECT_EQ(Tensor().clone().data(), nullptr);
}

TEST(TensorDeathTest, WrongIndexIsOurError) {
  Tensor tensor(DType::i32, {2});
  EXPECT_DEATH(tensor.at(2), "internal error: i >= 0 && i < elements");
  EXPECT_DEATH(tensor.set(-1, 0), "internal error");
}

}  // namespace
}  // namespace tessera

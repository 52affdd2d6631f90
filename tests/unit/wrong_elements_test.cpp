// Descriptions of the positions of wrong elements, by their common properties.
#include "cli/reports/wrong_elements.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace tessera::cli {
namespace {

using Wrong = std::function<bool(std::int64_t, std::int64_t)>;

std::string text_of(const Wrong& is_wrong) {
  const std::int64_t rows = 8, columns = 16;
  Buffer buffer;
  buffer.name = "o";
  buffer.dtype = DType::i32;
  buffer.shape = {rows, columns};
  Expectation expected{&buffer, 0, "", Tensor(DType::i32, {rows, columns})};
  Tensor got(DType::i32, {rows, columns});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) got.set(i * columns + j, is_wrong(i, j) ? 1 : 0);
  return wrong_elements_text({&expected, &got, {}, compare(got, expected.tensor, Tolerance{})});
}

TEST(WrongElements, AreABoxWithStepsWhereTheyFillIt) {
  EXPECT_EQ(text_of([](auto i, auto j) { return i >= 4 && j < 8; }),
            "the wrong elements are o[4 .. 8, 0 .. 8]");
  EXPECT_EQ(text_of([](auto i, auto j) { return i == 3 && j % 4 == 1; }),
            "the wrong elements are o[3, 1 .. 14 step 4]");
}

TEST(WrongElements, LieInABoxThatHasRightOnesToo) {
  EXPECT_EQ(text_of([](auto i, auto j) { return i == j; }),
            "the wrong elements are inside o[0 .. 8, 0 .. 8]");
  EXPECT_EQ(text_of([](auto i, auto j) { return (i == 0 || i == 1 || i == 5) && j > 2; }),
            "the wrong elements are inside o[0 .. 6, 3 .. 16]");
}

TEST(WrongElements, AreNotToldOfOneOrAll) {
  EXPECT_EQ(text_of([](auto i, auto j) { return i == 2 && j == 2; }), "");
  EXPECT_EQ(text_of([](auto, auto) { return true; }), "");
}

}  // namespace
}  // namespace tessera::cli

// Positions of the elements of a buffer.
#include "interp/memory/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tessera {
namespace {

Buffer stored(Shape shape, std::vector<int> order = {}) {
  Buffer buffer;
  buffer.shape = std::move(shape);
  buffer.order = std::move(order);
  return buffer;
}

Box box(std::initializer_list<std::int64_t> start, std::initializer_list<std::int64_t> size) {
  Box box;
  box.rank = static_cast<std::int8_t>(start.size());
  std::copy(start.begin(), start.end(), box.start.begin());
  std::copy(size.begin(), size.end(), box.size.begin());
  return box;
}

TEST(Layout, a_tensor_has_the_extents_in_storage_order) {
  EXPECT_EQ(stored_shape(stored({2, 3, 5})), (Shape{2, 3, 5}));
  EXPECT_EQ(stored_shape(stored({2, 3, 5}, {2, 0, 1})), (Shape{5, 2, 3}));
}

TEST(Layout, rows_are_dense_and_columns_are_not) {
  const Layout layout(stored({4, 6}));
  EXPECT_TRUE(is_dense(layout.view(layout.whole(), DType::f32)));
  EXPECT_TRUE(is_dense(layout.view(box({1, 0}, {2, 6}), DType::f32)));
  EXPECT_TRUE(is_dense(layout.view(box({1, 2}, {1, 3}), DType::f32)));  // part of one row
  EXPECT_FALSE(is_dense(layout.view(box({1, 2}, {2, 3}), DType::f32)));
  EXPECT_FALSE(is_dense(layout.view(box({0, 2}, {4, 1}), DType::f32)));
}

TEST(Layout, what_is_stored_by_columns_is_dense_along_them_alone) {
  const Layout layout(stored({4, 6}, {1, 0}));
  EXPECT_FALSE(is_dense(layout.view(layout.whole(), DType::f32)));
  EXPECT_TRUE(is_dense(layout.view(box({0, 2}, {4, 1}), DType::f32)));
}

}  // namespace
}  // namespace tessera

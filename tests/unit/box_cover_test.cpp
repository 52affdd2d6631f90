#include "interp/memory/box_cover.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tessera {
namespace {

Box box(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
  Box b;
  b.rank = 2;
  b.start = {row, column};
  b.size = {rows, columns};
  return b;
}

std::set<std::pair<std::int64_t, std::int64_t>> elements_of(const Box& b) {
  std::set<std::pair<std::int64_t, std::int64_t>> result;
  for (std::int64_t i = b.start[0]; i < b.end(0); ++i)
    for (std::int64_t j = b.start[1]; j < b.end(1); ++j) result.emplace(i, j);
  return result;
}

Box random_box(std::mt19937& rng) {
  const auto draw = [&](int below) {
    return static_cast<std::int64_t>(rng() % static_cast<unsigned>(below));
  };
  return box(draw(6), 1 + draw(4), draw(6), 1 + draw(4));
}

TEST(BoxCover, what_is_left_of_a_box_is_every_other_element_once) {
  std::mt19937 rng(1);
  for (int round = 0; round < 2000; ++round) {
    const Box a = random_box(rng), hole = random_box(rng);
    auto expected = elements_of(a);
    for (const auto& e : elements_of(hole)) expected.erase(e);
    std::set<std::pair<std::int64_t, std::int64_t>> left;
    std::size_t count = 0;
    for (const Box& part : without(a, hole)) {
      const auto of_part = elements_of(part);
      count += of_part.size();
      left.insert(of_part.begin(), of_part.end());
    }
    EXPECT_EQ(left, expected);
    EXPECT_EQ(count, expected.size());
  }
}

TEST(BoxCover, misses_what_no_box_covered) {
  std::mt19937 rng(2);
  for (int round = 0; round < 500; ++round) {
    BoxCover cover;
    std::set<std::pair<std::int64_t, std::int64_t>> covered;
    for (int i = 0; i < 6; ++i) {
      const Box b = random_box(rng);
      cover.add(b);
      covered.merge(elements_of(b));
    }
    const Box asked = random_box(rng);
    std::set<std::pair<std::int64_t, std::int64_t>> missing, expected = elements_of(asked);
    for (const Box& part : cover.missing(asked)) missing.merge(elements_of(part));
    for (const auto& e : covered) expected.erase(e);
    EXPECT_EQ(missing, expected);
  }
}

TEST(BoxCover, finds_every_pair_that_meets) {
  std::mt19937 rng(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Box> a, b;
    for (int i = 0; i < 12; ++i) a.push_back(random_box(rng));
    for (int i = 0; i < 9; ++i) b.push_back(random_box(rng));
    std::vector<const Box*> pa, pb;
    std::set<std::pair<std::size_t, std::size_t>> expected, found;
    for (const Box& x : a) pa.push_back(&x);
    for (const Box& y : b) pb.push_back(&y);
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        if (intersects(a[i], b[j])) expected.emplace(i, j);
    for_each_meeting(pa, pb, [&](std::size_t i, std::size_t j) {
      EXPECT_TRUE(found.emplace(i, j).second);
      return true;
    });
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace tessera

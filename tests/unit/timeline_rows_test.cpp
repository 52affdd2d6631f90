// Summaries of a timeline's slices: what they stand for, and what is never summarised.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "analysis/timeline/html/rows.h"

namespace tessera {
namespace {

using Slice = TimelineRows::Slice;

std::vector<Slice> random_row(std::mt19937& draw) {
  std::vector<Slice> row;
  std::int64_t at = 0;
  for (int i = 0; i < 300; ++i) {
    at += draw() % 3 == 0 ? draw() % 50 : 0;
    const std::int64_t end = at + (draw() % 10 == 0 ? draw() % 5000 : draw() % 20);
    row.push_back({.begin = at,
                   .end = end,
                   .label = static_cast<std::int32_t>(draw() % 7),
                   .is_kept = draw() % 40 == 0});
    at = end;
  }
  return row;
}

std::set<std::int32_t> labels_of(const TimelineRows& rows, const Slice& slice) {
  if (slice.count == 1) return {slice.label};
  const std::vector<std::int32_t>& all = rows.labels()[static_cast<std::size_t>(slice.label)];
  return {all.begin(), all.end()};
}

// Compares a reduced row with all its slices.
void check(const TimelineRows& rows, std::int32_t row, const std::vector<Slice>& all) {
  std::size_t next = 0;
  for (const Slice& slice : rows.slices(row)) {
    ASSERT_LE(next + static_cast<std::size_t>(slice.count), all.size());
    EXPECT_EQ(slice.number, static_cast<std::int64_t>(next));
    EXPECT_EQ(slice.begin, all[next].begin);
    std::int64_t busy = 0;
    std::set<std::int32_t> labels;
    for (std::int32_t i = 0; i < slice.count; ++i, ++next) {
      busy += all[next].end - all[next].begin;
      labels.insert(all[next].label);
      EXPECT_TRUE(slice.count == 1 || !all[next].is_kept);
      EXPECT_EQ(rows.find(row, static_cast<std::int64_t>(next)).has_value(), slice.count == 1);
    }
    EXPECT_EQ(slice.end, all[next - 1].end);
    EXPECT_EQ(slice.busy, busy);
    EXPECT_EQ(labels_of(rows, slice), labels);
  }
  EXPECT_EQ(next, all.size());
}

TEST(TimelineRows, summaries_stand_for_all_their_slices) {
  std::mt19937 draw(7);
  for (int round = 0; round < 30; ++round) {
    TimelineRows rows;
    std::map<std::int32_t, std::vector<Slice>> all;
    for (int r = 0; r < 4; ++r) {
      const std::int32_t row = rows.add_row();
      all[row] = random_row(draw);
      for (const Slice& slice : all[row]) rows.add(row, slice);
    }
    for (const std::size_t most : {1200, 700, 400, 120}) {
      rows.reduce(most, most);
      EXPECT_LE(rows.slice_count(), std::max<std::size_t>(most, 1200 / 5));
      for (const auto& [row, slices] : all) check(rows, row, slices);
    }
  }
}

TEST(TimelineRows, fewer_points_keep_the_maximum_and_the_last_value) {
  std::mt19937 draw(8);
  TimelineRows rows;
  const std::int32_t counter = rows.add_counter();
  double highest = 0, last = 0;
  for (int i = 0; i < 5000; ++i) {
    last = draw() % 1000;
    highest = std::max(highest, last);
    rows.add(counter, TimelineRows::Point{i, last});
  }
  rows.reduce(0, 100);
  const std::vector<TimelineRows::Point>& points = rows.points(counter);
  EXPECT_LE(points.size(), 100U);
  EXPECT_EQ(points.back().at, 4999);
  EXPECT_EQ(points.back().value, last);
  EXPECT_EQ(std::max_element(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.value < b.value; })
                ->value,
            highest);
}

TEST(TimelineRows, rows_stay_small_while_slices_are_added) {
  TimelineRows rows;
  const std::int32_t row = rows.add_row();
  constexpr std::int64_t count = 5 * TimelineRows::most;
  for (std::int64_t i = 0; i < count; ++i)
    rows.add(row, Slice{.begin = 10 * i, .end = 10 * i + 7, .label = static_cast<int>(i % 3)});
  EXPECT_LE(rows.slice_count(), 2 * TimelineRows::most);
  std::int64_t stood_for = 0, busy = 0;
  for (const Slice& slice : rows.slices(row)) {
    stood_for += slice.count;
    busy += slice.busy;
  }
  EXPECT_EQ(stood_for, count);
  EXPECT_EQ(busy, 7 * count);
}

}  // namespace
}  // namespace tessera

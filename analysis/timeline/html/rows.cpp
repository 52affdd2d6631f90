#include "analysis/timeline/html/rows.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t most_labels = 40;   // in one summary
constexpr std::int64_t finest = 1 << 20;  // first part of the time in which slices are summarised

}  // namespace

std::int32_t TimelineRows::add_row() {
  rows_.emplace_back();
  return static_cast<std::int32_t>(rows_.size()) - 1;
}

std::int32_t TimelineRows::add_counter() {
  counters_.emplace_back();
  return static_cast<std::int32_t>(counters_.size()) - 1;
}

void TimelineRows::add(std::int32_t row, const Slice& slice) {
  Row& own = rows_[at(row)];
  own.slices.push_back(slice);
  own.slices.back().number = own.next++;
  own.slices.back().busy = slice.end - slice.begin;
  last_ = std::max(last_, slice.end);
  if (++slice_count_ > 2 * most) reduce(most, most);
}

void TimelineRows::add(std::int32_t counter, const Point& point) {
  counters_[at(counter)].push_back(point);
  last_ = std::max(last_, point.at);
  if (++point_count_ > 2 * most) reduce(most, most);
}

// Doubles the time within which neighbours are joined until few enough are left.
void TimelineRows::reduce(std::size_t slices, std::size_t points) {
  for (std::int64_t within = std::max<std::int64_t>(last_ / finest, 1);
       slice_count_ > slices && within <= last_; within *= 2) {
    slice_count_ = 0;
    for (Row& row : rows_) {
      summarise(row, within);
      slice_count_ += row.slices.size();
    }
  }
  for (std::int64_t within = std::max<std::int64_t>(last_ / finest, 1);
       point_count_ > points && within <= last_; within *= 2) {
    point_count_ = 0;
    for (std::vector<Point>& counter : counters_) {
      thin(counter, within);
      point_count_ += counter.size();
    }
  }
}

std::optional<std::int32_t> TimelineRows::find(std::int32_t row, std::int64_t number) const {
  const std::vector<Slice>& slices = rows_[at(row)].slices;
  const auto after =
      std::upper_bound(slices.begin(), slices.end(), number,
                       [](std::int64_t n, const Slice& slice) { return n < slice.number; });
  if (after == slices.begin() || (after - 1)->count > 1) return std::nullopt;
  return static_cast<std::int32_t>(after - slices.begin()) - 1;
}

void TimelineRows::summarise(Row& row, std::int64_t within) {
  std::vector<Slice>& slices = row.slices;
  std::size_t kept = 0;
  for (std::size_t first = 0; first < slices.size();) {
    std::size_t last = first + 1;
    const auto joins = [&](std::size_t i) {
      return !slices[i].is_kept && slices[i].end - slices[first].begin <= within;
    };
    if (joins(first))
      while (last < slices.size() && joins(last)) ++last;
    slices[kept++] = last - first == 1 ? slices[first] : summary(&slices[first], &slices[last - 1]);
    first = last;
  }
  slices.resize(kept);
}

TimelineRows::Slice TimelineRows::summary(const Slice* first, const Slice* last) {
  Slice result = *first;
  result.end = last->end;
  std::vector<std::int32_t> labels;
  result.count = 0;
  result.busy = 0;
  for (const Slice* slice = first; slice <= last; ++slice) {
    result.count += slice->count;
    result.busy += slice->busy;
    if (slice->count == 1)
      labels.push_back(slice->label);
    else
      labels.insert(labels.end(), labels_[at(slice->label)].begin(),
                    labels_[at(slice->label)].end());
  }
  result.label = label_of(std::move(labels));
  return result;
}

std::int32_t TimelineRows::label_of(std::vector<std::int32_t> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  if (labels.size() > most_labels) labels.resize(most_labels);
  const auto [found, is_new] =
      known_labels_.try_emplace(labels, static_cast<std::int32_t>(labels_.size()));
  if (is_new) labels_.push_back(std::move(labels));
  return found->second;
}

// Keeps the maximum and the last of the values within a time.
void TimelineRows::thin(std::vector<Point>& points, std::int64_t within) {
  std::vector<Point> result;
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first;
    Point highest = points[first];
    while (last + 1 < points.size() && points[last + 1].at - points[first].at <= within) {
      ++last;
      if (points[last].value > highest.value) highest = points[last];
    }
    if (last - first > 1)
      result.push_back({points[first].at, highest.value});
    else
      result.push_back(points[first]);
    if (last > first) result.push_back(points[last]);
    first = last + 1;
  }
  points = std::move(result);
}

}  // namespace tessera

// Slices and counter values of a timeline in limited memory: where there are too many, neighbouring
// short slices of a row become one summary.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tessera {

// Times are nanoseconds. A row is a list of slices that do not overlap; a track with nested slices
// has one row for each depth.
class TimelineRows {
 public:
  struct Slice {
    std::int64_t begin = 0, end = 0;
    std::int32_t label = 0;   // with count > 1: index for labels()
    std::int32_t count = 1;   // slices that a summary stands for
    std::int64_t busy = 0;    // sum of their durations
    std::int64_t number = 0;  // position of its first slice in the row, without summaries
    bool is_kept = false;     // never in a summary
  };
  struct Point {
    std::int64_t at = 0;
    double value = 0;
  };
  // Maximum number of slices before summaries are made, and the same for points.
  static constexpr std::size_t most = 500'000;

  // Return the number of the new row and counter.
  std::int32_t add_row();
  std::int32_t add_counter();
  // Returns the number of the next slice of a row: the number of slices added to it.
  std::int64_t next(std::int32_t row) const { return rows_[at(row)].next; }
  // Append a slice to a row, with its `number` and `busy` set, and a point to a counter; both in
  // time order. Summarise if there are more than twice `most`.
  void add(std::int32_t row, const Slice& slice);
  void add(std::int32_t counter, const Point& point);
  // Summarises until at most these numbers of slices and points are left, or nothing more can be
  // joined.
  void reduce(std::size_t slices, std::size_t points);

  // Stay valid until the next add_row() or add_counter(); add() and reduce() change them.
  const std::vector<Slice>& slices(std::int32_t row) const { return rows_[at(row)].slices; }
  const std::vector<Point>& points(std::int32_t counter) const { return counters_[at(counter)]; }
  // Returns the position of a slice in slices(row); none if it is in a summary. number: the slice's
  // `number`, less than next(row).
  std::optional<std::int32_t> find(std::int32_t row, std::int64_t number) const;
  // The labels in summaries, ascending, by Slice::label. At most 40 labels for each.
  const std::vector<std::vector<std::int32_t>>& labels() const { return labels_; }
  std::size_t slice_count() const { return slice_count_; }
  std::size_t point_count() const { return point_count_; }

 private:
  struct Row {
    std::vector<Slice> slices;
    std::int64_t next = 0;
  };
  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }
  void summarise(Row& row, std::int64_t within);
  Slice summary(const Slice* first, const Slice* last);
  std::int32_t label_of(std::vector<std::int32_t> labels);
  static void thin(std::vector<Point>& points, std::int64_t within);

  std::vector<Row> rows_;
  std::vector<std::vector<Point>> counters_;
  std::size_t slice_count_ = 0, point_count_ = 0;
  std::int64_t last_ = 0;  // end of the last slice or point
  std::vector<std::vector<std::int32_t>> labels_;
  std::map<std::vector<std::int32_t>, std::int32_t> known_labels_;
};

}  // namespace tessera

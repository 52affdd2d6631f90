// Filter for accesses during a replay: those that may overlap one of some ranges.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/certificate/races/conflicts.h"

namespace tessera {

class Watch {
 public:
  // Both must outlive this object.
  Watch(const Record& record, const Conflicts& conflicts)
      : record_(record),
        conflicts_(conflicts),
        stamps_(conflicts.places()),
        hulls_(conflicts.places()) {}

  // Removes all ranges.
  void clear() { ++stamp_; }

  // Adds the range together with leaving the kernel, which overlaps it; for entering the kernel,
  // the ranges that begin with it.
  void add(RangeId range) {
    const Range& self = record_.ranges[range];
    if (self.kind == ObjectKind::none) {
      for (const RangeId brought : conflicts_.brought_by(range)) widen(brought);
      return;
    }
    widen(range);
    if (const RangeId leaving = conflicts_.leaving(Record::core_at(self.core))) widen(leaving);
  }

  // True if the range may overlap an added one. Each object has one bounding box for all added
  // ranges, so other ranges may match as well.
  bool may_overlap(RangeId range) const {
    const RangePlaceId place = conflicts_.place(range);
    return stamps_[place] == stamp_ && intersects(hulls_[place], record_.ranges[range].box);
  }

 private:
  void widen(RangeId range) {
    const Box& box = record_.ranges[range].box;
    if (box.empty()) return;
    const RangePlaceId place = conflicts_.place(range);
    Box& hull = hulls_[place];
    if (stamps_[place] != stamp_) {
      stamps_[place] = stamp_;
      hull = box;
      return;
    }
    for (int d = 0; d < box.rank; ++d) {
      const std::size_t i = Box::at(d);
      const std::int64_t end = std::max(hull.end(d), box.end(d));
      hull.start[i] = std::min(hull.start[i], box.start[i]);
      hull.size[i] = end - hull.start[i];
    }
  }

  const Record& record_;
  const Conflicts& conflicts_;
  std::uint32_t stamp_ = 1;
  Table<RangePlaceId, std::uint32_t> stamps_;
  Table<RangePlaceId, Box> hulls_;
};

}  // namespace tessera

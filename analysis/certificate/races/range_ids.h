// Numbers for ranges in the order in which they first come, equal ones the same.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/races/range.h"
#include "analysis/certificate/record/ids.h"

namespace tessera {

class RangeIds {
 public:
  // hint: who asks. Where the same one asked for the same range last, nothing is searched.
  RangeId of(const Range& range, std::uint32_t hint, Table<RangeId, Range>& ranges);

 private:
  // The hash stands beside the number so that ranges are looked at only where it is equal.
  struct Slot {
    RangeId number{};  // none: free
    std::uint32_t hash = 0;
  };
  static std::uint32_t hash(const Range& range);
  static bool is_same(const Range& a, const Range& b);
  void grow();

  std::vector<Slot> slots_;      // from hash on; a power of two of them
  std::vector<RangeId> recent_;  // by hint
};

}  // namespace tessera

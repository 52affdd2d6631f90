// Ids of ranges in the order of their first use. Equal ranges have the same id.
#pragma once
#include <cstdint>
#include <vector>

#include "analysis/certificate/races/range.h"
#include "analysis/certificate/record/ids.h"

namespace tessera {

class RangeIds {
 public:
  // Returns the id of the range in `ranges`, to which it is added if it is new.
  // ranges: the same in all calls, and empty before the first one.
  // hint: identifies the caller. A request equal to the last one with this hint needs no search.
  RangeId of(const Range& range, std::uint32_t hint, Table<RangeId, Range>& ranges);

 private:
  // The hash is stored with the number, so that ranges are compared only if the hashes are equal.
  struct Slot {
    RangeId number{};  // none: free
    std::uint32_t hash = 0;
  };
  static std::uint32_t hash(const Range& range);
  static bool is_same(const Range& a, const Range& b);
  void grow();

  std::vector<Slot> slots_;      // open addressing; a power of two
  std::vector<RangeId> recent_;  // by hint
};

}  // namespace tessera

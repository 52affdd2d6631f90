// Numbers for ranges in the order in which they first come, equal ones the same.
#pragma once
#include <cstdint>
#include <vector>

#include "interp/certificate/range.h"

namespace tessera {

class RangeIds {
 public:
  // hint: who asks. Where the same one asked for the same range last, nothing is searched.
  std::int32_t of(const Range& range, std::uint32_t hint, std::vector<Range>& ranges);

 private:
  static std::uint64_t hash(const Range& range);
  static bool is_same(const Range& a, const Range& b);
  void grow(const std::vector<Range>& ranges);

  std::vector<std::int32_t> slots_;   // by hash: the number, or -1; a power of two of them
  std::vector<std::int32_t> recent_;  // by hint
};

}  // namespace tessera

// Additions of copies and atomic updates.
#pragma once
#include "analysis/certificate/record/record.h"

namespace tessera {

// True for an addition of integers: their sum is the same in every order. addition: an access to a
// buffer.
inline bool adds_integers(const Record& record, const RecordedEvent& addition) {
  const Range& range = record.ranges[addition.range()];
  return is_integer(record.program->buffers[range.buffer()].dtype);
}

}  // namespace tessera

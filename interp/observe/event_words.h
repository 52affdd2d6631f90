// Events as a sequence of words, to pass them to another thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/observe/event.h"

namespace tessera {

// An event that was packed, without its loops and registers. Its box is a member of this object.
struct UnpackedEvent {
  Event event{};
  Box box{};

  // The event in a duplicate would point to the box of the original.
  UnpackedEvent() = default;
  UnpackedEvent(const UnpackedEvent&) = delete;
  UnpackedEvent& operator=(const UnpackedEvent&) = delete;
};

// Appends the event to `words`.
void pack(std::vector<std::int64_t>& words, const Event& event);
// Unpacks the event at the begin of `words`, which pack() wrote, and returns the words after it.
std::span<const std::int64_t> unpack(std::span<const std::int64_t> words, UnpackedEvent& unpacked);

}  // namespace tessera

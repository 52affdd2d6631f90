// Events as they are handed to another thread: in few bytes, one behind the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/observe/event.h"

namespace tessera {

// An event that was packed. Its box is this one's; it has no loops, and no registers but those that
// were kept with it, in their order.
struct UnpackedEvent {
  Event event{};
  Box box{};
  bool has_registers = false;
  std::span<const std::int64_t> values{};  // in the words

  // The box of the copy would be that of the original.
  UnpackedEvent() = default;
  UnpackedEvent(const UnpackedEvent&) = delete;
  UnpackedEvent& operator=(const UnpackedEvent&) = delete;
};

// Room for the values of the event's registers that are kept with it is behind its other words: the
// caller adds so many.
void pack(std::vector<std::int64_t>& words, const Event& event, std::size_t values = 0);
// The first event of the words; what is behind it.
std::span<const std::int64_t> unpack(std::span<const std::int64_t> words, UnpackedEvent& unpacked);

}  // namespace tessera

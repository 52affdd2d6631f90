// Remaining stack of the calling thread.
#pragma once
#include <cstddef>

namespace tessera {

// Returns the number of bytes between the current frame and the end of the thread's stack; SIZE_MAX
// if the system does not report the end.
std::size_t stack_left();

}  // namespace tessera

// The stack that the calling thread has left.
#pragma once
#include <cstddef>

namespace tessera {

// Bytes between the caller's frame and the end of the thread's stack; SIZE_MAX if the system does
// not report where the stack ends.
std::size_t stack_left();

}  // namespace tessera

#include "core/host/stack_room.h"

#include <pthread.h>

#include <cstdint>

namespace tessera {
namespace {

// Returns the lowest address of the calling thread's stack above its guard pages; 0: unknown.
std::uintptr_t end_of_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0, guard = 0;
  const bool is_known = pthread_attr_getstack(&attributes, &lowest, &size) == 0 &&
                        pthread_attr_getguardsize(&attributes, &guard) == 0;
  pthread_attr_destroy(&attributes);
  return is_known ? reinterpret_cast<std::uintptr_t>(lowest) + guard : 0;
}

}  // namespace

std::size_t stack_left() {
  thread_local const std::uintptr_t end = end_of_stack();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return end == 0 || here < end ? SIZE_MAX : here - end;
}

}  // namespace tessera

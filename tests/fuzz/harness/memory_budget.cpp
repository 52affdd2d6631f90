#include "tests/fuzz/harness/memory_budget.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

// The linker calls these in place of malloc and its like (tests/CMakeLists.txt).
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
void __real_free(void* block);
}

namespace tessera::fuzz {
namespace {

struct State {
  bool is_on = false;
  bool was_refused = false;
  std::int64_t left = 0;         // bytes
  std::int64_t allocations = 0;  // until one fails; negative: none does
};
thread_local State state;

bool grants(std::size_t size) {
  if (!state.is_on) return true;
  const bool fails = state.allocations == 0;
  if (state.allocations >= 0) --state.allocations;
  if (!fails && size <= static_cast<std::uint64_t>(state.left > 0 ? state.left : 0)) return true;
  state.was_refused = true;
  return false;
}

void* taken(void* block) {
  if (state.is_on && block != nullptr)
    state.left -= static_cast<std::int64_t>(malloc_usable_size(block));
  return block;
}

}  // namespace

MemoryBudget::MemoryBudget(std::int64_t bytes, std::int64_t failing_after) {
  state = {true, false, bytes, failing_after};
}
MemoryBudget::~MemoryBudget() { state = {}; }
bool MemoryBudget::was_refused() const { return state.was_refused; }

Unbounded::Unbounded() : before_(state.is_on) { state.is_on = false; }
Unbounded::~Unbounded() { state.is_on = before_; }

void* allocate(std::size_t size) { return grants(size) ? taken(__real_malloc(size)) : nullptr; }
void* allocate_zeroed(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || !grants(bytes)) return nullptr;
  return taken(__real_calloc(count, size));
}
void* allocate_aligned(std::size_t alignment, std::size_t size) {
  return grants(size) ? taken(__real_aligned_alloc(alignment, size)) : nullptr;
}
void release(void* block) {
  if (state.is_on && block != nullptr)
    state.left += static_cast<std::int64_t>(malloc_usable_size(block));
  __real_free(block);
}

}  // namespace tessera::fuzz

extern "C" {
void* __wrap_malloc(std::size_t size) { return tessera::fuzz::allocate(size); }
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return tessera::fuzz::allocate_zeroed(count, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  return tessera::fuzz::allocate_aligned(alignment, size);
}
void __wrap_free(void* block) { tessera::fuzz::release(block); }
}

// All of the program's operators new end in these (the array forms and those with nothrow call
// them).
void* operator new(std::size_t size) {
  void* const block = tessera::fuzz::allocate(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  void* const block = tessera::fuzz::allocate_aligned(to, (size + to - 1) / to * to);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return tessera::fuzz::allocate(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return tessera::fuzz::allocate(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept { tessera::fuzz::release(block); }
void operator delete[](void* block) noexcept { tessera::fuzz::release(block); }
void operator delete(void* block, std::size_t) noexcept { tessera::fuzz::release(block); }
void operator delete[](void* block, std::size_t) noexcept { tessera::fuzz::release(block); }
void operator delete(void* block, std::align_val_t) noexcept { tessera::fuzz::release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { tessera::fuzz::release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  tessera::fuzz::release(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  tessera::fuzz::release(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept { tessera::fuzz::release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  tessera::fuzz::release(block);
}

// The memory that an input may take in a harness, and allocations that fail: what is asked for
// beyond it is refused as the system refuses it, so that a small input that asks for gigabytes has
// to end as the diagnostic of memory that is not there.
#pragma once
#include <cstdint>

namespace tessera::fuzz {

// While it lives, allocations of this thread beyond `bytes` in all fail, and the one after
// `failing_after` others; negative: none does.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes, std::int64_t failing_after = -1);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  bool was_refused() const;
};

// While it lives nothing fails: for what a harness does itself.
class Unbounded {
 public:
  Unbounded();
  ~Unbounded();
  Unbounded(const Unbounded&) = delete;
  Unbounded& operator=(const Unbounded&) = delete;

 private:
  bool before_;
};

}  // namespace tessera::fuzz

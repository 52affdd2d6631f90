// The semaphores of one core, and who signalled and waited how much. A cell takes memory from its
// first use on: a large array of which little is used costs little.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/loop_values.h"
#include "interp/schedule/schedule.h"

namespace tessera {

// One semaphore of an array.
struct SemId {
  std::int32_t site = -1;       // whose it is (interp/machine/topology.h)
  std::int32_t semaphore = -1;  // into Program::semaphores
  std::int64_t cell = 0;
};

// All signals, or all waits, of one statement by one core.
struct Tally {
  std::int32_t statement = -1;
  std::int32_t site = -1;
  bool is_wait = false;
  std::int64_t times = 0;
  std::int64_t amount = 0;
  LoopValues loops{};  // of the last time (interp/machine/loop_indices.h)
};

struct SemCell {
  std::int64_t count = 0;
  Handle waiter = nobody;           // the core that is blocked on it, the first of several
  std::int32_t first_pending = -1;  // the copies that will signal it, in the order of their start
  std::int32_t last_pending = -1;
  std::vector<Tally> tallies;
  bool is_reported = false;  // not zero when its scope ended

  // The entry of what is counted, for its loops.
  Tally& tally(std::int32_t statement, std::int32_t site, bool is_wait, std::int64_t amount);

 private:
  // Where the entry of a statement and site is, once there are many.
  std::unique_ptr<std::unordered_map<std::uint64_t, std::size_t>> index_;
};

class Semaphores {
 public:
  // shares_scoped: the machine gives the cells of a scope that has ended to another one. Otherwise
  // each scoped semaphore has cells of its own from the beginning of the kernel to its end.
  explicit Semaphores(const Program& program, bool shares_scoped = false);

  SemCell& cell(std::int32_t semaphore, std::int64_t cell) {
    const auto page = static_cast<std::size_t>(cell) / page_cells;
    Pages& pages = pages_[static_cast<std::size_t>(first(semaphore))];
    if (page >= pages.size() || pages[page] == nullptr) add_page(pages, page);
    return (*pages[page])[static_cast<std::size_t>(cell) % page_cells];
  }
  // The first cell from `cell` on that may have been used, or -1.
  std::int64_t used(std::int32_t semaphore, std::int64_t cell) const;
  // Becomes what another core has now, but for who counted.
  void fork(const Semaphores& from);
  bool is_live(std::int32_t semaphore) const { return life(semaphore) == Life::now; }
  bool was_live(std::int32_t semaphore) const { return life(semaphore) == Life::over; }
  void allocate(std::int32_t semaphore);
  void release(std::int32_t semaphore);
  // Whether a signal counts now: cells of its own are there before and after its scope.
  bool is_counted(std::int32_t semaphore) const { return !shares_scoped_ || is_live(semaphore); }
  // Declarations of one barrier share their cells; the first stands for all.
  bool is_first(std::int32_t semaphore) const {
    return first_[static_cast<std::size_t>(semaphore)] == semaphore;
  }
  std::int32_t first(std::int32_t semaphore) const {
    return first_[static_cast<std::size_t>(semaphore)];
  }

 private:
  enum class Life : std::uint8_t { none, now, over };
  Life life(std::int32_t semaphore) const { return live_[static_cast<std::size_t>(semaphore)]; }
  static constexpr std::size_t page_cells = 32;
  using Pages = std::vector<std::unique_ptr<std::array<SemCell, page_cells>>>;
  static void add_page(Pages& pages, std::size_t page);

  const Program& program_;
  bool shares_scoped_;
  std::vector<std::int32_t> first_;
  std::vector<Life> live_;
  std::vector<Pages> pages_;  // by semaphore; those of the first are used
};

}  // namespace tessera

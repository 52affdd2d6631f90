// Semaphores of one core, with the signals and waits of each statement. Cells are allocated at
// their first use, so a large array with few used cells needs little memory.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/program/program.h"
#include "interp/machine/core_index.h"
#include "interp/machine/loop_values.h"
#include "interp/memory/byte_image.h"
#include "interp/schedule/schedule.h"

namespace tessera {

// One semaphore of an array.
struct SemId {
  CoreIndex core{};  // owner (interp/machine/topology.h)
  SemaphoreId semaphore{};
  std::int64_t cell = 0;
};

// All signals, or all waits, of one statement by one core.
struct Tally {
  StmtId statement;
  CoreIndex core{};
  bool is_wait = false;
  std::int64_t times = 0;
  std::int64_t amount = 0;
  LoopValues loops{};  // at the last time (interp/machine/loop_indices.h)
};

struct SemCell {
  SemCell() = default;
  SemCell(const SemCell& other);
  SemCell& operator=(const SemCell& other);

  std::int64_t count = 0;
  CoreIndex waiter{};               // core that is blocked on it; the first of several
  std::int32_t first_pending = -1;  // copies that will signal it, in the order of their starts
  std::int32_t last_pending = -1;
  std::vector<Tally> tallies;
  bool is_reported = false;  // its leftover count was reported

  // Counts one signal or wait. Returns its entry, in which the caller stores the loop values; valid
  // until the next call.
  Tally& tally(StmtId statement, CoreIndex core, bool is_wait, std::int64_t amount);

 private:
  // Position of each entry in `tallies`; null: there are few.
  std::unique_ptr<std::unordered_map<std::uint64_t, std::size_t>> index_;
};

class Semaphores {
 public:
  // shares_scoped: the machine reuses the cells of a scope that has ended for another scope.
  // Otherwise each scoped semaphore has its own cells during the whole kernel. program: must
  // outlive this object.
  explicit Semaphores(const Program& program, bool shares_scoped = false);

  // Returns a cell, which has count 0 before its first use. Valid until allocate(), fork() or
  // restore(). cell: row-major index, must be in the array.
  SemCell& cell(SemaphoreId semaphore, std::int64_t cell) {
    const auto page = static_cast<std::size_t>(cell) / page_cells;
    Pages& pages = pages_[first(semaphore)];
    if (page >= pages.size() || pages[page] == nullptr) add_page(pages, page);
    Page& found = *pages[page];
    if (found.image != nullptr) found.image.reset();  // the page may change
    return found.cells[static_cast<std::size_t>(cell) % page_cells];
  }
  // First cell from `cell` on that may have been used, or -1.
  std::int64_t used(SemaphoreId semaphore, std::int64_t cell) const;
  // Replaces the lifetimes and counts by those in `from`, the semaphores of another core. Tallies,
  // waiters and pending copies are cleared and not copied.
  void fork(const Semaphores& from);
  bool is_live(SemaphoreId semaphore) const { return lifetime(semaphore) == Lifetime::now; }
  bool was_live(SemaphoreId semaphore) const { return lifetime(semaphore) == Lifetime::over; }
  // Begin and end a lifetime; the caller checks is_live(). Counts remain, except that shared cells
  // begin with count 0, and that a monotone semaphore has count 0 after its release.
  void allocate(SemaphoreId semaphore);
  void release(SemaphoreId semaphore);
  // True if a signal counts now. Cells that are not shared with other scopes also count before and
  // after their scope.
  bool is_counted(SemaphoreId semaphore) const { return !shares_scoped_ || is_live(semaphore); }
  // Declarations of one barrier share the cells of the first declaration.
  bool is_first(SemaphoreId semaphore) const { return first_[semaphore] == semaphore; }
  SemaphoreId first(SemaphoreId semaphore) const { return first_[semaphore]; }

 private:
  enum class Lifetime : std::uint8_t { none, now, over };
  Lifetime lifetime(SemaphoreId semaphore) const { return live_[semaphore]; }
  static constexpr std::size_t page_cells = 32;
  using Cells = std::array<SemCell, page_cells>;
  struct PageImage {
    PageImage(const Cells& of, const HeldBytes& all, std::int64_t bytes)
        : cells(of), held(all, bytes) {}
    Cells cells;
    HeldBytes::Share held;
  };
  struct Page {
    Cells cells;
    std::shared_ptr<const PageImage> image;  // equal to the page; may be null
  };
  using Pages = std::vector<std::unique_ptr<Page>>;

 public:
  // Saved state, for the object that saved it. Images share pages that did not change between them.
  class Image {
    friend class Semaphores;
    Table<SemaphoreId, Lifetime> live;
    Table<SemaphoreId, std::vector<std::shared_ptr<const PageImage>>> pages;
  };
  Image save(const HeldBytes& held);
  void restore(const Image& image);

 private:
  static void add_page(Pages& pages, std::size_t page);

  const Program& program_;
  bool shares_scoped_;
  Table<SemaphoreId, SemaphoreId> first_;
  Table<SemaphoreId, Lifetime> live_;
  Table<SemaphoreId, Pages> pages_;  // used only for first declarations
};

}  // namespace tessera

#include "interp/machine/semaphores.h"

#include <algorithm>

namespace tessera {

namespace {

std::uint64_t key(StmtId statement, CoreIndex core, bool is_wait) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(statement.index)) << 32 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(core.index)) << 1 |
         static_cast<std::uint64_t>(is_wait);
}

}  // namespace

SemCell::SemCell(const SemCell& other) { *this = other; }

SemCell& SemCell::operator=(const SemCell& other) {
  if (this == &other) return *this;
  count = other.count;
  waiter = other.waiter;
  first_pending = other.first_pending;
  last_pending = other.last_pending;
  tallies = other.tallies;
  is_reported = other.is_reported;
  index_ = other.index_ == nullptr
               ? nullptr
               : std::make_unique<std::unordered_map<std::uint64_t, std::size_t>>(*other.index_);
  return *this;
}

Tally& SemCell::tally(StmtId statement, CoreIndex core, bool is_wait, std::int64_t amount) {
  constexpr std::size_t few = 32;
  const auto count = [&](Tally& t) -> Tally& {
    ++t.times;
    t.amount += amount;
    return t;
  };
  if (index_ == nullptr) {
    for (Tally& t : tallies)
      if (t.statement == statement && t.core == core && t.is_wait == is_wait) return count(t);
    if (tallies.size() == few) {
      index_ = std::make_unique<std::unordered_map<std::uint64_t, std::size_t>>();
      for (const Tally& t : tallies)
        index_->emplace(key(t.statement, t.core, t.is_wait), index_->size());
    }
  }
  if (index_ != nullptr) {
    const auto [known, is_new] = index_->try_emplace(key(statement, core, is_wait), tallies.size());
    if (!is_new) return count(tallies[known->second]);
  }
  return tallies.emplace_back(Tally{statement, core, is_wait, 1, amount});
}

Semaphores::Semaphores(const Program& program, bool shares_scoped)
    : program_(program), shares_scoped_(shares_scoped), pages_(program.semaphores.size()) {
  for (const SemaphoreId id : program.semaphores.ids()) {
    const Semaphore& s = program.semaphores[id];
    first_.add(id);
    live_.add(s.scoped ? Lifetime::none : Lifetime::now);
    for (const SemaphoreId before : program.semaphores.ids()) {
      if (before == id || s.kind != SemKind::barrier) break;
      const Semaphore& other = program.semaphores[before];
      if (other.kind != SemKind::barrier || other.collective != s.collective ||
          elements(other.shape) != elements(s.shape))
        continue;
      first_[id] = before;
      break;
    }
  }
}

void Semaphores::add_page(Pages& pages, std::size_t page) {
  if (page >= pages.size()) pages.resize(page + 1);
  pages[page] = std::make_unique<Page>();
}

std::int64_t Semaphores::used(SemaphoreId semaphore, std::int64_t cell) const {
  const Pages& pages = pages_[first(semaphore)];
  const std::int64_t count = elements(program_.semaphores[semaphore].shape);
  while (cell < count) {
    const auto page = static_cast<std::size_t>(cell) / page_cells;
    if (page >= pages.size()) break;
    if (pages[page] != nullptr) return cell;
    cell = static_cast<std::int64_t>((page + 1) * page_cells);
  }
  return -1;
}

void Semaphores::fork(const Semaphores& from) {
  live_ = from.live_;
  for (const SemaphoreId s : pages_.ids()) {
    pages_[s].clear();
    for (std::size_t page = 0; page < from.pages_[s].size(); ++page) {
      if (from.pages_[s][page] == nullptr) continue;
      for (std::size_t i = 0; i < page_cells; ++i) {
        const std::int64_t count = from.pages_[s][page]->cells[i].count;
        const auto at = static_cast<std::int64_t>(page * page_cells + i);
        if (count != 0) cell(s, at).count = count;
      }
    }
  }
}

Semaphores::Image Semaphores::save(const HeldBytes& held) {
  Image image;
  image.live = live_;
  image.pages.resize(pages_.size());
  for (const SemaphoreId s : pages_.ids()) {
    for (const auto& page : pages_[s]) {
      if (page != nullptr && page->image == nullptr) {
        std::size_t bytes = sizeof(PageImage);
        for (const SemCell& cell : page->cells) bytes += cell.tallies.size() * sizeof(Tally);
        page->image =
            std::make_shared<const PageImage>(page->cells, held, static_cast<std::int64_t>(bytes));
      }
      image.pages[s].push_back(page == nullptr ? nullptr : page->image);
    }
  }
  return image;
}

void Semaphores::restore(const Image& image) {
  live_ = image.live;
  for (const SemaphoreId s : pages_.ids()) {
    pages_[s].resize(image.pages[s].size());
    for (std::size_t i = 0; i < pages_[s].size(); ++i) {
      const auto& from = image.pages[s][i];
      if (from == nullptr)
        pages_[s][i].reset();
      else if (pages_[s][i] == nullptr || pages_[s][i]->image != from)
        pages_[s][i] = std::make_unique<Page>(Page{from->cells, from});
    }
  }
}

void Semaphores::allocate(SemaphoreId semaphore) {
  live_[semaphore] = Lifetime::now;
  if (shares_scoped_) pages_[first(semaphore)].clear();
}

// A monotone semaphore starts again at zero.
void Semaphores::release(SemaphoreId semaphore) {
  live_[semaphore] = Lifetime::over;
  const Semaphore& declared = program_.semaphores[semaphore];
  if (!declared.monotone) return;
  for (std::int64_t i = used(semaphore, 0); i >= 0; i = used(semaphore, i + 1))
    cell(semaphore, i).count = 0;
}

}  // namespace tessera

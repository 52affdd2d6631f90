#include "interp/semaphores.h"

#include <algorithm>

namespace tessera {

Tally& SemCell::tally(std::int32_t statement, std::int32_t site, bool is_wait,
                      std::int64_t amount) {
  for (Tally& t : tallies) {
    if (t.statement != statement || t.site != site || t.is_wait != is_wait) continue;
    ++t.times;
    t.amount += amount;
    return t;
  }
  return tallies.emplace_back(Tally{statement, site, is_wait, 1, amount});
}

Semaphores::Semaphores(const Program& program, bool shares_scoped)
    : program_(program), shares_scoped_(shares_scoped) {
  std::int64_t cells = 0;
  for (std::size_t i = 0; i < program.semaphores.size(); ++i) {
    const Semaphore& s = program.semaphores[i];
    first_.push_back(static_cast<std::int32_t>(i));
    live_.push_back(s.scoped ? Life::none : Life::now);
    std::int64_t base = cells;
    std::int64_t size = elements(s.shape);
    for (std::size_t j = 0; j < i && s.kind == SemKind::barrier; ++j) {
      const Semaphore& other = program.semaphores[j];
      if (other.kind != SemKind::barrier || other.collective != s.collective ||
          elements(other.shape) != size)
        continue;
      first_[i] = static_cast<std::int32_t>(j);
      base = base_[j];
      size = 0;
      break;
    }
    base_.push_back(base);
    cells += size;
  }
  cells_.resize(static_cast<std::size_t>(cells));
}

void Semaphores::allocate(std::int32_t semaphore) {
  live_[static_cast<std::size_t>(semaphore)] = Life::now;
  if (!shares_scoped_) return;
  const std::int64_t n = elements(program_.semaphores[static_cast<std::size_t>(semaphore)].shape);
  for (std::int64_t i = 0; i < n; ++i) cell(semaphore, i) = SemCell{};
}

// A monotone one begins at zero again.
void Semaphores::release(std::int32_t semaphore) {
  live_[static_cast<std::size_t>(semaphore)] = Life::over;
  const Semaphore& declared = program_.semaphores[static_cast<std::size_t>(semaphore)];
  if (!declared.monotone) return;
  for (std::int64_t i = 0, n = elements(declared.shape); i < n; ++i) cell(semaphore, i).count = 0;
}

}  // namespace tessera

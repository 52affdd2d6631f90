// What exists at a core against what the machine profile has. A limit of 0 is no limit.
#include <fmt/format.h>

#include <algorithm>

#include "interp/describe.h"
#include "interp/machine.h"

namespace tessera {
namespace {

constexpr std::size_t most_contributors = 5;

struct Contributor {
  std::int64_t amount;
  FindingPlace place;
};

// The biggest first, at most five, as notes; then how many are left out.
std::vector<FindingPlace> biggest(std::vector<Contributor> all, std::string_view unit) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Contributor& a, const Contributor& b) { return a.amount > b.amount; });
  std::vector<FindingPlace> notes;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= most_contributors) {
      rest += all[i].amount;
      continue;
    }
    all[i].place.message =
        fmt::format("{} takes {}", all[i].place.message, counted(all[i].amount, unit));
    notes.push_back(all[i].place);
  }
  if (rest > 0)
    notes.push_back({.message = fmt::format("{} more take {}", all.size() - most_contributors,
                                            counted(rest, unit))});
  return notes;
}

}  // namespace

void Machine::check_capacity(Core& core, std::int32_t statement) {
  const MachineProfile& profile = options_.profile;
  Site& owner = site(core.site());
  const auto check = [&](std::string_view what, std::string_view unit, std::int64_t total,
                         std::int64_t limit, auto contributors) {
    if (stopped_ || limit == 0 || total <= limit) return;
    std::vector<FindingPlace> notes = biggest(contributors(), unit);
    const Loc largest = notes.front().loc;
    stop(FindingKind::capacity,
         fmt::format("{} needs {}, but {} has {}", what, counted(total, unit), profile.name, limit),
         core.id(), statement, std::move(notes));
    // At the start of the run it is the largest declaration that stands for the finding.
    if (statement < 0) findings_.back().at.loc = largest;
  };
  const auto buffers = [&](auto belongs) {
    std::vector<Contributor> all;
    for (const auto& storage : owner.storages) {
      const Buffer& buffer = storage->buffer();
      if (storage->is_live() && belongs(buffer.space))
        all.push_back(
            {storage->bytes(), {.loc = program_.loc(buffer.place), .message = buffer.name}});
    }
    return all;
  };
  check("vmem", "byte", owner.usage.vmem, profile.vmem_bytes,
        [&] { return buffers([](Space s) { return s == Space::vmem || s == Space::tile; }); });
  check("smem", "byte", owner.usage.smem, profile.smem_bytes,
        [&] { return buffers([](Space s) { return s == Space::smem; }); });
  std::vector<Contributor> semaphores, barriers;
  for (std::size_t i = 0; i < program_.semaphores.size(); ++i) {
    const Semaphore& s = program_.semaphores[i];
    const auto id = static_cast<std::int32_t>(i);
    if (!owner.semaphores.is_counted(id) || !owner.semaphores.is_first(id)) continue;
    const std::int64_t amount = s.kind == SemKind::barrier ? 1 : elements(s.shape);
    (s.kind == SemKind::barrier ? barriers : semaphores)
        .push_back({amount, {.loc = program_.loc(s.place), .message = s.name}});
  }
  check("the core", "semaphore", owner.usage.semaphores, profile.semaphores,
        [&] { return semaphores; });
  check("the kernel", "barrier id", static_cast<std::int64_t>(barriers.size()), profile.barrier_ids,
        [&] { return barriers; });
}

}  // namespace tessera

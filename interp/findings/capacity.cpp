#include "interp/findings/capacity.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/findings/describe.h"
#include "interp/machine/agent.h"
#include "interp/machine/semaphores.h"

namespace tessera {
namespace {

constexpr std::size_t max_contributors = 5;

struct Contributor {
  std::int64_t amount;
  FindingPlace place;
};

// Returns notes on the largest contributors, at most max_contributors, in descending order; then a
// note on the rest.
std::vector<FindingPlace> biggest(std::vector<Contributor> all, std::string_view unit) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Contributor& a, const Contributor& b) { return a.amount > b.amount; });
  std::vector<FindingPlace> notes;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= max_contributors) {
      rest += all[i].amount;
      continue;
    }
    all[i].place.message =
        fmt::format("{} takes {}", all[i].place.message, counted(all[i].amount, unit));
    notes.push_back(all[i].place);
  }
  if (rest > 0)
    notes.push_back({.message = fmt::format("{} more take {}", all.size() - max_contributors,
                                            counted(rest, unit))});
  return notes;
}

}  // namespace

std::optional<Excess> excess_of(const Program& program, const MachineProfile& profile,
                                const Usage& usage, const std::function<bool(BufferId)>& has_buffer,
                                const std::function<bool(SemaphoreId)>& has_semaphore) {
  const auto check = [&](std::string_view what, std::string_view unit, std::int64_t total,
                         std::int64_t limit, auto contributors) -> std::optional<Excess> {
    if (limit == 0 || total <= limit) return std::nullopt;
    return Excess{fmt::format("{} needs {}, but {} has {}", what, counted(total, unit),
                              profile.text(), limit),
                  biggest(contributors(), unit)};
  };
  const auto buffers = [&](auto belongs) {
    std::vector<Contributor> all;
    for (const BufferId b : program.buffers.ids()) {
      const Buffer& buffer = program.buffers[b];
      if (has_buffer(b) && belongs(buffer.space))
        all.push_back({elements(buffer.shape) * size_of(buffer.dtype),
                       {.loc = program.loc(buffer.place), .message = buffer.name}});
    }
    return all;
  };
  const auto semaphores = [&](bool are_barriers) {
    std::vector<Contributor> all;
    for (const SemaphoreId id : program.semaphores.ids()) {
      const Semaphore& s = program.semaphores[id];
      if (!has_semaphore(id) || (s.kind == SemKind::barrier) != are_barriers) continue;
      all.push_back(
          {are_barriers ? 1 : elements(s.shape), {.loc = program.loc(s.place), .message = s.name}});
    }
    return all;
  };
  const std::vector<Contributor> barriers = semaphores(true);
  auto found = check("vmem", "byte", usage.vmem, profile.vmem_bytes, [&] {
    return buffers([](Space s) { return s == Space::vmem || s == Space::tile; });
  });
  if (!found)
    found = check("smem", "byte", usage.smem, profile.smem_bytes,
                  [&] { return buffers([](Space s) { return s == Space::smem; }); });
  if (!found)
    found = check("the core", "semaphore", usage.semaphores, profile.semaphores,
                  [&] { return semaphores(false); });
  if (!found)
    found = check("the kernel", "barrier id", static_cast<std::int64_t>(barriers.size()),
                  profile.barrier_ids, [&] { return barriers; });
  return found;
}

std::optional<Finding> launch_excess(const Program& program, const MachineProfile& profile) {
  Usage usage;
  for (const Buffer& buffer : program.buffers)
    if (!buffer.scoped) usage.take(buffer.space, elements(buffer.shape) * size_of(buffer.dtype));
  const Semaphores semaphores(program, profile.shares_scoped_semaphores);
  const auto is_counted = [&](const Semaphore& s) {
    return !s.scoped || !profile.shares_scoped_semaphores;
  };
  for (const Semaphore& s : program.semaphores)
    if (is_counted(s) && s.kind != SemKind::barrier) usage.take_semaphores(elements(s.shape));
  auto excess = excess_of(
      program, profile, usage, [&](BufferId b) { return !program.buffers[b].scoped; },
      [&](SemaphoreId s) { return is_counted(program.semaphores[s]) && semaphores.is_first(s); });
  if (!excess) return std::nullopt;
  // Places the finding at the largest declaration. All cores have the same declarations; the first
  // core is named.
  const AgentId core{0, 0, -1};
  Finding finding{.kind = FindingKind::capacity, .message = std::move(excess->message)};
  finding.at = {.loc = excess->notes.front().loc, .device = 0, .agent = to_string(core)};
  finding.notes = std::move(excess->notes);
  return finding;
}

}  // namespace tessera

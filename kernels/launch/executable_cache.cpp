#include "kernels/launch/executable_cache.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace tessera {
namespace {

constexpr std::size_t most = 16;

struct Kept {
  std::mutex mutex;
  std::list<std::pair<std::string, CachedExecutable>> all;  // most recently stored first
};

Kept& kept() {
  static Kept of_process;
  return of_process;
}

}  // namespace

std::optional<CachedExecutable> take_kept(const std::string& key) {
  const std::lock_guard lock(kept().mutex);
  auto& all = kept().all;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == all.end()) return std::nullopt;
  CachedExecutable executable = std::move(found->second);
  all.erase(found);
  return executable;
}

void keep(std::string key, CachedExecutable executable) {
  const std::lock_guard lock(kept().mutex);
  auto& all = kept().all;
  all.emplace_front(std::move(key), std::move(executable));
  if (all.size() > most) all.pop_back();
}

}  // namespace tessera

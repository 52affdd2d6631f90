#include "kernels/launch/kept_executables.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace tessera {
namespace {

constexpr std::size_t most = 16;

struct Kept {
  std::mutex mutex;
  std::list<std::pair<std::string, KeptExecutable>> all;  // the last that was kept in front
};

Kept& kept() {
  static Kept of_process;
  return of_process;
}

}  // namespace

std::optional<KeptExecutable> take_kept(const std::string& key) {
  const std::lock_guard lock(kept().mutex);
  auto& all = kept().all;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == all.end()) return std::nullopt;
  KeptExecutable executable = std::move(found->second);
  all.erase(found);
  return executable;
}

void keep(std::string key, KeptExecutable executable) {
  const std::lock_guard lock(kept().mutex);
  auto& all = kept().all;
  all.emplace_front(std::move(key), std::move(executable));
  if (all.size() > most) all.pop_back();
}

}  // namespace tessera

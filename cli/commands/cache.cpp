// cache: lists, shows and removes cached configurations and compiled kernels.
#include <fmt/format.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/reports/report.h"
#include "core/host/disk_cache.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/persistent_cache.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string config_text(const CacheEntry& entry) {
  const Expected<GroupedMatmulConfig> config = parse_config(entry.config);
  return config ? describe(*config) : config.diags().front().message;
}

Json to_json(const PersistentCache::Listed& listed) {
  Json row = {{"id", listed.id}};
  if (!listed.entry) {
    row["problem"] = listed.problem;
    return row;
  }
  const CacheEntry& entry = *listed.entry;
  row["device"] = entry.key.device;
  row["operation"] = entry.key.operation;
  row["call"] = entry.key.call;
  row["config"] = Json::parse(entry.config);
  row["source"] = entry.source;
  row["seconds"] = entry.seconds > 0 ? Json(entry.seconds) : Json();
  row["measure"] = entry.measure;
  return row;
}

std::string time_of(const CacheEntry& entry) {
  return entry.seconds > 0 ? fmt::format("{} {}", human_seconds(entry.seconds), entry.measure)
                           : entry.measure;
}

// Sums the kernel caches of all devices.
KernelCacheInfo kernel_cache() {
  KernelCacheInfo all;
  for (const Device* device : devices()) {
    const KernelCacheInfo kept = device->kernel_cache();
    all.files += kept.files;
    all.bytes += kept.bytes;
    if (all.note.empty()) all.note = kept.note;
  }
  return all;
}

Expected<std::int64_t> clear_kernel_cache() {
  std::int64_t removed = 0;
  for (const Device* device : devices()) removed += TRY(device->clear_kernel_cache());
  return removed;
}

int list(Console& console) {
  const PersistentCache cache = PersistentCache::of_user();
  const auto entries = cache.list();
  const KernelCacheInfo kernels = kernel_cache();
  if (console.json) {
    Json object = {{"status", "ok"},
                   {"folder", cache_folder()},
                   {"configurations", Json::array()},
                   {"compiled_kernels", kernels.files},
                   {"compiled_bytes", kernels.bytes}};
    if (!kernels.note.empty()) object["problem"] = kernels.note;
    for (const auto& listed : entries) object["configurations"].push_back(to_json(listed));
    print(console, object);
    return 0;
  }
  console.out << line("folder", cache_folder().empty() ? "none" : cache_folder());
  if (!kernels.note.empty()) console.out << line("warning", kernels.note);
  for (const auto& listed : entries) {
    console.out << listed.id << "\n";
    if (!listed.entry) {
      console.out << "  " << listed.problem << "\n";
      continue;
    }
    const CacheEntry& entry = *listed.entry;
    console.out << fmt::format("  {}, {}\n  {}\n  {}, {}\n", entry.key.operation, entry.key.device,
                               entry.key.call, config_text(entry), time_of(entry));
  }
  console.out << fmt::format(
      "{}, {} of {}\n",
      counted(static_cast<std::int64_t>(entries.size()), "configuration", "configurations"),
      counted(kernels.files, "compiled kernel", "compiled kernels"), human_bytes(kernels.bytes));
  return 0;
}

int show(const std::string& id, Console& console) {
  const auto entries = PersistentCache::of_user().list();
  const PersistentCache::Listed* found = nullptr;
  for (const auto& listed : entries) {
    if (!listed.id.starts_with(id)) continue;
    if (found != nullptr)
      return fail(console, error(fmt::format("{} is a prefix of several cache ids", id)));
    found = &listed;
  }
  if (found == nullptr) return fail(console, error(fmt::format("the cache has no entry {}", id)));
  Json object = to_json(*found);
  if (console.json) {
    object["status"] = "ok";
    print(console, object);
  } else {
    print(console, object);
  }
  return 0;
}

int clear(const std::string& id, Console& console) {
  const Expected<int> removed = PersistentCache::of_user().clear(id);
  if (!removed) return fail(console, removed.diags());
  Expected<std::int64_t> cleared = std::int64_t{0};
  if (id.empty()) cleared = clear_kernel_cache();
  if (!cleared) return fail(console, cleared.diags());
  const std::int64_t kernels = *cleared;
  if (console.json) {
    print(console, {{"status", "ok"}, {"configurations", *removed}, {"compiled_kernels", kernels}});
  } else {
    console.out << fmt::format("removed {} and {}\n",
                               counted(*removed, "configuration", "configurations"),
                               counted(kernels, "compiled kernel", "compiled kernels"));
  }
  return 0;
}

int run(const Arguments& arguments, Console& console) {
  const std::string& verb = arguments.words()[0];
  const std::string id = arguments.words().size() > 1 ? arguments.words()[1] : "";
  if (verb == "list") {
    if (id.empty()) return list(console);
    return fail(console, error(fmt::format("unexpected argument '{}' for cache list", id)));
  }
  if (verb == "show") {
    if (!id.empty()) return show(id, console);
    return fail(console, error("cache show needs the ID of an entry, as cache list gives it"));
  }
  if (verb == "clear") return clear(id, console);
  return fail(console, error(fmt::format("cache: expected list, show or clear, found '{}'", verb)));
}

}  // namespace

Command cache_command() {
  return {"cache",
          "list|show|clear [ID]",
          "show or clear the cache of tuned configurations and compiled kernels",
          "  gmm-run cache list\n  gmm-run cache show 3f2a\n  gmm-run cache clear\n",
          {},
          run};
}

}  // namespace tessera::cli

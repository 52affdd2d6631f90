#include "kernels/tuning/persistent_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/report/json_text.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* ending = ".json";

// Entries of other versions may refer to kernels, or to a time model, that no longer exist.
constexpr const char* build = "tessera " TESSERA_VERSION;

// Checksum of an entry's object, without its member "checksum".
std::string checksum_of(Json object) {
  object.erase("checksum");
  return cache_key(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Expected<CacheEntry> parse_entry(const std::string& path, const std::string& text) {
  const Expected<Json> parsed = parse_json(text, fmt::format("{} is not a configuration", path));
  if (!parsed) return parsed.diags();
  const auto not_used = [&](std::string why) {
    return error(fmt::format("the cache's entry {} is not used: {}", path, why));
  };
  try {
    const Json& object = *parsed;
    CacheEntry entry;
    entry.key = {object.at("device").get<std::string>(), object.at("operation").get<std::string>(),
                 object.at("call").get<std::string>()};
    entry.config = object.at("config").dump();
    entry.source = object.at("source").get<std::string>();
    entry.seconds = object.at("seconds").get<double>();
    entry.measure = object.at("measure").get<std::string>();
    if (const auto by = object.value("build", std::string("an older version")); by != build)
      return not_used(fmt::format("it was written by {}, and this is {}", shown_text(by), build));
    if (object.at("checksum").get<std::string>() != checksum_of(object))
      return not_used("its checksum does not match its content");
    return entry;
  } catch (const Json::exception& problem) {
    return error(
        fmt::format("{} is not a configuration: {}", path, shown_text(problem.what(), 200)));
  }
}

// Returns the entry with this name; none if there is no file. Fails if the entry must not be used.
Expected<std::optional<CacheEntry>> entry_of(const CacheFolder& folder, const std::string& name) {
  const CacheRead cached = folder.read(name, file_kinds::cached_configuration);
  if (!cached.note.empty()) return error(ErrorCode::environment, cached.note);
  if (!cached.bytes) return std::optional<CacheEntry>();
  Expected<CacheEntry> entry = parse_entry(folder.path() + "/" + name, *cached.bytes);
  if (!entry) return entry.diags();
  return std::optional<CacheEntry>(*std::move(entry));
}

}  // namespace

PersistentCache::PersistentCache(std::string folder)
    : folder_(std::move(folder), "configurations") {}

PersistentCache PersistentCache::of_user() { return PersistentCache(cache_folder()); }

std::string PersistentCache::file(const OperationKey& key) const {
  return folder() + "/" + key.id() + ending;
}

Expected<std::optional<CacheEntry>> PersistentCache::find(const OperationKey& key) const {
  Expected<std::optional<CacheEntry>> entry = entry_of(folder_, key.id() + ending);
  // Another key with the same id is a miss.
  if (entry && *entry && !((*entry)->key == key)) return std::optional<CacheEntry>();
  return entry;
}

Expected<void> PersistentCache::store(const CacheEntry& entry) const {
  Json object = {{"build", build},
                 {"device", entry.key.device},
                 {"operation", entry.key.operation},
                 {"call", entry.key.call},
                 {"config", Json::parse(entry.config)},
                 {"source", entry.source},
                 {"seconds", entry.seconds},
                 {"measure", entry.measure}};
  object["checksum"] = checksum_of(object);
  const Expected<void> written = folder_.write(entry.key.id() + ending, object.dump(2) + "\n");
  if (written) return {};
  return error(ErrorCode::environment,
               fmt::format("the configuration is not cached: {}", written.diags().front().message));
}

std::vector<PersistentCache::Listed> PersistentCache::list() const {
  std::vector<Listed> all;
  for (const std::string& name : folder_.names()) {
    if (!is_cache_name(name, ending)) continue;
    Expected<std::optional<CacheEntry>> entry = entry_of(folder_, name);
    if (entry && !*entry) continue;  // removed concurrently
    Listed listed{name.substr(0, name.size() - std::string_view(ending).size()), {}, {}};
    if (entry) {
      listed.entry = **std::move(entry);
    } else {
      listed.problem = entry.diags().front().message;
    }
    all.push_back(std::move(listed));
  }
  return all;
}

Expected<int> PersistentCache::clear(const std::string& id) const {
  int removed = 0;
  for (const std::string& name : folder_.names()) {
    const bool is_meant = id.empty() ? is_cache_name(name, ending, true) : name == id + ending;
    if (!is_meant || !is_cache_name(name, ending, true)) continue;
    const Expected<bool> gone = folder_.remove(name);
    if (!gone) return gone.diags();
    removed += *gone && is_cache_name(name, ending) ? 1 : 0;
  }
  if (!id.empty() && removed == 0) return error(fmt::format("the cache has no entry {}", id));
  return removed;
}

}  // namespace tessera

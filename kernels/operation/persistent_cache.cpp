#include "kernels/operation/persistent_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/disk_cache.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* ending = ".json";

Expected<CacheEntry> parse_entry(const std::string& path, const std::string& text) {
  try {
    const Json object = Json::parse(text);
    CacheEntry entry;
    entry.key = {object.at("device").get<std::string>(), object.at("operation").get<std::string>(),
                 object.at("call").get<std::string>()};
    entry.config = object.at("config").dump();
    entry.source = object.at("source").get<std::string>();
    entry.seconds = object.at("seconds").get<double>();
    entry.measure = object.at("measure").get<std::string>();
    return entry;
  } catch (const Json::exception& problem) {
    return error(fmt::format("{} is no configuration: {}", path, problem.what()));
  }
}

bool is_entry(const fs::path& path) { return path.extension() == ending; }

}  // namespace

PersistentCache::PersistentCache(std::string folder)
    : folder_(folder.empty() ? std::string() : folder + "/configurations") {}

PersistentCache PersistentCache::of_user() { return PersistentCache(cache_folder()); }

Expected<std::optional<CacheEntry>> PersistentCache::find(const OperationKey& key) const {
  const std::string name = key.id() + ending;
  const std::optional<std::string> text = read_cached(folder_, name);
  if (!text) return std::optional<CacheEntry>();
  Expected<CacheEntry> entry = parse_entry(folder_ + "/" + name, *text);
  if (!entry) return entry.diags();
  // Another key of the same id is no hit.
  if (!(entry->key == key)) return std::optional<CacheEntry>();
  return std::optional<CacheEntry>(*std::move(entry));
}

Diags PersistentCache::store(const CacheEntry& entry) const {
  const Json object = {{"device", entry.key.device}, {"operation", entry.key.operation},
                       {"call", entry.key.call},     {"config", Json::parse(entry.config)},
                       {"source", entry.source},     {"seconds", entry.seconds},
                       {"measure", entry.measure}};
  const auto problem = write_cached(folder_, entry.key.id() + ending, object.dump(2) + "\n");
  if (!problem) return {};
  return {
      error(ErrorCode::environment, fmt::format("the configuration is not kept: {}", *problem))};
}

std::vector<PersistentCache::Listed> PersistentCache::list() const {
  std::vector<Listed> all;
  std::error_code failed;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, failed)) {
    if (!is_entry(file.path())) continue;
    const std::string name = file.path().filename().string();
    const std::optional<std::string> text = read_cached(folder_, name);
    if (!text) continue;  // removed by somebody else meanwhile
    Listed listed{file.path().stem().string(), {}, {}};
    Expected<CacheEntry> entry = parse_entry(file.path().string(), *text);
    if (entry) {
      listed.entry = *std::move(entry);
    } else {
      listed.problem = entry.diags().front().message;
    }
    all.push_back(std::move(listed));
  }
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.id < b.id; });
  return all;
}

Expected<int> PersistentCache::clear(const std::string& id) const {
  int removed = 0;
  std::error_code failed;
  std::vector<fs::path> doomed;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, failed)) {
    if (id.empty() || file.path().filename() == id + ending) doomed.push_back(file.path());
  }
  if (!id.empty() && doomed.empty()) return error(fmt::format("the cache has no entry {}", id));
  for (const fs::path& path : doomed) {
    if (!fs::remove(path, failed) && failed)
      return error(ErrorCode::environment,
                   fmt::format("{} cannot be removed: {}", path.string(), failed.message()));
    removed += is_entry(path) ? 1 : 0;
  }
  return removed;
}

}  // namespace tessera

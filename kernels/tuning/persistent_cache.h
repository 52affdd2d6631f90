// Configurations that outlive the process: one JSON file for each key in the user's cache folder,
// so that writers never meet: a file is there as a whole or not at all, whoever is killed when.
#pragma once  // public
#include <optional>
#include <string>
#include <vector>

#include "core/host/disk_cache.h"
#include "core/report/expected.h"
#include "kernels/tuning/operation_key.h"

namespace tessera {

struct CacheEntry {
  OperationKey key;
  std::string config;   // its JSON
  std::string source;   // autotune or heuristics
  double seconds = 0;   // what the tuner measured; 0: nothing was
  std::string measure;  // how: "simulated on v5e", "measured on cuda"
};

class PersistentCache {
 public:
  // In the folder `configurations` of `folder`; an empty one keeps nothing.
  explicit PersistentCache(std::string folder);
  // In the user's cache folder (core/host/disk_cache.h), as the environment gives it now.
  static PersistentCache of_user();

  const std::string& folder() const { return folder_.path(); }
  // Where the entry of the key lies.
  std::string file(const OperationKey& key) const;
  // None when there is no entry; an error says why the file that there is is not used: it is
  // damaged, of another version of Tessera, or others may have written it (core/host/disk_cache.h).
  Expected<std::optional<CacheEntry>> find(const OperationKey& key) const;
  // Replaces the entry of the key.
  [[nodiscard]] Diags store(const CacheEntry& entry) const;

  struct Listed {
    std::string id;
    std::optional<CacheEntry> entry;
    std::string problem;  // when it could not be read
  };
  // By id. What is no entry by its name is not listed, nor what a writer left behind when it was
  // killed.
  std::vector<Listed> list() const;
  // Removes the entry, or all of them without an id, leftovers of killed writers too, and nothing
  // that is not the cache's by its name; how many entries there were.
  Expected<int> clear(const std::string& id = {}) const;

 private:
  CacheFolder folder_;
};

}  // namespace tessera

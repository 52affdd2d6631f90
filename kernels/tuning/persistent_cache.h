// Persistent configurations: one JSON file for each key in the user's cache folder. Processes may
// read and write concurrently; files are written atomically.
#pragma once  // public
#include <optional>
#include <string>
#include <vector>

#include "core/host/disk_cache.h"
#include "core/report/expected.h"
#include "kernels/tuning/operation_key.h"

namespace tessera {

// A cached configuration.
struct CacheEntry {
  OperationKey key;     // key of the call
  std::string config;   // JSON, see kernels/tuning/config.h
  std::string source;   // "autotune" or "heuristics"
  double seconds = 0;   // measured time; 0: not measured
  std::string measure;  // kind of measurement: "simulated on v5e"
};

// A folder of entries.
class PersistentCache {
 public:
  // The entries are in the subfolder `configurations` of `folder`. Empty `folder`: nothing is
  // stored.
  explicit PersistentCache(std::string folder);
  // Returns the cache in the user's cache folder: $TESSERA_CACHE, $XDG_CACHE_HOME/tessera or
  // ~/.cache/tessera. If no such variable nor $HOME is set, nothing is stored.
  static PersistentCache of_user();

  // Folder of the files; empty if nothing is stored.
  const std::string& folder() const { return folder_.path(); }
  // Path of a key's file.
  std::string file(const OperationKey& key) const;
  // Returns the entry of a key; none if there is no file, or if it is of another key with the same
  // id. Fails if the entry is damaged or of another version of Tessera, and with
  // ErrorCode::environment if it is not read, for example because other users can write to it.
  Expected<std::optional<CacheEntry>> find(const OperationKey& key) const;
  // Writes the entry of its key, in place of an older one. entry.config must be JSON. Fails with
  // ErrorCode::environment and the reason if it cannot be written, and if there is no folder.
  Expected<void> store(const CacheEntry& entry) const;

  // A file of the cache.
  struct Listed {
    std::string id;                   // OperationKey::id() of its key
    std::optional<CacheEntry> entry;  // none if it could not be read
    std::string problem;              // reason why it could not be read
  };
  // Returns all entries, by id, also those that cannot be used. Files with other names are skipped.
  std::vector<Listed> list() const;
  // Removes the entry with this id. Empty id: removes all entries and the temporary files of killed
  // writers. Files with other names are not removed. Returns the number of removed entries. Fails
  // if an entry cannot be removed, and if no entry has the id.
  Expected<int> clear(const std::string& id = {}) const;

 private:
  CacheFolder folder_;
};

}  // namespace tessera

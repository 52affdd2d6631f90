// Configurations that outlive the process: one JSON file for each key in the user's cache folder.
// Any number of processes may read and write at once; a file is there as a whole or not at all.
#pragma once  // public
#include <optional>
#include <string>
#include <vector>

#include "core/host/disk_cache.h"
#include "core/report/expected.h"
#include "kernels/tuning/operation_key.h"

namespace tessera {

// A kept configuration.
struct CacheEntry {
  OperationKey key;     // what it is for
  std::string config;   // as JSON, see kernels/tuning/config.h
  std::string source;   // who chose it: "autotune" or "heuristics"
  double seconds = 0;   // the time that was measured; 0: none was
  std::string measure;  // how it was measured: "simulated on v5e"
};

// A folder of entries.
class PersistentCache {
 public:
  // The entries are in the folder `configurations` of `folder`; an empty `folder` keeps nothing.
  explicit PersistentCache(std::string folder);
  // The one in the user's cache folder: $TESSERA_CACHE, $XDG_CACHE_HOME/tessera or
  // ~/.cache/tessera.
  static PersistentCache of_user();

  // The folder of its files; empty when nothing is kept.
  const std::string& folder() const { return folder_.path(); }
  // The path of the file of a key.
  std::string file(const OperationKey& key) const;
  // The entry of a key; none when there is no file. An error when there is one that is not used: it
  // is damaged, of another version of Tessera, or other users can write it.
  Expected<std::optional<CacheEntry>> find(const OperationKey& key) const;
  // Writes the entry of its key. An error says why it was not written.
  Expected<void> store(const CacheEntry& entry) const;

  // A file of the cache.
  struct Listed {
    std::string id;                   // OperationKey::id() of its key
    std::optional<CacheEntry> entry;  // none when it could not be read
    std::string problem;              // why it could not be read
  };
  // All entries, by id; files with other names are not listed.
  std::vector<Listed> list() const;
  // Removes the entry of an id, or all entries and the temporary files of killed writers for an
  // empty one; files with other names stay. Gives the number of removed entries; an error when one
  // cannot be removed.
  Expected<int> clear(const std::string& id = {}) const;

 private:
  CacheFolder folder_;
};

}  // namespace tessera

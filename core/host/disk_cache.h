// Small files that are cached between runs in a folder of the user, one file per key. Writes are
// atomic, so processes may read and write concurrently, and may be killed at any time. Entries can
// contain code that is executed. An entry is therefore ignored, with a note that gives the reason,
// unless it is owned by the current user or root and is not writable by other users.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/host/file.h"

namespace tessera {

// Returns $TESSERA_CACHE, $XDG_CACHE_HOME/tessera or ~/.cache/tessera; empty if there is no home,
// then nothing is cached.
std::string cache_folder();
// Returns a 128-bit hash of `everything`, as 32 hexadecimal digits. Used as the name of an entry
// and as a checksum against accidental changes. Not cryptographic.
std::string cache_key(const std::string& everything);
// True if `name` is a key followed by `ending`. leftovers: also true for temporary files of such
// entries, which a killed writer may leave.
bool is_cache_name(const std::string& name, const std::string& ending, bool leftovers = false);

// Result of reading an entry.
struct CacheRead {
  std::optional<std::string> bytes;  // none: there is no entry, or it was rejected
  std::string note;                  // reason for a rejection; empty: none
};

// Folder `root`, or its subfolder `part` if that is not empty. Nothing is cached if `root` is
// empty.
class CacheFolder {
 public:
  explicit CacheFolder(std::string root, std::string part = {});
  const std::string& path() const { return path_; }

  // Reads an entry. It is rejected if the folder or the entry is not trusted, cannot be read, is
  // not a regular file or is larger than `kind` allows. No entry, and no note, if the root is
  // empty.
  CacheRead read(const std::string& name, const FileKind& kind) const;
  // Writes an entry atomically; creates the folder if necessary. An existing file with this name is
  // replaced; links are not followed. Fails with ErrorCode::environment if it cannot be written, or
  // if the folder is not used (rejection_reason() or an empty root).
  Expected<void> write(const std::string& name, const std::string& bytes) const;
  // Returns the sorted names of all files and subfolders, whether trusted or not; empty if the
  // folder cannot be read.
  std::vector<std::string> names() const;
  // Returns the reason why the folder is not used; empty if it is used or does not exist.
  std::string rejection_reason() const;
  // Removes an entry, whether trusted or not. Returns false if there is no such file. Fails with
  // ErrorCode::environment if it cannot be removed. Requires a non-empty root.
  Expected<bool> remove(const std::string& name) const;

 private:
  Descriptor open(std::string& note) const;

  std::string root_, part_, path_;
};

}  // namespace tessera

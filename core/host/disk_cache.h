// Small files kept between runs, in a folder of the user's: one file for each key, written whole or
// not at all, so that any number of processes may read and write at once and be killed. What is
// read may decide what code runs, so it must be this user's or root's, and nobody else may be able
// to write it: else it is refused, with a note, and counts as if it were not there.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/host/file.h"

namespace tessera {

// $TESSERA_CACHE, $XDG_CACHE_HOME/tessera or ~/.cache/tessera; empty when there is no home: nothing
// is kept.
std::string cache_folder();
// A name for everything that a cached thing depends on, and a checksum of what must not change by
// accident; 128 bits.
std::string cache_key(const std::string& everything);
// Whether `name` is one of a cached thing: a key and `ending`. What a writer that was killed left
// of one counts where `leftovers` does.
bool is_cache_name(const std::string& name, const std::string& ending, bool leftovers = false);

// What is there under a name.
struct CacheRead {
  std::optional<std::string> bytes;  // none: nothing is, or it is not used
  std::string note;                  // why it is not used
};

// The folder `part` of `root`, or `root` itself without one; an empty root keeps nothing.
class CacheFolder {
 public:
  explicit CacheFolder(std::string root, std::string part = {});
  const std::string& path() const { return path_; }

  CacheRead read(const std::string& name, const FileKind& kind) const;
  // A reader sees all of it or nothing; whatever had the name is replaced, and no link is followed.
  // An error of the environment says why it was not written.
  Expected<void> write(const std::string& name, const std::string& bytes) const;
  // By name; none when there is no folder.
  std::vector<std::string> names() const;
  // Why nothing of the folder is used; empty where it is, and where there is none.
  std::string rejection_reason() const;
  // False when it was not there; a message when it cannot be removed.
  Expected<bool> remove(const std::string& name) const;

 private:
  Descriptor open(std::string& note) const;

  std::string root_, part_, path_;
};

}  // namespace tessera

// Files that a command has read, so that no output of the same command replaces one of them.
#pragma once
#include <set>
#include <string>

#include "core/report/expected.h"

namespace tessera {

// Set of absolute paths without symbolic links.
class ReadFiles {
 public:
  void add(const std::string& path);
  // Removes a file, so that it can be replaced: for a command that rewrites its input.
  void remove(const std::string& path);
  // Fails with ErrorCode::invalid_value if the file was read.
  Expected<void> check_not_read(const std::string& path) const;

 private:
  std::set<std::string> paths_;
};

}  // namespace tessera

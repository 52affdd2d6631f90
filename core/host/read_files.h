// Files that a command has read, so that no output of the same command replaces one of them, and
// contents in memory that replace files.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/report/expected.h"

namespace tessera {

class ReadFiles {
 public:
  // Contents by path. InputFile::open() opens these instead of files on disk.
  std::map<std::string, std::string, std::less<>> contents;
  // Names of contents in messages, by path; others are named by their path.
  std::map<std::string, std::string, std::less<>> shown_names;
  // If set, InputFile::open() opens other files only if this function accepts their path.
  std::function<bool(const std::string& path)> accepts;

  // Records a file as read. A relative path is resolved in the current folder.
  void add(const std::string& path);
  // Like add(), for a file that no argument names: it is not in given().
  void add_unnamed(const std::string& path);
  // Removes a file, so that it can be replaced: for a command that rewrites its input. It stays in
  // given().
  void remove(const std::string& path);
  // Fails with ErrorCode::invalid_value if the file was read, also by another path or through
  // links.
  Expected<void> check_not_read(const std::string& path) const;
  // Paths passed to add().
  const std::set<std::string>& given() const { return given_; }

 private:
  std::set<std::string> paths_;  // absolute, without symbolic links
  std::set<std::string> given_;
};

}  // namespace tessera

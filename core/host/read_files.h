// Files that a command has read, so that no output of the same command replaces one of them.
#pragma once
#include <set>
#include <string>

#include "core/report/expected.h"

namespace tessera {

// Absolute paths without symbolic links.
class ReadFiles {
 public:
  void add(const std::string& path);
  // For a command that rewrites its input.
  void remove(const std::string& path);
  bool contains(const std::string& path) const;

  // The record of this thread; null outside every ReadFilesScope.
  static ReadFiles* current();

 private:
  std::set<std::string> paths_;
};

// During its lifetime InputFile::open() on this thread records the files, and OutputFile::create()
// with At::target refuses to replace them. The files must outlive this object.
class ReadFilesScope {
 public:
  explicit ReadFilesScope(ReadFiles& files);
  ~ReadFilesScope();
  ReadFilesScope(const ReadFilesScope&) = delete;
  ReadFilesScope& operator=(const ReadFilesScope&) = delete;

 private:
  ReadFiles* outer_;
};

// Fails with ErrorCode::invalid_value if the file was read.
Expected<void> check_not_read(const std::string& path);

}  // namespace tessera

// The files that exist only while something is written: known to the whole process, so that whoever
// ends it, a signal's handler too, can remove them.
#pragma once
#include <atomic>
#include <string>

namespace tessera {

// A name under which a temporary file may lie; while it is held, remove_temporary_files() removes
// that file.
class TemporaryName {
 public:
  TemporaryName() = default;
  explicit TemporaryName(const std::string& path);
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;
  // Removes the file.
  ~TemporaryName();

  explicit operator bool() const { return entry_ != nullptr; }
  const std::string& path() const;
  // The file has another name now, or belongs to nobody: it stays.
  void release();

  struct Entry;

 private:
  Entry* entry_ = nullptr;
};

// Removes every file whose name is held. For the end of a process: only calls that a signal's
// handler may make.
void remove_temporary_files() noexcept;

}  // namespace tessera

// Temporary files that exist while output is written. They are registered for the whole process, so
// that any end of it, also a signal handler, can remove them.
#pragma once
#include <atomic>
#include <string>

namespace tessera {

// Name of a temporary file. remove_temporary_files() removes the file while this object owns the
// name.
class TemporaryName {
 public:
  TemporaryName() = default;
  // Owns the name; the file need not exist yet.
  explicit TemporaryName(const std::string& path);
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;  // swaps the names
  // Removes the file if this object owns a name.
  ~TemporaryName();

  explicit operator bool() const { return entry_ != nullptr; }
  const std::string& path() const;  // requires an owned name
  // Gives up the name: the file was renamed, or belongs to another process. It is not removed.
  void release();

  struct Entry;

 private:
  Entry* entry_ = nullptr;
};

// Removes all files with owned names. To be called at the end of the process; async-signal-safe.
void remove_temporary_files() noexcept;

}  // namespace tessera

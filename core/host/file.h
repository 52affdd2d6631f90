// The one place that opens files to read them: regular files only, and of a bounded size where they
// are read whole. What is written goes through core/host/output_file.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/report/expected.h"

namespace tessera {

class ReadFiles;  // core/host/read_files.h

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  // False when the system reports that what was written is lost.
  bool close();

 private:
  int fd_;
};

// What a file is read as, and how many bytes it may have.
struct FileKind {
  std::string_view name;  // with its article
  std::int64_t largest;
};

namespace file_kinds {
inline constexpr FileKind program{"a program", std::int64_t{16} << 20};
inline constexpr FileKind schedule{"a schedule", std::int64_t{1} << 30};
inline constexpr FileKind configuration{"a configuration", std::int64_t{1} << 20};
inline constexpr FileKind cached_configuration{"a cached configuration", std::int64_t{1} << 20};
inline constexpr FileKind cached_kernel{"a cached kernel", std::int64_t{256} << 20};
inline constexpr FileKind certificate{"a certificate", std::int64_t{16} << 20};
inline constexpr FileKind report{"a report", std::int64_t{64} << 20};
inline constexpr FileKind system{"a file of the system", std::int64_t{16} << 20};
}  // namespace file_kinds

class InputFile {
 public:
  // An environment error when there is no such regular file or it cannot be read: what is a folder,
  // a pipe or a device is refused by name and never waited for.
  // read: records the file; may be null.
  static Expected<InputFile> open(const std::string& path, ReadFiles* read = nullptr);

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }
  // Fills `bytes` from `offset` on; an environment error when the file ends before.
  Expected<void> read(std::int64_t offset, std::span<std::byte> bytes) const;
  // From where it stands to its end; one that is larger than its kind may be is an error that says
  // both sizes.
  Expected<std::string> whole(const FileKind& kind) const;

 private:
  InputFile(std::string path, Descriptor descriptor, std::int64_t size)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), size_(size) {}

  std::string path_;
  Descriptor descriptor_;
  std::int64_t size_;
};

// What is piped or typed in, to its end.
Expected<std::string> read_standard_input(const FileKind& kind);
// Opens a file and reads all of it; read: as in InputFile::open().
Expected<std::string> read_whole(const std::string& path, const FileKind& kind,
                                 ReadFiles* read = nullptr);

namespace files {
// "a folder", "a pipe", ... for what is no regular file.
std::string_view what_is(unsigned mode);
Diag failure(std::string_view verb, const std::string& path, std::string_view reason);
// With the reason that errno holds.
Diag system_failure(std::string_view verb, const std::string& path);
// The rest of an open regular file.
Expected<std::string> read_rest(const Descriptor& file, const std::string& path,
                                const FileKind& kind);
}  // namespace files

}  // namespace tessera

// The only place that opens files for reading: regular files, of limited size if they are read
// completely. Files are written by core/host/output_file.h.
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
  // Closes the file. Returns false if the system reports an error: written data may be lost. True
  // if it is already closed.
  bool close();

 private:
  int fd_;
};

// Kind of a file for messages, and its maximum size.
struct FileKind {
  std::string_view name;  // including the article
  std::int64_t largest;   // bytes
};

namespace file_kinds {
inline constexpr FileKind program{"a program", std::int64_t{16} << 20};
inline constexpr FileKind schedule{"a schedule", std::int64_t{1} << 30};
inline constexpr FileKind configuration{"a configuration", std::int64_t{1} << 20};
inline constexpr FileKind cached_configuration{"a cached configuration", std::int64_t{1} << 20};
inline constexpr FileKind cached_kernel{"a cached kernel", std::int64_t{256} << 20};
inline constexpr FileKind certificate{"a certificate", std::int64_t{16} << 20};
inline constexpr FileKind pack{"a pack", std::int64_t{256} << 20};
inline constexpr FileKind report{"a report", std::int64_t{64} << 20};
inline constexpr FileKind system{"a file of the system", std::int64_t{16} << 20};
}  // namespace file_kinds

class InputFile {
 public:
  // Opens a file. Fails with ErrorCode::environment if there is no such regular file or it cannot
  // be read. A folder, pipe or device is rejected with its kind; the call never waits for it.
  // read: records the file; a content in memory with this path is opened instead and not recorded.
  // May be null.
  static Expected<InputFile> open(const std::string& path, ReadFiles* read = nullptr);

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }  // bytes when the file was opened
  // Fills all of `bytes` from `offset` in the file on. Fails with ErrorCode::environment if the
  // file is too short or cannot be read; `bytes` may then be partly filled.
  Expected<void> read(std::int64_t offset, std::span<std::byte> bytes) const;
  // Returns the content from the current position to the end, so all of it only at the first call;
  // read() does not change the position. Fails with ErrorCode::environment if it cannot be read,
  // and with ErrorCode::invalid_value if it exceeds the maximum size of its kind.
  Expected<std::string> whole(const FileKind& kind) const;

 private:
  static Expected<InputFile> open_content(const std::string& path, std::string_view content);
  InputFile(std::string path, Descriptor descriptor, std::int64_t size)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), size_(size) {}

  std::string path_;
  Descriptor descriptor_;
  std::int64_t size_;
};

// Returns standard input up to its end. Fails like InputFile::whole().
Expected<std::string> read_standard_input(const FileKind& kind);
// Returns the whole content of a file. Fails like InputFile::open() and whole(). read: as in
// open().
Expected<std::string> read_whole(const std::string& path, const FileKind& kind,
                                 ReadFiles* read = nullptr);

namespace files {
// Returns the kind of a file that is not regular: "a folder", "a pipe", ... mode: st_mode of
// stat().
std::string_view what_is(unsigned mode);
// Returns the error "cannot VERB PATH: REASON", with ErrorCode::environment.
Diag failure(std::string_view verb, const std::string& path, std::string_view reason);
// Like failure(), with the reason from errno, which must be current.
Diag system_failure(std::string_view verb, const std::string& path);
// Returns the rest of an open file, which need not be regular. Fails like InputFile::whole(); the
// size limit applies to the whole file. path: name for messages.
Expected<std::string> read_rest(const Descriptor& file, const std::string& path,
                                const FileKind& kind);
}  // namespace files

}  // namespace tessera

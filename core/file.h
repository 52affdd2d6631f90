// Files of bytes: read at an offset, and replaced as a whole or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "core/expected.h"

namespace tessera {

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

class InputFile {
 public:
  // An environment error when there is no such regular file or it cannot be read.
  static Expected<InputFile> open(const std::string& path);

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }
  // Fills `bytes` from `offset` on; an environment error when the file ends before.
  [[nodiscard]] Diags read(std::int64_t offset, std::span<std::byte> bytes) const;

 private:
  InputFile(std::string path, Descriptor descriptor, std::int64_t size)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), size_(size) {}

  std::string path_;
  Descriptor descriptor_;
  std::int64_t size_;
};

// Bytes go to a new file beside `path`, which commit() renames to `path`; without commit() it is
// removed.
class OutputFile {
 public:
  static Expected<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  [[nodiscard]] Diags append(std::span<const std::byte> bytes);
  [[nodiscard]] Diags commit();

 private:
  OutputFile(std::string path, std::string temporary, Descriptor descriptor)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        descriptor_(std::move(descriptor)) {}

  std::string path_;       // what commit() replaces: never a symbolic link, but where it leads
  std::string temporary_;  // empty once renamed, or moved from
  Descriptor descriptor_;
};

}  // namespace tessera

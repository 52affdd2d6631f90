#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace tessera {
namespace {

Diag failure(std::string_view verb, const std::string& path, std::string_view reason) {
  return error(ErrorCode::environment, fmt::format("cannot {} {}: {}", verb, path, reason));
}

Diag system_failure(std::string_view verb, const std::string& path) {
  return failure(verb, path, std::generic_category().message(errno));
}

// Of an existing file, or nothing.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

}  // namespace

Descriptor::~Descriptor() { close(); }

bool Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 || ::close(fd) == 0;
}

Expected<InputFile> InputFile::open(const std::string& path) {
  // Not blocking: a pipe without a writer is refused below, not waited for.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) return system_failure("open", path);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return system_failure("open", path);
  if (!S_ISREG(status.st_mode)) return failure("open", path, "not a regular file");
  return InputFile(path, std::move(descriptor), status.st_size);
}

Diags InputFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ::ssize_t count = ::pread(descriptor_.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {system_failure("read", path_)};
    if (count == 0) return {failure("read", path_, "the file ended early")};
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
  return {};
}

Expected<OutputFile> OutputFile::create(const std::string& path) {
  std::error_code code;
  std::string target = path;
  if (std::filesystem::is_symlink(path, code)) {
    target = std::filesystem::weakly_canonical(path, code).string();
    if (code) return failure("write", path, code.message());
  }
  const auto existing = status_of(target);
  if (existing && !S_ISREG(existing->st_mode)) return failure("write", path, "not a regular file");
  for (int attempt = 0;; ++attempt) {
    auto temporary = fmt::format("{}.tmp{}.{}", target, ::getpid(), attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST && attempt < 1000) continue;
    if (fd < 0) return system_failure("write", path);
    OutputFile file(target, std::move(temporary), Descriptor(fd));
    if (existing && ::fchmod(fd, existing->st_mode & 07777) != 0) {
      return system_failure("write", path);
    }
    return file;
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Diags OutputFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {system_failure("write", path_)};
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Diags OutputFile::commit() {
  if (!descriptor_.close()) return {system_failure("write", path_)};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return {system_failure("write", path_)};
  temporary_.clear();
  return {};
}

}  // namespace tessera

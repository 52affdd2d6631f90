#include "core/host/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/report/try.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

using files::failure;
using files::system_failure;

constexpr std::size_t enough = 1 << 16;  // bytes that are worth a call of the system
constexpr unsigned owners_alone = 0644;  // others may read it

// Of what has this name, or nothing; a link is not followed.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

}  // namespace

Expected<std::string> final_path(const std::string& path) {
  constexpr int most_links = 40;  // as many as the system follows
  std::error_code code;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(target, code); ++links) {
    const fs::path next = fs::read_symlink(target, code);
    if (links == most_links) code = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (code) return failure("write", path, code.message());
    target = target.parent_path() / next;
  }
  return target.string();
}

Expected<OutputFile> OutputFile::create(const std::string& path, At at) {
  std::string target = path;
  std::optional<unsigned> mode;
  if (at == At::target) {
    target = TRY(final_path(path));
    if (const auto existing = status_of(target)) {
      if (!S_ISREG(existing->st_mode))
        return failure("write", path,
                       fmt::format("not a regular file but {}", files::what_is(existing->st_mode)));
      if (::access(target.c_str(), W_OK) != 0) return system_failure("write", path);
      mode = existing->st_mode & 07777;
    }
  } else if (const auto existing = status_of(target); existing && S_ISDIR(existing->st_mode)) {
    return failure("write", path, "a folder has this name");
  }
  for (int attempt = 0;; ++attempt) {
    // Held before the file is there, so that no moment is without someone to remove it.
    TemporaryName temporary(fmt::format("{}.tmp{}.{}", target, ::getpid(), attempt));
    const int fd = ::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          at == At::name ? owners_alone : 0666);
    if (fd < 0) {
      const int reason = errno;
      temporary.release();  // somebody else's, or none
      if (reason == EEXIST && attempt < 1000) continue;
      errno = reason;
      return system_failure("write", path);
    }
    OutputFile file(path, target, std::move(temporary), Descriptor(fd));
    if (mode && ::fchmod(fd, *mode) != 0) return system_failure("write", path);
    return file;
  }
}

OutputFile::~OutputFile() = default;

Expected<void> OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ::ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Expected<void> OutputFile::flush() {
  const std::string pending = std::exchange(pending_, {});
  return write(std::as_bytes(std::span(pending)));
}

Expected<void> OutputFile::append(std::span<const std::byte> bytes) {
  if (pending_.size() + bytes.size() < enough) {
    pending_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  TRY(flush());
  return write(bytes);
}

Expected<void> OutputFile::append(std::string_view text) {
  return append(std::as_bytes(std::span(text)));
}

Expected<void> OutputFile::commit() {
  TRY(flush());
  // On the disk before the name is: else a crash of the machine could leave an empty file. Some
  // file systems know no such call, and keep their own promises.
  if (::fsync(descriptor_.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    return system_failure("write", path_);
  if (!descriptor_.close()) return system_failure("write", path_);
  if (::rename(temporary_.path().c_str(), target_.c_str()) != 0)
    return system_failure("write", path_);
  temporary_.release();
  return {};
}

Expected<void> write_whole(const std::string& path, std::string_view text) {
  OutputFile file = TRY(OutputFile::create(path));
  TRY(file.append(text));
  return file.commit();
}

}  // namespace tessera

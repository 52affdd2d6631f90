#include "core/host/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/host/read_files.h"
#include "core/report/try.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

using files::failure;
using files::system_failure;

constexpr std::size_t enough = 1 << 16;  // bytes that are worth a system call
constexpr unsigned owners_alone = 0644;  // others may only read the file

// Returns the status of the file, without following links; none if there is no such file.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::string temporary_name(const std::string& target, int attempt) {
  return fmt::format("{}.tmp{}.{}", target, ::getpid(), attempt);
}

constexpr int max_attempts = 1000;

// Opens a file without a name in the folder of `target`. The system frees it however the process
// ends. Invalid if the file system does not support this, or if the file could not be linked later.
Descriptor unnamed_file(const std::string& target, unsigned mode) {
  if (::access("/proc/self/fd", X_OK) != 0) return Descriptor(-1);
  const fs::path folder = fs::path(target).parent_path();
  return Descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
}

// Creates a file with a temporary name. The name is registered before the file exists, so that
// remove_temporary_files() can find it at any time.
Expected<Descriptor> named_file(const std::string& path, const std::string& target, unsigned mode,
                                TemporaryName& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary = TemporaryName(temporary_name(target, attempt));
    const int fd = ::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) return Descriptor(fd);
    const int reason = errno;
    temporary.release();  // file of another process, or none
    if (reason == EEXIST && attempt < max_attempts) continue;
    errno = reason;
    return system_failure("write", path);
  }
}

bool link_to(const Descriptor& unnamed, const std::string& path) {
  const std::string from = fmt::format("/proc/self/fd/{}", unnamed.get());
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Links an unnamed file to a temporary name, because a link cannot replace a file and a rename can.
// errno: the reason why the file could not be linked to `target`.
Expected<TemporaryName> linked(const Descriptor& unnamed, const std::string& target,
                               const std::string& path) {
  for (int attempt = 0; errno == EEXIST && attempt < max_attempts; ++attempt) {
    TemporaryName temporary(temporary_name(target, attempt));
    if (link_to(unnamed, temporary.path())) return temporary;
    const int reason = errno;
    temporary.release();  // file of another process, or none
    errno = reason;
  }
  return system_failure("write", path);
}

Expected<void> closed(Descriptor& descriptor, const std::string& path) {
  if (!descriptor.close()) return system_failure("write", path);
  return {};
}

}  // namespace

Expected<std::string> final_path(const std::string& path) {
  constexpr int max_links = 40;  // the system's limit
  std::error_code code;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(target, code); ++links) {
    const fs::path next = fs::read_symlink(target, code);
    if (links == max_links) code = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (code) return failure("write", path, code.message());
    target = target.parent_path() / next;
  }
  return target.string();
}

Expected<OutputFile> OutputFile::create(const std::string& path, const ReadFiles* read, At at) {
  std::string target = path;
  std::optional<unsigned> mode;
  if (at == At::target) {
    if (read != nullptr) TRY(read->check_not_read(path));
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
  const unsigned permissions = at == At::name ? owners_alone : 0666;
  // commit() may need such a name; if it is too long, fail before any work.
  if (!status_of(temporary_name(target, 0)) && errno == ENAMETOOLONG)
    return system_failure("write", path);
  TemporaryName temporary;
  Descriptor descriptor = unnamed_file(target, permissions);
  if (descriptor.get() < 0) descriptor = TRY(named_file(path, target, permissions, temporary));
  if (mode && ::fchmod(descriptor.get(), *mode) != 0) return system_failure("write", path);
  return OutputFile(path, target, std::move(temporary), std::move(descriptor));
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
  // The data must be on disk before the name: otherwise a system crash could leave an empty file.
  // Some file systems do not support fsync and give their own guarantees.
  if (::fsync(descriptor_.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
    return system_failure("write", path_);
  if (!temporary_) {
    if (link_to(descriptor_, target_)) return closed(descriptor_, path_);
    temporary_ = TRY(linked(descriptor_, target_, path_));
  }
  TRY(closed(descriptor_, path_));
  if (::rename(temporary_.path().c_str(), target_.c_str()) != 0)
    return system_failure("write", path_);
  temporary_.release();
  return {};
}

Expected<void> write_whole(const std::string& path, std::string_view text, const ReadFiles* read) {
  OutputFile file = TRY(OutputFile::create(path, read));
  TRY(file.append(text));
  return file.commit();
}

}  // namespace tessera

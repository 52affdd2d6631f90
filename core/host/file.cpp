#include "core/host/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include "core/host/read_files.h"
#include "core/report/try.h"

namespace tessera {

namespace files {

std::string_view what_is(unsigned mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a pipe";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
    case S_IFBLK:
      return "a device";
    case S_IFLNK:
      return "a symbolic link";
    default:
      return "something unknown";
  }
}

Diag failure(std::string_view verb, const std::string& path, std::string_view reason) {
  return error(ErrorCode::environment, fmt::format("cannot {} {}: {}", verb, path, reason));
}

Diag system_failure(std::string_view verb, const std::string& path) {
  return failure(verb, path, std::generic_category().message(errno));
}

Expected<std::string> read_rest(const Descriptor& file, const std::string& path,
                                const FileKind& kind) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return system_failure("read", path);
  const auto too_large = [&](std::string_view size) {
    return error(fmt::format("cannot read {}: it has {} bytes, and {} has at most {}", path, size,
                             kind.name, kind.largest));
  };
  if (status.st_size > kind.largest) return too_large(std::to_string(status.st_size));
  // Read until a read returns no bytes: the size of system files is reported as 0, and a file may
  // grow.
  std::string text;
  const std::int64_t expected = std::max<std::int64_t>(status.st_size, 4096);
  for (std::size_t filled = 0;;) {
    if (filled == text.size())
      text.resize(filled + static_cast<std::size_t>(filled == 0 ? expected + 1 : 1 << 16));
    const ::ssize_t count = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("read", path);
    filled += static_cast<std::size_t>(count);
    if (static_cast<std::int64_t>(filled) > kind.largest) return too_large("more");
    if (count > 0) continue;
    text.resize(filled);
    return text;
  }
}

}  // namespace files

using files::failure;
using files::system_failure;

Descriptor::~Descriptor() { close(); }

bool Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 || ::close(fd) == 0;
}

// A file in memory, so that contents are read like files.
Expected<InputFile> InputFile::open_content(const std::string& path, std::string_view content) {
  Descriptor descriptor(::memfd_create("tessera", MFD_CLOEXEC));
  if (descriptor.get() < 0) return system_failure("hold", path);
  for (std::string_view rest = content; !rest.empty();) {
    const ::ssize_t count = ::write(descriptor.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("hold", path);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::lseek(descriptor.get(), 0, SEEK_SET) != 0) return system_failure("hold", path);
  return InputFile(path, std::move(descriptor), static_cast<std::int64_t>(content.size()));
}

Expected<InputFile> InputFile::open(const std::string& path, ReadFiles* read) {
  if (read != nullptr) {
    if (const auto held = read->contents.find(path); held != read->contents.end())
      return open_content(path, held->second);
    if (read->accepts && !read->accepts(path))
      return failure("open", path, "it is not one of the files of this command");
  }
  struct stat status {};
  const auto must_be_regular = [&]() -> Expected<void> {
    if (S_ISREG(status.st_mode)) return {};
    return failure("open", path,
                   fmt::format("not a regular file but {}", files::what_is(status.st_mode)));
  };
  // Checked before the open, since opening alone can move a device, and again after it, since the
  // name may refer to another file by then.
  if (::stat(path.c_str(), &status) != 0) return system_failure("open", path);
  TRY(must_be_regular());
  // Non-blocking: a pipe without a writer is rejected below instead of waited for.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (descriptor.get() < 0) return system_failure("open", path);
  if (::fstat(descriptor.get(), &status) != 0) return system_failure("open", path);
  TRY(must_be_regular());
  if (read != nullptr) read->add(path);
  return InputFile(path, std::move(descriptor), status.st_size);
}

Expected<void> InputFile::read(std::int64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ::ssize_t count = ::pread(descriptor_.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("read", path_);
    if (count == 0) return failure("read", path_, "the file ended early");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
  return {};
}

Expected<std::string> InputFile::whole(const FileKind& kind) const {
  return files::read_rest(descriptor_, path_, kind);
}

Expected<std::string> read_standard_input(const FileKind& kind) {
  const Descriptor input(::dup(STDIN_FILENO));
  if (input.get() < 0) return system_failure("open", "standard input");
  return files::read_rest(input, "standard input", kind);
}

Expected<std::string> read_whole(const std::string& path, const FileKind& kind, ReadFiles* read) {
  const InputFile file = TRY(InputFile::open(path, read));
  return file.whole(kind);
}

}  // namespace tessera

#include "core/host/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/host/output_file.h"
#include "core/report/try.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t fnv1a(const std::string& text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

// Returns the reason not to use a file: another user can change it. Empty if only this user and
// root can.
std::string distrusted(const struct stat& status) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return fmt::format("it is owned by user {}, and this is user {}", status.st_uid, ::geteuid());
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("other users may write to it, its mode is {:04o}", status.st_mode & 07777);
  return {};
}

std::string not_used(std::string_view what, const std::string& path, std::string_view why) {
  return fmt::format("the cache's {} {} is not used: {}", what, path, why);
}

// Creates the folder and its parents, accessible only to this user.
void make_folders(const fs::path& path) {
  if (path.has_parent_path() && path.parent_path() != path) {
    std::error_code failed;
    if (!fs::exists(path.parent_path(), failed)) make_folders(path.parent_path());
  }
  ::mkdir(path.c_str(), 0700);
}

}  // namespace

std::string cache_folder() {
  if (const std::string folder = variable("TESSERA_CACHE"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/tessera";
  if (const std::string folder = variable("HOME"); !folder.empty())
    return folder + "/.cache/tessera";
  return "";
}

std::string cache_key(const std::string& everything) {
  return fmt::format("{:016x}{:016x}", fnv1a(everything, 0xCBF29CE484222325ull),
                     fnv1a(everything, 0x9E3779B97F4A7C15ull));
}

bool is_cache_name(const std::string& name, const std::string& ending, bool leftovers) {
  constexpr std::size_t digits = 32;
  const bool is_key = name.size() >= digits && name.find_first_not_of("0123456789abcdef") >= digits;
  if (!is_key || name.compare(digits, ending.size(), ending) != 0) return false;
  const std::string rest = name.substr(digits + ending.size());
  if (rest.empty()) return true;
  return leftovers && rest.starts_with(".tmp") &&
         rest.find_first_not_of("0123456789.", 4) == std::string::npos;
}

CacheFolder::CacheFolder(std::string root, std::string part)
    : root_(std::move(root)),
      part_(std::move(part)),
      path_(root_.empty() || part_.empty() ? root_ : root_ + "/" + part_) {}

// Opens the folder in two steps, so that the folder that is checked is the one that is read. The
// root may be a symbolic link; a subfolder may not.
Descriptor CacheFolder::open(std::string& note) const {
  constexpr int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const auto checked = [&](Descriptor folder, const std::string& path) {
    struct stat status {};
    if (folder.get() < 0) {
      if (errno == ENOENT) return folder;
      note = not_used("folder", path, std::generic_category().message(errno));
    } else if (::fstat(folder.get(), &status) != 0) {
      note = not_used("folder", path, std::generic_category().message(errno));
    } else if (const std::string why = distrusted(status); !why.empty()) {
      note = not_used("folder", path, why);
    }
    return note.empty() ? std::move(folder) : Descriptor(-1);
  };
  Descriptor root = checked(Descriptor(::open(root_.c_str(), how)), root_);
  if (root.get() < 0 || part_.empty()) return root;
  return checked(Descriptor(::openat(root.get(), part_.c_str(), how | O_NOFOLLOW)), path_);
}

std::string CacheFolder::rejection_reason() const {
  std::string note;
  if (!root_.empty()) open(note);
  return note;
}

CacheRead CacheFolder::read(const std::string& name, const FileKind& kind) const {
  CacheRead result;
  if (root_.empty()) return result;
  const Descriptor folder = open(result.note);
  if (folder.get() < 0) return result;
  const std::string path = path_ + "/" + name;
  const auto refused = [&](std::string_view why) {
    result.note = not_used("entry", path, why);
    return result;
  };
  // Checked before the open, since opening alone can move a device, and again on the opened file.
  struct stat status {};
  const auto problem = [&]() -> std::string {
    if (!S_ISREG(status.st_mode))
      return fmt::format("it is {}, not a regular file", files::what_is(status.st_mode));
    return distrusted(status);
  };
  const auto system = [] { return std::generic_category().message(errno); };
  if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? result : refused(system());
  if (const std::string why = problem(); !why.empty()) return refused(why);
  const Descriptor file(::openat(folder.get(), name.c_str(),
                                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return errno == ENOENT ? result : refused(system());
  if (::fstat(file.get(), &status) != 0) return refused(system());
  if (const std::string why = problem(); !why.empty()) return refused(why);
  Expected<std::string> bytes = files::read_rest(file, path, kind);
  if (!bytes) return refused(bytes.diags().front().message);
  result.bytes = *std::move(bytes);
  return result;
}

Expected<void> CacheFolder::write(const std::string& name, const std::string& bytes) const {
  const auto refused = [](std::string why) {
    return error(ErrorCode::environment, std::move(why));
  };
  if (root_.empty()) return refused("there is no cache folder");
  make_folders(path_);
  if (std::string note = rejection_reason(); !note.empty()) return refused(std::move(note));
  OutputFile file = TRY(OutputFile::create(path_ + "/" + name, nullptr, OutputFile::At::name));
  TRY(file.append(std::string_view(bytes)));
  return file.commit();
}

std::vector<std::string> CacheFolder::names() const {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator file(path_, failed), end; !failed && file != end;
       file.increment(failed))
    names.push_back(file->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Expected<bool> CacheFolder::remove(const std::string& name) const {
  const std::string path = path_ + "/" + name;
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return files::system_failure("remove", path);
}

}  // namespace tessera

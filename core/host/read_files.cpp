#include "core/host/read_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace tessera {
namespace {

thread_local ReadFiles* of_thread = nullptr;

std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path, failed);
  if (failed) return path;
  const auto canonical = std::filesystem::weakly_canonical(whole, failed);
  return failed ? path : canonical.string();
}

}  // namespace

void ReadFiles::add(const std::string& path) { paths_.insert(absolute(path)); }

void ReadFiles::remove(const std::string& path) { paths_.erase(absolute(path)); }

bool ReadFiles::contains(const std::string& path) const {
  return paths_.count(absolute(path)) != 0;
}

ReadFiles* ReadFiles::current() { return of_thread; }

ReadFilesScope::ReadFilesScope(ReadFiles& files) : outer_(std::exchange(of_thread, &files)) {}

ReadFilesScope::~ReadFilesScope() { of_thread = outer_; }

Expected<void> check_not_read(const std::string& path) {
  const ReadFiles* const read = ReadFiles::current();
  if (read == nullptr || !read->contains(path)) return {};
  return error(
      fmt::format("expected another file to write, found {}, which this command reads", path));
}

}  // namespace tessera

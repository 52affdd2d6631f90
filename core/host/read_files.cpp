#include "core/host/read_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace tessera {
namespace {

std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::absolute(path, failed);
  if (failed) return path;
  const auto canonical = std::filesystem::weakly_canonical(whole, failed);
  return failed ? path : canonical.string();
}

}  // namespace

void ReadFiles::add(const std::string& path) {
  add_unnamed(path);
  given_.insert(path);
}

void ReadFiles::add_unnamed(const std::string& path) { paths_.insert(absolute(path)); }

void ReadFiles::remove(const std::string& path) { paths_.erase(absolute(path)); }

Expected<void> ReadFiles::check_not_read(const std::string& path) const {
  if (!paths_.contains(absolute(path))) return {};
  return error(fmt::format("expected an output file other than the inputs, found {}", path));
}

}  // namespace tessera

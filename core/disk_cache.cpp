#include "core/disk_cache.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/output_file.h"

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

std::optional<std::string> read_cached(const std::string& folder, const std::string& key) {
  if (folder.empty()) return std::nullopt;
  std::ifstream file(fs::path(folder) / key, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

std::optional<std::string> write_cached(const std::string& folder, const std::string& key,
                                        const std::string& bytes) {
  if (folder.empty()) return "there is no folder to cache in";
  std::error_code failed;
  fs::create_directories(folder, failed);
  Expected<OutputFile> file = OutputFile::create((fs::path(folder) / key).string());
  if (!file) return file.diags().front().message;
  Diags problems = file->append(std::as_bytes(std::span(bytes)));
  if (problems.empty()) problems = file->commit();
  if (problems.empty()) return std::nullopt;
  return problems.front().message;
}

}  // namespace tessera

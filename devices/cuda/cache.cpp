#include "devices/cuda/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "devices/cuda/compiler.h"
#include "devices/cuda/templates.h"

namespace tessera::cuda {
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

// Before the machine code: what was hashed, so that two sources of one key are told apart, and the
// log.
constexpr std::string_view head = "tessera-cubin-1";

std::string packed(const std::string& everything, const CompiledKernel& kernel) {
  return fmt::format("{} {} {} {}\n", head, everything.size(), kernel.log.size(),
                     kernel.cubin.size()) +
         everything + kernel.log + kernel.cubin;
}

std::optional<CompiledKernel> unpacked(const std::string& everything, const std::string& bytes) {
  std::istringstream stream(bytes);
  std::string word;
  std::size_t source = 0, log = 0, cubin = 0;
  if (!(stream >> word >> source >> log >> cubin) || word != head || stream.get() != '\n')
    return std::nullopt;
  const auto start = static_cast<std::size_t>(stream.tellg());
  if (bytes.size() - start != source + log + cubin) return std::nullopt;
  if (bytes.compare(start, source, everything) != 0) return std::nullopt;
  CompiledKernel kernel;
  kernel.log = bytes.substr(start + source, log);
  kernel.cubin = bytes.substr(start + source + log);
  kernel.cached = true;
  return kernel;
}

std::string everything_of(const LoweredKernel& kernel) {
  std::string text = compiler_version() + "\n";
  for (const std::string& flag : compiler_flags()) text += flag + "\n";
  text += kernel.source + kernel.wgmma;
  for (std::size_t i = 0; i < embedded_template_count; ++i) text += embedded_templates[i].text;
  return text;
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
  const fs::path place = fs::path(folder) / key;
  const fs::path beside = fs::path(folder) / fmt::format("{}.{}.part", key, getpid());
  {
    std::ofstream file(beside, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
      fs::remove(beside, failed);
      return fmt::format("{} cannot be written", beside.string());
    }
  }
  fs::rename(beside, place, failed);
  if (!failed) return std::nullopt;
  const std::string reason = failed.message();
  fs::remove(beside, failed);
  return fmt::format("{}: {}", place.string(), reason);
}

Expected<CompiledKernel> compile_cached(const LoweredKernel& kernel) {
  const Support here = compiler_available();
  if (!here.ok) return error(ErrorCode::environment, here.reason);
  const std::string everything = everything_of(kernel), key = cache_key(everything),
                    folder = cache_folder();
  if (const auto bytes = read_cached(folder, key)) {
    if (auto cached = unpacked(everything, *bytes)) return *std::move(cached);
  }
  Expected<CompiledKernel> compiled = compile(kernel);
  if (compiled) write_cached(folder, key, packed(everything, *compiled));
  return compiled;
}

}  // namespace tessera::cuda

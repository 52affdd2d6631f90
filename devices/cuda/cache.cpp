#include "devices/cuda/cache.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <utility>

#include "devices/cuda/compiler.h"
#include "devices/cuda/templates.h"

namespace tessera::cuda {
namespace {

std::string packed(const std::string& everything, const CompiledKernel& kernel) {
  return fmt::format("{} {} {} {}\n", cached_kernel_head, everything.size(), kernel.log.size(),
                     kernel.cubin.size()) +
         everything + kernel.log + kernel.cubin;
}

std::optional<CompiledKernel> unpacked(const std::string& everything, const std::string& bytes) {
  std::istringstream stream(bytes);
  std::string word;
  std::size_t source = 0, log = 0, cubin = 0;
  if (!(stream >> word >> source >> log >> cubin) || word != cached_kernel_head ||
      stream.get() != '\n')
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
  for (const std::string& flag : compiler_flags(kernel)) text += flag + "\n";
  text += kernel.source + kernel.wgmma;
  for (std::size_t i = 0; i < embedded_template_count; ++i) text += embedded_templates[i].text;
  return text;
}

}  // namespace

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

#include "devices/cuda/runtime/cache.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "devices/cuda/lower/templates.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"

namespace tessera::cuda {

namespace {

constexpr std::string_view head_word = "tessera-cubin-2";

}  // namespace

std::string packed(const std::string& everything, const CompiledKernel& kernel) {
  const std::string content =
      fmt::format("{} {} {}\n", everything.size(), kernel.log.size(), kernel.cubin.size()) +
      everything + kernel.log + kernel.cubin;
  return fmt::format("{} {}\n", head_word, cache_key(content)) + content;
}

Expected<std::optional<CompiledKernel>> unpacked(const std::string& everything,
                                                 const std::string& bytes) {
  const std::size_t end = bytes.find('\n');
  std::istringstream head(bytes.substr(0, end));
  std::string word, checksum;
  if (end == std::string::npos || !(head >> word >> checksum) || word != head_word)
    return error("it is not a compiled kernel of this version");
  const std::string content = bytes.substr(end + 1);
  if (checksum != cache_key(content)) return error("its checksum does not match its content");
  // The checksum only detects accidental changes, so the sizes are checked as well.
  const std::size_t line = content.find('\n');
  std::istringstream sizes(content.substr(0, line));
  std::size_t source = 0, log = 0, cubin = 0;
  if (line == std::string::npos || !(sizes >> source >> log >> cubin))
    return error("it does not contain its sizes");
  std::string_view rest = std::string_view(content).substr(line + 1);
  if (source > rest.size() || log > rest.size() - source || cubin != rest.size() - source - log)
    return error("its sizes do not match its content");
  if (rest.substr(0, source) != everything) return std::optional<CompiledKernel>();
  CompiledKernel kernel;
  kernel.log = rest.substr(source, log);
  kernel.cubin = rest.substr(source + log);
  kernel.cached = true;
  return std::optional(std::move(kernel));
}

namespace {

std::string everything_of(const LoweredKernel& kernel) {
  std::string text = compiler_build() + "\n";
  for (const std::string& flag : compiler_flags(kernel)) text += flag + "\n";
  text += kernel.source;
  if (const TensorCorePlan* plan = kernel.tensor_core()) text += plan->wgmma;
  for (std::size_t i = 0; i < embedded_template_count; ++i) text += embedded_templates[i].text;
  return text;
}

// Adds a note if the compiler produced a slow fast kernel. A compiler for which the templates were
// not tuned may spill registers or serialise the matrix instructions. The results are still
// correct.
CompiledKernel judged(const LoweredKernel& kernel, CompiledKernel compiled) {
  if (kernel.general() != nullptr) return compiled;
  if (const std::string said = objection(read_log(compiled.log), kernel.threads, named_barriers);
      !said.empty())
    compiled.notes.push_back(fmt::format("{} compiled {} to slower code than expected: {}",
                                         compiler_version(), kernel.entry, said));
  return compiled;
}

}  // namespace

Expected<CompiledKernel> compile_cached(const LoweredKernel& kernel) {
  const Support here = compiler_available();
  if (!here.ok) return error(ErrorCode::environment, here.reason);
  const std::string everything = everything_of(kernel), key = cache_key(everything);
  const CacheFolder folder(cache_folder());
  CacheRead cached = folder.read(key, file_kinds::cached_kernel);
  if (cached.bytes) {
    Expected<std::optional<CompiledKernel>> found = unpacked(everything, *cached.bytes);
    if (found && *found) return judged(kernel, **std::move(found));
    if (!found)
      cached.note = fmt::format("the cache's entry {}/{} is not used: {}", folder.path(), key,
                                found.diags().front().message);
  }
  Expected<CompiledKernel> compiled = compile(kernel);
  if (!compiled) return compiled;
  if (!cached.note.empty()) compiled->notes.push_back(cached.note);
  // A failed write is ignored: the kernel is then compiled again next time.
  static_cast<void>(folder.write(key, packed(everything, *compiled)));
  return judged(kernel, *std::move(compiled));
}

KernelCacheInfo compiled_kernels() {
  const CacheFolder folder(cache_folder());
  KernelCacheInfo result;
  result.note = folder.rejection_reason();
  for (const std::string& name : folder.names()) {
    struct stat status {};
    if (!is_cache_name(name, "")) continue;
    if (::lstat((folder.path() + "/" + name).c_str(), &status) != 0) continue;
    ++result.files;
    result.bytes += S_ISREG(status.st_mode) ? status.st_size : 0;
  }
  return result;
}

Expected<std::int64_t> clear_compiled_kernels() {
  const CacheFolder folder(cache_folder());
  std::int64_t removed = 0;
  for (const std::string& name : folder.names()) {
    if (!is_cache_name(name, "", true)) continue;
    const Expected<bool> gone = folder.remove(name);
    if (!gone) return gone.diags();
    removed += *gone && is_cache_name(name, "") ? 1 : 0;
  }
  return removed;
}

}  // namespace tessera::cuda

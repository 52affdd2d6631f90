// Compiled kernels on disk, one file for each source, flags and build of the compiler: a word, the
// checksum of all that follows, three sizes, what was hashed (so that two sources of one key are
// told apart), the log, the machine code.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/host/disk_cache.h"
#include "devices/cuda/runtime/compiler.h"

namespace tessera::cuda {

// The bytes of an entry; `everything` is what the kernel was made of.
std::string packed(const std::string& everything, const CompiledKernel& kernel);
// The kernel of these bytes; why there is none where they are damaged. Nothing where they are whole
// and of another source.
Expected<std::optional<CompiledKernel>> unpacked(const std::string& everything,
                                                 const std::string& bytes);

// Those of the user's cache folder; nothing else that lies there counts.
KernelCacheInfo compiled_kernels();
// Removes them, leftovers of killed writers too; how many kernels there were.
Expected<std::int64_t> clear_compiled_kernels();

}  // namespace tessera::cuda

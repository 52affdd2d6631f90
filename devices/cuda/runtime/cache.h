// Disk cache of compiled kernels. The key is a hash of the kernel's source, the compiler flags and
// the compiler build. Format of an entry: a magic word, the checksum of the rest, three sizes, the
// hashed text (it distinguishes two sources with the same key), the log and the machine code.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/host/disk_cache.h"
#include "devices/cuda/runtime/compiler.h"

namespace tessera::cuda {

// Encodes an entry: the log and the machine code of the kernel. everything: the hashed text.
std::string packed(const std::string& everything, const CompiledKernel& kernel);
// Decodes an entry: the log and the machine code, with `cached` set. Fails with
// ErrorCode::invalid_value and the reason if the bytes are damaged. Returns nullopt if they are
// intact but belong to another source.
Expected<std::optional<CompiledKernel>> unpacked(const std::string& everything,
                                                 const std::string& bytes);

// Returns the number and size of the kernels in the user's cache folder, and in `note` the reason
// if the folder is not used. Other files in the folder are not counted.
KernelCacheInfo compiled_kernels();
// Removes the cached kernels, and temporary files of killed writers. Returns the number of kernels
// removed. Fails if a file cannot be removed; those before it are then removed.
Expected<std::int64_t> clear_compiled_kernels();

}  // namespace tessera::cuda

// Compiled kernels on disk, one file for each source, flags and compiler: this word, three sizes,
// what was hashed (so that two sources of one key are told apart), the log, the machine code.
#pragma once
#include <string_view>

#include "core/disk_cache.h"

namespace tessera::cuda {

inline constexpr std::string_view cached_kernel_head = "tessera-cubin-1";

}  // namespace tessera::cuda

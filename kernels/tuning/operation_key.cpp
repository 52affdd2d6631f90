#include "kernels/tuning/operation_key.h"

#include "core/host/disk_cache.h"

namespace tessera {

std::string OperationKey::text() const {
  return device + "|" + operation + "|" + cache_key(call).substr(0, 16);
}

std::string OperationKey::id() const { return cache_key(full_text()); }

}  // namespace tessera

// Process-wide cache of the last few executables, because compiling a small kernel takes longer
// than a run.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "core/report/diag.h"
#include "devices/device.h"

namespace tessera {

struct CachedExecutable {
  std::unique_ptr<Executable> executable;
  Loc result_place;  // declaration of `out` in the kernel's text
};

// Removes an executable from the cache, or adds one. A caller removes an executable to run it, so
// that no two threads run the same one, and adds it again afterwards. Keys must identify program
// and device. Thread-safe.
std::optional<CachedExecutable> take_kept(const std::string& key);
void keep(std::string key, CachedExecutable executable);

}  // namespace tessera

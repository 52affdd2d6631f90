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

// take_kept: removes an executable from the cache and returns it; none if the key is not cached.
// keep: adds an executable; of more than 16, the one that was added first is destroyed. A caller
// takes an executable to run it, so that no two threads run the same one, and adds it again
// afterwards. Keys must identify program and device. Thread-safe.
std::optional<CachedExecutable> take_kept(const std::string& key);
void keep(std::string key, CachedExecutable executable);

}  // namespace tessera

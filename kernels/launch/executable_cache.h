// What calls of this process made ready to run, for those that come again: making a small kernel
// takes longer than a run.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "core/report/diag.h"
#include "devices/device.h"

namespace tessera {

struct CachedExecutable {
  std::unique_ptr<Executable> executable;
  Loc result_place;  // where the kernel's text declares `out`
};

// The last few, by texts that tell programs and devices apart. Whoever runs one takes it out, so
// that no two threads run the same, and puts it back.
std::optional<CachedExecutable> take_kept(const std::string& key);
void keep(std::string key, CachedExecutable executable);

}  // namespace tessera

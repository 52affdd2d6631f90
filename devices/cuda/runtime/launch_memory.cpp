#include "devices/cuda/runtime/launch_memory.h"

#include "core/report/try.h"
#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {
namespace {

constexpr std::size_t word_bytes = 16;  // error word and two counters

}  // namespace

Expected<std::unique_ptr<LaunchMemory>> LaunchMemory::make(const Sizes& sizes) {
  const RelaxedCapture allowed;
  std::unique_ptr<LaunchMemory> memory(new LaunchMemory());
  TRY(allocate(memory->words_, word_bytes));
  TRY(set_to_zero(memory->words_, word_bytes));
  if (sizes.arrays != 0) TRY(allocate(memory->arrays_, sizes.arrays));
  if (sizes.tiles != 0) TRY(allocate(memory->tiles_, sizes.tiles));
  return memory;
}

LaunchMemory::~LaunchMemory() {
  for (const std::uint64_t address : {words_, arrays_, tiles_})
    if (address != 0) release(address);
}

}  // namespace tessera::cuda

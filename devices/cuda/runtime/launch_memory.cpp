#include "devices/cuda/runtime/launch_memory.h"

#include "devices/cuda/runtime/driver.h"

namespace tessera::cuda {
namespace {

constexpr std::size_t word_bytes = 16;  // the error word and two counters

}  // namespace

Expected<std::unique_ptr<LaunchMemory>> LaunchMemory::make(const Sizes& sizes) {
  const RelaxedCapture allowed;
  std::unique_ptr<LaunchMemory> memory(new LaunchMemory());
  if (auto problem = allocate(memory->words_, word_bytes)) return *problem;
  if (auto problem = set_to_zero(memory->words_, word_bytes)) return *problem;
  if (sizes.arrays != 0) {
    if (auto problem = allocate(memory->arrays_, sizes.arrays)) return *problem;
  }
  if (sizes.tiles != 0) {
    if (auto problem = allocate(memory->tiles_, sizes.tiles)) return *problem;
  }
  return memory;
}

LaunchMemory::~LaunchMemory() {
  for (const std::uint64_t address : {words_, arrays_, tiles_})
    if (address != 0) release(address);
}

}  // namespace tessera::cuda

// The driver's functions as they were found, and what it said of the machine: for the files that
// call it (driver.h, device_graph.h).
#pragma once
#include <string>
#include <vector>

#include "devices/cuda/runtime/driver.h"
#include "devices/cuda/runtime/shared_library.h"

namespace tessera::cuda {

struct Driver {
  SharedLibrary library{{"libcuda.so.1"}, SharedLibrary::From::machine};
#define TESSERA_DRIVER(member, function, result, ...) result (*member)(__VA_ARGS__) = nullptr;
#include "devices/cuda/runtime/symbols.def"

  Support support;
  std::vector<DeviceFacts> devices;
  Context context = nullptr;  // the primary one of device 0

  Driver();
  // What a result means, in the driver's words.
  std::string text(int result) const;

 private:
  Support probe();
  DeviceFacts facts_of(int device) const;
};

Driver& driver();

// ErrorCode::environment with the call's name, where its result is none of success.
Expected<void> outcome(const char* call, int result);

}  // namespace tessera::cuda

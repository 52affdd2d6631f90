// The driver's functions and the devices it found, for the files that call them (driver.h,
// device_graph.h).
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
  Context context = nullptr;  // primary context of device 0

  Driver();
  // The driver's name and description of a result.
  std::string text(int result) const;

 private:
  Support probe();
  DeviceFacts facts_of(int device) const;
};

// Returns the driver, loaded at the first call. Its functions may only be called if the library has
// them; `support` has the reason why no kernel runs.
Driver& driver();

// Fails with ErrorCode::environment and the name of the call if the result is not success.
Expected<void> outcome(const char* call, int result);

}  // namespace tessera::cuda

// What the driver without a GPU (fake_driver.cpp) has beside the real one's functions.
#pragma once
#include <dlfcn.h>

namespace tessera::cuda {

// A function of the driver that this process has loaded; null where it has none of that name.
template <typename Function>
Function* entry(const char* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

inline bool is_fake() { return entry<int(int)>("fake_launches") != nullptr; }
// How many kernels were launched on a device so far.
inline int launches(int device) { return entry<int(int)>("fake_launches")(device); }

}  // namespace tessera::cuda

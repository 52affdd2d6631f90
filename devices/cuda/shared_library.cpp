#include "devices/cuda/shared_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

#ifndef TESSERA_CUDA_LIBRARIES
#define TESSERA_CUDA_LIBRARIES ""
#endif

namespace tessera::cuda {
namespace {

std::vector<std::string> folders(SharedLibrary::From from) {
  if (from == SharedLibrary::From::machine) return {""};
  std::vector<std::string> result;
  const char* chosen = std::getenv("TESSERA_CUDA_LIBRARIES");
  if (chosen != nullptr && *chosen != '\0') {
    std::istringstream list(chosen);
    for (std::string folder; std::getline(list, folder, ':');) result.push_back(folder + "/");
    return result;
  }
  result.emplace_back("");
  const char* home = std::getenv("CUDA_HOME");
  if (home != nullptr && *home != '\0') result.push_back(std::string(home) + "/lib64/");
  const std::string built = TESSERA_CUDA_LIBRARIES;
  if (!built.empty()) result.push_back(built + "/");
  result.emplace_back("/usr/local/cuda/lib64/");
  return result;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, From from) {
  for (const std::string& folder : folders(from)) {
    for (const std::string& name : names) {
      handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) {
        problem_.clear();
        return;
      }
      const char* said = dlerror();
      if (problem_.empty() && said != nullptr) problem_ = said;
    }
  }
}

void* SharedLibrary::symbol(const char* name) {
  if (handle_ == nullptr) return nullptr;
  void* const address = dlsym(handle_, name);
  if (address == nullptr && problem_.empty()) problem_ = std::string("no function ") + name;
  return address;
}

}  // namespace tessera::cuda

// A library that is looked up when the program runs.
#pragma once
#include <string>
#include <vector>

namespace tessera::cuda {

class SharedLibrary {
 public:
  // Tries each name where the loader looks, then in $CUDA_HOME, the toolkit of the build and
  // /usr/local/cuda.
  explicit SharedLibrary(const std::vector<std::string>& names);

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& problem() const { return problem_; }  // what the loader said of the first name
  // The address of a function, or null; the first that is missing is remembered in problem().
  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name);

  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace tessera::cuda

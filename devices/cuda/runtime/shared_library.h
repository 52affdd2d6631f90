// A shared library that is loaded at run time.
#pragma once
#include <string>
#include <vector>

namespace tessera::cuda {

class SharedLibrary {
 public:
  // Places to search. toolkit: the folders of $TESSERA_CUDA_LIBRARIES and no others if that is set;
  // otherwise the loader's search path, $CUDA_HOME/lib64, the toolkit of the build and
  // /usr/local/cuda, in this order. machine: the loader's search path only, for the driver.
  enum class From { toolkit, machine };
  // Loads the first library that is found, and never unloads it. names: file names, tried in order
  // in each place. problem() has the reason if none is found.
  explicit SharedLibrary(const std::vector<std::string>& names, From from = From::toolkit);

  explicit operator bool() const { return handle_ != nullptr; }
  // Returns the build id of the library in hexadecimal, as set by the linker; the file size if
  // there is none; empty without a library.
  std::string build() const;
  // First error: from the loader, or the name of a missing function. Empty if there was none.
  const std::string& problem() const { return problem_; }
  // Output: the address of a function, or null. problem() names the first missing function.
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

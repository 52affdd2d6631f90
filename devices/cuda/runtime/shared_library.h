// A library that is looked up when the program runs.
#pragma once
#include <string>
#include <vector>

namespace tessera::cuda {

class SharedLibrary {
 public:
  // A library of the toolkit is looked for in the folders of $TESSERA_CUDA_LIBRARIES and nowhere
  // else when that is set; otherwise where the loader looks, in $CUDA_HOME, the toolkit of the
  // build and /usr/local/cuda. The driver's comes with the machine: only the loader knows it.
  enum class From { toolkit, machine };
  explicit SharedLibrary(const std::vector<std::string>& names, From from = From::toolkit);

  explicit operator bool() const { return handle_ != nullptr; }
  // The identifier that the linker gave the library's build, in hexadecimal; else its file's size.
  std::string build() const;
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

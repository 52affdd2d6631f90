#include "devices/cuda/runtime/compiler.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <mutex>

#include "devices/cuda/lower/templates.h"
#include "devices/cuda/runtime/compiler_log.h"
#include "devices/cuda/runtime/driver.h"
#include "devices/cuda/runtime/shared_library.h"

namespace tessera::cuda {
namespace {

const std::string template_folder = "devices/cuda/templates/";  // the path in #include directives

// A driver loads code of its own and of older major versions.
std::vector<std::string> library_names() {
  if (driver_version() == 0 || driver_version() >= 13000)
    return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  return {"libnvrtc.so.12", "libnvrtc.so", "libnvrtc.so.13"};
}

// Functions of NVRTC. Results of type int are 0 or an error code for error_text.
struct Nvrtc {
  SharedLibrary library{library_names()};
#define TESSERA_NVRTC(member, function, result, ...) result (*member)(__VA_ARGS__) = nullptr;
#include "devices/cuda/runtime/symbols.def"

  Nvrtc() {
#define TESSERA_NVRTC(member, function, ...) library.find(member, #function);
#include "devices/cuda/runtime/symbols.def"
  }
};

Nvrtc& nvrtc() {
  static Nvrtc loaded;
  return loaded;
}

Diag failed(const char* call, int result) {
  return error(ErrorCode::runtime, fmt::format("{} failed: {}", call, nvrtc().error_text(result)));
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class NvrtcUnit {
 public:
  ~NvrtcUnit() {
    if (program_ != nullptr) nvrtc().destroy(&program_);
  }

  Expected<CompiledKernel> compile(const LoweredKernel& kernel) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = thread_seconds();
    std::vector<std::string> paths;
    std::vector<const char*> names, texts;
    for (std::size_t i = 0; i < embedded_template_count; ++i) {
      paths.push_back(template_folder + embedded_templates[i].name);
      texts.push_back(embedded_templates[i].text);
    }
    if (const TensorCorePlan* plan = kernel.tensor_core()) {
      paths.push_back(template_folder + "wgmma.cuh");
      texts.push_back(plan->wgmma.c_str());
    }
    for (const std::string& path : paths) names.push_back(path.c_str());
    const std::string name = kernel.entry + ".cu";
    int result = nvrtc().create(&program_, kernel.source.c_str(), name.c_str(),
                                static_cast<int>(names.size()), texts.data(), names.data());
    if (result != 0) return failed("nvrtcCreateProgram", result);
    const std::vector<std::string> given = compiler_flags(kernel);
    std::vector<const char*> flags;
    for (const std::string& flag : given) flags.push_back(flag.c_str());
    result = nvrtc().compile(program_, static_cast<int>(flags.size()), flags.data());
    CompiledKernel compiled;
    std::size_t size = 0;
    if (nvrtc().log_size(program_, &size) == 0 && size > 1) {
      compiled.log.resize(size);
      nvrtc().log(program_, compiled.log.data());
      compiled.log.resize(compiled.log.find('\0'));
    }
    if (result != 0) {
      Diag diag = failed("nvrtcCompileProgram", result);
      diag.notes.push_back({{}, compiled.log});
      return diag;
    }
    result = nvrtc().cubin_size(program_, &size);
    if (result != 0) return failed("nvrtcGetCUBINSize", result);
    compiled.cubin.resize(size);
    result = nvrtc().cubin(program_, compiled.cubin.data());
    if (result != 0) return failed("nvrtcGetCUBIN", result);
    compiled.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    compiled.cpu_seconds = thread_seconds() - cpu_begin;
    return compiled;
  }

 private:
  void* program_ = nullptr;
};

}  // namespace

Support compiler_available() {
  const SharedLibrary& library = nvrtc().library;
  if (library && library.problem().empty()) return {};
  return {false, fmt::format("NVRTC, the compiler of the CUDA toolkit, is not found ({})",
                             library.problem())};
}

Support compiler_fits_driver() {
  int major = 0, minor = 0;
  const int driver = driver_version();
  if (driver == 0 || nvrtc().version(&major, &minor) != 0 || major <= driver / 1000) return {};
  return {false,
          fmt::format("{} makes code that a driver of CUDA {}.{} does not load; a toolkit of "
                      "CUDA {} is needed",
                      compiler_version(), driver / 1000, driver % 1000 / 10, driver / 1000)};
}

std::string compiler_version() {
  int major = 0, minor = 0;
  if (!compiler_available().ok || nvrtc().version(&major, &minor) != 0) return "";
  return fmt::format("NVRTC {}.{}", major, minor);
}

std::string compiler_build() {
  std::string text = compiler_version();
  if (!text.empty()) text += " " + nvrtc().library.build();
  return text;
}

std::vector<std::string> compiler_flags(const LoweredKernel& kernel) {
  // Unused variables are acceptable in generated code.
  return {"-arch=" + kernel.architecture, "-std=c++17", "-default-device", "--ptxas-options=-v",
          "-diag-suppress=177,550"};
}

Expected<CompiledKernel> compile(const LoweredKernel& kernel) {
  const Support here = compiler_available();
  if (!here.ok) return error(ErrorCode::environment, here.reason);
  return NvrtcUnit().compile(kernel);
}

}  // namespace tessera::cuda

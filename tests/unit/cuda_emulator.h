// Runs a lowered kernel without a GPU. The host compiler compiles its source and the templates
// against an emulation of the GPU instructions (tests/cuda/emulate).
#pragma once
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "devices/cuda/lower/lower.h"
#include "devices/cuda/runtime/arguments.h"
#include "tests/cuda/emulate/machine.h"
#include "tests/source_dir.h"
#include "tests/unit/temporary.h"

namespace tessera::cuda {

// A deliberate mistake: replaces the text `from` by `to` in the template `file`.
struct Mutation {
  std::string file, from, to;
};

// Returns the buffers that are operands of a launch.
inline std::vector<BufferId> operand_buffers(const Program& program) {
  std::vector<BufferId> operands;
  for (const BufferId b : program.buffers.ids())
    if (program.buffers[b].role != Role::scratch) operands.push_back(b);
  return operands;
}

class EmulatedKernel {
 public:
  // problem() is empty if the source was compiled.
  explicit EmulatedKernel(const LoweredKernel& kernel, const Mutation* mutation = nullptr)
      : kernel_(kernel) {
    const std::string folder = folder_.file("devices/cuda/templates");
    std::filesystem::create_directories(folder);
    if (mutation != nullptr) {
      std::string text =
          read_bytes(test::source_dir() + "/devices/cuda/templates/" + mutation->file);
      const std::size_t at = text.find(mutation->from);
      if (at == std::string::npos) {
        problem_ = "no text to mutate in " + mutation->file;
        return;
      }
      std::ofstream(folder + "/" + mutation->file)
          << text.replace(at, mutation->from.size(), mutation->to);
    }
    if (const TensorCorePlan* plan = kernel.tensor_core())
      std::ofstream(folder + "/wgmma.cuh") << plan->wgmma;
    // GCC only uses a precompiled header if it is included first.
    std::ofstream(folder_.file("kernel.cpp")) << "#include \"tests/cuda/emulate/precompiled.h\"\n"
                                              << "#include \"tests/cuda/emulate/ptx.h\"\n"
                                              << kernel.source << "#define KERNEL " << kernel.entry
                                              << "\n#include \"tests/cuda/emulate/entry.h\"\n";
    const std::string library = folder_.file("kernel.so"), log = folder_.file("log");
    const std::string command = TESSERA_EMULATION_COMMAND " -shared -I" + folder_.file("") + " -I" +
                                test::source_dir() + " -o " + library + " " +
                                folder_.file("kernel.cpp") + " > " + log + " 2>&1";
    if (std::system(command.c_str()) != 0) {
      problem_ = read_bytes(log);
      return;
    }
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) run_ = reinterpret_cast<Run*>(dlsym(handle_, "run_kernel"));
    if (run_ == nullptr) problem_ = dlerror();
  }
  ~EmulatedKernel() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  EmulatedKernel(const EmulatedKernel&) = delete;
  EmulatedKernel& operator=(const EmulatedKernel&) = delete;

  const std::string& problem() const { return problem_; }

  // Runs the kernel. Returns the error of the emulated multiprocessor, or empty.
  // kernel: the plan for the problem; its source must be the compiled one.
  // memory: operands by the program's buffers.
  // pitches: row pitches in elements, for buffers that are not contiguous.
  std::string run(const LoweredKernel& kernel, const std::map<BufferId, void*>& memory, int blocks,
                  std::uint64_t seed, bool arrays_in_shared = true,
                  const std::map<BufferId, std::int64_t>& pitches = {}) {
    if (kernel.source != kernel_.source) return "another kernel";
    const auto pitch = [&](const MapPlan& plan) {
      const auto found = pitches.find(plan.buffer);
      return found == pitches.end() ? plan.extent[0] : found->second;
    };
    const auto map = [&](const MapPlan& plan) {
      emulate::Map made{};
      made.base = static_cast<char*>(memory.at(plan.buffer));
      made.rank = static_cast<int>(plan.extent.size());
      made.element_bytes = plan.element_bytes;
      for (std::size_t d = 0; d < plan.extent.size(); ++d) {
        made.extent[d] = plan.extent[d];
        made.box[d] = static_cast<int>(plan.box[d]);
      }
      const std::vector<std::uint64_t> strides = strides_of(plan, pitch(plan));
      for (std::size_t d = 0; d < strides.size(); ++d)
        made.stride[d] = static_cast<std::int64_t>(strides[d]) / plan.element_bytes;
      EncodedMap encoded{};
      std::memcpy(encoded.data(), &made, sizeof made);
      return encoded;
    };
    const auto address = [](void* at) {
      return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(at));
    };
    std::vector<std::int64_t> arrays(static_cast<std::size_t>(kernel.array_elements * blocks));
    error = 0;
    LaunchValues values{};
    std::vector<char> tiles;
    if (const GeneralPlan* plan = kernel.general()) {
      tiles.assign(static_cast<std::size_t>(plan->tile_bytes * blocks), static_cast<char>(0xFF));
      values.tiles = address(tiles.data());
      arrays_in_shared = false;
    } else {
      const TensorCorePlan& by_boxes = *kernel.tensor_core();
      values.left = map(by_boxes.left);
      values.right = map(by_boxes.right);
      values.result_map = map(by_boxes.result);
      values.result_pitch = pitch(by_boxes.result);
    }
    if (!arrays_in_shared) values.arrays = address(arrays.data());
    values.error = address(&error);
    taken = {};
    values.taken = address(taken.data());
    values.operands.resize(static_cast<std::size_t>(memory.rbegin()->first.index) + 1);
    for (const auto& [buffer, at] : memory) values.operands[buffer] = address(at);
    const std::string problem = launch(kernel_arguments(kernel.arguments, values), blocks, seed);
    if (!problem.empty()) return problem;
    return taken[0] == 0 && taken[1] == 0 ? "" : "the next launch finds a counter that is not 0";
  }

  // arguments: the bytes of the kernel parameter.
  std::string launch(const std::vector<std::byte>& arguments, int blocks, std::uint64_t seed) {
    std::string problem(400, '\0');
    fetched_bytes = 0;
    const int failed =
        run_(arguments.data(), blocks, kernel_.threads, seed, problem.data(), 400, &fetched_bytes);
    return failed != 0 ? problem.c_str() : "";
  }

  std::int64_t error = 0;                // the kernel's error word
  std::array<std::uint32_t, 2> taken{};  // counters of templates/take.cuh
  unsigned long long fetched_bytes = 0;  // copied into shared memory; multicasts count once

 private:
  using Run = int(const void*, int, int, unsigned long long, char*, int, unsigned long long*);
  LoweredKernel kernel_;
  TemporaryFolder folder_;
  void* handle_ = nullptr;
  Run* run_ = nullptr;
  std::string problem_;
};

}  // namespace tessera::cuda

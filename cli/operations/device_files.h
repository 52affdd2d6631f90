// Tensors of several devices in files. A name with a hole, x{d}.npy, is one file for each device; a
// name without one is one file whose first axis counts them, as np.stack makes it. What is one for
// each ring has the hole {r}, or an axis of rings.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/data/tensor_file.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Of whom there is one.
enum class Per : std::uint8_t { device, ring };
std::string_view name(Per per);  // "device"

bool has_hole(std::string_view spec);
// The files of `count` parts: one each where the name has the hole, else one for all. A hole of the
// other kind is an error.
Expected<std::vector<std::string>> part_files(std::string_view spec, Per per, std::size_t count);

// What is loaded, and how it is called where it does not fit.
struct Loaded {
  std::vector<Tensor> parts;  // of one type and shape
  std::string source;         // "--lhs x0.npy"
};
// The parts of --OPTION, each of `rank` axes; of the type `declared`, else that of the files, else
// `fallback` where raw elements do not say theirs. One file of one part may leave the axis of parts
// out.
Expected<Loaded> load_parts(std::string_view option, std::string_view spec, Per per,
                            std::size_t count, int rank, std::optional<DType> declared,
                            DType fallback, Files* files);

// One tensor of an operation, on each of its devices or rings.
struct NamedTensors {
  std::string name;  // "lhs", "out"
  Per per = Per::device;
  std::vector<std::shared_ptr<const Tensor>> parts{};
};

// Where the parts of one tensor go, open since before they are computed.
class PartsOutput {
 public:
  // One file for each part, or one file for all.
  static Expected<PartsOutput> open(std::vector<std::string> names, Files* files);
  // The only file of several parts gets them with an axis in front, where `stacks` says so.
  Expected<void> write(const NamedTensors& tensors, bool stacks);
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::vector<std::string> files_;
  std::vector<TensorOutput> outputs_;
};

}  // namespace tessera::cli

// Tensors of several devices in files. A name with a hole, x{d}.npy, names one file per device. A
// name without a hole names one file with a leading axis for the devices, as np.stack creates it.
// Tensors per ring have the hole {r}, or a leading axis for the rings.
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

// The unit that has one part of a tensor.
enum class Per : std::uint8_t { device, ring };
std::string_view name(Per per);  // "device"

// True if the name contains {d} or {r}.
bool has_hole(std::string_view spec);
// Returns the file names of `count` parts: one per part if the name has the hole, otherwise one for
// all. Fails if the name has a hole of the other kind. spec: file name, may have a hole.
Expected<std::vector<std::string>> part_files(std::string_view spec, Per per, std::size_t count);

// The loaded parts of a tensor.
struct Loaded {
  std::vector<Tensor> parts;  // all with the same type and shape
  std::string source;         // for messages: "--lhs x0.npy"
};
// Loads the `count` parts of --OPTION, with `rank` axes each. A file with a single part may omit
// the leading axis. The type is `declared`, otherwise the type in the file, otherwise `fallback`
// (for raw elements in a file without a type). Fails if a file cannot be read, or has another
// number of axes or parts, and if the parts differ in type or shape. spec: as in part_files().
Expected<Loaded> load_parts(std::string_view option, std::string_view spec, Per per,
                            std::size_t count, int rank, std::optional<DType> declared,
                            DType fallback, Files* files);

// One tensor of an operation, with a part for each device or ring.
struct NamedTensors {
  std::string name;  // "lhs", "out"
  Per per = Per::device;
  std::vector<std::shared_ptr<const Tensor>> parts{};
};

// Output files for the parts of one tensor, opened before the parts are computed.
class PartsOutput {
 public:
  // Opens the files. Fails if one cannot be opened. names: one file per part, or one file for all
  // parts; files: may be null.
  static Expected<PartsOutput> open(std::vector<std::string> names, Files* files);
  // Writes the parts, part i to file i; `tensors` must have a part for each file. Fails if a file
  // cannot be written. stacks: writes all parts to the only file, with a leading axis. Call it at
  // most once.
  Expected<void> write(const NamedTensors& tensors, bool stacks);
  const std::vector<std::string>& files() const { return files_; }

 private:
  std::vector<std::string> files_;
  std::vector<TensorOutput> outputs_;
};

}  // namespace tessera::cli

// The files of a command: those that it has read, and texts and tensors in memory that its words
// name like files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/host/read_files.h"
#include "core/report/expected.h"

namespace tessera {

// An array of memory that somebody else owns.
struct HeldTensor {
  DType dtype;
  Shape shape;
  std::vector<std::int64_t> strides;  // bytes from one index of an axis to the next, of any sign
  std::shared_ptr<const std::byte> first;  // element (0, ..., 0); keeps the memory

  // Its elements in row-major order, copied when somebody reads them and never else.
  Tensor load() const;
};

struct HeldFiles {
  std::map<std::string, std::string, std::less<>> texts;   // programs, by any name
  std::map<std::string, HeldTensor, std::less<>> tensors;  // to be read, by names such as "<lhs>"
  std::map<std::string, Tensor, std::less<>> written;      // results, by names such as "<out>"
};

// Passed to all functions that open files by the command's words. Null: every name is that of a
// file on the disk, and reads are not recorded.
struct Files : ReadFiles {
  explicit Files(HeldFiles* in_memory = nullptr) : held(in_memory) {}

  HeldFiles* held;  // null: none, else must outlive this object
};

// True if the name means memory: "<lhs>", if the command has held files. files: may be null.
bool is_held_name(std::string_view name, const Files* files);
// The tensor of that name; errors are an unknown name and another type than the declared.
// files: the name is_held_name() of them.
Expected<const HeldTensor*> held_tensor(std::string_view name, const Files& files,
                                        std::optional<DType> declared = std::nullopt);
// The text of that name; null if none is held. files: may be null.
const std::string* held_text(std::string_view name, const Files* files);

}  // namespace tessera

// Files of a command: recorded reads, and texts and tensors in memory that its arguments name like
// files.
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

// Array in memory of another owner, kept alive by `first`.
struct HeldTensor {
  DType dtype;
  Shape shape;
  std::vector<std::int64_t> strides;       // bytes between indices of an axis; may be negative
  std::shared_ptr<const std::byte> first;  // element (0, ..., 0); keeps the memory alive

  // Returns a deferred tensor in row-major order: the elements are copied at the first access to
  // them, which throws NoMemory if there is not enough memory. It keeps the owner's memory alive.
  // Throws InvalidValue for the shape.
  Tensor load() const;
};

struct HeldFiles {
  std::map<std::string, std::string, std::less<>> texts;   // programs, with arbitrary names
  std::map<std::string, HeldTensor, std::less<>> tensors;  // inputs, with names such as "<lhs>"
  std::map<std::string, Tensor, std::less<>> written;      // results, with names such as "<out>"
};

// Passed to all functions that open files named in the command's arguments. If a pointer to it is
// null, every name is a file on disk and reads are not recorded.
struct Files : ReadFiles {
  explicit Files(HeldFiles* in_memory = nullptr) : held(in_memory) {}

  HeldFiles* held;  // null: none; otherwise must outlive this object
};

// True if the name has the form "<lhs>" and the command has held files. files: may be null.
bool is_held_name(std::string_view name, const Files* files);
// Returns the tensor with this name, owned by files.held. Fails if the name is unknown or if the
// tensor's type is not the declared type. files: is_held_name() must be true for them.
Expected<const HeldTensor*> held_tensor(std::string_view name, const Files& files,
                                        std::optional<DType> declared = std::nullopt);
// Returns the text with this name, owned by files->held; null if there is none. files: may be null.
const std::string* held_text(std::string_view name, const Files* files);

}  // namespace tessera

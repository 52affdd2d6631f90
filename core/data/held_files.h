// Texts and tensors that lie in memory and stand where a command line names files: who runs a
// command inside another program hands them over, and takes the results.
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

// While it lives, what this thread opens by these names is not looked for on the disk, and what it
// writes to a name in angle brackets comes to `written`. Scopes nest; the innermost counts.
class HeldFilesScope {
 public:
  // The files must outlive the scope.
  explicit HeldFilesScope(HeldFiles& files);
  ~HeldFilesScope();
  HeldFilesScope(const HeldFilesScope&) = delete;
  HeldFilesScope& operator=(const HeldFilesScope&) = delete;

 private:
  HeldFiles* before_;
};
// Those of this thread's scope; null without one.
HeldFiles* held_files();

// Whether the name stands for memory: "<lhs>", inside a scope.
bool is_held_name(std::string_view name);
// The tensor of that name; errors are a name that nobody gave, and another type than the declared.
Expected<const HeldTensor*> held_tensor(std::string_view name,
                                        std::optional<DType> declared = std::nullopt);
// The text of that name; null where none is held.
const std::string* held_text(std::string_view name);

}  // namespace tessera

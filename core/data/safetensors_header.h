// The front of a .safetensors file: a JSON object with the type, the shape and the place of each
// tensor.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/dtype.h"
#include "core/data/tensor.h"
#include "core/report/expected.h"

namespace tessera {

// The one key of the header that names no tensor.
inline constexpr std::string_view safetensors_metadata = "__metadata__";

// One tensor of the file.
struct TensorEntry {
  std::string name;            // unique in the file, UTF-8
  std::string type;            // as the file names it: "F8_E4M3"
  std::optional<DType> dtype;  // none for a type that we do not have
  Shape shape;                 // extents, outermost first
  std::int64_t begin = 0;      // its first byte, counted from the end of the header
  std::int64_t end = 0;        // the byte behind its last one
};

// All that the header says.
struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // by their place in the file
  // Free text by key, from "__metadata__".
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Errors are text that is no such object, and places that do not cover the file's `data_bytes`
// without gap or overlap, or are not as large as their shapes and types make them.
Expected<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                     std::int64_t data_bytes);
// An error for a name that is not UTF-8 or is reserved or stands twice.
Expected<std::string> print_safetensors_header(const SafetensorsHeader& header);

// A type's name in files, "BF16", and the type of such a name; none for a type that we do not have.
std::string_view safetensors_name(DType dtype);
std::optional<DType> safetensors_dtype(std::string_view type);
// A name from a file as an error shows it: quoted, ASCII, of bounded length.
std::string shown_name(std::string_view name);

}  // namespace tessera

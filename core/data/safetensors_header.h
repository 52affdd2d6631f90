// Header of a .safetensors file: a JSON object with the type, shape and position of each tensor.
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

// The only key of the header that is not a tensor name.
inline constexpr std::string_view safetensors_metadata = "__metadata__";

// Entry of one tensor.
struct TensorEntry {
  std::string name;            // unique in the file, UTF-8
  std::string type;            // the file's spelling: "F8_E4M3"
  std::optional<DType> dtype;  // none if the type is not supported
  Shape shape;                 // extents, outermost first
  std::int64_t begin = 0;      // offset of the first byte, relative to the end of the header
  std::int64_t end = 0;        // offset of the byte after the last one
};

// Contents of the header.
struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // in the order of their positions
  // Arbitrary texts by key, from "__metadata__".
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Returns the contents of a header. Fails if the text is not such an object, if the positions do
// not cover the file's `data_bytes` without gaps and overlaps, or if a size does not agree with
// shape and type.
Expected<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                     std::int64_t data_bytes);
// Returns the JSON text of a header, without its length and padding. Fails if a name is not UTF-8,
// is reserved or occurs twice, or if a tensor has more than largest_file_rank dimensions. Positions
// and sizes are not checked.
Expected<std::string> print_safetensors_header(const SafetensorsHeader& header);

// Convert between a type and its name in files, "BF16"; none if the type is not supported.
std::string_view safetensors_name(DType dtype);
std::optional<DType> safetensors_dtype(std::string_view type);
// Returns a name from a file for use in a message: quoted, ASCII; only its first 64 bytes and "..."
// if it is longer.
std::string shown_name(std::string_view name);

}  // namespace tessera

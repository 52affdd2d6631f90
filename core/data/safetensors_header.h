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

inline constexpr std::string_view safetensors_metadata = "__metadata__";

struct TensorEntry {
  std::string name;
  std::string type;            // as the file names it: "F8_E4M3"
  std::optional<DType> dtype;  // none for a type that we do not have
  Shape shape;
  std::int64_t begin = 0;  // bytes from the end of the header
  std::int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;  // by their place
  std::vector<std::pair<std::string, std::string>> metadata;
};

// The places must cover the file's `data_bytes` without gap or overlap.
Expected<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                     std::int64_t data_bytes);
// An error for a name that is not UTF-8 or is reserved or stands twice.
Expected<std::string> print_safetensors_header(const SafetensorsHeader& header);

std::string_view safetensors_name(DType dtype);
std::optional<DType> safetensors_dtype(std::string_view type);
// A name from a file as an error shows it: quoted, ASCII, of bounded length.
std::string shown_name(std::string_view name);

}  // namespace tessera

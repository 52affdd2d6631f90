#include "core/data/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/data/dtype_info.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

// Returns a JSON string literal; bytes that are not UTF-8 are replaced.
std::string literal(std::string_view text, bool ascii_only) {
  return Json(text).dump(-1, ' ', ascii_only, Json::error_handler_t::replace);
}

bool is_utf8(std::string_view text) {
  const Json back = Json::parse(literal(text, false), nullptr, false);
  return back.is_string() && back.get_ref<const std::string&>() == text;
}

}  // namespace

std::string_view safetensors_name(DType dtype) { return dtype_info(dtype).safetensors; }

std::optional<DType> safetensors_dtype(std::string_view type) {
  const auto found = std::find_if(dtype_table.begin(), dtype_table.end(),
                                  [&](const DTypeInfo& row) { return row.safetensors == type; });
  if (found == dtype_table.end()) return std::nullopt;
  return static_cast<DType>(found - dtype_table.begin());
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t shown = 64;
  return literal(name.substr(0, shown), true) + (name.size() > shown ? "..." : "");
}

Expected<std::string> print_safetensors_header(const SafetensorsHeader& header) {
  std::string text = "{";
  if (!header.metadata.empty()) {
    Json metadata = Json::object();
    for (const auto& [key, value] : header.metadata) metadata[key] = value;
    text += fmt::format("\"{}\":{}", safetensors_metadata,
                        metadata.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  std::unordered_set<std::string_view> seen;
  for (const TensorEntry& entry : header.tensors) {
    if (!is_utf8(entry.name)) {
      return error(fmt::format("the name {} is not UTF-8", shown_name(entry.name)));
    }
    if (entry.shape.size() > largest_file_rank) {
      return error(fmt::format("tensor {} has too many dimensions", shown_name(entry.name)));
    }
    if (entry.name == safetensors_metadata) {
      return error(fmt::format("the name {} is reserved", entry.name));
    }
    if (!seen.insert(entry.name).second) {
      return error(fmt::format("tensor {} occurs twice", shown_name(entry.name)));
    }
    if (text.size() > 1) text += ',';
    text += fmt::format("{}:{{\"dtype\":{},\"shape\":{},\"data_offsets\":[{},{}]}}",
                        literal(entry.name, false), literal(entry.type, false),
                        Json(entry.shape).dump(), entry.begin, entry.end);
  }
  return text + "}";
}

}  // namespace tessera

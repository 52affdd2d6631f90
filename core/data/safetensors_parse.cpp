#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/data/safetensors_header.h"

namespace tessera {
namespace {

using Json = nlohmann::json;

// Maximum number of keys: a short pair of strings needs ten times the memory of its text.
constexpr std::size_t largest_metadata = 1 << 16;

// Handles the parser's events. No JSON document is built, so nesting and size cost no memory, and
// repeated keys are detected.
class HeaderReader {
 public:
  SafetensorsHeader header;
  std::string problem;  // empty if there is none

  bool start_object(std::size_t) {
    if (where_ == Where::outside) return enter(Where::top);
    if (where_ == Where::at_metadata) return enter(Where::metadata);
    if (where_ == Where::at_entry) return enter(Where::entry);
    return unexpected();
  }

  bool key(std::string& key) {
    if (where_ == Where::top && key == safetensors_metadata) {
      if (has_metadata_) return fail("__metadata__ occurs twice");
      has_metadata_ = true;
      return enter(Where::at_metadata);
    }
    if (where_ == Where::top) {
      header.tensors.emplace_back().name = std::move(key);
      return enter(Where::at_entry);
    }
    if (where_ == Where::metadata) {
      if (header.metadata.size() == largest_metadata) return fail("__metadata__ has too many keys");
      header.metadata.emplace_back(std::move(key), "");
      return enter(Where::metadata_value);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].key != key) continue;
      if (seen_[i]) return fail_entry(fmt::format("{} occurs twice", key));
      seen_[i] = true;
      return enter(fields[i].where);
    }
    return fail_entry(fmt::format("unknown field {}", shown_name(key)));
  }

  bool string(std::string& value) {
    if (where_ == Where::metadata_value) {
      header.metadata.back().second = std::move(value);
      return enter(Where::metadata);
    }
    if (where_ != Where::type) return unexpected();
    entry().dtype = safetensors_dtype(value);
    entry().type = std::move(value);
    return enter(Where::entry);
  }

  bool start_array(std::size_t) {
    if (where_ == Where::at_shape) return enter(Where::shape);
    if (where_ == Where::at_offsets) return enter(Where::offsets);
    return unexpected();
  }

  bool number_unsigned(std::uint64_t value) {
    if (where_ != Where::shape && where_ != Where::offsets) return unexpected();
    if (value > std::uint64_t{INT64_MAX}) return fail_entry("a number is too large");
    auto& numbers = where_ == Where::shape ? entry().shape : offsets_;
    numbers.push_back(static_cast<std::int64_t>(value));
    if (offsets_.size() > 2) return fail_entry("data_offsets has more than two numbers");
    return entry().shape.size() <= largest_file_rank || fail_entry("too many dimensions");
  }

  bool end_array() {
    if (where_ == Where::offsets) {
      if (offsets_.size() != 2) return fail_entry("data_offsets needs two numbers");
      entry().begin = offsets_[0];
      entry().end = offsets_[1];
      offsets_.clear();
    }
    return enter(Where::entry);
  }

  bool end_object() {
    if (where_ == Where::top) return enter(Where::outside);
    if (where_ == Where::entry) {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!seen_[i]) return fail_entry(fmt::format("{} is missing", fields[i].key));
      }
      seen_ = {};
    }
    return enter(Where::top);
  }

  bool number_integer(std::int64_t) { return fail("a number is negative"); }
  bool number_float(double, const std::string&) { return fail("a number is not an integer"); }
  bool null() { return unexpected(); }
  bool boolean(bool) { return unexpected(); }
  bool binary(Json::binary_t&) { return unexpected(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    return fail(fmt::format("not JSON at byte {}", position));
  }

 private:
  // at_x: after a key, before the value x begins.
  enum class Where : std::uint8_t {
    outside,
    top,
    at_metadata,
    metadata,
    metadata_value,
    at_entry,
    entry,
    type,
    at_shape,
    shape,
    at_offsets,
    offsets
  };
  struct Field {
    std::string_view key;
    Where where;
  };
  static constexpr std::array<Field, 3> fields{
      {{"dtype", Where::type}, {"shape", Where::at_shape}, {"data_offsets", Where::at_offsets}}};

  TensorEntry& entry() { return header.tensors.back(); }

  bool enter(Where where) {
    where_ = where;
    return true;
  }
  bool fail(std::string message) {
    problem = std::move(message);
    return false;
  }
  bool fail_entry(std::string_view message) {
    return fail(fmt::format("tensor {}: {}", shown_name(entry().name), message));
  }
  bool unexpected() {
    switch (where_) {
      case Where::outside:
        return fail("not an object");
      case Where::at_metadata:
      case Where::metadata_value:
        return fail("__metadata__ is not an object of strings");
      case Where::at_entry:
        return fail_entry("not an object");
      case Where::type:
        return fail_entry("dtype is not a string");
      default:
        return fail_entry("shape and data_offsets are arrays of sizes");
    }
  }

  Where where_ = Where::outside;
  bool has_metadata_ = false;
  std::array<bool, 3> seen_{};
  std::vector<std::int64_t> offsets_;
};

// Sorts the entries by position. Each must begin at the end of the previous one, and the last must
// end with the data.
std::string place_problem(std::vector<TensorEntry>& tensors, std::int64_t data_bytes) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::int64_t end = 0;
  for (const TensorEntry& entry : tensors) {
    const auto says = [&](std::string_view what) {
      return fmt::format("tensor {}: data_offsets [{}, {}] {}", shown_name(entry.name), entry.begin,
                         entry.end, what);
    };
    if (entry.begin > entry.end) return says("end before they begin");
    if (entry.end > data_bytes) return says(fmt::format("exceed the {} bytes of data", data_bytes));
    if (entry.begin < end) return says("overlap another tensor's");
    if (entry.begin > end) return says(fmt::format("leave a gap from {}", end));
    end = entry.end;
  }
  if (end != data_bytes) {
    return fmt::format("tensors cover {} of the {} bytes of data", end, data_bytes);
  }
  return {};
}

// Checks that the size of a tensor's data agrees with its shape. For unsupported types, only the
// shape is checked.
std::string shape_problem(const TensorEntry& entry) {
  const auto bytes = checked_bytes(entry.dtype.value_or(DType::i8), entry.shape);
  const std::int64_t found = entry.end - entry.begin;
  if (bytes && (!entry.dtype || *bytes == found)) return {};
  return fmt::format("tensor {}: {} of {} needs {} bytes, but data_offsets hold {}",
                     shown_name(entry.name), to_string(entry.shape), shown_name(entry.type),
                     bytes ? std::to_string(*bytes) : "too many", found);
}

std::string twice(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  const auto found = std::adjacent_find(names.begin(), names.end());
  return found == names.end() ? "" : fmt::format("{} occurs twice", shown_name(*found));
}

std::string problem_of(SafetensorsHeader& header, std::int64_t data_bytes) {
  std::vector<std::string_view> names, keys;
  for (const auto& [key, value] : header.metadata) keys.push_back(key);
  if (auto problem = twice(std::move(keys)); !problem.empty()) return "__metadata__: " + problem;
  if (auto problem = place_problem(header.tensors, data_bytes); !problem.empty()) return problem;
  for (const TensorEntry& entry : header.tensors) {
    names.push_back(entry.name);
    if (auto problem = shape_problem(entry); !problem.empty()) return problem;
  }
  if (auto problem = twice(std::move(names)); !problem.empty()) return "tensor " + problem;
  return {};
}

}  // namespace

Expected<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                     std::int64_t data_bytes) {
  HeaderReader reader;
  // The parser treats a zero byte as the end.
  if (!json.starts_with('{')) {
    reader.problem = "does not begin with {";
  } else if (json.find('\0') != std::string_view::npos) {
    reader.problem = fmt::format("not JSON at byte {}", json.find('\0') + 1);
  } else if (Json::sax_parse(json, &reader)) {
    reader.problem = problem_of(reader.header, data_bytes);
  }
  if (!reader.problem.empty()) return error("malformed header: " + reader.problem);
  return std::move(reader.header);
}

}  // namespace tessera

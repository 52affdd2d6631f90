#include "core/data/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "core/data/dtype_info.h"

namespace tessera {
namespace {

struct Row {
  std::string_view descr;
  DType dtype;
};

// The spelling of each type, then the spelling that ml_dtypes uses for e5m2.
constexpr auto rows = [] {
  std::array<Row, dtype_count + 1> all{};
  for (std::size_t i = 0; i < dtype_table.size(); ++i)
    all[i] = {dtype_table[i].npy, static_cast<DType>(i)};
  all.back() = {"<f1", DType::e5m2};
  return all;
}();

bool is_raw(std::string_view descr) { return descr.starts_with("|V"); }

std::vector<std::string_view> types_of(std::string_view descr) {
  std::vector<std::string_view> names;
  for (const DTypeInfo& type : dtype_table)
    if (type.npy == descr) names.push_back(type.name);
  return names;
}

// "a, b and c"
std::string listed(std::vector<std::string> items, std::string_view last) {
  const std::string end = items.back();
  items.pop_back();
  return items.empty() ? end : fmt::format("{} {} {}", fmt::join(items, ", "), last, end);
}

// Lists each spelling with its types; raw bytes last.
std::string accepted() {
  std::vector<std::string> items;
  for (const bool raw : {false, true})
    for (const DTypeInfo& type : dtype_table) {
      std::string item = fmt::format("{} ({})", type.npy, fmt::join(types_of(type.npy), ", "));
      if (is_raw(type.npy) == raw && std::find(items.begin(), items.end(), item) == items.end())
        items.push_back(std::move(item));
    }
  return "accepted are " + listed(std::move(items), "and");
}

// Returns kind and size, without the byte order.
std::string_view kind_of(std::string_view descr) { return descr.substr(1); }

// Reads the text of a dict from front to back.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_space();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> string() {
    const char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
    const auto end = quote == '\0' ? std::string_view::npos : text_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string result(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return result;
  }

  // None also for numbers that do not fit in 64 bits.
  std::optional<std::int64_t> integer() {
    skip_space();
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (status != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  bool at_end() {
    skip_space();
    return text_.empty();
  }

 private:
  void skip_space() {
    const auto start = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }

  std::string_view text_;
};

std::optional<Shape> parse_shape(Cursor& cursor) {
  if (!cursor.take('(')) return std::nullopt;
  Shape shape;
  bool has_comma = true;
  while (!cursor.take(')')) {
    const auto dim = has_comma ? cursor.integer() : std::nullopt;
    if (!dim || *dim < 0 || shape.size() == largest_file_rank) return std::nullopt;
    shape.push_back(*dim);
    has_comma = cursor.take(',');
  }
  // Python writes a tuple of one element with a comma.
  if (shape.size() == 1 && !has_comma) return std::nullopt;
  return shape;
}

Diag malformed(std::string_view what) { return error(fmt::format("malformed header: {}", what)); }

}  // namespace

Expected<NpyHeader> parse_npy_header(std::string_view dict) {
  Cursor cursor(dict);
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
  if (!cursor.take('{')) return malformed("expected a dict");
  bool has_comma = true;
  while (!cursor.take('}')) {
    const auto key = has_comma ? cursor.string() : std::nullopt;
    if (!key || !cursor.take(':')) return malformed("expected 'key': value");
    if (*key == "descr" && !descr) {
      if (cursor.take('[')) {
        return error(ErrorCode::unsupported, "structured elements are not supported");
      }
      descr = cursor.string();
      if (!descr || descr->empty()) return malformed("'descr' is not a string");
    } else if (*key == "fortran_order" && !fortran_order) {
      const bool is_true = cursor.take("True");
      if (!is_true && !cursor.take("False")) return malformed("'fortran_order' is not a bool");
      fortran_order = is_true;
    } else if (*key == "shape" && !shape) {
      shape = parse_shape(cursor);
      if (!shape) return malformed("'shape' is not a tuple of sizes");
    } else {
      return malformed("unknown or duplicate key");
    }
    has_comma = cursor.take(',');
  }
  if (!cursor.at_end()) return malformed("text after the dict");
  if (!descr || !fortran_order || !shape) {
    return malformed("expected the keys 'descr', 'fortran_order' and 'shape'");
  }
  return NpyHeader{std::move(*descr), *fortran_order, std::move(*shape)};
}

std::string print_npy_header(DType dtype, const Shape& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                     rows[static_cast<std::size_t>(dtype)].descr, to_string(shape));
}

Expected<DType> npy_dtype(std::string_view descr, std::optional<DType> declared) {
  if (descr.starts_with('>') || descr.starts_with('!')) {
    return error(ErrorCode::unsupported, fmt::format("'{}' is big-endian; {}", descr, accepted()));
  }
  const bool has_order = descr.starts_with('<') || descr.starts_with('|');
  const std::string_view kind = has_order ? kind_of(descr) : "";
  const Row* first = nullptr;
  int matches = 0;
  for (const Row& row : rows) {
    if (kind_of(row.descr) != kind) continue;
    if (row.dtype == declared) return row.dtype;
    if (matches++ == 0) first = &row;
  }
  if (first == nullptr) {
    return error(ErrorCode::unsupported,
                 fmt::format("elements '{}' are not supported; {}", descr, accepted()));
  }
  if (declared) {
    return error(fmt::format("holds {} ('{}'), but {} is declared",
                             kind == "V1" ? "one-byte elements" : name(first->dtype), descr,
                             name(*declared)));
  }
  if (kind.starts_with('V')) {
    const auto names = types_of(first->descr);
    return error(fmt::format("elements '{}' do not name their type: declare {}", descr,
                             listed({names.begin(), names.end()}, "or")));
  }
  return first->dtype;
}

}  // namespace tessera

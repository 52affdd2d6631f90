#include "devices/cuda/lower/element_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/data/dtype_range.h"
#include "core/program/reshape.h"
#include "devices/cuda/lower/op_text.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {
namespace {

// Type in which integer sums, differences and products wrap (interp/tiles/integer_range.h).
DType wrapping_type(const ElementTypes& types) {
  DType widest = is_float(types[0].dtype) ? DType::i64 : types[0].dtype;
  for (std::size_t i = 1; i < types.size(); ++i)
    if (!types[i].is_number) widest = wider_integer(widest, types[i].dtype);
  return widest;
}

// Type in which ops compute that only accept integers (interp/tiles/integer_ops.h).
DType integer_type(const Op& op, const ElementTypes& types) {
  if (types.size() == 2) return types[1].dtype;
  const ElementType &a = types[1], &b = types[2];
  if (a.is_number) return b.dtype;
  const bool shifts =
      std::holds_alternative<TileShiftLeft>(op) || std::holds_alternative<TileShiftRight>(op);
  return shifts || b.is_number ? a.dtype : wider_integer(a.dtype, b.dtype);
}

std::string wrapped(DType type, const std::string& text) {
  return fmt::format("static_cast<i64>(static_cast<{}>({}))", storage_type(type), text);
}

std::string select_code(const ElementTypes& types, const ReadElement& read) {
  const bool whole = types[2].is_whole() && types[3].is_whole();
  const std::string condition = read(1, types[1].is_whole());
  const std::string a = read(2, whole), b = read(3, whole);
  return fmt::format("({} != 0 ? {} : {})", condition, a, b);
}

}  // namespace

std::string type_text(DType dtype) { return fmt::format("type::{}", name(dtype)); }

std::int64_t whole_lines(std::int64_t bytes) {
  constexpr std::int64_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

std::optional<std::string> element_code(const Op& op, const ElementTypes& types,
                                        const ReadElement& read) {
  if (std::holds_alternative<Cast>(op)) return read(1, types[1].is_whole());
  if (std::holds_alternative<Truncate>(op))
    return types[1].is_whole() ? wrapped(types[0].dtype, read(1, true))
                               : fmt::format("truncf({})", read(1, false));
  if (std::holds_alternative<TileSelect>(op)) return select_code(types, read);
  const OpText* const text = op_text(op);
  if (text == nullptr) return std::nullopt;
  const bool are_integers = computes_integers(op);
  const auto is_whole = [](const ElementType& type) { return type.is_whole(); };
  const bool whole = are_integers || (!text->whole.empty() &&
                                      std::all_of(types.begin() + 1, types.end(), is_whole));
  // Read in order, so that equal ops have equal code.
  std::vector<std::string> values;
  for (std::size_t i = 1; i < types.size(); ++i) values.push_back(read(i, whole));
  if (!whole) return fmt::format("static_cast<float>({})", written(text->real, values));
  const DType type = are_integers ? integer_type(op, types) : wrapping_type(types);
  std::string value = written(text->whole, values, storage_type(type));
  const bool wraps = are_integers || std::holds_alternative<TileAdd>(op) ||
                     std::holds_alternative<TileSub>(op) || std::holds_alternative<TileMul>(op);
  return wraps ? wrapped(type, value) : value;
}

std::optional<std::string> float_code(const Op& op,
                                      const std::function<std::string(const Slice&)>& read) {
  if (const auto* cast = std::get_if<Cast>(&op)) return read(cast->src);
  const OpText* const text = op_text(op);
  if (text == nullptr || text->real.empty()) return std::nullopt;
  std::vector<std::string> values;
  for (std::size_t i = 1; i < info(op).fields.size(); ++i)
    values.push_back(read(field<Slice>(op, info(op).fields[i])));
  return written(text->real, values);
}

FoldCode fold_code(const Op& op, DType to, DType from, const std::string& length,
                   const std::string& value) {
  const auto filled = [&](std::string_view next) { return fmt::format(fmt::runtime(next), value); };
  const bool sums = std::holds_alternative<RowSum>(op) || std::holds_alternative<ColSum>(op) ||
                    std::holds_alternative<TileReduceSum>(op);
  const bool is_least = std::holds_alternative<TileReduceMin>(op);
  if (!is_integer(from)) {
    if (sums)  // -0 + x is x, also if x is -0
      return {"float", length + " > 0 ? -0.0f : 0.0f", filled("sum + {}"), "sum"};
    return {"float", is_least ? "infinity()" : "-infinity()",
            filled(is_least ? "lesser(sum, {})" : "greater(sum, {})"), "sum"};
  }
  if (sums)
    return {"i64", "0", filled("static_cast<i64>(static_cast<u64>(sum) + static_cast<u64>({}))"),
            wrapped(wrapping_type({{to}, {from}}), "sum")};
  return {"i64", is_least ? "9223372036854775807ll" : "-9223372036854775807ll - 1",
          filled(is_least ? "least(sum, {})" : "most(sum, {})"), "sum"};
}

}  // namespace tessera::cuda

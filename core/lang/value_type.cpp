#include "core/lang/value_type.h"

#include <algorithm>
#include <vector>

#include "core/data/dtype_range.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"

namespace tessera {
namespace {

struct Operands {
  bool has_real_number = false;
  std::vector<DType> tiles;
};

Operands operands_of(const Program& program, const Op& op) {
  Operands operands;
  const auto& fields = info(op).fields;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const Slice& slice = field<Slice>(op, fields[i]);
    if (is_number(program, slice))
      operands.has_real_number |= program.value(slice.base).kind == ValueKind::real;
    else
      operands.tiles.push_back(ref_info(program, slice.base).dtype);
  }
  return operands;
}

bool shifts(const Op& op) {
  return std::holds_alternative<TileShiftLeft>(op) || std::holds_alternative<TileShiftRight>(op);
}

// As in interp/tiles/integer_range.h: numbers have the type of the tiles.
DType integer_type(const std::vector<DType>& tiles, bool is_shift) {
  if (tiles.empty()) return DType::i64;
  if (is_shift) return tiles.front();
  DType widest = tiles.front();
  for (const DType type : tiles) widest = wider_integer(widest, type);
  return widest;
}

bool is_function(const Op& op) {
  return info(op).fields.size() == 2 || std::holds_alternative<Pow>(op);
}

}  // namespace

bool gives_truths(const Op& op) {
  return std::holds_alternative<TileLt>(op) || std::holds_alternative<TileLe>(op) ||
         std::holds_alternative<TileEq>(op) || std::holds_alternative<IsFinite>(op);
}

DType value_type(const Program& program, const Op& op) {
  if (gives_truths(op)) return DType::i32;
  const Operands operands = operands_of(program, op);
  const auto any = [&](auto has) {
    return std::any_of(operands.tiles.begin(), operands.tiles.end(), has);
  };
  if (computes_integers(op) && !operands.has_real_number && !any(is_float))
    return integer_type(operands.tiles, shifts(op));
  if (is_function(op) || operands.has_real_number || any(is_float)) return DType::f32;
  const auto is_wide = [](DType type) { return type == DType::i64 || type == DType::u32; };
  return any(is_wide) ? DType::i64 : DType::i32;
}

// Floats, comparisons and bit ops are computed independently of the target and then rounded.
// Integers wrap in the widest type of target and operands (interp/tiles/integer_range.h) and then
// saturate, so this type must be the value's own type.
bool writes_as_cast(const Program& program, const Op& op, DType to) {
  const DType type = value_type(program, op);
  if (type == to || is_float(type) || gives_truths(op) || computes_integers(op)) return true;
  const std::vector<DType> tiles = operands_of(program, op).tiles;
  const bool has_widest = std::find(tiles.begin(), tiles.end(), type) != tiles.end();
  return has_widest && (is_float(to) || size_of(to) < size_of(type)) &&
         (!is_float(to) || type == DType::i64);
}

}  // namespace tessera

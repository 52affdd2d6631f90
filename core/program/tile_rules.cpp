#include "core/program/tile_rules.h"

#include <fmt/format.h>

#include <utility>

#include "core/program/refs.h"

namespace tessera {

void TileRules::check(const Op& op) {
  const std::size_t before = report_.size();
  operands(op);
  const bool ok = report_.size() == before;
  if (const auto* o = std::get_if<Matmul>(&op)) {
    if (ok) matmul(*o);
  } else if (const auto* o = std::get_if<Scaled>(&op)) {
    if (ok) scaled(*o);
  } else {
    elementwise(op, ok);
    const auto* indices = std::get_if<TileIota>(&op);
    if (indices != nullptr && report_.size() == before) iota(*indices);
  }
}

void TileRules::operands(const Op& op) {
  const auto& fields = info(op).fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].kind == FieldKind::Slice)
      operand(field<Slice>(op, fields[i]), fields[i].name, i == 0);
}

// Tile ops work on vmem and tile registers; hbm is reached by copies, smem by scalars.
void TileRules::operand(const Slice& slice, std::string_view field, bool is_target) {
  if (is_number(program_, slice)) {
    if (is_target)
      report_.fail(fmt::format("field `{}` must be memory, found a number", field),
                   ErrorCode::invalid_type);
    return;
  }
  if (program_.value(slice.base).kind == ValueKind::sem)
    return report_.fail(fmt::format("field `{}` must be a tile, found a semaphore", field),
                        ErrorCode::invalid_type);
  const RefInfo ref = ref_info(program_, slice.base);
  if (ref.space == Space::hbm)
    return report_.fail(fmt::format(
        "{} is in hbm, which tile ops cannot reach; `copy` or `start` it to vmem, or use a window",
        report_.name_of(slice)));
  if (ref.space == Space::smem)
    return report_.fail(
        fmt::format("{} is scalar memory, which tile ops cannot reach", report_.name_of(slice)));
  if (is_target) report_.written(slice, field);
}

// Those that reshape have an operand of another shape, and no number: it has no rows and columns.
void TileRules::elementwise(const Op& op, bool are_tiles) {
  const auto& fields = info(op).fields;
  const bool reshapes = std::holds_alternative<Transpose>(op) ||
                        std::holds_alternative<RowSum>(op) || std::holds_alternative<RowMax>(op) ||
                        std::holds_alternative<ColSum>(op) || std::holds_alternative<ColMax>(op);
  if (!reshapes && are_tiles) broadcasts(op);
  if (reshapes && is_number(program_, field<Slice>(op, fields[1])))
    report_.fail(fmt::format("field `{}` must be a tile, found a number", fields[1].name),
                 ErrorCode::invalid_type);
}

// A dimension of an operand is the target's or 1; constant sizes are compared, the others when the
// op runs.
void TileRules::broadcasts(const Op& op) {
  const auto& fields = info(op).fields;
  const Slice& target = field<Slice>(op, fields[0]);
  const std::vector<int> to = kept(target);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].kind != FieldKind::Slice) continue;
    const Slice& s = field<Slice>(op, fields[i]);
    if (is_number(program_, s)) continue;
    const std::vector<int> from = kept(s);
    bool ok = from.size() <= to.size();
    for (std::size_t d = 0; ok && d < from.size(); ++d) {
      const auto have =
          program_.constant(s.size[static_cast<std::size_t>(from[from.size() - 1 - d])]);
      const auto want =
          program_.constant(target.size[static_cast<std::size_t>(to[to.size() - 1 - d])]);
      ok = !have || !want || *have == *want || *have == 1;
    }
    if (!ok)
      report_.fail(fmt::format("`{}` of shape {} does not fit `{}` of shape {}", fields[i].name,
                               report_.shape_of(s), fields[0].name, report_.shape_of(target)));
  }
}

void TileRules::matmul(const Matmul& op) {
  for (const auto& [slice, field] :
       {std::pair{&op.acc, "acc"}, std::pair{&op.a, "a"}, std::pair{&op.b, "b"}}) {
    if (is_number(program_, *slice))
      return report_.fail(fmt::format("`{}` of a matrix product must be a tile", field),
                          ErrorCode::invalid_type);
    if (kept(*slice).size() != 2)
      return report_.fail(fmt::format("`{}` of a matrix product must be a matrix, found shape {}",
                                      field, report_.shape_of(*slice)));
  }
  const auto size = [&](const Slice& s, int dim) {
    return s.size[static_cast<std::size_t>(kept(s)[static_cast<std::size_t>(dim)])];
  };
  const auto agree = [&](ValueId a, ValueId b, std::string_view what) {
    const auto x = program_.constant(a), y = program_.constant(b);
    if (x && y && *x != *y)
      report_.fail(
          fmt::format("the {} of the matrix product do not agree: {} and {}", what, *x, *y));
  };
  agree(size(op.a, op.transpose_a != 0 ? 0 : 1), size(op.b, op.transpose_b != 0 ? 1 : 0),
        "contracted dimensions");
  agree(size(op.acc, 0), size(op.a, op.transpose_a != 0 ? 1 : 0), "rows");
  agree(size(op.acc, 1), size(op.b, op.transpose_b != 0 ? 0 : 1), "columns");
  accumulates(op);
}

void TileRules::accumulates(const Matmul& op) {
  const DType acc = ref_info(program_, op.acc.base).dtype, a = ref_info(program_, op.a.base).dtype,
              b = ref_info(program_, op.b.base).dtype;
  if (is_integer(a) != is_integer(b))
    return report_.fail(fmt::format("a product of {} and {} is not defined", name(a), name(b)),
                        ErrorCode::invalid_type);
  const bool sums_of_i8 = a == DType::i8 && b == DType::i8 && acc == DType::f32;
  if (acc != accumulator(a) && !sums_of_i8)
    report_.fail(
        fmt::format("a product of {} accumulates in {}{}, found {}", name(a), name(accumulator(a)),
                    a == DType::i8 && b == DType::i8 ? " or f32" : "", name(acc)),
        ErrorCode::invalid_type);
}

// Blocks of one size cover the data.
void TileRules::scaled(const Scaled& op) {
  for (const auto& [slice, field] : {std::pair{&op.src, "src"}, std::pair{&op.scale, "scale"}})
    if (is_number(program_, *slice))
      return report_.fail(fmt::format("`{}` of a scaled tile must be a tile", field),
                          ErrorCode::invalid_type);
  const std::vector<int> data = kept(op.src), scale = kept(op.scale), dst = kept(op.dst);
  bool ok = data.size() == scale.size() && data.size() == dst.size() && data.size() <= 3;
  for (std::size_t d = 0; ok && d < data.size(); ++d) {
    const auto extent = [&](const Slice& slice, const std::vector<int>& dims) {
      return program_.constant(slice.size[static_cast<std::size_t>(dims[d])]);
    };
    const auto a = extent(op.src, data), b = extent(op.scale, scale), c = extent(op.dst, dst);
    ok = (!a || !b || (*b == 0 ? *a == 0 : *a % *b == 0)) && (!a || !c || *a == *c);
  }
  if (!ok)
    report_.fail(fmt::format(
        "the scales of shape {} do not cut tiles of shapes {} and {} into equal blocks",
        report_.shape_of(op.scale), report_.shape_of(op.src), report_.shape_of(op.dst)));
  if (!is_float(ref_info(program_, op.src.base).dtype) ||
      !is_float(ref_info(program_, op.scale.base).dtype))
    report_.fail("a scaled tile and its scales are floats", ErrorCode::invalid_type);
}

void TileRules::iota(const TileIota& op) {
  const auto rank = static_cast<std::int64_t>(kept(op.dst).size());
  if (op.dim < 0 || op.dim >= rank)
    report_.fail(fmt::format("field `dim` is {}, and {} of shape {} has {} dimensions", op.dim,
                             report_.name_of(op.dst), report_.shape_of(op.dst), rank));
}

}  // namespace tessera

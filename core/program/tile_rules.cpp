#include "core/program/tile_rules.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"

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
      report_.fail(report_.field_text(field) + " must be memory, found a number",
                   ErrorCode::invalid_type);
    return;
  }
  if (program_.value(slice.base).kind == ValueKind::sem)
    return report_.fail(report_.field_text(field) + " must be a tile, found a semaphore",
                        ErrorCode::invalid_type);
  const RefInfo ref = ref_info(program_, slice.base);
  if (ref.space == Space::hbm)
    return report_.fail(fmt::format(
        "{} is in hbm, which tile ops cannot reach; `copy` or `start` it to vmem, or use a window",
        report_.name_of(slice)));
  if (ref.space == Space::smem)
    return report_.fail(fmt::format(
        "{} is in smem, which tile ops cannot reach; read its elements one by one, as in x[i]",
        report_.name_of(slice)));
  if (is_target) report_.written(slice);
}

// Those that reshape have an operand of another shape, and no number: it has no rows and columns.
void TileRules::elementwise(const Op& op, bool are_tiles) {
  const auto& fields = info(op).fields;
  const Reshape reshape = reshape_of(op);
  if (reshape == Reshape::none) {
    if (are_tiles) broadcasts(op);
    return;
  }
  const Slice &target = field<Slice>(op, fields[0]), &source = field<Slice>(op, fields[1]);
  if (is_number(program_, source))
    report_.fail(fmt::format("`{}` takes a tile, found a number", info(op).mnemonic),
                 ErrorCode::invalid_type);
  else if (are_tiles)
    reshaped(op, reshape, target, source);
}

// A transpose and the sums and maxima of rows and columns have one shape that the result can have.
void TileRules::reshaped(const Op& op, Reshape reshape, const Slice& target,
                         const Slice& source) {
  const std::vector<int> to = kept(target), from = kept(source);
  const auto extent = [&](const Slice& slice, const std::vector<int>& dims, std::size_t d) {
    return program_.constant(slice.size[static_cast<std::size_t>(dims[d])]);
  };
  bool ok = to.size() == 2 && from.size() == 2;
  if (ok) {
    const auto rows = extent(source, from, 0), columns = extent(source, from, 1);
    const std::optional<std::int64_t> one = 1;
    const std::array<std::optional<std::int64_t>, 2> wanted =
        reshape == Reshape::transposed ? std::array{columns, rows}
        : reshape == Reshape::column   ? std::array{rows, one}
                                       : std::array{one, columns};
    for (std::size_t d = 0; d < 2; ++d) {
      const auto have = extent(target, to, d);
      ok = ok && (!have || !wanted[d] || *have == *wanted[d]);
    }
  }
  if (!ok)
    report_.fail(fmt::format("`{}` of a tile of shape {} cannot be stored to {} of shape {}",
                             info(op).mnemonic, report_.shape_of(source),
                             operand_name(program_, target, "a tile"), report_.shape_of(target)));
}

// A dimension of an operand is the target's or 1; constant sizes are compared, the others when the
// op runs.
void TileRules::broadcasts(const Op& op) {
  const auto& fields = info(op).fields;
  const Slice& target = field<Slice>(op, fields[0]);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].kind != FieldKind::Slice) continue;
    const Slice& source = field<Slice>(op, fields[i]);
    if (!broadcasts_to(program_, source, target))
      report_.fail(misfit_text(operand_name(program_, source, "an operand"),
                               report_.shape_of(source), report_.shape_of(target)));
  }
}

void TileRules::matmul(const Matmul& op) {
  for (const auto& [slice, field] :
       {std::pair{&op.acc, "accumulator"}, std::pair{&op.a, "left operand"},
        std::pair{&op.b, "right operand"}}) {
    if (is_number(program_, *slice))
      return report_.fail(
          fmt::format("the {} of a matrix product must be a tile, found a number", field),
          ErrorCode::invalid_type);
    if (kept(*slice).size() != 2)
      return report_.fail(fmt::format("the {} of a matrix product must be a matrix, found shape {}",
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
  for (const auto& [slice, field] :
       {std::pair{&op.src, "first argument"}, std::pair{&op.scale, "second argument"}})
    if (is_number(program_, *slice))
      return report_.fail(fmt::format("the {} of `scaled` must be a tile, found a number", field),
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
    report_.fail("`scaled` takes a tile and scales of floats", ErrorCode::invalid_type);
}

void TileRules::iota(const TileIota& op) {
  const auto rank = static_cast<std::int64_t>(kept(op.dst).size());
  if (op.dim < 0 || op.dim >= rank)
    report_.fail(
        fmt::format("tile_iota counts along dimension {}, but {} of shape {} has {} dimensions",
                    op.dim, report_.name_of(op.dst), report_.shape_of(op.dst), rank));
}

}  // namespace tessera

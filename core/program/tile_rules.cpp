#include "core/program/tile_rules.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "core/program/broadcast.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "core/program/view_shape.h"

namespace tessera {
namespace {

// Name in messages: the mnemonic without the prefix tile_, which only distinguishes tile ops from
// other ops.
std::string_view word_of(const Op& op) {
  constexpr std::string_view prefix = "tile_";
  const std::string_view mnemonic = info(op).mnemonic;
  if (std::holds_alternative<Permute>(op)) return "transpose";
  return mnemonic.starts_with(prefix) ? mnemonic.substr(prefix.size()) : mnemonic;
}

}  // namespace

void TileRules::check(const Op& op) {
  if (const auto* o = std::get_if<OpaqueRead>(&op)) return opaque(o->src, "src", false);
  if (const auto* o = std::get_if<OpaqueWrite>(&op)) return opaque(o->dst, "dst", true);
  const std::size_t before = report_.size();
  operands(op);
  const bool ok = report_.size() == before;
  if (const auto* o = std::get_if<Matmul>(&op)) {
    if (ok) matmul(*o);
  } else if (const auto* o = std::get_if<Scaled>(&op)) {
    if (ok) scaled(*o);
  } else if (keeps_elements(op)) {
    if (ok) in_order(op);
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

// Tile ops access vmem and tile registers. hbm is accessed by copies, smem by scalar ops.
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

// `opaque` can stand for any op of a core, also for one on scalar memory.
void TileRules::opaque(const Slice& slice, std::string_view field, bool is_target) {
  const bool is_memory = program_.value(slice.base).kind == ValueKind::ref;
  if (!is_memory || ref_info(program_, slice.base).space != Space::smem)
    operand(slice, field, is_target);
  else if (is_target)
    report_.written(slice);
}

// Ops that reshape require a tile: a number has no dimensions.
void TileRules::elementwise(const Op& op, bool are_tiles) {
  const auto& fields = info(op).fields;
  if (reshape_of(op) == Reshape::none) {
    if (are_tiles) broadcasts(op);
    if (are_tiles) integers(op);
    return;
  }
  const Slice &target = field<Slice>(op, fields[0]), &source = field<Slice>(op, fields[1]);
  if (is_number(program_, source))
    report_.fail(fmt::format("`{}` takes a tile, found a number", info(op).mnemonic),
                 ErrorCode::invalid_type);
  else if (are_tiles)
    reshaped(op, target, source);
}

// Permutations and reductions determine the shape of their result.
void TileRules::reshaped(const Op& op, const Slice& target, const Slice& source) {
  const std::vector<int> to = kept(target), from = kept(source);
  const auto extent = [&](const Slice& slice, const std::vector<int>& dims, std::size_t d) {
    return program_.constant(slice.size[static_cast<std::size_t>(dims[d])]);
  };
  bool ok = to.size() == from.size() && (!takes_matrix(op) || from.size() == 2);
  std::vector<std::optional<std::int64_t>> wanted;
  if (const auto dim = reduced_dimension(op)) {
    const auto rank = static_cast<std::int64_t>(from.size());
    if (!takes_matrix(op) && (*dim < 0 || *dim >= rank))
      return report_.fail(
          fmt::format("`{}` is along dimension {}, but the tile of shape {} has {} "
                      "dimensions",
                      word_of(op), *dim, report_.shape_of(source), rank));
    for (std::size_t d = 0; d < from.size(); ++d)
      wanted.push_back(static_cast<std::int64_t>(d) == *dim ? 1 : extent(source, from, d));
  } else if (ok) {
    const std::vector<int> order = permutation(op, static_cast<int>(from.size()));
    if (order.size() != from.size())
      return report_.fail(
          fmt::format("{} is not an order of the {} dimensions of a tile of shape {}",
                      std::get<Permute>(op).order, from.size(), report_.shape_of(source)));
    for (const int d : order) wanted.push_back(extent(source, from, static_cast<std::size_t>(d)));
  }
  for (std::size_t d = 0; ok && d < to.size(); ++d) {
    const auto have = extent(target, to, d);
    ok = !have || !wanted[d] || *have == *wanted[d];
  }
  if (!ok)
    report_.fail(fmt::format("`{}` of a tile of shape {} cannot be stored to {} of shape {}",
                             word_of(op), report_.shape_of(source),
                             operand_name(program_, target, "a tile"), report_.shape_of(target)));
}

// Bit operations and quotients require integers; `truncate` produces integers.
void TileRules::integers(const Op& op) {
  const bool cuts = std::holds_alternative<Truncate>(op);
  if (!cuts && !computes_integers(op)) return;
  const auto& fields = info(op).fields;
  for (std::size_t i = cuts ? 0 : 1; i < (cuts ? 1 : fields.size()); ++i) {
    const Slice& slice = field<Slice>(op, fields[i]);
    const bool is_real = is_number(program_, slice)
                             ? program_.value(slice.base).kind == ValueKind::real
                             : is_float(ref_info(program_, slice.base).dtype);
    if (!is_real) continue;
    const std::string found = is_number(program_, slice)
                                  ? "a real number"
                                  : std::string(name(ref_info(program_, slice.base).dtype));
    report_.fail(
        cuts ? fmt::format("`truncate` converts to integers, found {}; `cast` rounds", found)
             : fmt::format("`{}` takes integers, found {}", word_of(op), found),
        ErrorCode::invalid_type);
  }
}

// Each dimension of an operand must equal the target's or be 1. Only constant sizes are compared
// here; others are checked when the op runs.
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

bool TileRules::are_matrices(const Matmul& op) {
  const std::size_t before = report_.size();
  for (const auto& [slice, field] :
       {std::pair{&op.acc, "accumulator"}, std::pair{&op.a, "left operand"},
        std::pair{&op.b, "right operand"}}) {
    if (is_number(program_, *slice))
      report_.fail(fmt::format("the {} of a matrix product must be a tile, found a number", field),
                   ErrorCode::invalid_type);
    else if (kept(*slice).size() < 2)
      report_.fail(fmt::format("the {} of a matrix product must be a matrix, found shape {}", field,
                               report_.shape_of(*slice)));
    else if (kept(*slice).size() != kept(op.acc).size())
      report_.fail(
          fmt::format("the {} of the matrix product has shape {}, and the accumulator has "
                      "{}: expected as many dimensions",
                      field, report_.shape_of(*slice), report_.shape_of(op.acc)));
    if (report_.size() != before) return false;
  }
  return true;
}

// All three operands have the same leading dimensions.
void TileRules::matmul(const Matmul& op) {
  if (!are_matrices(op)) return;
  const auto rank = static_cast<int>(kept(op.acc).size()), row = rank - 2, column = rank - 1;
  const auto size = [&](const Slice& s, int dim) {
    return s.size[static_cast<std::size_t>(kept(s)[static_cast<std::size_t>(dim)])];
  };
  const auto agree = [&](ValueId a, ValueId b, std::string_view what) {
    const auto x = program_.constant(a), y = program_.constant(b);
    if (x && y && *x != *y)
      report_.fail(
          fmt::format("the {} of the matrix product do not agree: {} and {}", what, *x, *y));
  };
  agree(size(op.a, op.transpose_a != 0 ? row : column),
        size(op.b, op.transpose_b != 0 ? column : row), "contracted dimensions");
  agree(size(op.acc, row), size(op.a, op.transpose_a != 0 ? column : row), "rows");
  agree(size(op.acc, column), size(op.b, op.transpose_b != 0 ? row : column), "columns");
  for (int d = 0; d < row; ++d) {
    agree(size(op.a, d), size(op.b, d), fmt::format("leading dimensions {}", d));
    agree(size(op.acc, d), size(op.a, d), fmt::format("leading dimensions {}", d));
  }
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

// The scales divide the data into blocks of equal size.
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
        "the scales of shape {} do not divide tiles of shapes {} and {} into equal blocks",
        report_.shape_of(op.scale), report_.shape_of(op.src), report_.shape_of(op.dst)));
  if (!is_float(ref_info(program_, op.src.base).dtype) ||
      !is_float(ref_info(program_, op.scale.base).dtype))
    report_.fail("`scaled` takes a tile and scales of floats", ErrorCode::invalid_type);
}

// Rules of the ops that compute nothing: known shapes must fit.
void TileRules::in_order(const Op& op) {
  const auto& fields = info(op).fields;
  const Slice &dst = field<Slice>(op, fields[0]), &src = field<Slice>(op, fields[1]);
  if (is_number(program_, src))
    return report_.fail(fmt::format("`{}` takes a tile, found a number", info(op).mnemonic),
                        ErrorCode::invalid_type);
  const auto from = type_of_slice(program_, src), to = type_of_slice(program_, dst);
  const bool is_bitcast = std::holds_alternative<Bitcast>(op);
  const DType type = ref_info(program_, src.base).dtype,
              stored = ref_info(program_, dst.base).dtype;
  if (!is_bitcast && type != stored)
    return report_.fail(fmt::format("`{}` of a tile of {} is stored to {}", info(op).mnemonic,
                                    name(type), name(stored)),
                        ErrorCode::invalid_type);
  if (const auto* o = std::get_if<Every>(&op))
    if (o->step < 1 || o->dim < 0 || o->dim >= static_cast<std::int64_t>(kept(src).size()))
      return report_.fail(fmt::format(
          "`every` takes a dimension of the tile and a step of at least 1, found dimension {} of a "
          "tile of shape {}, and step {}",
          o->dim, report_.shape_of(src), o->step));
  if (!from || !to) return;
  bool fits =
      is_bitcast ? view_problem(*from, *to).empty() : elements(from->shape) == elements(to->shape);
  if (is_bitcast && size_of(type) == size_of(stored)) fits = from->shape == to->shape;
  if (const auto* o = std::get_if<Every>(&op)) {
    Shape wanted = from->shape;
    std::int64_t& along = wanted[static_cast<std::size_t>(o->dim)];
    along = (along + o->step - 1) / o->step;
    fits = wanted == to->shape;
  }
  if (!fits)
    report_.fail(fmt::format("`{}` of a tile of shape {} cannot be stored to {} of shape {}",
                             info(op).mnemonic, report_.shape_of(src),
                             operand_name(program_, dst, "a tile"), report_.shape_of(dst)));
}

void TileRules::iota(const TileIota& op) {
  const auto rank = static_cast<std::int64_t>(kept(op.dst).size());
  if (op.dim < 0 || op.dim >= rank)
    report_.fail(
        fmt::format("tile_iota counts along dimension {}, but {} of shape {} has {} dimensions",
                    op.dim, report_.name_of(op.dst), report_.shape_of(op.dst), rank));
}

}  // namespace tessera

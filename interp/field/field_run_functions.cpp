// Functions of single elements over the field, by others where they are made of them.
#include "interp/field/field_run.h"

namespace tessera::fields {

Tile FieldRun::filled(const std::vector<std::int64_t>& shape, std::int64_t number) {
  Tile tile = make_tile(shape, arithmetic_.has_exponents(), arithmetic_.draw().of(number));
  tile.bound = bound_of(number);
  return tile;
}

void FieldRun::function(std::string_view name, const Slice& dst, const Slice& src) {
  put_rounded(dst, arithmetic_.unknown(name, operand(src, shape_of(box(dst))).tile));
}

void FieldRun::evaluate(const Exp& op) {
  put_rounded(op.dst, arithmetic_.exponential(operand(op.src, shape_of(box(op.dst))).tile));
}

void FieldRun::evaluate(const Expm1& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  put_rounded(op.dst,
              arithmetic_.binary(Binary::sub, arithmetic_.exponential(operand(op.src, shape).tile),
                                 filled(shape, 1)));
}

void FieldRun::evaluate(const Logistic& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  const Tile one = filled(shape, 1);
  const Tile power = arithmetic_.exponential(
      arithmetic_.binary(Binary::sub, filled(shape, 0), operand(op.src, shape).tile));
  put_rounded(op.dst,
              arithmetic_.binary(Binary::div, one, arithmetic_.binary(Binary::add, one, power)));
}

void FieldRun::evaluate(const Log1p& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  put_rounded(op.dst, arithmetic_.unknown("log", arithmetic_.binary(Binary::add, filled(shape, 1),
                                                                    operand(op.src, shape).tile)));
}

void FieldRun::evaluate(const Erfc& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  put_rounded(op.dst, arithmetic_.binary(Binary::sub, filled(shape, 1),
                                         arithmetic_.unknown("erf", operand(op.src, shape).tile)));
}

// Which real numbers are too large for a float the field does not know.
void FieldRun::evaluate(const IsFinite& op) {
  const Tile src = operand(op.src, shape_of(box(op.dst))).tile;
  Tile tile = arithmetic_.unknown("is finite", src);
  for (std::size_t i = 0; i < src.p.size(); ++i)
    if (!is_finite(src.p[i])) tile.put(i, {});
  tile.bound.is_truth = true;
  put_rounded(op.dst, std::move(tile));
}

void FieldRun::evaluate(const Pow& op) {
  const std::vector<std::int64_t> shape = shape_of(box(op.dst));
  put_rounded(op.dst,
              arithmetic_.unknown("pow", operand(op.a, shape).tile, operand(op.b, shape).tile));
}

}  // namespace tessera::fields

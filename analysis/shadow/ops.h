// Rules of shadow execution for ops: one overload for each shape of ops.def, and one for each op
// without a shape.
#pragma once
#include "analysis/shadow/context.h"
#include "core/program/op_shapes.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "interp/tiles/integer_ops.h"

namespace tessera::shadow {

template <typename Domain>
class Ops {
 public:
  using Tile = typename Domain::Tile;
  using Operand = typename Domain::Operand;

  // at: must outlive this object.
  explicit Ops(Context<Domain>& at) : at_(at), domain_(at.domain()) {}
  // Evaluates the current op of the context, and stores the result in its target or refuses the op.
  // Requires an event of that op with Context::set().
  void evaluate() {
    std::visit([&]<typename Op>(const Op& op) { evaluate(op, shapes::of<Op>); }, at_.op());
  }

 private:
  template <typename Op>
  void evaluate(const Op& op, shapes::Binary kind) {
    const Extents shape = at_.shape(op.dst);
    Operand a = at_.operand(op.a, shape), b = at_.operand(op.b, shape);
    if (at_.are_machines(at_.type(op.dst), a, b)) return at_.leave(op.dst);
    at_.put(op.dst, domain_.binary(kind, std::move(a), std::move(b), at_.type(op.dst)));
  }
  template <typename Op>
  void evaluate(const Op& op, shapes::Integers kind) {
    const Extents shape = at_.shape(op.dst);
    const Operand a = at_.operand(op.a, shape), b = at_.operand(op.b, shape);
    integers(kind, op.dst, a, b,
             tile::integer_type(kind, a.dtype, is_number(at_.program(), op.a), b.dtype,
                                is_number(at_.program(), op.b)));
  }
  // Exclusive or with all ones.
  void evaluate(const TileBitNot& op, shapes::None) {
    const Operand x = at_.operand(op.src, at_.shape(op.dst));
    integers(shapes::Integers::bit_xor, op.dst, x, repeated(domain_.of_integer(-1), x.shape),
             x.dtype);
  }
  void integers(shapes::Integers kind, const Slice& dst, const Operand& a, const Operand& b,
                DType type) {
    if (at_.are_machines(at_.type(dst), a, b)) return at_.leave(dst);
    at_.put(dst, domain_.integers(kind, a, b, type, at_.type(dst)));
  }
  template <typename Op>
  void evaluate(const Op& op, shapes::Function kind) {
    at_.put(op.dst,
            domain_.function(kind, at_.operand(op.src, at_.shape(op.dst)), at_.type(op.dst)));
  }
  void evaluate(const Pow& op, shapes::None) {
    const Extents shape = at_.shape(op.dst);
    Operand a = at_.operand(op.a, shape), b = at_.operand(op.b, shape);
    at_.put(op.dst, domain_.power(std::move(a), std::move(b), at_.type(op.dst)));
  }
  void evaluate(const TileSelect& op, shapes::None) {
    const Extents shape = at_.shape(op.dst);
    const DType to = at_.type(op.dst);
    Operand condition = at_.operand(op.condition, shape), a = at_.operand(op.a, shape),
            b = at_.operand(op.b, shape);
    if (Domain::is_known(condition) && at_.are_machines(to, a, b)) return at_.leave(op.dst);
    at_.put(op.dst, domain_.select(std::move(condition), std::move(a), std::move(b), to));
  }
  void evaluate(const TileIota& op, shapes::None) {
    const DType to = at_.type(op.dst);
    if (is_integer(to)) return at_.leave(op.dst);
    at_.put(op.dst, domain_.iota(at_.shape(op.dst), static_cast<std::size_t>(op.dim), to));
  }

  // Ops that change values only by rounding.
  void move(const Slice& dst, Operand x) {
    if (at_.are_machines(at_.type(dst), x)) return at_.leave(dst);
    at_.put(dst, domain_.cast(std::move(x), at_.type(dst)));
  }
  void evaluate(const Cast& op, shapes::None) {
    move(op.dst, at_.operand(op.src, at_.shape(op.dst)));
  }
  void evaluate(const Store& op, shapes::None) {
    move(op.dst, repeated(at_.number(op.value), at_.shape(op.dst)));
  }
  // The elements stay in order and get the target's shape.
  void evaluate(const Regroup& op, shapes::None) {
    const Extents shape = at_.shape(op.dst);
    Operand x = at_.operand(op.src);
    if (elements_of(shape) != elements_of(x.shape)) return at_.refuse_operands();
    x.shape = shape;
    move(op.dst, std::move(x));
  }
  void evaluate(const Every& op, shapes::None) {
    const Extents shape = at_.shape(op.dst);
    const Operand x = at_.operand(op.src);
    if (!is_every(x.shape, shape, op.dim, op.step)) return at_.refuse_operands();
    move(op.dst, picked(x, shape,
                        [&](auto&& put) { for_each_every(x.shape, shape, op.dim, op.step, put); }));
  }
  template <typename Op>
  void evaluate(const Op& op, shapes::Permuted) {
    const Operand x = at_.operand(op.src);
    const std::vector<int> order =
        permutation(at_.op(), static_cast<int>(at_.shape(op.src).size()));
    if (x.shape.size() != order.size()) return at_.refuse_operands();
    move(op.dst, permuted(x, order));
  }
  void evaluate(const Truncate& op, shapes::None) {
    Operand x = at_.operand(op.src, at_.shape(op.dst));
    if (at_.are_machines(at_.type(op.dst), x)) return at_.leave(op.dst);
    at_.put(op.dst, domain_.truncate(std::move(x), at_.type(op.dst)));
  }
  void evaluate(const Bitcast& op, shapes::None) {
    const Operand x = at_.operand(op.src);
    if (at_.are_machines(at_.type(op.dst), x)) return at_.leave(op.dst);
    at_.put(op.dst, domain_.bits(x, at_.shape(op.dst), at_.type(op.dst)));
  }
  void evaluate(const Scaled& op, shapes::None) {
    const Extents shape = at_.shape(op.dst);
    Operand x = at_.operand(op.src, shape);
    const Operand scale = at_.operand(op.scale);
    if (scale.shape.size() != shape.size() || elements_of(scale.shape) == 0)
      return at_.refuse("a scale of no blocks");
    Operand all =
        picked(scale, shape, [&](auto&& put) { for_each_in_blocks(scale.shape, shape, put); });
    at_.put(op.dst,
            domain_.binary(shapes::Binary::mul, std::move(x), std::move(all), at_.type(op.dst)));
  }
  template <typename Op>
  void evaluate(const Op& op, shapes::Reduction kind) {
    const Operand x = at_.operand(op.src);
    if (at_.are_machines(at_.type(op.dst), x)) return at_.leave(op.dst);
    const auto dim = static_cast<std::size_t>(*reduced_dimension(at_.op()));
    at_.put(op.dst, domain_.reduce(kind, x, dim, at_.type(op.dst)));
  }
  void evaluate(const Matmul& op, shapes::None) {
    Operand a = at_.operand(op.a), b = at_.operand(op.b), acc = at_.operand(op.acc);
    if (at_.are_machines(acc.dtype, acc, a, b)) return at_.leave(op.acc);
    const std::vector<int> exchanged = last_two_exchanged(acc.shape.size());
    if (op.transpose_a != 0) a = permuted(a, exchanged);
    if (op.transpose_b != 0) b = permuted(b, exchanged);
    if (!product_extents(acc.shape, a.shape, b.shape)) return at_.refuse_operands();
    at_.put(op.acc, domain_.product(std::move(acc), a, b));
  }
  // The target is the rectangle of the event.
  void evaluate(const Pad& op, shapes::None) {
    Tile zero = domain_.of_integer(0);
    at_.write(is_integer(at_.type(op.slot))
                  ? Tile()
                  : repeated(std::move(zero), shape_of(*at_.event().box)));
  }
  // Refuses a tile op without a rule. Has no effect for other ops: ops on integers in scalar
  // memory, and ops without values.
  template <typename Op>
  void evaluate(const Op&, shapes::None) {
    if (class_of(op_index<Op>()) == OpClass::tile)
      at_.refuse(std::string(info(at_.op()).mnemonic) + Domain::no_rule);
  }

  Context<Domain>& at_;
  Domain& domain_;
};

}  // namespace tessera::shadow

// The table of exec(), generated from the rows of ops.def.
#include "core/program/reshape.h"
#include "interp/exec/by_shape.h"

namespace tessera {
namespace {

// Ops that compilation removes, or that the dispatch loop executes itself.
constexpr bool is_compiled_away(OpClass op_class) {
  return op_class == OpClass::scalar || op_class == OpClass::control ||
         op_class == OpClass::structure;
}

template <typename T>
Step call(const Op& any, Core& core) {
  const T& op = *std::get_if<T>(&any);
  constexpr auto shape = shapes::of<T>;
  using Shape = std::remove_const_t<decltype(shape)>;
  if constexpr (std::is_same_v<Shape, shapes::Binary>)
    return binary(shape, op.dst, op.a, op.b, core);
  else if constexpr (std::is_same_v<Shape, shapes::Integers>)
    return integers(shape, op.dst, op.a, op.b, core);
  else if constexpr (std::is_same_v<Shape, shapes::Function>)
    return function(shape, op.dst, op.src, core);
  else if constexpr (std::is_same_v<Shape, shapes::Reduction>)
    return reduce(shape, *reduced_dimension(any), op.dst, op.src, core);
  else if constexpr (std::is_same_v<Shape, shapes::Permuted>)
    return permute(any, op.dst, op.src, core);
  else
    return exec(op, core);
}

template <typename T>
constexpr Exec entry() {
  if constexpr (is_compiled_away(class_of(op_index<T>())))
    return nullptr;
  else
    return call<T>;
}

}  // namespace

const Exec exec_table[] = {
    nullptr,
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  entry<Struct>(),
#include "core/program/ops.def"
#undef OP
};

}  // namespace tessera

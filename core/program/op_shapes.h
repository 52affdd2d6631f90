// Rules by which tile ops compute their results (column `shape` of ops.def). Code that treats ops
// of one rule alike can dispatch on the rule instead of on each op.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "core/program/op.h"

namespace tessera::shapes {

#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  SHAPE_##shape
#define SHAPE_none
#define SHAPE_permute
#define SHAPE_reduce(kind)

// Kinds of each rule, in the order of their rows.
#define SHAPE_integers(kind)
#define SHAPE_function(kind)
#define SHAPE_binary(kind) kind,
enum class Binary : std::uint8_t {
#include "core/program/ops.def"
};

#undef SHAPE_binary
#undef SHAPE_integers
#define SHAPE_binary(kind)
#define SHAPE_integers(kind) kind,
enum class Integers : std::uint8_t {
#include "core/program/ops.def"
};

#undef SHAPE_integers
#define SHAPE_integers(kind) #kind,
inline constexpr auto integers_names = std::to_array<std::string_view>({
#include "core/program/ops.def"
});

#undef SHAPE_integers
#undef SHAPE_function
#define SHAPE_integers(kind)
#define SHAPE_function(kind) kind,
enum class Function : std::uint8_t {
#include "core/program/ops.def"
};

#undef SHAPE_function
#define SHAPE_function(kind) #kind,
inline constexpr auto function_names = std::to_array<std::string_view>({
#include "core/program/ops.def"
});

#undef OP
#undef SHAPE_none
#undef SHAPE_permute
#undef SHAPE_reduce
#undef SHAPE_binary
#undef SHAPE_integers
#undef SHAPE_function

enum class Reduction : std::uint8_t { sum, max, min };

// Return the word of the language for the kind: "bit_and", "exp".
constexpr std::string_view name(Integers kind) {
  return integers_names[static_cast<std::size_t>(kind)];
}
constexpr std::string_view name(Function kind) {
  return function_names[static_cast<std::size_t>(kind)];
}

// Types for overloading.
struct None {};
struct Permuted {};

// Rule of an op type: a kind above, Permuted or None.
template <typename T>
inline constexpr None of{};
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  template <>                                                                             \
  inline constexpr auto of<Struct> = SHAPE_##shape;
#define SHAPE_none \
  None {}
#define SHAPE_permute \
  Permuted {}
#define SHAPE_binary(kind) Binary::kind
#define SHAPE_integers(kind) Integers::kind
#define SHAPE_function(kind) Function::kind
#define SHAPE_reduce(kind) Reduction::kind
#include "core/program/ops.def"
#undef OP
#undef SHAPE_none
#undef SHAPE_permute
#undef SHAPE_binary
#undef SHAPE_integers
#undef SHAPE_function
#undef SHAPE_reduce

}  // namespace tessera::shapes

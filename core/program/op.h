// Ops: one struct per row of ops.def, their variant, and generic access to their fields.
#pragma once  // public
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/program/ids.h"

namespace tessera {

inline constexpr ValueId no_value{};  // no value
inline constexpr int max_rank = 6;    // max dimensions of a buffer

// A rectangle of a ref: `size[d]` elements from `start[d]` in each dimension, all scalar values.
// Dimensions with their bit set in `dropped` have size 1 and are not part of the slice's shape.
// Also denotes one semaphore of an array (every dimension dropped), or a number (rank 0, with a
// scalar or real as base).
struct Slice {
  ValueId base = no_value;   // ref, semaphore array or number
  std::int8_t rank = 0;      // number of dimensions of the base
  std::uint8_t dropped = 0;  // bit d: dimension d is not part of the slice's shape
  // Scalars for each dimension of the base: index of the first element, and number of elements.
  std::array<ValueId, max_rank> start{no_value, no_value, no_value, no_value, no_value, no_value};
  std::array<ValueId, max_rank> size{no_value, no_value, no_value, no_value, no_value, no_value};

  bool operator==(const Slice&) const = default;
};

// An optional value.
struct Maybe {
  ValueId id = no_value;  // no_value: absent
  bool operator==(const Maybe&) const = default;
};

// C++ types of the field kinds in ops.def.
using ValueField = ValueId;
using MaybeField = Maybe;
using SliceField = Slice;
using IntField = std::int64_t;
using TextField = TextId;

#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  struct Struct {                                                                         \
    fields bool operator==(const Struct&) const = default;                                \
  };
#define F(kind, name, control) kind##Field name{};
#include "core/program/ops.def"
#undef F
#undef OP

// No op: the default value of Op.
struct Nothing {};
// Any op: Nothing, then one struct for each row of ops.def, in its order. docs/reference/ops.md
// lists them.
using Op = std::variant<Nothing
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) , Struct
#include "core/program/ops.def"
#undef OP
                        >;

// Family of an op, used by passes and the interpreter (explained in ops.def).
enum class OpClass : std::uint8_t {
  none,  // class of Nothing
  scalar,
  check,
  debug,
  cells,
  control,
  region,
  structure,
  lifetime,
  copy,
  sync,
  tile
};

// Contents of a field: a value, an optional value, a slice, a literal integer, a literal text.
enum class FieldKind : std::uint8_t { Value, Maybe, Slice, Int, Text };
// Effect of an op on regions: none, begins a region, divides it (else), ends it.
enum class Scope : std::uint8_t { none, open, middle, close };
// Value defined by an op: none, a 64-bit integer, an f32, or a ref (a view or a window).
enum class ResultKind : std::uint8_t { none, Scalar, Real, Ref };
// Ops skipped by a run without arithmetic: none, ops on floats, ops on any type.
enum class LeftOut : std::uint8_t { none, floats, all };
// Effect of a field's value on a run (explained in ops.def).
enum class Control : std::uint8_t { fixed, data, decides, must_fit, chooses };

// One field of an op.
struct FieldInfo {
  FieldKind kind;         // kind of its contents
  std::string_view name;  // name of the struct's member
  Control control;        // effect of its value on a run
  std::uint16_t offset;   // in bytes, from the start of the op's struct
};

// One row of ops.def.
struct OpInfo {
  std::string_view mnemonic;          // name in texts: "matmul"
  OpClass op_class;                   // family
  Scope scope;                        // effect on regions
  ResultKind result;                  // kind of value that it defines
  LeftOut math;                       // skipped by --no-math: never, for floats, or always
  std::span<const FieldInfo> fields;  // in the order of the struct's members
  std::string_view text;              // syntax, {x} for field x; empty: mnemonic(field, ...)
  std::string_view meaning;           // description in one sentence
};

// All ops, in the order of ops.def; entry 0 is Nothing.
std::span<const OpInfo> op_table();
// Returns the op's row.
inline const OpInfo& info(const Op& op) { return op_table()[op.index()]; }
// Returns the op of that mnemonic with default fields; Nothing if there is no such op.
Op make_op(std::string_view mnemonic);

// Return the address of a field and, as T, the field itself, without naming the op's type. The
// field must belong to info(op), and T must be the type of its kind, for example SliceField
// (unchecked). The result points into `op`.
void* field_address(Op& op, const FieldInfo& field);
const void* field_address(const Op& op, const FieldInfo& field);
template <typename T>
T& field(Op& op, const FieldInfo& f) {
  return *static_cast<T*>(field_address(op, f));
}
template <typename T>
const T& field(const Op& op, const FieldInfo& f) {
  return *static_cast<const T*>(field_address(op, f));
}

// Return the family of an op, given as an index of Op or as the op itself; OpClass::none for
// Nothing and for an index that is out of range.
constexpr OpClass class_of(std::size_t index) {
  constexpr OpClass classes[] = {
      OpClass::none,
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  OpClass::op_class,
#include "core/program/ops.def"
#undef OP
  };
  return index < std::variant_size_v<Op> ? classes[index] : OpClass::none;
}
inline OpClass class_of(const Op& op) { return class_of(op.index()); }

// Returns the index of the op type T in Op, for dispatch tables and switches.
template <typename T, std::size_t I = 0>
constexpr std::size_t op_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Op>, T>)
    return I;
  else
    return op_index<T, I + 1>();
}

}  // namespace tessera

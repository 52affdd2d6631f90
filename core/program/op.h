// Ops: one struct per row of ops.def, the variant of them, and generic access to their fields.
#pragma once  // public
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/program/ids.h"

namespace tessera {

inline constexpr ValueId no_value{};  // where there is no value
inline constexpr int max_rank = 6;    // dimensions of a buffer, at most

// A rectangle of a ref: `size[d]` elements from `start[d]` in each dimension, all scalar values.
// Dimensions whose bit is set in `dropped` have size 1 and are not part of the slice's shape. Also
// names one semaphore of an array (every dimension dropped). With rank 0 and a scalar or real base
// it is that number.
struct Slice {
  ValueId base = no_value;   // the ref, semaphore array or number
  std::int8_t rank = 0;      // dimensions of the base
  std::uint8_t dropped = 0;  // bit d: dimension d is no dimension of the slice
  // Scalars for each dimension of the base: the first element, and how many elements.
  std::array<ValueId, max_rank> start{no_value, no_value, no_value, no_value, no_value, no_value};
  std::array<ValueId, max_rank> size{no_value, no_value, no_value, no_value, no_value, no_value};

  bool operator==(const Slice&) const = default;
};

// A value that may be left out.
struct Maybe {
  ValueId id = no_value;  // no_value: left out
  bool operator==(const Maybe&) const = default;
};

// C++ types of the kinds of fields in ops.def.
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

// No op: the default of Op.
struct Nothing {};
// Any op: Nothing, then one struct for each row of ops.def, in its order. docs/ops.md lists them.
using Op = std::variant<Nothing
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) , Struct
#include "core/program/ops.def"
#undef OP
                        >;

// The family of an op, by which passes and the interpreter treat it (ops.def explains each).
enum class OpClass : std::uint8_t {
  none,  // of Nothing
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

// What a field holds: a value, one that may be left out, a slice, a literal integer, a literal
// text.
enum class FieldKind : std::uint8_t { Value, Maybe, Slice, Int, Text };
// What an op does to regions: nothing, begins one, divides it (else), ends it.
enum class Scope : std::uint8_t { none, open, middle, close };
// The value that an op defines: none, a 64-bit integer, an f32, or a ref (a view or a window).
enum class ResultKind : std::uint8_t { none, Scalar, Real, Ref };
// What a run without arithmetic leaves out: nothing, ops on floats, the op whatever its types.
enum class LeftOut : std::uint8_t { none, floats, all };
// What in a run can depend on the value of a field (ops.def explains each).
enum class Control : std::uint8_t { fixed, data, decides, must_fit, chooses };

// One field of an op.
struct FieldInfo {
  FieldKind kind;         // what it holds
  std::string_view name;  // of the struct's member
  Control control;        // what can depend on its value
  std::uint16_t offset;   // bytes from the begin of the op's struct
};

// One row of ops.def.
struct OpInfo {
  std::string_view mnemonic;          // its name in texts: "matmul"
  OpClass op_class;                   // its family
  Scope scope;                        // what it does to regions
  ResultKind result;                  // the value that it defines
  LeftOut math;                       // what --no-math leaves out of it
  std::span<const FieldInfo> fields;  // in the order of the struct's members
  std::string_view text;     // how it is written, {x} for field x; empty: mnemonic(field, ...)
  std::string_view meaning;  // one sentence
};

// Every op, in the order of ops.def; entry 0 is Nothing.
std::span<const OpInfo> op_table();
// Its row.
inline const OpInfo& info(const Op& op) { return op_table()[op.index()]; }
// The op of that mnemonic with default fields, or Nothing.
Op make_op(std::string_view mnemonic);

// Field access without naming the op; `field` must belong to info(op).
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

// The family of the op at a position in Op; none for a number that is no position.
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

// The position of the type T in Op, for dispatch tables and switches.
template <typename T, std::size_t I = 0>
constexpr std::size_t op_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Op>, T>)
    return I;
  else
    return op_index<T, I + 1>();
}

}  // namespace tessera

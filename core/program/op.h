// Ops: one struct per row of ops.def, the variant of them, and generic access to their fields.
#pragma once  // public
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tessera {

using ValueId = std::int32_t;  // index into Program::values
inline constexpr ValueId no_value = -1;
inline constexpr int max_rank = 6;

// A rectangle of a ref: `size[d]` elements from `start[d]` in each dimension, all scalar values.
// Dimensions whose bit is set in `dropped` have size 1 and are not part of the slice's shape. Also
// names one semaphore of an array (every dimension dropped). With rank 0 and a scalar or real base
// it is that number.
struct Slice {
  ValueId base = no_value;
  std::int8_t rank = 0;
  std::uint8_t dropped = 0;
  std::array<ValueId, max_rank> start{no_value, no_value, no_value, no_value, no_value, no_value};
  std::array<ValueId, max_rank> size{no_value, no_value, no_value, no_value, no_value, no_value};

  bool operator==(const Slice&) const = default;
};

struct TextId {
  std::int32_t index = -1;  // into Program::texts
  bool operator==(const TextId&) const = default;
};

// A value that may be left out.
struct Maybe {
  ValueId id = no_value;
  bool operator==(const Maybe&) const = default;
};

// What the fields of the table are made of.
using ValueField = ValueId;
using MaybeField = Maybe;
using SliceField = Slice;
using IntField = std::int64_t;
using TextField = TextId;

#define OP(Struct, mnemonic, op_class, scope, result, math, fields, text, meaning) \
  struct Struct {                                                                  \
    fields bool operator==(const Struct&) const = default;                         \
  };
#define F(kind, name, control) kind##Field name{};
#include "core/program/ops.def"
#undef F
#undef OP

struct Nothing {};
using Op = std::variant<Nothing
#define OP(Struct, mnemonic, op_class, scope, result, math, fields, text, meaning) , Struct
#include "core/program/ops.def"
#undef OP
                        >;

// What is done with an op where its meaning does not matter (ops.def).
enum class OpClass : std::uint8_t {
  none,  // Nothing
  scalar,
  check,
  cells,
  control,
  region,
  structure,
  life,
  copy,
  sync,
  tile
};

enum class FieldKind : std::uint8_t { Value, Maybe, Slice, Int, Text };
enum class Scope : std::uint8_t { none, open, middle, close };
enum class ResultKind : std::uint8_t { none, Scalar, Real, Ref };
// What a run without arithmetic leaves out of an op.
enum class LeftOut : std::uint8_t { none, floats, all };
// What of a run the value of a field can change (ops.def).
enum class Control : std::uint8_t { fixed, data, decides, must_fit, chooses };

struct FieldInfo {
  FieldKind kind;
  std::string_view name;
  Control control;
  std::uint16_t offset;  // bytes into the op's struct
};

struct OpInfo {
  std::string_view mnemonic;
  OpClass op_class;
  Scope scope;
  ResultKind result;
  LeftOut math;
  std::span<const FieldInfo> fields;
  std::string_view text;
  std::string_view meaning;
};

// Every op, in the order of ops.def; entry 0 is Nothing.
std::span<const OpInfo> op_table();
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

// By the position in Op; none for a number that is no op's.
constexpr OpClass class_of(std::size_t index) {
  constexpr OpClass classes[] = {
      OpClass::none,
#define OP(Struct, mnemonic, op_class, scope, result, math, fields, text, meaning) \
  OpClass::op_class,
#include "core/program/ops.def"
#undef OP
  };
  return index < std::variant_size_v<Op> ? classes[index] : OpClass::none;
}
inline OpClass class_of(const Op& op) { return class_of(op.index()); }

// The position of an alternative in Op, e.g. for dispatch tables and switches.
template <typename T, std::size_t I = 0>
constexpr std::size_t op_index() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Op>, T>)
    return I;
  else
    return op_index<T, I + 1>();
}

}  // namespace tessera

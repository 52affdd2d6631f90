// The op table, generated from ops.def at compile time.
#include "core/program/op.h"

#include <cstddef>
#include <iterator>
#include <utility>

namespace tessera {
namespace {

// Fields of each op, in the order of its members. One unused entry follows, because an array must
// not be empty.
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  namespace of_##Struct {                                                                 \
    using Self [[maybe_unused]] = Struct;                                                 \
    constexpr FieldInfo all[] = {fields{}};                                               \
  }
#define F(kind, name, control) {FieldKind::kind, #name, Control::control, offsetof(Self, name)},
#include "core/program/ops.def"
#undef F
#undef OP

constexpr OpInfo rows[] = {
    {"nothing", OpClass::none, Scope::none, ResultKind::none, LeftOut::none, {}, "", ""},
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  {mnemonic,      OpClass::op_class,                                                      \
   Scope::scope,  ResultKind::result,                                                     \
   LeftOut::math, std::span(of_##Struct::all, std::size(of_##Struct::all) - 1),           \
   text,          meaning},
#include "core/program/ops.def"
#undef OP
};

template <typename T>
Op made() {
  return Op(std::in_place_type<T>);
}

constexpr Op (*makers[])() = {
    made<Nothing>,
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  made<Struct>,
#include "core/program/ops.def"
#undef OP
};

}  // namespace

std::span<const OpInfo> op_table() { return rows; }

Op make_op(std::string_view mnemonic) {
  for (std::size_t i = 1; i < std::size(rows); ++i)
    if (rows[i].mnemonic == mnemonic) return makers[i]();
  return Nothing{};
}

const void* field_address(const Op& op, const FieldInfo& field) {
  return std::visit(
      [&](const auto& o) -> const void* {
        return reinterpret_cast<const std::byte*>(&o) + field.offset;
      },
      op);
}

void* field_address(Op& op, const FieldInfo& field) {
  return const_cast<void*>(field_address(const_cast<const Op&>(op), field));
}

}  // namespace tessera

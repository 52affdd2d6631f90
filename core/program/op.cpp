// The op table, stamped once from ops.def.
#include "core/program/op.h"

#include <cstddef>
#include <vector>

namespace tessera {
namespace {

// Two passes per op: its fields in order, then its row.
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields, text, meaning) \
  std::vector<FieldInfo> fields_of_##Struct() {                                           \
    using Self [[maybe_unused]] = Struct;                                                 \
    return {fields};                                                                      \
  }
#define F(kind, name, control) \
  FieldInfo{FieldKind::kind, #name, Control::control, offsetof(Self, name)},
#include "core/program/ops.def"
#undef F
#undef OP

struct Rows {
  std::vector<std::vector<FieldInfo>> fields;
  std::vector<OpInfo> rows;
  std::vector<Op> prototypes;
};

Rows make_table() {
  Rows table;
  table.fields.emplace_back();
  table.prototypes.emplace_back(Nothing{});
#define OP(Struct, mnemonic, op_class, scope, result, math, shape, fields_, text, meaning) \
  table.fields.push_back(fields_of_##Struct());                                            \
  table.prototypes.emplace_back(Struct{});
#include "core/program/ops.def"
#undef OP
  std::size_t i = 0;
  table.rows.push_back({"nothing", OpClass::none, Scope::none, ResultKind::none, LeftOut::none,
                        table.fields[i++], "", ""});
#define OP(Struct, mnemonic, op_class_, scope, result, math, shape, fields_, text, meaning) \
  table.rows.push_back({mnemonic, OpClass::op_class_, Scope::scope, ResultKind::result,     \
                        LeftOut::math, table.fields[i++], text, meaning});
#include "core/program/ops.def"
#undef OP
  return table;
}

const Rows& table() {
  static const Rows the_table = make_table();
  return the_table;
}

}  // namespace

std::span<const OpInfo> op_table() { return table().rows; }

Op make_op(std::string_view mnemonic) {
  const Rows& t = table();
  for (std::size_t i = 1; i < t.rows.size(); ++i)
    if (t.rows[i].mnemonic == mnemonic) return t.prototypes[i];
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

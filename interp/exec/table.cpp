// The table of exec(), stamped from the rows.
#include "interp/exec/exec.h"

namespace tessera {
namespace {

// Ops that are gone or are jumps once a program is compiled.
constexpr bool is_compiled_away(OpClass op_class) {
  return op_class == OpClass::scalar || op_class == OpClass::control ||
         op_class == OpClass::structure;
}

template <typename T>
Step call(const Op& op, Core& core) {
  return exec(*std::get_if<T>(&op), core);
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
#define OP(Struct, mnemonic, op_class, scope, result, math, fields, text, meaning) entry<Struct>(),
#include "core/program/ops.def"
#undef OP
};

}  // namespace tessera

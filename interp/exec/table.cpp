// The table of exec(), stamped from the rows.
#include "interp/exec/exec.h"
#include "interp/machine/scalar_ops.h"

namespace tessera {
namespace {

// Ops that are gone or are jumps once a program is compiled.
template <typename T>
constexpr bool is_compiled_away =
    is_scalar_op<T> || std::is_same_v<T, Pipeline> || std::is_same_v<T, Grid> ||
    std::is_same_v<T, Window> || std::is_same_v<T, View> || std::is_same_v<T, For> ||
    std::is_same_v<T, If> || std::is_same_v<T, Else> || std::is_same_v<T, DeviceId> ||
    std::is_same_v<T, DeviceCount> || std::is_same_v<T, CoreId> || std::is_same_v<T, CoreCount> ||
    std::is_same_v<T, ToReal>;

template <typename T>
Step call(const Op& op, Core& core) {
  return exec(*std::get_if<T>(&op), core);
}

template <typename T>
constexpr Exec entry() {
  if constexpr (is_compiled_away<T>)
    return nullptr;
  else
    return call<T>;
}

}  // namespace

const Exec exec_table[] = {
    nullptr,
#define OP(Struct, mnemonic, scope, result, math, fields, text, meaning) entry<Struct>(),
#include "core/program/ops.def"
#undef OP
};

}  // namespace tessera

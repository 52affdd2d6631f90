// Lowering of expressions to values and ops.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/lang/elaboration.h"

namespace tessera {

// Emits the ops of an expression into e.builder and returns its value; kind `nothing` after an
// error, which is reported to e.diags.
Entity evaluate(Elaboration& e, const ast::Expression& node);
// Like evaluate(). to: target of a store; null: none. The last op of a tile may write there
// directly, rounded to that type; the result is then *to. Otherwise the caller stores the result.
Entity evaluate_into(Elaboration& e, const ast::Expression& node, const Slice* to);
// Like evaluate(), but `devices` and `cores` are constants, and errors if unknown. The value itself
// need not be known. what: use of the value, for messages.
Entity evaluate_known(Elaboration& e, const ast::Expression& node, std::string_view what);
// Return the value of an integer, which need not be known; no_value after an error, for example if
// it is another kind.
ValueId scalar(Elaboration& e, const ast::Expression& node);
ValueId scalar(Elaboration& e, const Entity& entity, const Loc& loc);
// Returns an integer that must be known at instantiation; none after an error. what: use of the
// value, for messages.
std::optional<std::int64_t> constant(Elaboration& e, const ast::Expression& node,
                                     std::string_view what);
// Returns a range; a count n is converted to 0 .. n. Kind `nothing` after an error.
Entity range(Elaboration& e, const ast::Expression& node);

// Lower a call of a function of an index, a function of a module, which is inlined, a word of the
// language, or an op by its mnemonic, in this order. Return the result; kind `nothing` after an
// error. to: as in evaluate_into().
Entity call(Elaboration& e, const ast::Call& node, const Slice* to = nullptr);
Entity call(Elaboration& e, const ast::MemberCall& node);

}  // namespace tessera

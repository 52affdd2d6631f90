// Lowering of expressions to values and ops.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/lang/elaboration.h"

namespace tessera {

// Writes the ops of an expression and returns its value; kind `nothing` after an error.
Entity evaluate(Elaboration& e, const ast::Expression& node);
// Like evaluate(). With `to`, the last op of a tile may write there directly, rounded to that type.
// Numbers are not written.
Entity evaluate_into(Elaboration& e, const ast::Expression& node, const Slice* to);
// Like evaluate(), but the numbers of devices and cores must be known. what: use of the value, for
// messages.
Entity evaluate_known(Elaboration& e, const ast::Expression& node, std::string_view what);
// Returns an integer; no_value after an error.
ValueId scalar(Elaboration& e, const ast::Expression& node);
ValueId scalar(Elaboration& e, const Entity& entity, const Loc& loc);
// Returns a number that must be known at instantiation; none after an error.
std::optional<std::int64_t> constant(Elaboration& e, const ast::Expression& node,
                                     std::string_view what);
// Returns a range; a count n is converted to 0 .. n.
Entity range(Elaboration& e, const ast::Expression& node);

// Lowers a call: an op by its mnemonic, a word of the language, or a function of the file or a
// library, which is inlined. to: target of a tile; null: a temporary.
Entity call(Elaboration& e, const ast::Call& node, const Slice* to = nullptr);
Entity call(Elaboration& e, const ast::MemberCall& node);

}  // namespace tessera

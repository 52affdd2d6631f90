// Expressions: their values, with the ops that compute them.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/lang/elaboration.h"

namespace tessera {

// Nothing after an error.
Entity evaluate(Elaboration& e, const ast::Expression& node);
// As evaluate. With `to`, the last op of a tile writes there and rounds to its type; a number is
// not written.
Entity evaluate_into(Elaboration& e, const ast::Expression& node, const Slice* to);
// As evaluate, but the numbers of devices and cores must be known. what: the use of the value, for
// messages.
Entity evaluate_known(Elaboration& e, const ast::Expression& node, std::string_view what);
// An integer; no_value after an error.
ValueId scalar(Elaboration& e, const ast::Expression& node);
ValueId scalar(Elaboration& e, const Entity& entity, const Loc& loc);
// A number that is known now; nothing after an error.
std::optional<std::int64_t> constant(Elaboration& e, const ast::Expression& node,
                                     std::string_view what);
// A count n is 0 .. n.
Entity range(Elaboration& e, const ast::Expression& node);

// Calls: ops by their mnemonic, the words of the language, functions of the file and of the library
// (inlined). `to`: where a tile goes, or null for a temporary.
Entity call(Elaboration& e, const ast::Call& node, const Slice* to = nullptr);
Entity call(Elaboration& e, const ast::MemberCall& node);

}  // namespace tessera

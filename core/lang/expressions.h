// What the expressions of a program stand for, as those ask that lower what stands around them and
// in them. Expressions are made of calls, tiles and memory, and these of expressions: they know
// this interface only, so that none depends on its user.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/lang/entity.h"

namespace tessera {

class Expressions {
 public:
  virtual ~Expressions() = default;

  // Nothing after an error.
  virtual Entity evaluate(const ast::Expression& node) = 0;
  // As evaluate. With `to`, the last op of a tile writes there and rounds to its type; a number is
  // not written.
  virtual Entity evaluate_into(const ast::Expression& node, const Slice* to) = 0;
  // As evaluate, but the numbers of devices and cores must be known: `what` it is for.
  virtual Entity evaluate_known(const ast::Expression& node, std::string_view what) = 0;
  // An integer; no_value after an error.
  virtual ValueId scalar(const ast::Expression& node) = 0;
  virtual ValueId scalar(const Entity& entity, const Loc& loc) = 0;
  // A number that is known now; nothing after an error.
  virtual std::optional<std::int64_t> constant(const ast::Expression& node,
                                               std::string_view what) = 0;
  // A count n is 0 .. n.
  virtual Entity range(const ast::Expression& node) = 0;
};

}  // namespace tessera

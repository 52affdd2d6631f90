// Expressions of the syntax tree: a struct for each form, with its place in the text.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/report/diag.h"

namespace tessera::ast {

struct Expression;
using Child = std::unique_ptr<const Expression>;  // a part of an expression; never null

struct Integer {
  Loc loc;
  std::int64_t value = 0;
};

struct Real {
  Loc loc;
  double value = 0;
};

struct Text {
  Loc loc;
  std::string value;  // without the quotes
};

struct Name {
  Loc loc;
  std::string name;
};

// An op, a word of the language or a function, applied: `max(a, b)`.
struct Call {
  Loc loc;
  std::string function;
  std::vector<Expression> arguments;
};

// A member of a function's results, applied: `routes.place(i)`.
struct MemberCall {
  Loc loc;
  Child member;
  std::vector<Expression> arguments;
};

// `parameter = value`. Stands among the arguments of calls alone, and only functions have names for
// them.
struct NamedArgument {
  Loc loc;
  std::string parameter;
  Child value;
};

// `:`, a dimension as it is.
struct WholeDimension {
  Loc loc;
};

// `start +: size`
struct Span {
  Loc loc;
  Child start, size;
};

// `a .. b step n`, or a range with a name and a step
struct Stepped {
  Loc loc;
  Child range, step;
};

// What stands for one dimension between the brackets of an index: an expression is one index, or
// the range of several.
struct Item {
  std::variant<Child, WholeDimension, Span, Stepped> form;

  const Loc& loc() const;
};

struct Index {
  Loc loc;
  Child base;
  std::vector<Item> items;
};

// `base.name`
struct Member {
  Loc loc;
  Child base;
  std::string name;
};

struct Negative {
  Loc loc;
  Child operand;
};

struct Not {
  Loc loc;
  Child operand;
};

// limit: `a max b`, a value that is never more than b. product: the matrix product `a . b`.
enum class Operator : std::uint8_t {
  either,
  both,
  equal,
  not_equal,
  less_equal,
  greater_equal,
  less,
  greater,
  limit,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  product
};

// As it is written: "or", "and", "==", ...
std::string_view name(Operator op);

struct Binary {
  Loc loc;
  Operator op{};
  Child left, right;
};

// `condition ? a : b`
struct Conditional {
  Loc loc;
  Child condition, a, b;
};

// `lower .. upper`
struct Range {
  Loc loc;
  Child lower, upper;
};

// `view(memory) as type[extents]`; without extents those of the memory
struct ViewAs {
  Loc loc;
  Child memory, type;
  std::vector<Expression> extents;
};

struct Expression {
  using Form = std::variant<Integer, Real, Text, Name, Call, MemberCall, NamedArgument, Index,
                            Member, Negative, Not, Binary, Conditional, Range, ViewAs>;

  Form form;
  int height = 1;  // of the tree, for the parser's limit

  const Loc& loc() const;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&form);
  }
};

// The call of `function` with so many arguments that the expression is, or null.
const Call* call_of(const Expression& expression, std::string_view function, std::size_t arguments);

// The name, the text or the operator that the expression has of its own: what messages call it.
std::string_view word_of(const Expression& expression);

}  // namespace tessera::ast

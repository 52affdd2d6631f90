// Expressions of the syntax tree. Each form is a struct with its location.
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
using Child = std::unique_ptr<const Expression>;  // subexpression; never null

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

// Call of an op, a word of the language or a function: `max(a, b)`.
struct Call {
  Loc loc;
  std::string function;
  std::vector<Expression> arguments;
};

// Call of a member of a function's results: `routes.place(i)`.
struct MemberCall {
  Loc loc;
  Child member;
  std::vector<Expression> arguments;
};

// `parameter = value`. Occurs only in the arguments of a call. Only parameters of functions and
// axes of a mesh have names.
struct NamedArgument {
  Loc loc;
  std::string parameter;
  Child value;
};

// `:`, a whole dimension.
struct WholeDimension {
  Loc loc;
};

// `start +: size`
struct Span {
  Loc loc;
  Child start, size;
};

// `a .. b step n`, or a named range with a step.
struct Stepped {
  Loc loc;
  Child range, step;
};

// Item for one dimension in the brackets of an index. An expression is either one index or a range.
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

// limit: `a max b`, a value that never exceeds b. product: the matrix product `a . b`.
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

// Returns the spelling in programs: "or", "and", "==", ...
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

// `view(memory) as type[extents]`; without extents, the view has the memory's extents.
struct ViewAs {
  Loc loc;
  Child memory, type;
  std::vector<Expression> extents;
};

struct Expression {
  using Form = std::variant<Integer, Real, Text, Name, Call, MemberCall, NamedArgument, Index,
                            Member, Negative, Not, Binary, Conditional, Range, ViewAs>;

  Form form;
  int height = 1;  // height of the tree; limited by the parser

  const Loc& loc() const;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&form);
  }
};

// Returns the expression as a call of `function` with this number of arguments, as a pointer into
// it; null if it is not such a call.
const Call* call_of(const Expression& expression, std::string_view function, std::size_t arguments);

// Returns the expression's own name (of a call: the function's), text or operator, for messages;
// empty for other forms. Stays valid as long as the expression.
std::string_view word_of(const Expression& expression);

}  // namespace tessera::ast

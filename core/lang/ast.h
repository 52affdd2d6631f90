// Syntax tree of a file: kernels, functions and statements. Each form is a struct with its
// location.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/lang/ast_declaration.h"
#include "core/lang/ast_expression.h"

namespace tessera::ast {

struct Statement;

struct Block {
  Loc loc;  // location of the opening brace
  std::vector<Statement> statements;
};

// `name in range [step by] [parallel]`
struct LoopVariable {
  Loc loc;
  std::string name;
  Expression range;
  std::optional<Expression> step;
  bool is_parallel = false;
};

// Parameter in the parentheses of `f(a, b) = ...`; `i in n` is an array index.
using DefinitionParameter = std::variant<Name, LoopVariable>;

// `name = value`: defines a new name, or stores if the name is memory. With parameters it defines a
// function, with an index an array.
struct Definition {
  Loc loc;
  std::string name;
  std::vector<DefinitionParameter> parameters;
  Expression value;
};

// `target = value`, or `target += value` with an operator.
struct Assignment {
  Loc loc;
  std::optional<Operator> op;
  Expression target, value;
};

struct For {
  Loc loc;
  LoopVariable variable;
  Block body;
};

// Without a condition, the block contains `proceed`.
struct While {
  Loc loc;
  std::optional<Expression> condition;
  Block body;
};

struct If {
  Loc loc;
  Expression condition;
  Block then;
  std::optional<Block> otherwise;  // `elif`: a block with one `if`
  Loc otherwise_loc{};             // `else` or `elif`; empty: none
};

struct TraceRegion {
  Loc loc;
  std::int64_t level = 0;
  std::string message;
  Block body;
};

struct Require {
  Loc loc;
  Expression condition;
  std::string message;  // may be empty
};

struct Assert {
  Loc loc;
  Expression condition;
  std::string message;  // may be empty
};

struct Print {
  Loc loc;
  std::vector<Expression> items;  // at least one
};

struct Breakpoint {
  Loc loc;
  std::optional<Expression> condition;
};

struct Pipeline {
  Loc loc;
  std::vector<LoopVariable> grid;
  Block body;
};

struct Grid {
  Loc loc;
  LoopVariable variable;
};

struct WindowAttribute {
  enum class Kind : std::uint8_t { depth, pad, when, update };
  Loc loc;
  Kind kind{};
  std::optional<Expression> value;  // none: only for `update`
};

struct Window {
  Loc loc;
  std::string name;
  Expression source;
  std::vector<WindowAttribute> attributes;
};

struct Start {
  Loc loc;
  Expression source, destination, semaphore;
  bool adds = false, reshapes = false;
  std::string name = {};  // name of the copy for `wait name`; may be empty
};

struct StartRemote {
  Loc loc;
  Expression source, device, destination, sent, arrived;
  std::optional<Expression> core;
  bool adds = false, reshapes = false;
  std::string name = {};  // name of the copy for `wait name`; may be empty
};

struct Copy {
  Loc loc;
  Expression source, destination;
  bool reshapes = false;
};

struct Wait {
  Loc loc;
  Expression semaphore, count;
};

struct WaitFor {
  Loc loc;
  Expression semaphore, slice;
};

// `wait c` for a named copy, or for one side of it: `c.sent`, `c.arrived`.
struct WaitCopy {
  Loc loc;
  Expression copy;
};

struct Await {
  Loc loc;
  Expression semaphore, count;
};

struct Signal {
  Loc loc;
  Expression semaphore, count;
  std::optional<Expression> device;  // none: this device
  std::optional<Expression> core;
};

// `opaque a, b from x, y`: reads the sources and writes unknown values to the destinations.
struct Opaque {
  Loc loc;
  std::vector<Expression> destinations;  // at least one
  std::vector<Expression> sources;
};

// Begin or end of the lifetime of memory.
struct Operate {
  enum class Kind : std::uint8_t { alloc, free, fresh, once };
  Loc loc;
  Kind kind{};
  Expression ref;
};

struct ScopedDeclaration {
  Loc loc;
  Declaration declaration;
};

// Call statement; the value of the call, if any, is not used.
struct CallStatement {
  Loc loc;
  Expression call;
};

struct Return {
  Loc loc;
  Expression value;
};

struct ReturnNamed {
  Loc loc;
  std::vector<Definition> entries;
};

struct Statement {
  using Form = std::variant<Definition, Assignment, For, While, If, TraceRegion, Require, Assert,
                            Print, Breakpoint, Pipeline, Grid, Window, Start, StartRemote, Copy,
                            Wait, WaitFor, WaitCopy, Await, Signal, Opaque, Operate,
                            ScopedDeclaration, CallStatement, Return, ReturnNamed>;
  Form form;

  const Loc& loc() const;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&form);
  }
};

// Kernel parameter: a number, optionally with a default. Function parameter: a value, optionally
// with a default, or memory of a type.
struct Parameter {
  Loc loc;
  std::string name;
  bool is_tuning = false;
  std::optional<Expression> fallback;
  std::optional<Type> type;
};

struct TypeParameter {
  Loc loc;
  std::string name;
  std::vector<std::string> choices;  // empty: all element types; the first is the default
};

struct Kernel {
  Loc loc;
  std::string name;
  std::string doc;  // comment above the kernel
  std::vector<TypeParameter> type_parameters;
  std::vector<Parameter> parameters;
  std::vector<Declaration> declarations;
  Block body;
};

struct Function {
  Loc loc;
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Declaration> declarations;
  std::variant<Block, Expression> body;
};

struct File {
  std::vector<std::variant<Kernel, Function>> definitions;
};

}  // namespace tessera::ast

// The syntax tree of a file: declarations and statements, a struct for each form, with its place in
// the text.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/lang/ast_expression.h"
#include "core/program/program.h"

namespace tessera::ast {

// An element type and the extents behind it, none for a single element.
struct Type {
  Loc loc;
  Expression dtype;
  std::vector<Expression> extents;
};

// `order (1, 0)`
struct StorageOrder {
  Loc loc;
  std::vector<Expression> dims;
};

// An operand, a result or scratch, as `role` says. Operands name their space behind the type.
struct BufferDeclaration {
  Loc loc;
  std::string name;
  Role role = Role::scratch;
  bool is_scoped = false;
  Type type;
  Name space;
  std::optional<StorageOrder> order;
  bool may_be_unread = false;
};

struct SemaphoreDeclaration {
  Loc loc;
  std::string name;
  bool is_scoped = false;
  bool is_monotone = false;
  Expression kind;  // count, bytes or barrier(id)
  std::vector<Expression> extents;
};

struct Declaration;

// Declarations that hold when the condition does, which must be known.
struct ConditionalDeclarations {
  Loc loc;
  Expression condition;
  std::vector<Declaration> then, otherwise;
};

struct Declaration {
  std::variant<BufferDeclaration, SemaphoreDeclaration, ConditionalDeclarations> form;

  const Loc& loc() const;
};

struct Statement;

struct Block {
  Loc loc;  // of its brace
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

// What stands between the parentheses of `f(a, b) = ...`; `i in n` is the index of an array.
using DefinitionParameter = std::variant<Name, LoopVariable>;

// `name = value`: a new name, or, of memory, a store. With parameters a function of them, with an
// index an array.
struct Definition {
  Loc loc;
  std::string name;
  std::vector<DefinitionParameter> parameters;
  Expression value;
};

// `target = value`, or with an operator `target += value`.
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

struct If {
  Loc loc;
  Expression condition;
  Block then;
  std::optional<Block> otherwise;  // of `elif`: a block of one `if`
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
  std::optional<Expression> value;  // without one only of `update`
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
  bool adds = false;
};

struct StartRemote {
  Loc loc;
  Expression source, device, destination, sent, arrived;
  std::optional<Expression> core;
  bool adds = false;
};

struct Copy {
  Loc loc;
  Expression source, destination;
};

struct Wait {
  Loc loc;
  Expression semaphore, count;
};

struct WaitFor {
  Loc loc;
  Expression semaphore, slice;
};

struct Await {
  Loc loc;
  Expression semaphore, count;
};

struct Signal {
  Loc loc;
  Expression semaphore, count;
  std::optional<Expression> device;  // without one: this device
  std::optional<Expression> core;
};

// What begins and ends the life of memory.
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

// A call whose value, if it has one, is not used.
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
  using Form =
      std::variant<Definition, Assignment, For, If, TraceRegion, Require, Assert, Print, Breakpoint,
                   Pipeline, Grid, Window, Start, StartRemote, Copy, Wait, WaitFor, Await, Signal,
                   Operate, ScopedDeclaration, CallStatement, Return, ReturnNamed>;
  Form form;

  const Loc& loc() const;
  template <typename T>
  const T* as() const {
    return std::get_if<T>(&form);
  }
};

// Of a kernel: a number with or without a default. Of a function: a value with or without a
// default, or memory of a type.
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
  std::vector<std::string> choices;  // empty: every element type; the first is the default
};

struct Kernel {
  Loc loc;
  std::string name;
  std::string doc;  // the comment above
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

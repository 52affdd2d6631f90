// Syntax tree of declarations: memory, semaphores, the mesh of devices.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/lang/ast_expression.h"
#include "core/program/program.h"

namespace tessera::ast {

// Element type with extents; no extents for a single element.
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

// Operand, result or scratch, according to `role`. Operands and results name their space after the
// type.
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

// `x = 4`: an axis of the device mesh and its size.
struct MeshAxis {
  Loc loc;
  std::string name;
  Expression size;
};

// `mesh x = 4, y = 2`: numbering of the devices; the last axis varies fastest.
struct MeshDeclaration {
  Loc loc;
  std::vector<MeshAxis> axes;  // at least one
};

struct Declaration;

// Declarations under a condition, which must be known.
struct ConditionalDeclarations {
  Loc loc;
  Expression condition;
  std::vector<Declaration> then, otherwise;
};

struct Declaration {
  std::variant<BufferDeclaration, SemaphoreDeclaration, ConditionalDeclarations, MeshDeclaration>
      form;

  const Loc& loc() const;
};

}  // namespace tessera::ast

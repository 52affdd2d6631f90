// Meaning of names and expressions while a program is built.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/ast.h"
#include "core/program/op.h"

namespace tessera {

struct Environment;

using UnshapedId = Id<struct UnshapedTile>;
using NamedCopyId = Id<struct NamedCopy>;

struct Entity {
  enum class Kind : std::uint8_t {
    nothing,
    scalar,
    real,
    view,
    unshaped,
    sem,
    copy,
    range,
    record,
    closure,
    type,
    text
  };
  Kind kind = Kind::nothing;  // nothing: an error was already reported
  ValueId value = no_value;   // scalar, real; range: the lower bound
  ValueId upper = no_value;   // range: the upper bound
  UnshapedId unshaped{};      // unshaped: a tile that gets its shape from its use
  NamedCopyId copy{};         // copy: a named copy
  Slice slice;                // view (memory or one of its numbers), sem
  bool is_unnamed = false;    // view: an array from an expression, without a name
  DType type = DType::f32;
  std::string text;
  const ast::Definition* definition = nullptr;  // closure
  Environment* environment = nullptr;  // closure: its definition's names; record: its members
};

inline Entity scalar_entity(ValueId value) {
  return {.kind = Entity::Kind::scalar, .value = value};
}

inline Entity view_entity(const Slice& slice) {
  return {.kind = Entity::Kind::view, .slice = slice};
}

inline bool is_tile(const Entity& entity) {
  return entity.kind == Entity::Kind::view || entity.kind == Entity::Kind::unshaped;
}

// Value and its location; no location if the value does not occur in the text.
struct Operand {
  Entity entity;
  Loc loc;
};

// Tile without a shape so far: tile_iota(dim), or an op with only such tiles and numbers as
// operands.
struct UnshapedTile {
  std::size_t op;    // index in Op; 0: tile_iota
  std::int64_t dim;  // tile_iota: dimension
  std::vector<Operand> operands;
  Loc loc;
};

// Named copy, for `wait`.
struct NamedCopy {
  // Side of the copy: the semaphore that counts its bytes, and memory with the same number of
  // bytes.
  struct Side {
    Slice sem, slice;
  };
  std::optional<Side> sent;  // only for copies to another device
  Side arrived;              // this copy, or the matching copy from another device
};

// Names of one block. A closure keeps the environment of its definition.
struct Environment {
  std::map<std::string, Entity, std::less<>> names;
  Environment* parent = nullptr;
  const Environment* fallback = nullptr;  // names for a failed lookup: a function's other results

  // Searches this block and the blocks around it, then their fallbacks; null if there is no such
  // name. Stays valid as long as the name is defined.
  const Entity* find(std::string_view name) const;
};

}  // namespace tessera

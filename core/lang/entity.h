// What a name or an expression of a program stands for while the program is made.
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
  Kind kind = Kind::nothing;  // nothing: an error was reported where it arose
  ValueId value = no_value;   // scalar, real; lower of a range
  ValueId upper = no_value;   // range
  UnshapedId unshaped{};      // unshaped: a tile to which its use gives the shape
  NamedCopyId copy{};         // copy: one that `wait` can name
  Slice slice;                // view (memory, or one number of it), sem
  bool is_unnamed = false;    // view: of an array that an expression made and that has no name
  DType type = DType::f32;
  std::string text;
  const ast::Definition* definition = nullptr;  // closure
  Environment* environment = nullptr;           // of a closure; the members of a record
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

// A value and its place in the text; without a place if the compiler makes the value.
struct Operand {
  Entity entity;
  Loc loc;
};

// A tile that has no shape yet: tile_iota(dim), or the op of such tiles and of numbers.
struct UnshapedTile {
  std::size_t op;    // position in Op; 0: tile_iota
  std::int64_t dim;  // of tile_iota
  std::vector<Operand> operands;
  Loc loc;
};

// A copy that `wait` can name.
struct NamedCopy {
  // A side of the copy: the semaphore that counts its bytes, and the memory that has as many.
  struct Side {
    Slice sem, slice;
  };
  std::optional<Side> sent;  // of a copy to another device
  Side arrived;              // of the copy, or of one like it that another device starts
};

// Names of one block; a closure keeps the one that it was defined in.
struct Environment {
  std::map<std::string, Entity, std::less<>> names;
  Environment* parent = nullptr;
  const Environment* fallback = nullptr;  // asked when the names around have
                                          // none: a function's other results

  const Entity* find(std::string_view name) const;
};

}  // namespace tessera

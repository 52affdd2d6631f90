// What a name or an expression of a program stands for while the program is made.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/lang/ast.h"
#include "core/program/op.h"

namespace tessera {

struct Environment;

// What TileLowering knows of a tile that has no shape yet.
using UnshapedId = Id<struct UnshapedTile>;
// What TransferLowering knows of a copy that has a name.
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
  bool is_unnamed = false;    // view: of an array that an expression made, and no name is given to
  DType type = DType::f32;
  std::string text;
  const ast::Definition* definition = nullptr;  // closure
  Environment* environment = nullptr;           // of a closure; the members of a record
};

inline Entity scalar_entity(ValueId value) {
  return {.kind = Entity::Kind::scalar, .value = value};
}

inline bool is_tile(const Entity& entity) {
  return entity.kind == Entity::Kind::view || entity.kind == Entity::Kind::unshaped;
}

// Names of one block; a closure keeps the one that it was defined in.
struct Environment {
  std::map<std::string, Entity, std::less<>> names;
  Environment* parent = nullptr;
  const Environment* fallback =
      nullptr;  // asked when the names around have none: a function's other results

  const Entity* find(std::string_view name) const;
};

}  // namespace tessera

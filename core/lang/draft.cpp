#include "core/lang/draft.h"

#include <fmt/format.h>

#include <utility>

#include "core/program/refs.h"

namespace tessera {

void Draft::at(const Loc& loc) {
  const auto& places = builder_.program().places;
  if (!places.empty()) {
    const Place& last = places.back();
    if (last.caller == caller_ && last.loc.source == loc.source && last.loc.line == loc.line &&
        last.loc.column == loc.column && last.loc.width == loc.width)
      return builder_.at_place(places.last());
  }
  builder_.at(loc, caller_);
}

Entity Draft::fail(const Loc& loc, std::string message, ErrorCode code) {
  Diag diag{code, loc, std::move(message), {}};
  for (PlaceId place = caller_; place; place = builder_.program().places[place].caller)
    diag.notes.push_back({builder_.program().loc(place), "called from here"});
  diags_.push_back(std::move(diag));
  return {};
}

std::string Draft::describe(const Entity& entity) const {
  switch (entity.kind) {
    case Entity::Kind::nothing:
      return "nothing";
    case Entity::Kind::scalar:
      return "an integer";
    case Entity::Kind::real:
      return "a real number";
    case Entity::Kind::view:
      return fmt::format("memory of type {}",
                         name(ref_info(builder_.program(), entity.slice.base).dtype));
    case Entity::Kind::unshaped:
      return "tile_iota, which has the shape of a tile that it is combined with or stored to";
    case Entity::Kind::sem:
      return "a semaphore";
    case Entity::Kind::range:
      return "a range";
    case Entity::Kind::record:
      return "the results of a function";
    case Entity::Kind::closure:
      return "a function of an index";
    case Entity::Kind::type:
      return "an element type";
    case Entity::Kind::text:
      return "a text";
  }
  return "?";
}

Entity Draft::name_result(Entity entity, const std::string& name) {
  Program& program = builder_.program();
  if (entity.kind == Entity::Kind::scalar || entity.kind == Entity::Kind::real) {
    Value& v = program.values[entity.value];
    const bool fresh = v.statement && v.statement == program.body.last();
    if (fresh && !v.constant) v.name = name;
  } else if (entity.kind == Entity::Kind::view) {
    Value& v = program.values[entity.slice.base];
    const bool is_last_op = v.statement == program.body.last();
    const bool is_last_buffer = v.buffer == program.buffers.last();
    if (!v.buffer && is_last_op) v.name = name;
    if (v.buffer && entity.is_unnamed && is_last_buffer && v.name != name)
      builder_.rename(entity.slice.base, name);
    entity.is_unnamed = false;
  }
  return entity;
}

}  // namespace tessera

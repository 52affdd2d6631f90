#include "core/lang/draft.h"

#include <fmt/format.h>

#include <utility>

#include "core/program/refs.h"

namespace tessera {

namespace {

bool is_same(const Loc& a, const Loc& b) {
  return a.source == b.source && a.line == b.line && a.column == b.column && a.width == b.width;
}

}  // namespace

Draft::Draft(std::string kernel, const std::vector<const Module*>& modules)
    : builder_(std::move(kernel)) {
  for (const Module* module : modules)
    if (module->lines != nullptr) lines_[module->source.get()] = module->lines.get();
}

const LineMap::Origin* Draft::origin(const Loc& loc) const {
  const auto found = lines_.find(loc.source.get());
  return found == lines_.end() ? nullptr : found->second->find(loc.line);
}

// The place of the innermost call that a `# line` names, which those around it call.
PlaceId Draft::called_by(const LineMap::Origin& origin) {
  PlaceId& inner = callers_[{&origin, caller_}];
  if (inner || origin.size() == 1) return inner ? inner : caller_;
  inner = caller_;
  for (std::size_t i = origin.size(); --i > 0;)
    inner = builder_.program().places.add({origin[i], inner, {}});
  return inner;
}

void Draft::at(const Loc& loc) {
  const LineMap::Origin* from = origin(loc);
  const PlaceId caller = from != nullptr ? called_by(*from) : caller_;
  auto& places = builder_.program().places;
  if (!places.empty()) {
    const Place& last = places.back();
    const Loc& written = last.written ? last.written : last.loc;
    if (last.caller == caller && is_same(written, loc)) return builder_.at_place(places.last());
  }
  if (from == nullptr) return builder_.at(loc, caller);
  builder_.at_place(places.add({from->front(), caller, loc}));
}

Entity Draft::fail(const Loc& loc, std::string message, ErrorCode code) {
  Diag diag{code, loc, std::move(message), {}};
  if (const LineMap::Origin* from = origin(loc))
    for (std::size_t i = 0; i < from->size(); ++i)
      diag.notes.push_back({(*from)[i], i == 0 ? "it comes from here" : "called from here"});
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
    case Entity::Kind::copy:
      return "a copy";
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
    const bool is_new_array = entity.is_unnamed && is_last_buffer && v.name != name;
    const bool is_new_tile = v.name.empty();
    if (!v.buffer && is_last_op) v.name = name;
    if (v.buffer && (is_new_array || is_new_tile)) builder_.rename(entity.slice.base, name);
    entity.is_unnamed = false;
  }
  return entity;
}

}  // namespace tessera

#include "core/lang/elaboration.h"

#include <fmt/format.h>

#include <utility>

#include "core/program/refs.h"

namespace tessera {

namespace {

bool is_same(const Loc& a, const Loc& b) {
  return a.source == b.source && a.line == b.line && a.column == b.column && a.width == b.width;
}

}  // namespace

Elaboration::Elaboration(const std::string& kernel, std::vector<const Module*> modules,
                         const InstantiateOptions& launch)
    : modules(std::move(modules)), launch(launch), builder(kernel) {
  for (const Module* module : this->modules)
    if (module->lines != nullptr) lines_[module->source.get()] = module->lines.get();
}

const LineMap::Origin* Elaboration::origin(const Loc& loc) const {
  const auto found = lines_.find(loc.source.get());
  return found == lines_.end() ? nullptr : found->second->find(loc.line);
}

// Returns the place of the innermost call in a `# line` directive, with the outer calls as its
// callers.
PlaceId Elaboration::called_by(const LineMap::Origin& origin) {
  PlaceId& inner = callers_[{&origin, caller}];
  if (inner || origin.size() == 1) return inner ? inner : caller;
  inner = caller;
  for (std::size_t i = origin.size(); --i > 0;)
    inner = program().places.add({origin[i], inner, {}});
  return inner;
}

void Elaboration::at(const Loc& loc) {
  const LineMap::Origin* from = origin(loc);
  const PlaceId called = from != nullptr ? called_by(*from) : caller;
  auto& places = program().places;
  if (!places.empty()) {
    const Place& last = places.back();
    const Loc& written = last.written ? last.written : last.loc;
    if (last.caller == called && is_same(written, loc)) return builder.at_place(places.last());
  }
  if (from == nullptr) return builder.at(loc, called);
  builder.at_place(places.add({from->front(), called, loc}));
}

Entity Elaboration::fail(const Loc& loc, std::string message, ErrorCode code) {
  Diag diag{code, loc, std::move(message), {}};
  if (const LineMap::Origin* from = origin(loc))
    for (std::size_t i = 0; i < from->size(); ++i)
      diag.notes.push_back({(*from)[i], i == 0 ? "it comes from here" : "called from here"});
  for (PlaceId place = caller; place; place = program().places[place].caller)
    diag.notes.push_back({program().loc(place), "called from here"});
  diags.push_back(std::move(diag));
  return {};
}

std::string Elaboration::describe(const Entity& entity) const {
  switch (entity.kind) {
    case Entity::Kind::nothing:
      return "nothing";
    case Entity::Kind::scalar:
      return "an integer";
    case Entity::Kind::real:
      return "a real number";
    case Entity::Kind::view:
      return fmt::format("memory of type {}", name(ref_info(program(), entity.slice.base).dtype));
    case Entity::Kind::unshaped:
      return "tile_iota, which has the shape of a tile that it is combined with "
             "or stored to";
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

void Elaboration::bind(const std::string& name, Entity entity, const Loc& loc) {
  if (const Entity* known = names.find(name)) {
    if (known->kind != Entity::Kind::nothing)
      fail(loc, fmt::format("`{}` is already defined; a name keeps its value", name));
    return;
  }
  names.set(name, std::move(entity));
}

Entity Elaboration::name_result(Entity entity, const std::string& name) {
  Program& program = builder.program();
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
    if (v.buffer && (is_new_array || is_new_tile)) builder.rename(entity.slice.base, name);
    entity.is_unnamed = false;
  }
  return entity;
}

void Elaboration::allocate(ValueId ref) {
  builder.emit(Alloc{builder.whole(ref)});
  allocated.push_back(ref);
}

void Elaboration::free_from(std::size_t count) {
  while (allocated.size() > count) {
    builder.emit(Free{builder.whole(allocated.back())});
    allocated.pop_back();
  }
}

}  // namespace tessera

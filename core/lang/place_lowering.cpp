#include "core/lang/place_lowering.h"

#include <fmt/format.h>

#include "core/lang/expressions.h"
#include "core/program/refs.h"

namespace tessera {

PlaceLowering::PlaceLowering(Draft& draft, Names& names, Expressions& expressions)
    : draft_(draft), builder_(draft.builder()), names_(names), expressions_(expressions) {}

Entity PlaceLowering::place(const ast::Expression& node) {
  if (const auto* name = node.as<ast::Name>()) {
    if (const Entity* found = names_.find(name->name)) return *found;
  }
  const auto* indexed = node.as<ast::Index>();
  if (indexed == nullptr) return expressions_.evaluate(node);
  const Entity base = expressions_.evaluate(*indexed->base);
  return base.kind == Entity::Kind::view ? index(base, *indexed) : expressions_.evaluate(node);
}

// A rectangle of memory; one number of scalar memory counts too, as a place.
std::optional<Slice> PlaceLowering::memory(const ast::Expression& node) {
  const Entity entity = place(node);
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind != Entity::Kind::nothing)
    draft_.fail(node.loc(), fmt::format("expected memory, found {}", draft_.describe(entity)),
                ErrorCode::invalid_type);
  return std::nullopt;
}

std::optional<Slice> PlaceLowering::semaphore(const ast::Expression& node) {
  const Entity entity = expressions_.evaluate(node);
  if (entity.kind == Entity::Kind::nothing) return std::nullopt;
  if (entity.kind != Entity::Kind::sem) {
    draft_.fail(node.loc(), fmt::format("expected a semaphore, found {}", draft_.describe(entity)),
                ErrorCode::invalid_type);
    return std::nullopt;
  }
  if (!kept(entity.slice).empty()) {
    draft_.fail(node.loc(),
                fmt::format("expected one semaphore, found an array of {}",
                            kept(entity.slice).size() == 1 ? "them" : "arrays of them"));
    return std::nullopt;
  }
  return entity.slice;
}

Entity PlaceLowering::index(const Entity& base, const ast::Index& node, std::vector<Step>* steps) {
  draft_.at(node.loc);
  const bool is_sem = base.kind == Entity::Kind::sem;
  Slice whole = base.slice;
  if (is_sem && whole.dropped != 0)
    return draft_.fail(node.loc, "this is one semaphore already and takes no index");
  if (!is_sem) whole = whole_ref(whole);
  Slice slice = whole;
  const std::size_t items = node.items.size();
  const auto rank = static_cast<std::size_t>(whole.rank);
  if (items > rank || (is_sem && items != rank))
    return draft_.fail(
        node.loc,
        fmt::format("expected {} indices, one for each dimension, found {}", whole.rank, items));
  // Dimensions that are not named are whole.
  for (std::size_t d = 0; d < items; ++d)
    if (!add_item(node.items[d], whole.size[d], slice, d, steps)) return {};
  return {.kind = base.kind, .slice = slice, .is_unnamed = base.is_unnamed};
}

// `a .. b step n`: the range, and which of its elements.
bool PlaceLowering::add_stepped(const ast::Stepped& item, Slice& slice, std::size_t d,
                                std::vector<Step>* steps) {
  if (steps == nullptr) {
    draft_.fail(
        item.loc,
        "a slice with a step is a value of a tile, not memory: expected it in an expression");
    return false;
  }
  const Entity range = expressions_.evaluate(*item.range);
  const auto step = expressions_.constant(*item.step, "the step of a slice");
  if (range.kind == Entity::Kind::nothing || !step) return false;
  if (range.kind != Entity::Kind::range || *step < 1) {
    draft_.fail(item.loc, range.kind != Entity::Kind::range
                              ? "a slice with a step is `a .. b step n`"
                              : fmt::format("the step of a slice is at least 1, found {}", *step));
    return false;
  }
  int dim = 0;
  for (std::size_t before = 0; before < d; ++before) dim += (slice.dropped >> before & 1) == 0;
  steps->push_back({dim, *step});
  draft_.at(item.loc);
  slice.start[d] = range.value;
  slice.size[d] = builder_.sub(range.upper, range.value);
  return true;
}

bool PlaceLowering::add_item(const ast::Item& item, ValueId extent, Slice& slice, std::size_t d,
                             std::vector<Step>* steps) {
  if (std::holds_alternative<ast::WholeDimension>(item.form)) {
    slice.start[d] = builder_.integer(0);
    slice.size[d] = extent;
    return true;
  }
  if (const auto* span = std::get_if<ast::Span>(&item.form)) {
    slice.start[d] = expressions_.scalar(*span->start);
    slice.size[d] = expressions_.scalar(*span->size);
    return slice.start[d] != no_value && slice.size[d] != no_value;
  }
  if (const auto* stepped = std::get_if<ast::Stepped>(&item.form))
    return add_stepped(*stepped, slice, d, steps);
  const Entity entity = expressions_.evaluate(*std::get<ast::Child>(item.form));
  if (entity.kind == Entity::Kind::range) {
    draft_.at(item.loc());
    slice.start[d] = entity.value;
    slice.size[d] = builder_.sub(entity.upper, entity.value);
    return true;
  }
  slice.start[d] = expressions_.scalar(entity, item.loc());
  slice.size[d] = builder_.integer(1);
  slice.dropped |= static_cast<std::uint8_t>(1U << d);
  return slice.start[d] != no_value;
}

// Scalar memory without dimensions, or what is left of it: its name means the number in it.
bool PlaceLowering::is_one_number(const Entity& entity) const {
  return entity.kind == Entity::Kind::view && kept(entity.slice).empty() &&
         ref_info(builder_.program(), entity.slice.base).space == Space::smem;
}

Entity PlaceLowering::load(const Slice& element) {
  if (is_float(ref_info(builder_.program(), element.base).dtype))
    return {.kind = Entity::Kind::real, .value = builder_.emit(LoadReal{element})};
  return scalar_entity(builder_.emit(Load{element}));
}

Slice PlaceLowering::whole_ref(const Slice& slice) {
  if (is_whole(builder_.program(), slice)) return slice;
  return builder_.whole(builder_.emit(View{slice}, "view"));
}

// How many bytes a rectangle has.
ValueId PlaceLowering::bytes(const Slice& slice) {
  ValueId total = builder_.integer(size_of(ref_info(builder_.program(), slice.base).dtype));
  for (int d : kept(slice)) total = builder_.mul(total, slice.size[static_cast<std::size_t>(d)]);
  return total;
}

}  // namespace tessera

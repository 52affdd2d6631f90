#include "core/lang/place_lowering.h"

#include <fmt/format.h>

#include "core/lang/expression_lowering.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

// `a .. b step n`: adds the range, and the step to `steps`.
bool add_stepped(Elaboration& e, const ast::Stepped& item, Slice& slice, std::size_t d,
                 std::vector<DimensionStep>* steps) {
  if (steps == nullptr) {
    e.fail(item.loc,
           "a slice with a step is a value of a tile, not memory: expected it in an expression");
    return false;
  }
  const Entity range = evaluate(e, *item.range);
  const auto step = constant(e, *item.step, "the step of a slice");
  if (range.kind == Entity::Kind::nothing || !step) return false;
  if (range.kind != Entity::Kind::range || *step < 1) {
    e.fail(item.loc, range.kind != Entity::Kind::range
                         ? "a slice with a step is `a .. b step n`"
                         : fmt::format("the step of a slice is at least 1, found {}", *step));
    return false;
  }
  int dim = 0;
  for (std::size_t before = 0; before < d; ++before) dim += (slice.dropped >> before & 1) == 0;
  steps->push_back({dim, *step});
  e.at(item.loc);
  slice.start[d] = range.value;
  slice.size[d] = e.builder.sub(range.upper, range.value);
  return true;
}

bool add_item(Elaboration& e, const ast::Item& item, ValueId extent, Slice& slice, std::size_t d,
              std::vector<DimensionStep>* steps) {
  if (std::holds_alternative<ast::WholeDimension>(item.form)) {
    slice.start[d] = e.builder.integer(0);
    slice.size[d] = extent;
    return true;
  }
  if (const auto* span = std::get_if<ast::Span>(&item.form)) {
    slice.start[d] = scalar(e, *span->start);
    slice.size[d] = scalar(e, *span->size);
    return slice.start[d] != no_value && slice.size[d] != no_value;
  }
  if (const auto* stepped = std::get_if<ast::Stepped>(&item.form))
    return add_stepped(e, *stepped, slice, d, steps);
  const Entity entity = evaluate(e, *std::get<ast::Child>(item.form));
  if (entity.kind == Entity::Kind::range) {
    e.at(item.loc());
    slice.start[d] = entity.value;
    slice.size[d] = e.builder.sub(entity.upper, entity.value);
    return true;
  }
  slice.start[d] = scalar(e, entity, item.loc());
  slice.size[d] = e.builder.integer(1);
  slice.dropped |= static_cast<std::uint8_t>(1U << d);
  return slice.start[d] != no_value;
}

}  // namespace

Entity place(Elaboration& e, const ast::Expression& node) {
  if (const auto* name = node.as<ast::Name>()) {
    if (const Entity* found = e.names.find(name->name)) return *found;
  }
  const auto* indexed = node.as<ast::Index>();
  if (indexed == nullptr) return evaluate(e, node);
  const Entity base = evaluate(e, *indexed->base);
  return base.kind == Entity::Kind::view ? index_into(e, base, *indexed) : evaluate(e, node);
}

std::optional<Slice> memory(Elaboration& e, const ast::Expression& node) {
  const Entity entity = place(e, node);
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind != Entity::Kind::nothing)
    e.fail(node.loc(), fmt::format("expected memory, found {}", e.describe(entity)),
           ErrorCode::invalid_type);
  return std::nullopt;
}

std::optional<Slice> semaphore(Elaboration& e, const ast::Expression& node) {
  const Entity entity = evaluate(e, node);
  if (entity.kind == Entity::Kind::nothing) return std::nullopt;
  if (entity.kind != Entity::Kind::sem) {
    e.fail(node.loc(), fmt::format("expected a semaphore, found {}", e.describe(entity)),
           ErrorCode::invalid_type);
    return std::nullopt;
  }
  if (!kept(entity.slice).empty()) {
    e.fail(node.loc(), fmt::format("expected one semaphore, found an array of {}",
                                   kept(entity.slice).size() == 1 ? "them" : "arrays of them"));
    return std::nullopt;
  }
  return entity.slice;
}

Entity index_into(Elaboration& e, const Entity& base, const ast::Index& node,
                  std::vector<DimensionStep>* steps) {
  e.at(node.loc);
  const bool is_sem = base.kind == Entity::Kind::sem;
  Slice whole = base.slice;
  if (is_sem && whole.dropped != 0)
    return e.fail(node.loc, "this is one semaphore already and takes no index");
  if (!is_sem) whole = whole_ref(e, whole);
  Slice slice = whole;
  const std::size_t items = node.items.size();
  const auto rank = static_cast<std::size_t>(whole.rank);
  if (items > rank || (is_sem && items != rank))
    return e.fail(node.loc, fmt::format("expected {} indices, one for each dimension, found {}",
                                        whole.rank, items));
  // Remaining dimensions are whole.
  for (std::size_t d = 0; d < items; ++d)
    if (!add_item(e, node.items[d], whole.size[d], slice, d, steps)) return {};
  return {.kind = base.kind, .slice = slice, .is_unnamed = base.is_unnamed};
}

bool is_one_number(const Elaboration& e, const Entity& entity) {
  return entity.kind == Entity::Kind::view && kept(entity.slice).empty() &&
         ref_info(e.program(), entity.slice.base).space == Space::smem;
}

Entity load(Elaboration& e, const Slice& element) {
  if (is_float(ref_info(e.program(), element.base).dtype))
    return {.kind = Entity::Kind::real, .value = e.builder.emit(LoadReal{element})};
  return scalar_entity(e.builder.emit(Load{element}));
}

Slice whole_ref(Elaboration& e, const Slice& slice) {
  if (is_whole(e.program(), slice)) return slice;
  return e.builder.whole(e.builder.emit(View{slice}, "view"));
}

ValueId bytes(Elaboration& e, const Slice& slice) {
  ValueId total = e.builder.integer(size_of(ref_info(e.program(), slice.base).dtype));
  for (int d : kept(slice)) total = e.builder.mul(total, slice.size[static_cast<std::size_t>(d)]);
  return total;
}

}  // namespace tessera

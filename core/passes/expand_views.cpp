// Slices of views: their memory, and the operands that replace them in ops.
#include <fmt/format.h>

#include "core/passes/expand.h"
#include "core/passes/view_rectangle.h"

namespace tessera {

void Expander::refuse(std::string what) {
  const PlaceId at = builder_.place();
  diags_.push_back({ErrorCode::unsupported, builder_.program().loc(at), std::move(what), {}});
}

// True if the ref is a view with another shape or type, directly or through other views.
bool Expander::is_shown_as(ValueId ref) const {
  if (shown_.contains(ref)) return true;
  const Replacement* by = replacement(ref);
  return by != nullptr && by->is_of_view;
}

ViewPlace Expander::place(const Slice& slice, const ValueMap& map) {
  if (const auto shown = shown_.find(slice.base); shown != shown_.end())
    return place(shown->second, slice, map);
  if (const Replacement* by = replacement(slice.base)) {
    const Slice inner = compose(*by, slice);
    return by->is_of_view ? place(inner, map) : ViewPlace{inner, {}};
  }
  Slice own = slice;
  own.base = mapped(slice.base, map);
  return {own, {}};
}

ViewPlace Expander::place(const ShownAs& shown, const Slice& slice, const ValueMap& map) {
  const std::string& name = old_.value(slice.base).name;
  std::vector<ValueId> extents;
  for (const std::int64_t extent : shown.view.shape) extents.push_back(builder_.integer(extent));
  hold_inside(slice, extents);
  const ViewRectangle found =
      view_rectangle(builder_, shown.memory, shown.view, slice,
                     name.empty() ? "the view" : fmt::format("`{}`", name), only_looks_);
  if (!found.problem.empty()) {
    refuse(found.problem);
    return {builder_.whole(builder_.program().buffers[BufferId(0)].value), {}};
  }
  const Slice inner = compose({shown.source, false, true}, found.slice);
  ViewPlace at = place(inner, map);
  const bool is_same = found.has_shape && shown.memory.dtype == shown.view.dtype;
  if (!is_same) at.layers.push_back(layer_of(slice, shown.view));
  return at;
}

// Emits a check for each dimension in which a slice of a view may exceed the view. The checked size
// is 0 if another size is 0, because a slice without elements has no position.
void Expander::hold_inside(const Slice& slice, const std::vector<ValueId>& extents) {
  if (only_looks_) return;
  const Program& p = builder_.program();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto start = p.constant(slice.start[d]), size = p.constant(slice.size[d]),
               limit = p.constant(extents[d]);
    const bool is_whole = start == 0 && slice.size[d] == extents[d];
    const bool is_inside =
        start && size && limit && *start >= 0 && *size >= 0 && *start + *size <= *limit;
    if (is_whole || is_inside) continue;
    ValueId checked = slice.size[d];
    for (std::size_t other = 0; other < extents.size(); ++other)
      if (other != d && p.constant(slice.size[other]).value_or(0) == 0)
        checked = builder_.select(slice.size[other], checked, builder_.integer(0));
    builder_.emit(Bounds{slice.start[d], checked, extents[d]});
  }
}

// Tile ops get a tile; copies, and ops that only refer to memory, get the rectangle.
Slice Expander::operand(const Op& op, const FieldInfo& f, const ViewPlace& place) {
  const OpClass op_class = class_of(op);
  // `opaque` has no computation, so the shape does not matter.
  if (std::holds_alternative<OpaqueRead>(op) || std::holds_alternative<OpaqueWrite>(op))
    return place.slice;
  if (op_class == OpClass::tile) {
    const bool is_target = &f == info(op).fields.data();
    const bool is_sum = is_target && std::holds_alternative<Matmul>(op);
    return tiles_.tile(place, !is_target || is_sum, is_target);
  }
  const DType type = ref_info(builder_.program(), place.slice.base).dtype;
  const bool is_retyped = place.layers.back().dtype != type;
  if (op_class == OpClass::copy) return place.slice;
  if (op_class == OpClass::cells)
    refuse(
        "an array of scalar memory lies along one dimension of the viewed memory; expected a slice "
        "that has one dimension there too");
  else if (op_class == OpClass::debug && is_retyped)
    refuse(
        fmt::format("`print` shows memory directly, of type {}: expected the memory itself, or the "
                    "view copied to a tile",
                    tessera::name(type)));
  else if (std::holds_alternative<Pad>(op))
    refuse("`pad` takes memory itself, no view with another shape or type");
  return place.slice;
}

// Sets `reshaped` if the shapes of the two sides only agree through views: elements are then copied
// in order.
void Expander::finish_copy(Op& op, const Op& old, const ValueMap& map) {
  if (class_of(op) != OpClass::copy) return;
  const Slice *src = nullptr, *dst = nullptr, *old_src = nullptr, *old_dst = nullptr;
  std::int64_t* reshaped = nullptr;
  if (auto* o = std::get_if<Start>(&op)) {
    const auto& from = std::get<Start>(old);
    src = &o->src, dst = &o->dst, reshaped = &o->reshaped;
    old_src = &from.src, old_dst = &from.dst;
  } else if (auto* remote = std::get_if<StartRemote>(&op)) {
    const auto& from = std::get<StartRemote>(old);
    src = &remote->src, dst = &remote->dst, reshaped = &remote->reshaped;
    old_src = &from.src, old_dst = &from.dst;
  } else {
    return;
  }
  if (!is_shown_as(old_src->base) && !is_shown_as(old_dst->base)) return;
  const Program& p = builder_.program();
  const DType from = ref_info(p, src->base).dtype, to = ref_info(p, dst->base).dtype,
              seen = ref_info(old_, old_src->base).dtype;
  const auto shape = [&](const Slice& slice) {
    std::vector<ValueId> sizes;
    for (const int d : kept(slice)) sizes.push_back(slice.size[static_cast<std::size_t>(d)]);
    return sizes;
  };
  const std::vector<ValueId> a = shape(*src), b = shape(*dst);
  const bool is_retyped = from != seen || to != seen;
  const bool has_one_width = size_of(from) == size_of(seen) && size_of(to) == size_of(seen);
  if (from != to || (is_retyped && !has_one_width && (a != b || *reshaped != 0)))
    return refuse(
        fmt::format("a copy of views with another type is from memory of {} to memory of {}: "
                    "expected memory of one type on both sides, viewed as the same type",
                    tessera::name(from), tessera::name(to)));
  if (a == b) return;
  // Both sides must have one shape; extents that are only known at run time are checked by the run.
  if (*reshaped == 0) {
    const std::vector<ValueId> x = shape(with_scalars(*old_src, map)),
                               y = shape(with_scalars(*old_dst, map));
    for (std::size_t d = 0; d < x.size(); ++d)
      if (x[d] != y[d] && !(p.constant(x[d]) && p.constant(y[d])))
        builder_.emit(Require{builder_.emit(Eq{x[d], y[d]}),
                              builder_.text("the two sides of a copy must have one shape")});
  }
  *reshaped = 1;
}

}  // namespace tessera

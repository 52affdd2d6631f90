// Scalar memory, the lifetime of buffers, and pipeline slots.
#include <fmt/format.h>

#include <algorithm>

#include "core/program/scalar.h"
#include "interp/findings/describe.h"
#include "interp/findings/uninitialised.h"
#include "interp/machine/machine.h"

namespace tessera {
namespace {

// True if the element is undefined because a scalar that was read out of bounds was stored there.
bool is_from_outside(Core& core, const Region& at) {
  return core.machine().options().checks.uninitialised == Uninitialised::use &&
         !at.storage->is_initialised(at.box) &&
         outside_read(core.machine().program(), core.machine().findings(),
                      at.storage->origin(at.box.start).place);
}

// result = value(region of the element at src); undefined if src is outside its memory.
template <typename Value>
Step load(Core& core, const Slice& src, Value value) {
  const Region at = core.access_scalar(src);
  if (core.stopped()) return Step::stop;
  if (at.storage == nullptr || is_from_outside(core, at)) {
    core.undefined_result();
    return Step::next;
  }
  core.require_initialised(at);
  if (core.stopped()) return Step::stop;
  core.result(value(at));
  return Step::next;
}

// All elements of a slice of rank 1, read as scalars.
std::vector<std::int64_t> scalars(Core& core, const Slice& slice) {
  const Region region = core.access(slice, EventKind::read);
  if (core.stopped()) return {};
  core.require_initialised(region);
  if (core.stopped()) return {};
  const TileView view = region.storage->read(region.box);
  std::vector<std::int64_t> values(static_cast<std::size_t>(view.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = view.integer_at(static_cast<std::int64_t>(i));
  return values;
}

void cannot_hold(Core& core, const Region& region, std::int64_t value) {
  core.fail(FindingKind::out_of_bounds,
            fmt::format("{} cannot hold {}: its type is {}",
                        slice_text(core.machine().program(), region.buffer, region.box), value,
                        name(region.storage->buffer().dtype)));
}

// dst[i] = value(i), ascending.
template <typename Value>
Step fill(Core& core, const Slice& dst, Value value) {
  const Region region = core.access(dst, EventKind::write);
  if (core.stopped()) return Step::stop;
  const TileView view = region.storage->write(region.box);
  for (std::int64_t i = 0, n = view.elements(); i < n; ++i) {
    const std::int64_t v = value(i);
    if (view.set_integer_at(i, v)) continue;
    cannot_hold(core, region, v);
    return Step::stop;
  }
  region.storage->initialise(region.box);
  return Step::next;
}

}  // namespace

Step exec(const Load& op, Core& core) {
  return load(core, op.src, [](const Region& at) { return at.storage->load_integer(at.box); });
}

Step exec(const LoadReal& op, Core& core) {
  return load(core, op.src, [](const Region& at) { return at.storage->load_real(at.box); });
}

Step exec(const Store& op, Core& core) {
  const Region at = core.access(op.dst, EventKind::write);
  if (core.stopped()) return Step::stop;
  if (core.is_undefined(op.value)) {
    core.store_undefined(at, op.value);
  } else if (core.machine().program().value(op.value).kind == ValueKind::real) {
    at.storage->store_real(at.box, core.real(op.value));
  } else if (is_float(at.storage->buffer().dtype)) {
    at.storage->store_real(at.box, static_cast<double>(core.scalar(op.value)));
  } else if (!at.storage->store_integer(at.box, core.scalar(op.value))) {
    cannot_hold(core, at, core.scalar(op.value));
    return Step::stop;
  }
  return Step::next;
}

Step exec(const PrefixSum& op, Core& core) {
  const std::vector<std::int64_t> src = scalars(core, op.src);
  if (core.stopped()) return Step::stop;
  const std::int64_t size = core.box(op.dst).elements();
  if (size != static_cast<std::int64_t>(src.size()) + 1) {
    core.fail(FindingKind::out_of_bounds,
              fmt::format("the result of prefix_sum has {}, expected {}, one more than its operand",
                          counted(size, "element"), src.size() + 1));
    return Step::stop;
  }
  std::int64_t sum = 0;
  return fill(core, op.dst, [&](std::int64_t i) {
    if (i > 0) sum = scalar::add(sum, src[static_cast<std::size_t>(i - 1)]);
    return sum;
  });
}

Step exec(const SearchRight& op, Core& core) {
  const std::vector<std::int64_t> sorted = scalars(core, op.sorted);
  if (core.stopped()) return Step::stop;
  const auto after = std::upper_bound(sorted.begin(), sorted.end(), core.scalar(op.a));
  core.result(static_cast<std::int64_t>(after - sorted.begin()));
  return Step::next;
}

Step exec(const Iota& op, Core& core) {
  return fill(core, op.dst, [](std::int64_t i) { return i; });
}

Step exec(const Repeat& op, Core& core) {
  const std::vector<std::int64_t> values = scalars(core, op.values);
  const std::vector<std::int64_t> counts = core.stopped() ? values : scalars(core, op.counts);
  if (core.stopped()) return Step::stop;
  if (values.size() != counts.size() || values.empty()) {
    core.fail(FindingKind::out_of_bounds,
              fmt::format("repeat of {} by {}, expected the same number and at least one",
                          counted(static_cast<std::int64_t>(values.size()), "value"),
                          counted(static_cast<std::int64_t>(counts.size()), "count")));
    return Step::stop;
  }
  std::size_t at = 0;
  std::int64_t left = counts[0];
  return fill(core, op.dst, [&](std::int64_t) {
    while (left <= 0 && at + 1 < values.size()) left = counts[++at];
    --left;
    return values[at];
  });
}

Step exec(const Alloc& op, Core& core) {
  const Value& named = core.machine().program().value(op.ref.base);
  if (named.semaphore)
    core.machine().allocate_semaphore(core, named.semaphore);
  else
    core.machine().allocate(core, named.buffer);
  return Step::next;
}

Step exec(const Free& op, Core& core) {
  const Value& named = core.machine().program().value(op.ref.base);
  if (named.semaphore)
    core.machine().release_semaphore(core, named.semaphore);
  else
    core.machine().release(core, named.buffer);
  return Step::next;
}

Step exec(const Fresh& op, Core& core) {
  const Region slot = core.locate(op.slot, core.index(), "fresh");
  if (core.stopped()) return Step::stop;
  if (slot.box.empty()) return Step::next;
  core.emit({.kind = EventKind::fresh,
             .object_kind = ObjectKind::buffer,
             .core = slot.core,
             .object = slot.buffer,
             .box = &slot.box});
  slot.storage->fresh(slot.box, core.stmt().place);
  return Step::next;
}

// Zeros are written only outside `inside`: in each dimension, one rectangle before it and one after
// it.
Step exec(const Pad& op, Core& core) {
  const Region slot = core.locate(op.slot, core.index(), "pad");
  const Region inside = core.stopped() ? slot : core.locate(op.inside, core.index(), "pad");
  if (core.stopped()) return Step::stop;
  Box rest = slot.box;
  for (std::size_t d = 0; d < static_cast<std::size_t>(slot.box.rank); ++d) {
    const std::int64_t begin = rest.start[d], end = begin + rest.size[d];
    const std::int64_t from = std::clamp(inside.box.start[d], begin, end);
    const std::int64_t to = std::clamp(inside.box.start[d] + inside.box.size[d], from, end);
    for (const auto& [low, high] : {std::pair{begin, from}, std::pair{to, end}}) {
      rest.start[d] = low;
      rest.size[d] = high - low;
      if (rest.empty()) continue;
      core.emit({.kind = EventKind::write,
                 .object_kind = ObjectKind::buffer,
                 .core = slot.core,
                 .object = slot.buffer,
                 .box = &rest});
    }
    rest.start[d] = from;
    rest.size[d] = to - from;
  }
  slot.storage->pad(slot.box, inside.box);
  return Step::next;
}

Step exec(const Once& op, Core& core) {
  const Region ref = core.locate(op.ref, core.index(), "once");
  if (core.stopped()) return Step::stop;
  ref.storage->once(core.id().core, core.machine().scope_of_once(core.statement()));
  return Step::next;
}

}  // namespace tessera

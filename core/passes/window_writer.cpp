#include "core/passes/window_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/program/refs.h"

namespace tessera {
namespace {

// Layout of a window's state: numbers of blocks fetched, used and opened; for each dimension, the
// start in use, then for each, the start fetched last; then the byte count of each slot.
constexpr std::int64_t fetched_at = 0, used_at = 1, opened_at = 2, starts_at = 3;

}  // namespace

WindowWriter::WindowWriter(Expander& expander, PipelineScratch& scratch, const PipelineWindow& part,
                           const ValueMap& around)
    : expander_(expander),
      builder_(expander.builder()),
      old_(expander.old()),
      scratch_(scratch),
      part_(part),
      around_(around),
      stmt_(old_.body[part.at]),
      window_(std::get<Window>(stmt_.op)),
      blocks_(expander, part, around) {}

void WindowWriter::here() { builder_.at_place(stmt_.place); }

bool WindowWriter::is_fetched_ahead(int steps) const {
  return !part_.is_view && !part_.is_output && part_.ahead == steps;
}

ValueId WindowWriter::allocate_slots() {
  const RefInfo source = ref_info(old_, window_.source.base);
  Buffer slots;
  slots.name = old_.value(stmt_.result).name;
  slots.space = Space::vmem;
  slots.dtype = source.dtype;
  slots.scoped = true;
  slots.shape.push_back(window_.depth);
  slots.shape.insert(slots.shape.end(), part_.block.begin(), part_.block.end());
  // A slot has the storage order of the operand, so that a copy moves rows instead of single
  // elements.
  const Buffer& root = *old_.buffer(source.root);
  const bool direct = window_.source.base == source.root;
  if (direct && !root.order.empty()) {
    const std::vector<int>& dims = part_.dims;
    slots.order.push_back(0);
    for (int d : root.order) {
      const auto it = std::find(dims.begin(), dims.end(), d);
      if (it != dims.end()) slots.order.push_back(static_cast<int>(it - dims.begin()) + 1);
    }
    if (std::is_sorted(slots.order.begin(), slots.order.end())) slots.order.clear();
  }
  const ValueId ref = builder_.buffer(std::move(slots));
  scratch_.alloc(ref);
  return ref;
}

ValueId WindowWriter::allocate_semaphore(const char* suffix) {
  Semaphore sem;
  sem.name = old_.value(stmt_.result).name + suffix;
  sem.kind = SemKind::bytes;
  sem.shape = {window_.depth};
  sem.scoped = true;
  const ValueId id = builder_.semaphore(std::move(sem));
  if (!is_at_once_) scratch_.alloc(id);  // else only declared, as a requirement on the machine
  return id;
}

void WindowWriter::allocate_state() {
  const std::int64_t rank = window_.source.rank;
  state_ = is_at_once_ ? expander_.at_once_state()
                       : scratch_.new_array(old_.value(stmt_.result).name + "_state",
                                            {starts_at + 2 * rank + window_.depth});
  for (const std::int64_t count : {fetched_at, used_at, opened_at})
    set_number(count, builder_.integer(0));
}

void WindowWriter::allocate() {
  if (part_.is_view) return;
  here();
  slots_ = allocate_slots();
  if (part_.is_input) landed_ = allocate_semaphore("_landed");
  if (part_.is_output) stored_ = allocate_semaphore("_stored");
  allocate_state();
  const ValueId root = ref_info(old_, window_.source.base).root;
  const bool rereads = window_.update != 0 && window_.depth == 1;
  // With per_point, a point opens a block once, and stores of different points are checked
  // separately. With synchronous moves, scratch is also checked: in the asynchronous form two
  // write-backs in flight could store an element in either order, which a synchronous run does not
  // show.
  const bool is_judged = old_.buffer(root)->role == Role::out || is_at_once_;
  if (part_.is_output && !rereads && is_judged && !expander_.is_per_point())
    builder_.emit(Once{builder_.whole(expander_.mapped(root, around_))});
}

// Returns slot `which`, or its part that is filled by a clipped block.
Slice WindowWriter::slot(ValueId which, const WindowBlock* clip) {
  Slice s = builder_.whole(slots_);
  s.start[0] = which;
  s.size[0] = builder_.integer(1);
  s.dropped = 1;
  if (clip)
    for (std::size_t i = 0; i < part_.dims.size(); ++i)
      s.size[i + 1] = clip->size[static_cast<std::size_t>(part_.dims[i])];
  return s;
}

Slice WindowWriter::semaphore(ValueId sem, ValueId which) {
  if (is_at_once_) return builder_.whole(expander_.at_once_semaphore());
  return builder_.element(sem, {&which, 1});
}

// Emits the condition that the window is on and its block is new: its start differs from the start
// stored at `at`, or `first` is true because there is no block yet.
ValueId WindowWriter::changed(const WindowBlock& b, std::int64_t at, ValueId first) {
  ValueId result = first;
  for (std::size_t d = 0; d < b.start.size(); ++d) {
    if (builder_.program().constant(b.start[d])) continue;
    const ValueId differs =
        builder_.emit(Ne{b.start[d], number(at + static_cast<std::int64_t>(d))});
    result = builder_.emit(Or{result, differs});
  }
  return builder_.emit(And{b.when, result});
}

void WindowWriter::remember(const WindowBlock& b, std::int64_t at) {
  for (std::size_t d = 0; d < b.start.size(); ++d)
    if (!builder_.program().constant(b.start[d]))
      set_number(at + static_cast<std::int64_t>(d), b.start[d]);
}

ValueId WindowWriter::bytes_at(ValueId which) {
  return builder_.add(which, builder_.integer(starts_at + 2 * window_.source.rank));
}

// Returns the slot of the block with number `count`.
ValueId WindowWriter::slot_of(ValueId count) {
  if (is_at_once_) return builder_.integer(0);
  return builder_.emit(Mod{count, builder_.integer(window_.depth)});
}

void WindowWriter::use(const ValueMap& point) {
  here();
  if (part_.is_view) return use_view(point);
  if (part_.is_output) return use_output(point);
  if (part_.ahead == 0) fetch(point);
  if (!is_at_once_) return use_input(point);
  expander_.replace(stmt_.result, {slot(current(blocks_.at(point), fetched_at), nullptr), false});
}

void WindowWriter::fetch(const ValueMap& point) {
  here();
  const std::int64_t remembered = starts_at + window_.source.rank;
  WindowBlock b = blocks_.at(point);
  const ValueId fetched = number(fetched_at);
  when(changed(b, remembered, builder_.emit(Eq{fetched, builder_.integer(0)})), [&] {
    blocks_.locate(b, true);
    const ValueId which = slot_of(fetched);
    if (!blocks_.always_inside()) {
      if (window_.pad != 0)
        builder_.emit(Pad{slot(which, nullptr), slot(which, &b)});
      else
        builder_.emit(Fresh{slot(which, nullptr)});
    }
    builder_.emit(Start{b.source, slot(which, &b), semaphore(landed_, which), 0});
    set_number(fetched_at, builder_.add(fetched, builder_.integer(1)));
    remember(b, remembered);
  });
}

// Returns the slot of the current block, or a slot that does not exist if the window is off in this
// step.
ValueId WindowWriter::current(const WindowBlock& b, std::int64_t counter) {
  const ValueId depth = builder_.integer(window_.depth);
  const ValueId which = slot_of(builder_.sub(number(counter), builder_.integer(1)));
  return builder_.select(b.when, which, depth);
}

void WindowWriter::use_input(const ValueMap& point) {
  here();
  WindowBlock b = blocks_.at(point);
  const ValueId used = number(used_at);
  when(changed(b, starts_at, builder_.emit(Eq{used, builder_.integer(0)})), [&] {
    blocks_.locate(b, false);
    builder_.emit(
        Wait{semaphore(landed_, builder_.emit(Mod{used, builder_.integer(window_.depth)})),
             blocks_.bytes(b)});
    set_number(used_at, builder_.add(used, builder_.integer(1)));
    remember(b, starts_at);
  });
  expander_.replace(stmt_.result, {slot(current(b, used_at), nullptr), false});
}

// Writes back the open block: only its elements that were stored.
void WindowWriter::flush(ValueId opened) {
  WindowBlock b;
  for (std::size_t d = 0; d < static_cast<std::size_t>(window_.source.rank); ++d) {
    const auto fixed = old_.constant(window_.source.start[d]);
    b.start.push_back(fixed ? builder_.integer(*fixed)
                            : number(starts_at + static_cast<std::int64_t>(d)));
  }
  blocks_.locate(b, false);
  const ValueId which = slot_of(builder_.sub(opened, builder_.integer(1)));
  builder_.emit(WriteBack{slot(which, &b), b.source, semaphore(stored_, which)});
  if (!is_at_once_) scratch_.store(state_, bytes_at(which), blocks_.bytes(b));
}

// Waits until the last block written back from the slot is stored.
void WindowWriter::await_stored(ValueId which) {
  builder_.emit(Wait{semaphore(stored_, which), scratch_.load(state_, bytes_at(which))});
}

void WindowWriter::use_output(const ValueMap& point) {
  here();
  WindowBlock b = blocks_.at(point);
  const ValueId opened = number(opened_at);
  when(changed(b, starts_at, builder_.emit(Eq{opened, builder_.integer(0)})),
       [&] { open(b, opened, point); });
  expander_.replace(stmt_.result, {slot(current(b, opened_at), nullptr), false});
}

// Opens a new block: writes back the block before it, and waits until a slot is free.
void WindowWriter::open(WindowBlock& b, ValueId opened, const ValueMap& point) {
  const ValueId depth = builder_.integer(window_.depth);
  blocks_.locate(b, true);
  const ValueId which = slot_of(opened);
  if (!b.stays(builder_.program())) {
    when(builder_.emit(Lt{builder_.integer(0), opened}), [&] { flush(opened); });
    if (!is_at_once_) when(builder_.emit(Le{depth, opened}), [&] { await_stored(which); });
  }
  builder_.emit(Fresh{slot(which, nullptr)});
  if (window_.update != 0)
    when(expander_.mapped(window_.update_when, point), [&] {
      const Slice landed = semaphore(landed_, which);
      if (window_.pad != 0 && !blocks_.always_inside())
        builder_.emit(Pad{slot(which, nullptr), slot(which, &b)});
      builder_.emit(Start{b.source, slot(which, &b), landed, 0});
      if (!is_at_once_) builder_.emit(Wait{landed, blocks_.bytes(b)});
    });
  set_number(opened_at, builder_.add(opened, builder_.integer(1)));
  remember(b, starts_at);
}

void WindowWriter::close() {
  if (!part_.is_output || part_.is_view) return;
  here();
  const ValueId zero = builder_.integer(0), opened = number(opened_at);
  when(builder_.emit(Lt{zero, opened}), [&] {
    flush(opened);
    set_number(opened_at, zero);
  });
}

void WindowWriter::drain() {
  if (!part_.is_output || part_.is_view) return;
  here();
  const ValueId depth = builder_.integer(window_.depth), zero = builder_.integer(0);
  const ValueId opened = number(opened_at);
  when(builder_.emit(Lt{zero, opened}), [&] { flush(opened); });
  if (is_at_once_) return;
  const ValueId count =
      builder_.emit(For{builder_.max(zero, builder_.sub(opened, depth)), opened, 0}, "number");
  await_stored(builder_.emit(Mod{count, depth}));
  builder_.emit(End{});
}

// A window on memory that the core reads in place: the rectangle itself, or a copy (padded if the
// window is) if the rectangle may exceed the memory.
void WindowWriter::use_view(const ValueMap& point) {
  WindowBlock b = blocks_.at(point);
  blocks_.locate(b, false);
  if (blocks_.always_inside()) return expander_.replace(stmt_.result, {b.source, true});
  if (part_.is_output) return refuse_view(b);
  copy_view(b);
}

void WindowWriter::refuse_view(WindowBlock& b) {
  expander_.diags().push_back(
      {ErrorCode::unsupported,
       old_.loc(stmt_.place),
       fmt::format("`{}` is stored and not on hbm: expected a size that divides the memory, and a "
                   "place that is a multiple of it",
                   old_.value(stmt_.result).name),
       {}});
  // The body is still written as if the block were inside, to avoid follow-up errors.
  const std::vector<int> dims = kept(b.source);
  for (std::size_t i = 0; i < dims.size(); ++i)
    b.source.size[static_cast<std::size_t>(dims[i])] = builder_.integer(part_.block[i]);
  expander_.replace(stmt_.result, {b.source, true});
}

void WindowWriter::copy_view(WindowBlock& b) {
  if (slots_ == no_value) {
    Buffer copy;
    copy.name = old_.value(stmt_.result).name;
    copy.space = Space::vmem;
    copy.dtype = ref_info(old_, stmt_.result).dtype;
    copy.shape = part_.block;
    copy.shape.insert(copy.shape.begin(), 1);
    slots_ = builder_.buffer(std::move(copy));
  }
  const ValueId zero = builder_.integer(0);
  when(b.when, [&] {
    blocks_.locate(b, true);
    builder_.emit(Fresh{slot(zero, nullptr)});
    if (window_.pad != 0) builder_.emit(Pad{slot(zero, nullptr), slot(zero, &b)});
    builder_.emit(Cast{slot(zero, &b), b.source});
  });
  expander_.replace(stmt_.result,
                    {slot(builder_.select(b.when, zero, builder_.integer(1)), nullptr), false});
}

}  // namespace tessera

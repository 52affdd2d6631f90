// One window of a pipeline: when its block changes, what is fetched, awaited, taken and written
// back.
#include <fmt/format.h>

#include <algorithm>

#include "core/passes/expand_pipeline.h"

namespace tessera {
namespace {

// Positions in a window's state array; the starts in use follow at 3, those fetched last after
// them.
constexpr std::int64_t fetched_at = 0, used_at = 1, opened_at = 2, starts_at = 3;

}  // namespace

bool PipelineWriter::multiple_of(ValueId id, std::int64_t factor) {
  const Program& p = builder_.program();
  const Value& v = p.value(id);
  if (v.constant) return v.integer % factor == 0;
  if (v.statement < 0) return false;
  const Op& op = p.body[static_cast<std::size_t>(v.statement)].op;
  if (const auto* mul = std::get_if<Mul>(&op))
    return multiple_of(mul->a, factor) || multiple_of(mul->b, factor);
  if (const auto* add = std::get_if<Add>(&op))
    return multiple_of(add->a, factor) && multiple_of(add->b, factor);
  if (const auto* sub = std::get_if<Sub>(&op))
    return multiple_of(sub->a, factor) && multiple_of(sub->b, factor);
  return false;
}

// A block that starts at a multiple of its size never leaves an extent that is a multiple too.
bool PipelineWriter::divides(ValueId start, std::int64_t block, ValueId extent) {
  const auto limit = builder_.program().constant(extent);
  return limit && block > 0 && *limit % block == 0 && multiple_of(start, block);
}

ValueId PipelineWriter::clipped(ValueId start, std::int64_t block, ValueId extent) {
  if (divides(start, block, extent)) return builder_.integer(block);
  return builder_.min(builder_.integer(block), builder_.sub(extent, start));
}

PipelineWriter::Block PipelineWriter::block(const WindowState& w, const ValueMap& at_point) {
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  Block b;
  b.when = expander_.mapped(window.when, at_point);
  for (std::size_t d = 0; d < static_cast<std::size_t>(window.source.rank); ++d)
    b.start.push_back(expander_.mapped(window.source.start[d], at_point));
  return b;
}

namespace {

// The extents of a window's source in the new program.
std::vector<ValueId> extents(Builder& builder, const Program& old, ValueId ref,
                             const std::map<ValueId, Replacement>& replaced) {
  std::vector<ValueId> result;
  if (const auto it = replaced.find(ref); it != replaced.end()) {
    for (int d : kept(it->second.slice))
      result.push_back(it->second.slice.size[static_cast<std::size_t>(d)]);
    return result;
  }
  for (std::int64_t extent : ref_info(old, ref).bound) result.push_back(builder.integer(extent));
  return result;
}

}  // namespace

// The rectangle of the operand that a block starting at b.start covers. With `check`, a block that
// has nothing inside the operand ends the run.
void PipelineWriter::locate(WindowState& w, Block& b, bool check) {
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  const ValueId ref = window.source.base;
  const std::vector<ValueId> extent = extents(builder_, old_, ref, expander_.replaced_);
  Slice inner;
  inner.rank = window.source.rank;
  inner.dropped = window.source.dropped;
  b.size.clear();
  std::size_t kept_dim = 0;
  w.inside.resize(extent.size(), false);
  for (std::size_t d = 0; d < extent.size(); ++d) {
    const bool dropped = inner.dropped >> d & 1;
    const std::int64_t block = dropped ? 1 : w.block[kept_dim++];
    // A single element of memory in place is inside or missed altogether, which its use finds out.
    const bool single = w.is_view && block == 1;
    if (!dropped && (single || divides(b.start[d], block, extent[d]))) w.inside[d] = true;
    const ValueId size =
        dropped || w.inside[d] ? builder_.integer(block) : clipped(b.start[d], block, extent[d]);
    const auto start = builder_.program().constant(b.start[d]),
               limit = builder_.program().constant(extent[d]);
    const bool known = start && limit && *start >= 0 && *start < *limit;
    if (check && !dropped && !w.inside[d] && !known)
      builder_.emit(Bounds{b.start[d], builder_.integer(1), extent[d]});
    inner.start[d] = b.start[d];
    inner.size[d] = size;
    b.size.push_back(size);
  }
  if (const auto it = expander_.replaced_.find(ref); it != expander_.replaced_.end()) {
    Replacement unchecked = it->second;
    unchecked.checked = false;  // clipped to its extents already
    b.source = expander_.compose(unchecked, inner);
  } else {
    inner.base = expander_.mapped(ref, around_);
    b.source = inner;
  }
}

bool PipelineWriter::always_inside(const WindowState& w) const {
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  for (std::size_t d = 0; d < w.inside.size(); ++d)
    if (!w.inside[d] && !(window.source.dropped >> d & 1)) return false;
  return true;
}

// Slot `which`, or the part of it that a clipped block fills.
Slice PipelineWriter::slot(const WindowState& w, ValueId which, const Block* clip) {
  Slice s = builder_.whole(w.slots);
  s.start[0] = which;
  s.size[0] = builder_.integer(1);
  s.dropped = 1;
  if (clip)
    for (std::size_t i = 0; i < w.dims.size(); ++i)
      s.size[i + 1] = clip->size[static_cast<std::size_t>(w.dims[i])];
  return s;
}

Slice PipelineWriter::semaphore(ValueId sem, ValueId which) {
  return builder_.element(sem, {&which, 1});
}

ValueId PipelineWriter::bytes(const WindowState& w, const Block& b) {
  const Buffer& slots = *builder_.program().buffer(w.slots);
  ValueId total = builder_.integer(size_of(slots.dtype));
  for (int d : w.dims) total = builder_.mul(total, b.size[static_cast<std::size_t>(d)]);
  return total;
}

// The block at b.start is not the one whose starts are remembered at `at`, or there is none yet.
ValueId PipelineWriter::changed(const WindowState& w, const Block& b, std::int64_t at,
                                ValueId first) {
  ValueId result = first;
  for (std::size_t d = 0; d < b.start.size(); ++d) {
    if (builder_.program().constant(b.start[d])) continue;
    const ValueId differs =
        builder_.emit(Ne{b.start[d], load_number(w.state, at + static_cast<std::int64_t>(d))});
    result = builder_.emit(Or{result, differs});
  }
  return builder_.emit(And{b.when, result});
}

void PipelineWriter::remember(const WindowState& w, const Block& b, std::int64_t at) {
  for (std::size_t d = 0; d < b.start.size(); ++d)
    if (!builder_.program().constant(b.start[d]))
      store_number(w.state, at + static_cast<std::int64_t>(d), b.start[d]);
}

// It is opened once: no earlier block has to go back before it.
bool PipelineWriter::stays(const Block& b) const {
  return std::all_of(b.start.begin(), b.start.end(),
                     [&](ValueId start) { return builder_.program().constant(start); });
}

void PipelineWriter::fetch(WindowState& w, const ValueMap& at_point) {
  at(w);
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  const std::int64_t remembered = starts_at + window.source.rank;
  Block b = block(w, at_point);
  const ValueId fetched = load_number(w.state, fetched_at);
  when(changed(w, b, remembered, builder_.emit(Eq{fetched, builder_.integer(0)})), [&] {
    locate(w, b, true);
    const ValueId which = builder_.emit(Mod{fetched, builder_.integer(window.depth)});
    if (!always_inside(w)) {
      if (window.pad != 0)
        builder_.emit(Pad{slot(w, which, nullptr), slot(w, which, &b)});
      else
        builder_.emit(Fresh{slot(w, which, nullptr)});
    }
    builder_.emit(Start{b.source, slot(w, which, &b), semaphore(w.landed, which), 0});
    store_number(w.state, fetched_at, builder_.add(fetched, builder_.integer(1)));
    remember(w, b, remembered);
  });
}

// A step in which the window is off sees a slot that does not exist.
ValueId PipelineWriter::current(const WindowState& w, const Block& b, std::int64_t counter) {
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  const ValueId depth = builder_.integer(window.depth);
  const ValueId which =
      builder_.emit(Mod{builder_.sub(load_number(w.state, counter), builder_.integer(1)), depth});
  return builder_.select(b.when, which, depth);
}

void PipelineWriter::use_input(WindowState& w, const ValueMap& at_point) {
  at(w);
  const Stmt& s = old_.body[static_cast<std::size_t>(w.at)];
  const auto& window = std::get<Window>(s.op);
  Block b = block(w, at_point);
  const ValueId used = load_number(w.state, used_at);
  when(changed(w, b, starts_at, builder_.emit(Eq{used, builder_.integer(0)})), [&] {
    locate(w, b, false);
    builder_.emit(
        Wait{semaphore(w.landed, builder_.emit(Mod{used, builder_.integer(window.depth)})),
             bytes(w, b)});
    store_number(w.state, used_at, builder_.add(used, builder_.integer(1)));
    remember(w, b, starts_at);
  });
  expander_.replaced_[s.result] = {slot(w, current(w, b, used_at), nullptr), false};
}

// The block that was open goes back: only what was stored of it.
void PipelineWriter::flush(WindowState& w, ValueId opened) {
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  Block b;
  for (std::size_t d = 0; d < static_cast<std::size_t>(window.source.rank); ++d) {
    const auto fixed = old_.constant(window.source.start[d]);
    b.start.push_back(fixed ? builder_.integer(*fixed)
                            : load_number(w.state, starts_at + static_cast<std::int64_t>(d)));
  }
  locate(w, b, false);
  const ValueId which =
      builder_.emit(Mod{builder_.sub(opened, builder_.integer(1)), builder_.integer(window.depth)});
  builder_.emit(WriteBack{slot(w, which, &b), b.source, semaphore(w.stored, which)});
  store(w.state, builder_.add(which, builder_.integer(starts_at + 2 * window.source.rank)),
        bytes(w, b));
}

void PipelineWriter::use_output(WindowState& w, const ValueMap& at_point) {
  at(w);
  const Stmt& s = old_.body[static_cast<std::size_t>(w.at)];
  const auto& window = std::get<Window>(s.op);
  const ValueId depth = builder_.integer(window.depth);
  Block b = block(w, at_point);
  const ValueId opened = load_number(w.state, opened_at);
  when(changed(w, b, starts_at, builder_.emit(Eq{opened, builder_.integer(0)})), [&] {
    locate(w, b, true);
    const ValueId which = builder_.emit(Mod{opened, depth});
    if (!stays(b)) {
      when(builder_.emit(Lt{builder_.integer(0), opened}), [&] { flush(w, opened); });
      when(builder_.emit(Le{depth, opened}), [&] {
        builder_.emit(
            Wait{semaphore(w.stored, which),
                 load(w.state,
                      builder_.add(which, builder_.integer(starts_at + 2 * window.source.rank)))});
      });
    }
    builder_.emit(Fresh{slot(w, which, nullptr)});
    if (window.update != 0)
      when(expander_.mapped(window.update_when, at_point), [&] {
        const Slice landed = semaphore(w.landed, which);
        if (window.pad != 0 && !always_inside(w))
          builder_.emit(Pad{slot(w, which, nullptr), slot(w, which, &b)});
        builder_.emit(Start{b.source, slot(w, which, &b), landed, 0});
        builder_.emit(Wait{landed, bytes(w, b)});
      });
    store_number(w.state, opened_at, builder_.add(opened, builder_.integer(1)));
    remember(w, b, starts_at);
  });
  expander_.replaced_[s.result] = {slot(w, current(w, b, opened_at), nullptr), false};
}

// After the last step: the open block goes back, and every write-back that was not awaited is.
void PipelineWriter::drain(WindowState& w) {
  at(w);
  const auto& window = std::get<Window>(old_.body[static_cast<std::size_t>(w.at)].op);
  const ValueId depth = builder_.integer(window.depth), zero = builder_.integer(0);
  const ValueId opened = load_number(w.state, opened_at);
  when(builder_.emit(Lt{zero, opened}), [&] { flush(w, opened); });
  const ValueId number =
      builder_.emit(For{builder_.max(zero, builder_.sub(opened, depth)), opened, 0}, "number");
  const ValueId which = builder_.emit(Mod{number, depth});
  builder_.emit(Wait{
      semaphore(w.stored, which),
      load(w.state, builder_.add(which, builder_.integer(starts_at + 2 * window.source.rank)))});
  builder_.emit(End{});
}

// Memory that the core reads in place: the window is the rectangle itself, or a padded copy where
// it may leave it.
void PipelineWriter::use_view(WindowState& w, const ValueMap& at_point) {
  at(w);
  const Stmt& s = old_.body[static_cast<std::size_t>(w.at)];
  const auto& window = std::get<Window>(s.op);
  Block b = block(w, at_point);
  locate(w, b, false);
  if (always_inside(w)) {
    expander_.replaced_[s.result] = {b.source, true};
    return;
  }
  if (w.is_output) {
    expander_.diags_.push_back(
        {ErrorCode::unsupported,
         old_.loc(s.place),
         fmt::format("`{}` is stored and not on hbm: expected a size that divides the memory, and "
                     "a place that is a multiple of it",
                     old_.value(s.result).name),
         {}});
    // The body is still written, as if the block were there: nothing else may look wrong.
    const std::vector<int> dims = kept(b.source);
    for (std::size_t i = 0; i < dims.size(); ++i)
      b.source.size[static_cast<std::size_t>(dims[i])] = builder_.integer(w.block[i]);
    expander_.replaced_[s.result] = {b.source, true};
    return;
  }
  if (w.slots == no_value) {
    Buffer copy;
    copy.name = old_.value(s.result).name;
    copy.space = Space::vmem;
    copy.dtype = ref_info(old_, s.result).dtype;
    copy.shape = w.block;
    copy.shape.insert(copy.shape.begin(), 1);
    w.slots = builder_.buffer(std::move(copy));
  }
  const ValueId zero = builder_.integer(0);
  when(b.when, [&] {
    locate(w, b, true);
    builder_.emit(Fresh{slot(w, zero, nullptr)});
    if (window.pad != 0) builder_.emit(Pad{slot(w, zero, nullptr), slot(w, zero, &b)});
    builder_.emit(Cast{slot(w, zero, &b), b.source});
  });
  expander_.replaced_[s.result] = {
      slot(w, builder_.select(b.when, zero, builder_.integer(1)), nullptr), false};
}

}  // namespace tessera

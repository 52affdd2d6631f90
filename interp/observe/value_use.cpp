#include "interp/observe/value_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "interp/machine/loop_indices.h"
#include "interp/machine/planning_memory.h"
#include "interp/memory/box_cover.h"

namespace tessera {
namespace {

// Max number of operand elements of all devices; with more, reads of operands are not tracked.
constexpr std::int64_t max_elements = std::int64_t{1} << 31;

// Memory that a copy reads; none for other statements.
BufferId source_of(const Program& program, const Op& op) {
  const Slice* src = nullptr;
  if (const auto* start = std::get_if<Start>(&op)) src = &start->src;
  if (const auto* start = std::get_if<StartRemote>(&op)) src = &start->src;
  return src == nullptr ? BufferId() : program.value(src->base).buffer;
}

// False for zeros that the compiler adds, and for copies of buffers declared `may_be_unread`.
bool is_tracked_statement(const Program& program, const Op& op) {
  if (std::holds_alternative<Pad>(op)) return false;
  const BufferId source = source_of(program, op);
  return !source || !program.buffers[source].may_be_unread;
}

int longest_dim(const Shape& shape) {
  return static_cast<int>(std::max_element(shape.begin(), shape.end()) - shape.begin());
}

// Calls f(iterator) for the unread writes that may overlap the box. f may erase its iterator.
template <typename Writes, typename F>
void for_each_near(Writes& writes, const Box& box, F&& f) {
  const bool has_dims = box.rank > 0;
  const std::int64_t begin = has_dims ? box.start[Box::at(writes.dim)] : 0;
  const std::int64_t end = has_dims ? box.end(writes.dim) : 1;
  auto at = writes.unread.upper_bound(begin - writes.longest);
  while (at != writes.unread.end() && at->first < end) f(at++);
}

bool meets(const std::vector<Box>& boxes, const Box& box) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) { return intersects(b, box); });
}

}  // namespace

void ValueUse::begin(const Program& program, const RunOptions& options) {
  *this = ValueUse(max_unread_);
  program_ = &program;
  topology_ = {options.machine.devices, options.machine.cores, options.machine.loop_workers};
  const Table<BufferId, bool> is_private = private_buffers(program);
  std::int64_t elements = 0;
  for (const BufferId id : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[id];
    // The caller may read the results of each of several launches.
    const bool is_taken = buffer.role == Role::out && program.call_place;
    const bool is_watched = !is_private[id] && !buffer.may_be_unread && !is_taken;
    is_watched_.add(is_watched);
    if (buffer.role != Role::in || !is_watched) continue;
    elements += options.machine.devices * tessera::elements(buffer.shape);
    for (std::int32_t device = 0; device < options.machine.devices && elements <= max_elements;
         ++device) {
      const Layout layout(buffer);
      operands_.emplace(std::pair(device, id), Operand{layout, BitPlane(layout.elements)});
    }
  }
  drop_ = drops(program);
  for (const Stmt& statement : program.body)
    is_tracked_.add(is_tracked_statement(program, statement.op));
  if (elements > max_elements)
    give_up(
        fmt::format("the operands have {} elements in all, more than {}", elements, max_elements));
}

void ValueUse::on(const Event& event) {
  if (!why_unknown_.empty() || event.object_kind != ObjectKind::buffer ||
      !is_watched_[event.object.buffer()])
    return;
  switch (event.kind) {
    case EventKind::read:
      return read(event);
    case EventKind::write:
      overwrite(event, true);
      return write(event);
    case EventKind::update:
    case EventKind::accumulate:
      read(event);
      return write(event);
    case EventKind::fresh:
    case EventKind::release:
      return overwrite(event, false);
    default:
      return;
  }
}

void ValueUse::end(RunResult& result) {
  const bool is_whole = result.end == RunEnd::program && result.findings.empty();
  if (!is_whole || !why_unknown_.empty()) return;
  for (const auto& [memory, writes] : writes_) {
    const BufferId buffer = memory.second;
    for (const auto& [start, write] : writes.unread) add_unused(write, buffer, false);
  }
  note_operands();
  for (const auto& [place, unused] : unused_)
    if (is_worth_a_note(place, unused)) notes_.push_back(unused_write(place, unused));
  std::stable_sort(notes_.begin(), notes_.end(), [](const Finding& a, const Finding& b) {
    return std::tuple(a.at.loc.line, a.at.loc.column) < std::tuple(b.at.loc.line, b.at.loc.column);
  });
}

ValueUse::Writes& ValueUse::writes_to(const Event& event) {
  const Buffer& buffer = program_->buffers[event.object.buffer()];
  const CoreIndex owner = topology_.owner(event.core, buffer.space);
  const auto [at, is_new] = writes_.try_emplace({owner, event.object.buffer()});
  if (is_new) at->second.dim = longest_dim(buffer.shape);
  return at->second;
}

void ValueUse::read(const Event& event) {
  const std::int32_t device = topology_.device(event.core);
  if (const auto operand = operands_.find({device, event.object.buffer()});
      operand != operands_.end()) {
    Operand& of = operand->second;
    if (of.read.is_set()) return;
    const PlaceId reader = program_->body[event.statement].place;
    if (std::find(of.readers.rbegin(), of.readers.rend(), reader) == of.readers.rend())
      of.readers.push_back(reader);
    of.layout.for_each_run(*event.box,
                           [&](std::int64_t at, std::int64_t n) { of.read.set(at, n); });
    return;
  }
  Writes& writes = writes_to(event);
  for_each_near(writes, *event.box, [&](auto at) {
    if (!meets(at->second.rest, *event.box)) return;
    writes.unread.erase(at);
    --unread_;
  });
}

// A partial copy emits several writes. They do not overwrite each other.
void ValueUse::overwrite(const Event& event, bool is_overwritten) {
  Writes& writes = writes_to(event);
  for_each_near(writes, *event.box, [&](auto at) {
    Write& write = at->second;
    if (event.agent.is_copy() && write.agent == event.agent) {
      writes.unread.erase(at);
      --unread_;
      --executed_[program_->place_of(event.statement)];
      return;
    }
    if (!meets(write.rest, *event.box)) return;
    std::vector<Box> rest;
    for (const Box& box : write.rest)
      for (Box& left : without(box, *event.box)) rest.push_back(std::move(left));
    write.rest = std::move(rest);
    if (!write.rest.empty()) return;
    add_unused(write, event.object.buffer(), is_overwritten);
    writes.unread.erase(at);
    --unread_;
  });
}

void ValueUse::write(const Event& event) {
  if (!is_tracked_[event.statement]) return;
  if (unread_ == max_unread_)
    return give_up(fmt::format("more than {} writes wait to be read at one time", unread_));
  ++executed_[program_->place_of(event.statement)];
  Write write{*event.box, {*event.box}, event.agent, event.statement, {}};
  if (event.registers != nullptr)
    read_loops(*program_, event.statement, event.registers, write.loops);
  else if (event.loops != nullptr)
    write.loops = *event.loops;
  Writes& writes = writes_to(event);
  const bool has_dims = event.box->rank > 0;
  const std::int64_t start = has_dims ? event.box->start[Box::at(writes.dim)] : 0;
  const std::int64_t extent = has_dims ? event.box->size[Box::at(writes.dim)] : 1;
  writes.longest = std::max(writes.longest, extent);
  writes.unread.emplace(start, std::move(write));
  ++unread_;
}

// Counts by place: all statements that a pipeline generates from one source statement have the same
// place.
void ValueUse::add_unused(const Write& write, BufferId buffer, bool is_overwritten) {
  if (!is_overwritten && drop_[buffer] == Drop::meant) return;
  Unused& unused = unused_[program_->place_of(write.statement)];
  if (unused.count++ == 0) {
    unused.first = write;
    unused.buffer = buffer;
    unused.is_overwritten = is_overwritten;
  }
  unused.overwritten += is_overwritten ? 1 : 0;
  unused.devices.insert(write.agent.device);
}

void ValueUse::give_up(std::string why) {
  why_unknown_ = std::move(why);
  writes_.clear();
  operands_.clear();
  unused_.clear();
}

}  // namespace tessera

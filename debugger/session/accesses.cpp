#include "debugger/session/accesses.h"

#include <algorithm>

#include "interp/machine/loop_indices.h"

namespace tessera {
namespace {

bool changes(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::accumulate || kind == EventKind::update ||
         kind == EventKind::alloc || kind == EventKind::fresh;
}

Box box_of(const Slice& slice, const std::int64_t* registers) {
  Box box{.rank = slice.rank, .dropped = slice.dropped};
  for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
    box.start[d] = registers[slice.start[d].index];
    box.size[d] = registers[slice.size[d].index];
  }
  return box;
}

}  // namespace

void Accesses::begin(Machine& machine) {
  all_.clear();
  by_buffer_.clear();
  reads_.clear();
  ends_.clear();
  const Program& program = machine.program();
  const auto owner = [&](const Region& region) {
    return machine.topology().owner(region.core, program.buffers[region.buffer].space);
  };
  for (const std::int32_t slot : machine.copies().slots()) {
    const Copy& copy = machine.copies().at(slot);
    ends_[key(copy.id)] = {owner(copy.src), owner(copy.dst), copy.src.buffer,
                           copy.dst.buffer, copy.src.box,    copy.dst.box};
  }
}

void Accesses::on(Machine& machine, const Event& event) {
  const Program& program = machine.program();
  const auto owner = [&](CoreIndex core, BufferId buffer) {
    return machine.topology().owner(core, program.buffers[buffer].space);
  };
  if (event.kind == EventKind::start) {
    const Op& op = program.body[event.statement].op;
    AgentId copy = event.agent;
    copy.dma = event.token;
    const auto note = [&](const Slice& src, const Slice& dst, CoreIndex there) {
      const CoreIndex here = machine.topology().of(event.agent);
      const BufferId from = program.value(src.base).buffer, to = program.value(dst.base).buffer;
      ends_[key(copy)] = {
          owner(here, from),           owner(there, to), from, to, box_of(src, event.registers),
          box_of(dst, event.registers)};
    };
    const CoreIndex here = machine.topology().of(event.agent);
    if (const auto* local = std::get_if<Start>(&op)) note(local->src, local->dst, here);
    if (const auto* back = std::get_if<WriteBack>(&op)) note(back->src, back->dst, here);
    if (const auto* remote = std::get_if<StartRemote>(&op)) {
      const AgentId there{static_cast<std::int32_t>(event.registers[remote->device.index]),
                          static_cast<std::int16_t>(remote->core.id == no_value
                                                        ? event.agent.core
                                                        : event.registers[remote->core.id.index])};
      const bool is_own = there == AgentId{event.agent.device, event.agent.core};
      note(remote->src, remote->dst, is_own ? here : machine.topology().of(there));
    }
    return;
  }
  if (event.object_kind != ObjectKind::buffer || event.box == nullptr) return;
  if (event.kind != EventKind::read && !changes(event.kind)) return;
  const BufferId buffer = event.object.buffer();
  Access access{event.kind, event.step - 1, event.agent, event.statement, owner(event.core, buffer),
                buffer,     *event.box};
  if (changes(event.kind)) {
    if (event.registers != nullptr)
      read_loops(program, event.statement, event.registers, access.loops);
    else if (event.loops != nullptr)
      access.loops = *event.loops;
    by_buffer_[{access.owner, buffer}].push_back(all_.size());
  } else if (event.agent.is_copy()) {
    reads_[key(event.agent)].push_back(all_.size());
  }
  all_.push_back(std::move(access));
}

const Access* Accesses::last_write(CoreIndex owner, BufferId buffer, const Box& box,
                                   std::int64_t event) const {
  const auto found = by_buffer_.find({owner, buffer});
  if (found == by_buffer_.end()) return nullptr;
  for (auto i = found->second.rbegin(); i != found->second.rend(); ++i)
    if (all_[*i].event < event && intersects(all_[*i].box, box)) return &all_[*i];
  return nullptr;
}

const Access* Accesses::last_read(const AgentId& copy, const Box& box, std::int64_t event) const {
  const auto found = reads_.find(key(copy));
  if (found == reads_.end()) return nullptr;
  for (auto i = found->second.rbegin(); i != found->second.rend(); ++i)
    if (all_[*i].event < event && intersects(all_[*i].box, box)) return &all_[*i];
  return nullptr;
}

std::vector<const Access*> Accesses::reads_for(const Access& write) const {
  std::vector<const Access*> reads;
  for (auto i = static_cast<std::size_t>(&write - all_.data()); i-- > 0;) {
    const Access& before = all_[i];
    if (before.event != write.event) break;
    if (before.kind == EventKind::read) reads.push_back(&before);
  }
  std::reverse(reads.begin(), reads.end());
  return reads;
}

const Access* Accesses::read_before(const Access& write, StmtId statement) const {
  for (auto i = static_cast<std::size_t>(&write - all_.data()); i-- > 0;) {
    const Access& before = all_[i];
    if (before.agent == write.agent && before.statement == statement) return &before;
  }
  return nullptr;
}

const CopyEnds* Accesses::ends(const AgentId& copy) const {
  const auto found = ends_.find(key(copy));
  return found == ends_.end() ? nullptr : &found->second;
}

}  // namespace tessera

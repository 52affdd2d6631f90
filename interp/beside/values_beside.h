// An observer that keeps values of its own beside those of the machine: who reads and writes what,
// and what copies carry, is the same whatever the values are. A `Tile` is a rectangle of them. What
// an op makes of its operands is the derived class's business; there the machine's memory still
// holds what it held before the op.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "core/report/diag.h"
#include "interp/machine/machine.h"
#include "interp/observe/observer.h"

namespace tessera::beside {

template <typename Tile>
class ValuesBeside : public Observer {
 public:
  // Before the first event; the machine lives longer.
  void attach(Machine& machine) {
    machine_ = &machine;
    program_ = &machine.program();
    topology_ = machine.topology();
    attached(machine);
  }
  void on(const Event& event) final;
  bool is_full() const final { return refusal_.has_value(); }

  // Why there are no values; the program's place with it.
  const std::optional<Diag>& refusal() const { return refusal_; }

 protected:
  virtual void attached(Machine& machine) = 0;
  // What a copy reads, and what it does where it lands; the tile has the shape of the event's box.
  virtual Tile taken(const Event& event) = 0;
  virtual void landed(const Event& event, const Tile& tile) = 0;
  virtual void added(const Event& event, const Tile& tile) = 0;
  // Of a tile that has the shape of `whole`.
  virtual Tile part_of(const Tile& tile, const Box& whole, const Box& part) = 0;
  // A buffer begins or ends to exist; a rectangle is undefined from here on.
  virtual void forgotten(SiteId home, BufferId buffer) = 0;
  virtual void undefined(SiteId home, BufferId buffer, const Box& box) = 0;
  // A number of scalar memory is read; an op writes.
  virtual void load(const Event& event) = 0;
  virtual void compute(const Event& event) = 0;

  void refuse(const std::string& what, ErrorCode code = ErrorCode::unsupported) {
    if (refusal_) return;
    refusal_ = Diag{code, program_->loc(op_at_hand().place), what, {}};
  }

  // Of an op that computes without a rule for these values.
  void refuse_tile_op(const char* what) {
    const Op& op = op_at_hand().op;
    if (class_of(op) == OpClass::tile) refuse(std::string(info(op).mnemonic) + what);
  }

  const Program& program() const { return *program_; }
  const Topology& topology() const { return topology_; }
  const Event& event() const { return *event_; }
  const Stmt& op_at_hand() const { return program_->body[event_->statement]; }
  std::int64_t register_of(ValueId value) const { return event_->registers[value.index]; }
  // Where the memory is kept that the event names, or an operand of the op at hand: the cores of a
  // device share its hbm.
  SiteId home(const Event& event) const {
    return topology_.home(event.site, program_->buffers[event.object.buffer()].space);
  }
  SiteId home(const Slice& slice) const {
    return topology_.home(topology_.of(event_->agent), program_->buffer(slice.base)->space);
  }
  SiteId home(BufferId buffer, int device) const {
    return topology_.home(topology_.first_of(device), program_->buffers[buffer].space);
  }
  Box box(const Slice& slice) const {
    Box box;
    box.rank = slice.rank;
    box.dropped = slice.dropped;
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      box.start[d] = register_of(slice.start[d]);
      box.size[d] = register_of(slice.size[d]);
    }
    return box;
  }
  DType type_of(const Slice& slice) const { return program_->buffer(slice.base)->dtype; }

 private:
  using Copier = std::tuple<std::int32_t, std::int16_t, std::int64_t>;
  static Copier copier(const AgentId& agent) { return {agent.device, agent.core, agent.dma}; }
  struct Moving {
    std::optional<Box> to;  // of a write-back, whose parts land
    Tile tile;
    bool has_landed = false;
  };

  bool moves(const Event& event);
  void on_copy(const Event& event);
  void on_core(const Event& event);

  const Machine* machine_ = nullptr;
  const Program* program_ = nullptr;
  Topology topology_;
  const Event* event_ = nullptr;  // the one at hand
  std::map<Copier, Moving> moving_;
  std::optional<Diag> refusal_;
};

template <typename Tile>
void ValuesBeside<Tile>::on(const Event& event) {
  // From a finding on an op may reach only some of its operands, and the values are not used.
  if (refusal_ || !machine_->findings().empty()) return;
  event_ = &event;
  const AgentId& agent = event.agent;
  if (event.kind == EventKind::start) {
    if (const auto* op = std::get_if<WriteBack>(&op_at_hand().op)) {
      AgentId copy = agent;
      copy.dma = event.token;
      moving_[copier(copy)].to = box(op->dst);
    }
  } else if (event.kind == EventKind::signal) {
    const auto found = agent.is_copy() ? moving_.find(copier(agent)) : moving_.end();
    if (found != moving_.end() && (found->second.has_landed || found->second.to))
      moving_.erase(found);
  } else if (event.object_kind == ObjectKind::buffer) {
    moves(event) ? on_copy(event) : on_core(event);
  }
}

// A copy does it, or a core that moves a block at once (core/passes/at_once.h).
template <typename Tile>
bool ValuesBeside<Tile>::moves(const Event& event) {
  if (event.agent.is_copy()) return true;
  if (class_of(op_at_hand().op) != OpClass::copy) return false;
  if (event.kind != EventKind::read) return true;
  const auto* const back = std::get_if<WriteBack>(&op_at_hand().op);
  moving_[copier(event.agent)].to = back != nullptr ? std::optional(box(back->dst)) : std::nullopt;
  return true;
}

template <typename Tile>
void ValuesBeside<Tile>::on_copy(const Event& event) {
  Moving& moving = moving_[copier(event.agent)];
  if (event.kind == EventKind::read) {
    moving.tile = taken(event);
    return;
  }
  moving.has_landed = true;
  if (event.kind == EventKind::accumulate) return added(event, moving.tile);
  if (!moving.to || same_rectangle(*moving.to, *event.box)) return landed(event, moving.tile);
  // Only what was stored comes back: this part of the whole.
  landed(event, part_of(moving.tile, *moving.to, *event.box));
}

template <typename Tile>
void ValuesBeside<Tile>::on_core(const Event& event) {
  const BufferId buffer = event.object.buffer();
  switch (event.kind) {
    case EventKind::alloc:
    case EventKind::release:
      return forgotten(home(event), buffer);
    case EventKind::fresh:
      return undefined(home(event), buffer, *event.box);
    case EventKind::read:
      // What tile ops read they ask for when they write.
      if (class_of(op_at_hand().op) == OpClass::cells) load(event);
      return;
    case EventKind::write:
    case EventKind::update:
      return compute(event);
    default:
      return;
  }
}

}  // namespace tessera::beside

// Shadow execution: an observer that computes a second value for each element that the machine
// computes. Addresses, amounts, masks and known integers are the machine's. The domain defines the
// values and their arithmetic; reads, writes, copies and the order of elements are the same for
// all domains.
//
// A domain has
//   Tile, Operand         tiles (analysis/shadow/tile.h); a tile without elements holds the
//                         machine's values. An operand is a tile with its type.
//   no_rule, no_control   ends of the refusals "OP ..." and "control flow depends on X, ..."
//   at(statement)         called before each event
//   starts_with_machines(buffer)  true if a buffer starts with the machine's values
//   machines(shape)       a plane of the machine's values
//   first(buffer, shape, device)  values of any other buffer at the start of the run
//   undefined(shape)      undefined values of such a buffer
//   operand(tile, type)   an operand without the machine's values
//   complete(operand, storage, box)  adds the machine's values, which are in the storage
//   of_integer, of_literal, of_real  return a number as an operand without dimensions
//   prepared(operand)     called for each operand of an op before its use
//   is_known(operand)     true if it does not depend on shadow values
//   binary, integers, function, power, select, cast, truncate, iota, bits, reduce, product,
//   accumulated (of a copy that adds)  return the tile that an op stores as type `to`, or an error
#pragma once
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/shadow/context.h"
#include "analysis/shadow/ops.h"
#include "interp/observe/observer.h"

namespace tessera::shadow {

template <typename Domain>
class ShadowRun : public Observer {
 public:
  template <typename... Arguments>
  explicit ShadowRun(Arguments&&... arguments) : domain_(std::forward<Arguments>(arguments)...) {}

  // Sets the machine whose events this object receives as an observer of the run. Must be called
  // before the first event. The machine must outlive this object.
  void attach(Machine& machine) {
    machine_ = &machine;
    at_.emplace(machine, domain_);
  }
  void on(const Event& event) final;
  bool is_full() const final { return at_ && refusal(); }

  // Reason why there are no values, with its source location; empty: there are values. Requires
  // attach().
  const std::optional<Diag>& refusal() const { return at_->refusal(); }

 protected:
  using Tile = typename Domain::Tile;
  using Operand = typename Domain::Operand;

  // Both require attach().
  const Context<Domain>& at() const { return *at_; }
  Context<Domain>& at() { return *at_; }
  const Domain& domain() const { return domain_; }

 private:
  struct Moving {
    std::optional<Box> to;  // target of a write-back; its regions may complete one by one
    Operand tile;
    bool has_landed = false;
  };
  using Copier = std::tuple<std::int32_t, std::int16_t, std::int64_t>;
  static Copier copier(const AgentId& agent) { return {agent.device, agent.core, agent.dma}; }

  // True for a copy, and for a core that copies a block synchronously (core/passes/at_once.h). At
  // the read of such a copy, also sets Moving::to.
  bool moves(const Event& event) {
    if (event.agent.is_copy()) return true;
    if (class_of(at_->op()) != OpClass::copy) return false;
    if (event.kind != EventKind::read) return true;
    const auto* const back = std::get_if<WriteBack>(&at_->op());
    moving_[copier(event.agent)].to =
        back != nullptr ? std::optional(at_->box(back->dst)) : std::nullopt;
    return true;
  }
  // Handle an event at a buffer. An error becomes the refusal.
  void on_copy(const Event& event);
  void on_core(const Event& event);
  void accumulate(const Operand& addend);
  void load(const Event& event);
  // True if the current op is a copy that adds.
  bool adds() const {
    if (const auto* start = std::get_if<Start>(&at_->op())) return start->add != 0;
    const auto* const remote = std::get_if<StartRemote>(&at_->op());
    return remote != nullptr && remote->add != 0;
  }

  Domain domain_;
  Machine* machine_ = nullptr;
  std::optional<Context<Domain>> at_;
  std::map<Copier, Moving> moving_;
};

template <typename Domain>
void ShadowRun<Domain>::on(const Event& event) {
  // After a finding, an op may have accessed only some of its operands, and the values are not
  // used.
  if (refusal() || !machine_->findings().empty()) return;
  at_->set(event);
  const AgentId& agent = event.agent;
  if (event.kind == EventKind::start) {
    if (const auto* op = std::get_if<WriteBack>(&at_->op())) {
      AgentId copy = agent;
      copy.dma = event.token;
      moving_[copier(copy)].to = at_->box(op->dst);
    }
  } else if (event.kind == EventKind::signal) {
    const auto found = agent.is_copy() ? moving_.find(copier(agent)) : moving_.end();
    if (found != moving_.end() && (found->second.has_landed || found->second.to))
      moving_.erase(found);
  } else if (event.object_kind == ObjectKind::buffer) {
    moves(event) ? on_copy(event) : on_core(event);
  }
}

template <typename Domain>
void ShadowRun<Domain>::on_copy(const Event& event) {
  Moving& moving = moving_[copier(event.agent)];
  const Box& box = *event.box;
  if (event.kind == EventKind::read) {
    // An addend has the machine's values as they are now.
    moving.tile = adds() ? at_->read() : Domain::operand(at_->raw(), at_->type());
    return;
  }
  moving.has_landed = true;
  if (event.kind == EventKind::accumulate) return accumulate(moving.tile);
  if (!moving.to || same_rectangle(*moving.to, box)) return at_->write(moving.tile);
  // A write-back writes only stored elements: this region of the tile.
  at_->write(picked(moving.tile, shape_of(box), [&](auto&& put) {
    for (std::int64_t i = 0, count = box.elements(); i < count; ++i)
      put(static_cast<std::size_t>(i),
          static_cast<std::size_t>(position_in(*moving.to, index_in(box, i))));
  }));
}

template <typename Domain>
void ShadowRun<Domain>::accumulate(const Operand& addend) {
  const Operand sum = at_->read();
  if (at_->are_machines(at_->type(), sum, addend)) return;
  const Expected<Tile> tile = domain_.accumulated(sum, addend, at_->type());
  tile ? at_->write(*tile) : at_->refuse(tile.diags().front().message);
}

template <typename Domain>
void ShadowRun<Domain>::on_core(const Event& event) {
  switch (event.kind) {
    case EventKind::alloc:
    case EventKind::release:
      return at_->memory().forget(at_->owner(), event.object.buffer());
    case EventKind::fresh:
      return at_->memory().undefine(at_->owner(), event.object.buffer(), *event.box);
    case EventKind::read:
      // Tile ops read their operands when they write.
      if (class_of(at_->op()) == OpClass::cells) load(event);
      return;
    case EventKind::write:
    case EventKind::update:
      return Ops(*at_).evaluate();
    default:
      return;
  }
}

template <typename Domain>
void ShadowRun<Domain>::load(const Event& event) {
  if (std::holds_alternative<LoadReal>(at_->op())) {
    Operand& real = at_->real(at_->statement().result);
    real = at_->read();
    real.shape.clear();
    real.dtype = DType::f32;
  } else if (!at_->raw().has_machines()) {
    at_->refuse(fmt::format("control flow depends on `{}`, {}",
                            at_->program().buffers[event.object.buffer()].name,
                            Domain::no_control));
  }
}

}  // namespace tessera::shadow

// The operands and targets of the current op in a shadow execution.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/shadow/memory.h"
#include "core/report/expected.h"

namespace tessera::shadow {

template <typename Domain>
class Context {
 public:
  using Tile = typename Domain::Tile;
  using Operand = typename Domain::Operand;

  // Both must outlive this object.
  Context(Machine& machine, Domain& domain)
      : program_(machine.program()),
        topology_(machine.topology()),
        domain_(domain),
        memory_(machine, domain) {}

  // Sets the current event, which must stay valid until the next call. Must be called before all
  // other functions except program(), domain(), memory(), refusal() and owner(buffer, device).
  void set(const Event& event) {
    event_ = &event;
    domain_.at(event.statement);
  }
  const Event& event() const { return *event_; }
  const Program& program() const { return program_; }
  const Stmt& statement() const { return program_.body[event_->statement]; }
  const Op& op() const { return statement().op; }
  Domain& domain() { return domain_; }
  Memory<Domain>& memory() { return memory_; }
  const Memory<Domain>& memory() const { return memory_; }

  // Reason why there are no values, with its source location. Empty: there are values.
  const std::optional<Diag>& refusal() const { return refusal_; }
  // Sets the refusal, at the current statement, unless there is one.
  void refuse(const std::string& what, ErrorCode code = ErrorCode::unsupported) {
    if (!refusal_) refusal_ = Diag{code, program_.loc(statement().place), what, {}};
  }
  // Rejects operands with shapes that the machine does not accept either.
  void refuse_operands() { refuse("operands do not fit each other", ErrorCode::invalid_value); }

  // Return the core that owns the memory of the event, which must access a buffer, and of a buffer
  // on a device (of the first core, if it is not hbm). The cores of a device share its hbm.
  CoreIndex owner() const {
    return topology_.owner(event_->core, program_.buffers[event_->object.buffer()].space);
  }
  CoreIndex owner(BufferId buffer, int device) const {
    return topology_.owner(topology_.first_of(device), program_.buffers[buffer].space);
  }
  // Return the element type of the accessed buffer, and of a slice, which must not be a number.
  DType type() const { return program_.buffers[event_->object.buffer()].dtype; }
  DType type(const Slice& slice) const { return program_.buffer(slice.base)->dtype; }
  // Return the shape and the rectangle of a slice, from the registers at the event.
  Extents shape(const Slice& slice) const { return shape_of(box(slice)); }
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

  // The rectangle of the event, which must access a buffer. Return its values without (raw) and
  // with (read) the machine's values, or store a tile there.
  Tile raw() const { return memory_.raw(owner(), event_->object.buffer(), *event_->box); }
  Operand read() { return memory_.read(owner(), event_->object.buffer(), *event_->box); }
  void write(const Tile& tile) {
    memory_.write(owner(), event_->object.buffer(), *event_->box, tile);
  }
  // Returns the operand for an f32 that a load returned on the current core, to set or read it;
  // empty before it is set. Stays valid as long as this object.
  Operand& real(ValueId value) { return reals_[{topology_.of(event_->agent), value}]; }

  // Returns a scalar, literal or loaded f32 as an operand without dimensions. id: not a ref.
  Operand number(ValueId id) {
    const Value& value = program_.value(id);
    if (value.kind == ValueKind::scalar) return domain_.of_integer(register_of(id));
    if (value.constant) return domain_.of_literal(value.real);
    if (const auto* real = std::get_if<ToReal>(&program_.body[value.statement].op))
      return domain_.of_real(register_of(real->a));
    return real(id);
  }
  // Returns the operand of an op: elements of memory, or a number.
  Operand operand(const Slice& slice) {
    const Value& base = program_.value(slice.base);
    return domain_.prepared(base.kind == ValueKind::ref
                                ? memory_.read(owner(slice), base.buffer, box(slice))
                                : number(slice.base));
  }
  // Returns the operand, broadcast to a target's shape. If that is not possible, refuses the op and
  // returns zeros.
  Operand operand(const Slice& slice, const Extents& shape) {
    Operand x = operand(slice);
    if (can_repeat(x.shape, shape)) return repeated(std::move(x), shape);
    refuse_operands();
    Operand none = repeated(domain_.of_integer(0), shape);
    none.dtype = x.dtype;
    return none;
  }
  // True if an op stores integers that do not depend on shadow values.
  template <typename... Operands>
  static bool are_machines(DType to, const Operands&... operands) {
    return is_integer(to) && ((Domain::is_known(operands) && is_integer(operands.dtype)) && ...);
  }
  // Stores a tile in the target of the op, which must be in a buffer. An error becomes the refusal,
  // and nothing is stored.
  void put(const Slice& dst, const Expected<Tile>& tile) {
    if (!tile) return refuse(tile.diags().front().message);
    memory_.write(owner(dst), program_.value(dst.base).buffer, box(dst), *tile);
  }
  // Marks the target as holding the machine's values.
  void leave(const Slice& dst) {
    Tile tile;
    tile.shape = shape(dst);
    put(dst, std::move(tile));
  }

 private:
  std::int64_t register_of(ValueId value) const { return event_->registers[value.index]; }
  CoreIndex owner(const Slice& slice) const {
    return topology_.owner(topology_.of(event_->agent), program_.buffer(slice.base)->space);
  }

  const Program& program_;
  const Topology topology_;
  Domain& domain_;
  Memory<Domain> memory_;
  const Event* event_ = nullptr;
  std::map<std::pair<CoreIndex, ValueId>, Operand> reals_;
  std::optional<Diag> refusal_;
};

}  // namespace tessera::shadow

// Statements that move data and count on semaphores, and what begins and ends the life of memory.
#include <fmt/format.h>

#include "core/lang/elaborate.h"

namespace tessera {

std::optional<Slice> Elaborator::semaphore(const Node& node) {
  const Entity entity = evaluate(node);
  if (entity.kind == Entity::Kind::nothing) return std::nullopt;
  if (entity.kind != Entity::Kind::sem) {
    fail(node, fmt::format("expected a semaphore, found {}", describe(entity)),
         ErrorCode::invalid_type);
    return std::nullopt;
  }
  if (!kept(entity.slice).empty()) {
    fail(node, fmt::format("expected one semaphore, found an array of {}",
                           kept(entity.slice).size() == 1 ? "them" : "arrays of them"));
    return std::nullopt;
  }
  return entity.slice;
}

Entity Elaborator::place(const Node& node) {
  if (node.kind == NodeKind::name) {
    if (const Entity* found = scope_->find(node.text)) return *found;
  }
  if (node.kind != NodeKind::index) return evaluate(node);
  const Entity base = evaluate(node.kids[0]);
  return base.kind == Entity::Kind::view ? index(base, node, 1) : evaluate(node);
}

// A rectangle of memory; one number of scalar memory counts too, as a place.
std::optional<Slice> Elaborator::memory(const Node& node) {
  const Entity entity = place(node);
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind != Entity::Kind::nothing)
    fail(node, fmt::format("expected memory, found {}", describe(entity)), ErrorCode::invalid_type);
  return std::nullopt;
}

void Elaborator::start(const Node& node) {
  const auto source = memory(node.kids[0]);
  if (node.kids.size() == 3) {
    const auto destination = memory(node.kids[1]);
    const auto sem = semaphore(node.kids[2]);
    if (!source || !destination || !sem) return;
    at(node);
    builder_.emit(Start{*source, *destination, *sem, node.integer});
    return;
  }
  const ValueId device = scalar(node.kids[1]);
  const auto destination = memory(node.kids[2]);
  const auto sent = semaphore(node.kids[3]), arrived = semaphore(node.kids[4]);
  const bool names_core = node.kids.size() > 5;
  const Maybe core{names_core ? scalar(node.kids[5]) : no_value};
  if (!source || device == no_value || !destination || !sent || !arrived ||
      (names_core && core.id == no_value))
    return;
  at(node);
  builder_.emit(StartRemote{*source, device, *destination, *sent, *arrived, node.integer, core});
}

// How many bytes a rectangle has.
ValueId Elaborator::bytes(const Slice& slice) {
  ValueId total = builder_.integer(size_of(ref_info(builder_.program(), slice.base).dtype));
  for (int d : kept(slice)) total = builder_.mul(total, slice.size[static_cast<std::size_t>(d)]);
  return total;
}

// copy SRC -> DST: a copy of its own semaphore, awaited at once.
void Elaborator::copy(const Node& node) {
  const auto source = memory(node.kids[0]), destination = memory(node.kids[1]);
  if (!source || !destination) return;
  at(node);
  if (copied_ == no_value) {
    Semaphore semaphore;
    semaphore.name = "copied";
    semaphore.kind = SemKind::bytes;
    copied_ = builder_.semaphore(std::move(semaphore));
  }
  const Slice sem = builder_.whole(copied_);
  builder_.emit(Start{*source, *destination, sem, 0});
  builder_.emit(Wait{sem, bytes(*source)});
}

void Elaborator::wait(const Node& node) {
  const auto sem = semaphore(node.kids[0]);
  if (node.kind == NodeKind::wait_for) {
    const auto slice = memory(node.kids[1]);
    if (!sem || !slice) return;
    at(node);
    builder_.emit(Wait{*sem, bytes(*slice)});
    return;
  }
  const ValueId count = scalar(node.kids[1]);
  if (!sem || count == no_value) return;
  at(node);
  if (node.text == "await")
    builder_.emit(Await{*sem, count});
  else
    builder_.emit(Wait{*sem, count});
}

void Elaborator::signal(const Node& node) {
  const auto sem = semaphore(node.kids[0]);
  const ValueId count = scalar(node.kids[1]);
  at(node);
  const ValueId device =
      node.kids.size() > 2 ? scalar(node.kids[2]) : builder_.emit(DeviceId{}, "device");
  const bool names_core = node.kids.size() > 3;
  const Maybe core{names_core ? scalar(node.kids[3]) : no_value};
  if (!sem || count == no_value || device == no_value || (names_core && core.id == no_value))
    return;
  at(node);
  builder_.emit(Signal{*sem, device, count, core});
}

void Elaborator::operate(const Node& node) {
  Slice slice;
  const Entity base =
      place(node.kids[0].kind == NodeKind::index ? node.kids[0].kids[0] : node.kids[0]);
  if (base.kind == Entity::Kind::nothing) return;
  if (base.kind == Entity::Kind::sem) {
    slice = base.slice;
  } else {
    const auto place = memory(node.kids[0]);
    if (!place) return;
    slice = *place;
  }
  at(node);
  if (node.text == "alloc")
    builder_.emit(Alloc{slice});
  else if (node.text == "free")
    builder_.emit(Free{slice});
  else if (node.text == "fresh")
    builder_.emit(Fresh{slice});
  else
    builder_.emit(Once{slice});
}

}  // namespace tessera

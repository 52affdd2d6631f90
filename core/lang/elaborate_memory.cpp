// Statements that move data and count on semaphores, and what begins and ends the life of memory.
#include <fmt/format.h>

#include "core/lang/elaborate.h"

namespace tessera {

std::optional<Slice> Elaborator::semaphore(const ast::Expression& node) {
  const Entity entity = evaluate(node);
  if (entity.kind == Entity::Kind::nothing) return std::nullopt;
  if (entity.kind != Entity::Kind::sem) {
    fail(node.loc(), fmt::format("expected a semaphore, found {}", describe(entity)),
         ErrorCode::invalid_type);
    return std::nullopt;
  }
  if (!kept(entity.slice).empty()) {
    fail(node.loc(), fmt::format("expected one semaphore, found an array of {}",
                                 kept(entity.slice).size() == 1 ? "them" : "arrays of them"));
    return std::nullopt;
  }
  return entity.slice;
}

Entity Elaborator::place(const ast::Expression& node) {
  if (const auto* name = node.as<ast::Name>()) {
    if (const Entity* found = scope_->find(name->name)) return *found;
  }
  const auto* indexed = node.as<ast::Index>();
  if (indexed == nullptr) return evaluate(node);
  const Entity base = evaluate(*indexed->base);
  return base.kind == Entity::Kind::view ? index(base, *indexed) : evaluate(node);
}

// A rectangle of memory; one number of scalar memory counts too, as a place.
std::optional<Slice> Elaborator::memory(const ast::Expression& node) {
  const Entity entity = place(node);
  if (entity.kind == Entity::Kind::view) return entity.slice;
  if (entity.kind != Entity::Kind::nothing)
    fail(node.loc(), fmt::format("expected memory, found {}", describe(entity)),
         ErrorCode::invalid_type);
  return std::nullopt;
}

void Elaborator::statement(const ast::Start& node) {
  const auto source = memory(node.source);
  const auto destination = memory(node.destination);
  const auto sem = semaphore(node.semaphore);
  if (!source || !destination || !sem) return;
  at(node.loc);
  builder_.emit(Start{*source, *destination, *sem, node.adds});
}

void Elaborator::statement(const ast::StartRemote& node) {
  const auto source = memory(node.source);
  const ValueId device = scalar(node.device);
  const auto destination = memory(node.destination);
  const auto sent = semaphore(node.sent), arrived = semaphore(node.arrived);
  const Maybe core{node.core ? scalar(*node.core) : no_value};
  if (!source || device == no_value || !destination || !sent || !arrived ||
      (node.core && core.id == no_value))
    return;
  at(node.loc);
  builder_.emit(StartRemote{*source, device, *destination, *sent, *arrived, node.adds, core});
}

// How many bytes a rectangle has.
ValueId Elaborator::bytes(const Slice& slice) {
  ValueId total = builder_.integer(size_of(ref_info(builder_.program(), slice.base).dtype));
  for (int d : kept(slice)) total = builder_.mul(total, slice.size[static_cast<std::size_t>(d)]);
  return total;
}

// copy SRC -> DST: a copy of its own semaphore, awaited at once.
void Elaborator::statement(const ast::Copy& node) {
  const auto source = memory(node.source), destination = memory(node.destination);
  if (!source || !destination) return;
  at(node.loc);
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

void Elaborator::statement(const ast::WaitFor& node) {
  const auto sem = semaphore(node.semaphore);
  const auto slice = memory(node.slice);
  if (!sem || !slice) return;
  at(node.loc);
  builder_.emit(Wait{*sem, bytes(*slice)});
}

void Elaborator::statement(const ast::Wait& node) {
  const auto sem = semaphore(node.semaphore);
  const ValueId count = scalar(node.count);
  if (!sem || count == no_value) return;
  at(node.loc);
  builder_.emit(Wait{*sem, count});
}

void Elaborator::statement(const ast::Await& node) {
  const auto sem = semaphore(node.semaphore);
  const ValueId count = scalar(node.count);
  if (!sem || count == no_value) return;
  at(node.loc);
  builder_.emit(Await{*sem, count});
}

void Elaborator::statement(const ast::Signal& node) {
  const auto sem = semaphore(node.semaphore);
  const ValueId count = scalar(node.count);
  at(node.loc);
  const ValueId device = node.device ? scalar(*node.device) : builder_.emit(DeviceId{}, "device");
  const Maybe core{node.core ? scalar(*node.core) : no_value};
  if (!sem || count == no_value || device == no_value || (node.core && core.id == no_value)) return;
  at(node.loc);
  builder_.emit(Signal{*sem, device, count, core});
}

void Elaborator::statement(const ast::Operate& node) {
  Slice slice;
  const auto* indexed = node.ref.as<ast::Index>();
  const Entity base = place(indexed != nullptr ? *indexed->base : node.ref);
  if (base.kind == Entity::Kind::nothing) return;
  if (base.kind == Entity::Kind::sem) {
    slice = base.slice;
  } else {
    const auto place = memory(node.ref);
    if (!place) return;
    slice = *place;
  }
  at(node.loc);
  switch (node.kind) {
    case ast::Operate::Kind::alloc:
      builder_.emit(Alloc{slice});
      return;
    case ast::Operate::Kind::free:
      builder_.emit(Free{slice});
      return;
    case ast::Operate::Kind::fresh:
      builder_.emit(Fresh{slice});
      return;
    case ast::Operate::Kind::once:
      builder_.emit(Once{slice});
      return;
  }
}

}  // namespace tessera

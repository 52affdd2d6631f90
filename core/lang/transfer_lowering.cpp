#include "core/lang/transfer_lowering.h"

#include <utility>

#include "core/lang/expressions.h"
#include "core/lang/place_lowering.h"

namespace tessera {

TransferLowering::TransferLowering(Draft& draft, Expressions& expressions, PlaceLowering& places)
    : draft_(draft), builder_(draft.builder()), expressions_(expressions), places_(places) {}

void TransferLowering::lower(const ast::Start& node) {
  const auto source = places_.memory(node.source);
  const auto destination = places_.memory(node.destination);
  const auto sem = places_.semaphore(node.semaphore);
  if (!source || !destination || !sem) return;
  draft_.at(node.loc);
  builder_.emit(Start{*source, *destination, *sem, node.adds});
}

void TransferLowering::lower(const ast::StartRemote& node) {
  const auto source = places_.memory(node.source);
  const ValueId device = expressions_.scalar(node.device);
  const auto destination = places_.memory(node.destination);
  const auto sent = places_.semaphore(node.sent), arrived = places_.semaphore(node.arrived);
  const Maybe core{node.core ? expressions_.scalar(*node.core) : no_value};
  if (!source || device == no_value || !destination || !sent || !arrived ||
      (node.core && core.id == no_value))
    return;
  draft_.at(node.loc);
  builder_.emit(StartRemote{*source, device, *destination, *sent, *arrived, node.adds, core});
}

// copy SRC -> DST: a copy of its own semaphore, awaited at once.
void TransferLowering::lower(const ast::Copy& node) {
  const auto source = places_.memory(node.source), destination = places_.memory(node.destination);
  if (!source || !destination) return;
  draft_.at(node.loc);
  if (copied_ == no_value) {
    Semaphore semaphore;
    semaphore.name = "copied";
    semaphore.kind = SemKind::bytes;
    copied_ = builder_.semaphore(std::move(semaphore));
  }
  const Slice sem = builder_.whole(copied_);
  builder_.emit(Start{*source, *destination, sem, 0});
  builder_.emit(Wait{sem, places_.bytes(*source)});
}

void TransferLowering::lower(const ast::WaitFor& node) {
  const auto sem = places_.semaphore(node.semaphore);
  const auto slice = places_.memory(node.slice);
  if (!sem || !slice) return;
  draft_.at(node.loc);
  builder_.emit(Wait{*sem, places_.bytes(*slice)});
}

void TransferLowering::lower(const ast::Wait& node) {
  const auto sem = places_.semaphore(node.semaphore);
  const ValueId count = expressions_.scalar(node.count);
  if (!sem || count == no_value) return;
  draft_.at(node.loc);
  builder_.emit(Wait{*sem, count});
}

void TransferLowering::lower(const ast::Await& node) {
  const auto sem = places_.semaphore(node.semaphore);
  const ValueId count = expressions_.scalar(node.count);
  if (!sem || count == no_value) return;
  draft_.at(node.loc);
  builder_.emit(Await{*sem, count});
}

void TransferLowering::lower(const ast::Signal& node) {
  const auto sem = places_.semaphore(node.semaphore);
  const ValueId count = expressions_.scalar(node.count);
  draft_.at(node.loc);
  const ValueId device =
      node.device ? expressions_.scalar(*node.device) : builder_.emit(DeviceId{}, "device");
  const Maybe core{node.core ? expressions_.scalar(*node.core) : no_value};
  if (!sem || count == no_value || device == no_value || (node.core && core.id == no_value)) return;
  draft_.at(node.loc);
  builder_.emit(Signal{*sem, device, count, core});
}

void TransferLowering::lower(const ast::Operate& node) {
  Slice slice;
  const auto* indexed = node.ref.as<ast::Index>();
  const Entity base = places_.place(indexed != nullptr ? *indexed->base : node.ref);
  if (base.kind == Entity::Kind::nothing) return;
  if (base.kind == Entity::Kind::sem) {
    slice = base.slice;
  } else {
    const auto place = places_.memory(node.ref);
    if (!place) return;
    slice = *place;
  }
  draft_.at(node.loc);
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

#include "core/lang/transfer_lowering.h"

#include <fmt/format.h>

#include <utility>

#include "core/lang/expressions.h"
#include "core/lang/names.h"
#include "core/lang/place_lowering.h"

namespace tessera {

TransferLowering::TransferLowering(Draft& draft, Names& names, Expressions& expressions,
                                   PlaceLowering& places)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      expressions_(expressions),
      places_(places) {}

void TransferLowering::give_name(const std::string& name, const Named& copy, const Loc& loc) {
  if (name.empty()) return;
  names_.bind(name, {.kind = Entity::Kind::copy, .copy = named_.add(copy)}, loc);
}

void TransferLowering::wait(const Counted& side) {
  builder_.emit(Wait{side.sem, places_.bytes(side.slice)});
}

void TransferLowering::lower(const ast::Start& node) {
  const auto source = places_.memory(node.source);
  const auto destination = places_.memory(node.destination);
  const auto sem = places_.semaphore(node.semaphore);
  if (!source || !destination || !sem) return;
  draft_.at(node.loc);
  builder_.emit(Start{*source, *destination, *sem, node.adds, node.reshapes});
  give_name(node.name, {{}, {*sem, *destination}}, node.loc);
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
  builder_.emit(
      StartRemote{*source, device, *destination, *sent, *arrived, node.adds, core, node.reshapes});
  give_name(node.name, {Counted{*sent, *source}, {*arrived, *destination}}, node.loc);
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
  builder_.emit(Start{*source, *destination, sem, 0, node.reshapes});
  builder_.emit(Wait{sem, places_.bytes(*source)});
}

void TransferLowering::lower(const ast::WaitFor& node) {
  const auto sem = places_.semaphore(node.semaphore);
  const auto slice = places_.memory(node.slice);
  if (!sem || !slice) return;
  draft_.at(node.loc);
  builder_.emit(Wait{*sem, places_.bytes(*slice)});
}

// Of a copy to another device, what is waited for on the receiving side is what such a copy brings
// here.
void TransferLowering::lower(const ast::WaitCopy& node) {
  const auto* member = node.copy.as<ast::Member>();
  const ast::Expression& name = member != nullptr ? *member->base : node.copy;
  const Entity entity = expressions_.evaluate(name);
  if (entity.kind == Entity::Kind::nothing) return;
  if (entity.kind == Entity::Kind::sem) {
    draft_.fail(node.loc,
                "expected `,` and the count, or `for` and the slice whose bytes are waited for, "
                "found the end of the line");
    return;
  }
  if (entity.kind != Entity::Kind::copy) {
    draft_.fail(
        name.loc(),
        fmt::format("expected a copy, as in `c = start ...`, found {}", draft_.describe(entity)),
        ErrorCode::invalid_type);
    return;
  }
  const Named& copy = named_[entity.copy];
  const bool is_sent = member != nullptr && member->name == "sent";
  const bool is_arrived = member != nullptr && member->name == "arrived";
  if (member != nullptr && (!copy.sent || (!is_sent && !is_arrived))) {
    draft_.fail(node.loc, copy.sent ? "a copy has the sides `sent` and `arrived`"
                                    : "a copy within the device has no sides; expected its name");
    return;
  }
  draft_.at(node.loc);
  if (copy.sent && !is_arrived) wait(*copy.sent);
  if (!is_sent) wait(copy.arrived);
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

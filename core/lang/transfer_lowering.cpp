#include <fmt/format.h>

#include <utility>

#include "core/lang/expression_lowering.h"
#include "core/lang/place_lowering.h"
#include "core/lang/statement_lowering.h"

namespace tessera {
namespace {

void give_name(Elaboration& e, const std::string& name, const NamedCopy& copy, const Loc& loc) {
  if (name.empty()) return;
  e.bind(name, {.kind = Entity::Kind::copy, .copy = e.copies.add(copy)}, loc);
}

void wait(Elaboration& e, const NamedCopy::Side& side) {
  e.builder.emit(Wait{side.sem, bytes(e, side.slice)});
}

}  // namespace

void lower(Elaboration& e, const ast::Start& node) {
  const auto source = memory(e, node.source);
  const auto destination = memory(e, node.destination);
  const auto sem = semaphore(e, node.semaphore);
  if (!source || !destination || !sem) return;
  e.at(node.loc);
  e.builder.emit(Start{*source, *destination, *sem, node.adds, node.reshapes});
  give_name(e, node.name, {{}, {*sem, *destination}}, node.loc);
}

void lower(Elaboration& e, const ast::StartRemote& node) {
  const auto source = memory(e, node.source);
  const ValueId device = scalar(e, node.device);
  const auto destination = memory(e, node.destination);
  const auto sent = semaphore(e, node.sent), arrived = semaphore(e, node.arrived);
  const Maybe core{node.core ? scalar(e, *node.core) : no_value};
  if (!source || device == no_value || !destination || !sent || !arrived ||
      (node.core && core.id == no_value))
    return;
  e.at(node.loc);
  e.builder.emit(
      StartRemote{*source, device, *destination, *sent, *arrived, node.adds, core, node.reshapes});
  give_name(e, node.name, {NamedCopy::Side{*sent, *source}, {*arrived, *destination}}, node.loc);
}

// copy SRC -> DST: a copy with a semaphore of its own, followed by a wait.
void lower(Elaboration& e, const ast::Copy& node) {
  const auto source = memory(e, node.source), destination = memory(e, node.destination);
  if (!source || !destination) return;
  e.at(node.loc);
  if (e.copied == no_value) {
    Semaphore semaphore;
    semaphore.name = "copied";
    semaphore.kind = SemKind::bytes;
    e.copied = e.builder.semaphore(std::move(semaphore));
  }
  const Slice sem = e.builder.whole(e.copied);
  e.builder.emit(Start{*source, *destination, sem, 0, node.reshapes});
  e.builder.emit(Wait{sem, bytes(e, *source)});
}

void lower(Elaboration& e, const ast::WaitFor& node) {
  const auto sem = semaphore(e, node.semaphore);
  const auto slice = memory(e, node.slice);
  if (!sem || !slice) return;
  e.at(node.loc);
  e.builder.emit(Wait{*sem, bytes(e, *slice)});
}

// For a copy to another device, the side `arrived` waits for the data that the matching copy brings
// to this device.
void lower(Elaboration& e, const ast::WaitCopy& node) {
  const auto* member = node.copy.as<ast::Member>();
  const ast::Expression& name = member != nullptr ? *member->base : node.copy;
  const Entity entity = evaluate(e, name);
  if (entity.kind == Entity::Kind::nothing) return;
  if (entity.kind == Entity::Kind::sem) {
    e.fail(node.loc,
           "expected `,` and the count, or `for` and the slice whose bytes are waited for, "
           "found the end of the line");
    return;
  }
  if (entity.kind != Entity::Kind::copy) {
    e.fail(name.loc(),
           fmt::format("expected a copy, as in `c = start ...`, found {}", e.describe(entity)),
           ErrorCode::invalid_type);
    return;
  }
  const NamedCopy& copy = e.copies[entity.copy];
  const bool is_sent = member != nullptr && member->name == "sent";
  const bool is_arrived = member != nullptr && member->name == "arrived";
  if (member != nullptr && (!copy.sent || (!is_sent && !is_arrived))) {
    e.fail(node.loc, copy.sent ? "a copy has the sides `sent` and `arrived`"
                               : "a copy within the device has no sides; expected its name");
    return;
  }
  e.at(node.loc);
  if (copy.sent && !is_arrived) wait(e, *copy.sent);
  if (!is_sent) wait(e, copy.arrived);
}

void lower(Elaboration& e, const ast::Wait& node) {
  const auto sem = semaphore(e, node.semaphore);
  const ValueId count = scalar(e, node.count);
  if (!sem || count == no_value) return;
  e.at(node.loc);
  e.builder.emit(Wait{*sem, count});
}

void lower(Elaboration& e, const ast::Await& node) {
  const auto sem = semaphore(e, node.semaphore);
  const ValueId count = scalar(e, node.count);
  if (!sem || count == no_value) return;
  e.at(node.loc);
  e.builder.emit(Await{*sem, count});
}

void lower(Elaboration& e, const ast::Signal& node) {
  const auto sem = semaphore(e, node.semaphore);
  const ValueId count = scalar(e, node.count);
  e.at(node.loc);
  const ValueId device =
      node.device ? scalar(e, *node.device) : e.builder.emit(DeviceId{}, "device");
  const Maybe core{node.core ? scalar(e, *node.core) : no_value};
  if (!sem || count == no_value || device == no_value || (node.core && core.id == no_value)) return;
  e.at(node.loc);
  e.builder.emit(Signal{*sem, device, count, core});
}

void lower(Elaboration& e, const ast::Operate& node) {
  Slice slice;
  const auto* indexed = node.ref.as<ast::Index>();
  const Entity base = place(e, indexed != nullptr ? *indexed->base : node.ref);
  if (base.kind == Entity::Kind::nothing) return;
  if (base.kind == Entity::Kind::sem) {
    slice = base.slice;
  } else {
    const auto place = memory(e, node.ref);
    if (!place) return;
    slice = *place;
  }
  e.at(node.loc);
  switch (node.kind) {
    case ast::Operate::Kind::alloc:
      e.builder.emit(Alloc{slice});
      return;
    case ast::Operate::Kind::free:
      e.builder.emit(Free{slice});
      return;
    case ast::Operate::Kind::fresh:
      e.builder.emit(Fresh{slice});
      return;
    case ast::Operate::Kind::once:
      e.builder.emit(Once{slice});
      return;
  }
}

}  // namespace tessera

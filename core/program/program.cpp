// Lookups in a program.
#include "core/program/program.h"

namespace tessera {

std::string_view name(Space space) {
  switch (space) {
    case Space::hbm:
      return "hbm";
    case Space::vmem:
      return "vmem";
    case Space::smem:
      return "smem";
    case Space::tile:
      return "tile";
  }
  return "?";
}

std::string_view name(Role role) {
  switch (role) {
    case Role::in:
      return "in";
    case Role::out:
      return "out";
    case Role::scratch:
      return "scratch";
  }
  return "?";
}

std::string_view name(SemKind kind) {
  switch (kind) {
    case SemKind::count:
      return "count";
    case SemKind::bytes:
      return "bytes";
    case SemKind::barrier:
      return "barrier";
  }
  return "?";
}

const Buffer* Program::buffer(ValueId ref) const {
  const Value& v = value(ref);
  return v.kind == ValueKind::ref && v.buffer ? &buffers[v.buffer] : nullptr;
}

const Buffer* Program::find_buffer(std::string_view buffer_name) const {
  for (const Buffer& b : buffers)
    if (b.name == buffer_name) return &b;
  return nullptr;
}

Loc Program::written(PlaceId place) const {
  if (!place) return {};
  const Place& at = places[place];
  return at.written ? at.written : at.loc;
}

std::optional<std::int64_t> Program::constant(ValueId id) const {
  const Value& v = value(id);
  if (v.kind != ValueKind::scalar || !v.constant) return std::nullopt;
  return v.integer;
}

}  // namespace tessera

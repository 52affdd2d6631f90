#include "core/expand.h"

#include <algorithm>

#include "core/simplify.h"

namespace tessera {

// The new program keeps the declarations and, under the same ids, their values; everything else is
// written anew.
Expander::Expander(const Program& program, const Expansion& how)
    : old_(program), how_(how), builder_(program.name) {
  Program& p = builder_.program();
  p.doc = program.doc;
  p.settings = program.settings;
  p.texts = program.texts;
  p.places = program.places;
  for (const Buffer& b : program.buffers) builder_.buffer(b);
  for (const Semaphore& s : program.semaphores) builder_.semaphore(s);
}

Expected<Program> Expander::run() {
  ValueMap map;
  const Program& p = builder_.program();
  for (std::size_t i = 0; i < old_.buffers.size(); ++i)
    map[old_.buffers[i].value] = p.buffers[i].value;
  for (std::size_t i = 0; i < old_.semaphores.size(); ++i)
    map[old_.semaphores[i].value] = p.semaphores[i].value;
  if (acts_remotely() && !uses_barrier()) automatic_barrier();
  write(0, static_cast<std::int32_t>(old_.body.size()), map);
  if (!diags_.empty()) return diags_;
  Program result = simplify(builder_.finish());
  Diags problems = verify(result);
  if (!problems.empty()) return problems;
  return result;
}

bool Expander::uses_barrier() const {
  for (const Semaphore& s : old_.semaphores)
    if (s.kind == SemKind::barrier) return true;
  return false;
}

bool Expander::acts_remotely() const {
  for (const Stmt& s : old_.body) {
    if (std::holds_alternative<StartRemote>(s.op)) return true;
    if (const auto* signal = std::get_if<Signal>(&s.op)) {
      if (signal->core.id != no_value) return true;
      const Value& device = old_.value(signal->device);
      if (device.statement < 0 || !std::holds_alternative<DeviceId>(
                                      old_.body[static_cast<std::size_t>(device.statement)].op))
        return true;
    }
  }
  return false;
}

// One that names no core where it reaches another device runs with one core per device only.
bool Expander::names_cores() const {
  return std::any_of(old_.body.begin(), old_.body.end(), [](const Stmt& s) {
    const auto* signal = std::get_if<Signal>(&s.op);
    const auto* remote = std::get_if<StartRemote>(&s.op);
    return (signal != nullptr && signal->core.id != no_value) ||
           (remote != nullptr && remote->core.id != no_value);
  });
}

// A kernel with remote operations and no barrier of its own begins with one of all devices, and of
// all their cores when it knows of them.
void Expander::automatic_barrier() {
  Semaphore barrier;
  barrier.name = "automatic_barrier";
  barrier.kind = SemKind::barrier;
  barrier.collective = -1;
  const Slice sem = builder_.whole(builder_.semaphore(std::move(barrier)));
  const ValueId devices = builder_.emit(DeviceCount{}, "all");
  const bool has_cores = names_cores();
  const ValueId cores = has_cores ? builder_.emit(CoreCount{}, "of_each") : no_value;
  const ValueId d = builder_.emit(For{builder_.integer(0), devices, 0}, "d");
  if (has_cores) {
    const ValueId c = builder_.emit(For{builder_.integer(0), cores, 0}, "c");
    builder_.emit(Signal{sem, d, builder_.integer(1), {c}});
    builder_.emit(End{});
  } else {
    builder_.emit(Signal{sem, d, builder_.integer(1)});
  }
  builder_.emit(End{});
  builder_.emit(Wait{sem, has_cores ? builder_.mul(devices, cores) : devices});
}

ValueId Expander::mapped(ValueId old, const ValueMap& map) {
  const Value& v = old_.value(old);
  if (v.constant)
    return v.kind == ValueKind::real ? builder_.real(v.real) : builder_.integer(v.integer);
  const auto it = map.find(old);
  CHECK(it != map.end());
  return it->second;
}

Slice Expander::compose(const Replacement& outer, const Slice& inner) {
  Slice result = outer.slice;
  const std::vector<int> dims = kept(outer.slice);
  const std::size_t rank = dims.size();
  CHECK(static_cast<std::size_t>(inner.rank) == rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto d = static_cast<std::size_t>(dims[i]);
    const ValueId extent = outer.slice.size[d];
    const Program& p = builder_.program();
    const auto start = p.constant(inner.start[i]), size = p.constant(inner.size[i]),
               limit = p.constant(extent);
    const bool whole =
        start == 0 && (inner.size[i] == extent || (size && limit && *size == *limit));
    const bool inside =
        start && size && limit && *start >= 0 && *size >= 0 && *start + *size <= *limit;
    if (outer.checked && !whole && !inside)
      builder_.emit(Bounds{inner.start[i], inner.size[i], extent});
    result.start[d] = builder_.add(outer.slice.start[d], inner.start[i]);
    result.size[d] = inner.size[i];
    if (inner.dropped >> i & 1) result.dropped |= static_cast<std::uint8_t>(1U << d);
  }
  return result;
}

Slice Expander::mapped(const Slice& old, const ValueMap& map) {
  Slice s = old;
  for (std::size_t d = 0; d < static_cast<std::size_t>(s.rank); ++d) {
    s.start[d] = mapped(old.start[d], map);
    s.size[d] = mapped(old.size[d], map);
  }
  if (const auto it = replaced_.find(old.base); it != replaced_.end())
    return compose(it->second, s);
  s.base = mapped(old.base, map);
  return s;
}

Op Expander::mapped(const Op& old, const ValueMap& map) {
  Op op = old;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) field<ValueId>(op, f) = mapped(field<ValueId>(old, f), map);
    if (f.kind == FieldKind::Maybe && field<Maybe>(old, f).id != no_value)
      field<Maybe>(op, f).id = mapped(field<Maybe>(old, f).id, map);
    if (f.kind == FieldKind::Slice) field<Slice>(op, f) = mapped(field<Slice>(old, f), map);
  }
  return op;
}

void Expander::write(std::int32_t from, std::int32_t to, ValueMap& map) {
  while (from < to) from = write_one(from, map);
}

Expected<Program> expand(const Program& program, const Expansion& how) {
  return Expander(program, how).run();
}

}  // namespace tessera

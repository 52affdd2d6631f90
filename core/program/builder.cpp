#include "core/program/builder.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/program/fold.h"
#include "core/program/refs.h"
#include "core/report/check.h"

namespace tessera {

Builder::Builder(Program program) : program_(std::move(program)) {}

void Builder::at(Loc loc, PlaceId caller) {
  place_ = program_.places.add({std::move(loc), caller, {}});
}

Builder::Index& Builder::index() {
  if (index_) return *index_;
  Index& index = index_.emplace();
  for (const ValueId id : program_.values.ids()) {
    const Value& v = program_.values[id];
    if (v.constant && v.kind == ValueKind::scalar) index.integers.try_emplace(v.integer, id);
  }
  for (const TextId id : program_.texts.ids()) index.texts.try_emplace(program_.texts[id], id);
  for (const Buffer& b : program_.buffers) index.names.insert(b.name);
  for (const Semaphore& s : program_.semaphores) index.names.insert(s.name);
  return index;
}

ValueId Builder::integer(std::int64_t value) {
  const auto [known, is_new] = index().integers.try_emplace(value, program_.values.next());
  if (!is_new) return known->second;
  Value v;
  v.constant = true;
  v.integer = value;
  return program_.values.add(std::move(v));
}

ValueId Builder::real(double value) {
  Value v;
  v.kind = ValueKind::real;
  v.constant = true;
  v.real = value;
  return program_.values.add(std::move(v));
}

std::string Builder::free_name(const std::string& wanted) {
  Index& known = index();
  if (known.names.insert(wanted).second) return wanted;
  int& number = known.next_number.try_emplace(wanted, 2).first->second;
  for (;; ++number) {
    std::string name = wanted + "_" + std::to_string(number);
    if (known.names.insert(name).second) return name;
  }
}

ValueId Builder::buffer(Buffer buffer) {
  buffer.name = free_name(buffer.name);
  Value v;
  v.kind = ValueKind::ref;
  v.buffer = program_.buffers.next();
  v.name = buffer.name;
  const ValueId id = program_.values.add(std::move(v));
  buffer.value = id;
  if (!buffer.place) buffer.place = place_;
  program_.buffers.add(std::move(buffer));
  return id;
}

ValueId Builder::semaphore(Semaphore semaphore) {
  semaphore.name = free_name(semaphore.name);
  Value v;
  v.kind = ValueKind::sem;
  v.semaphore = program_.semaphores.next();
  v.name = semaphore.name;
  const ValueId id = program_.values.add(std::move(v));
  semaphore.value = id;
  if (!semaphore.place) semaphore.place = place_;
  program_.semaphores.add(std::move(semaphore));
  return id;
}

void Builder::rename(ValueId buffer, const std::string& name) {
  Value& v = program_.values[buffer];
  std::string& own = program_.buffers[v.buffer].name;
  const std::string old = std::exchange(own, free_name(name));
  v.name = own;
  index().names.erase(old);
  // The number of the old name becomes available again.
  const std::size_t mark = old.rfind('_');
  const auto base = index().next_number.find(old.substr(0, mark));
  if (mark == std::string::npos || base == index().next_number.end()) return;
  int number = 0;
  const char* const end = old.data() + old.size();
  const auto [rest, failed] = std::from_chars(old.data() + mark + 1, end, number);
  if (failed == std::errc() && rest == end) base->second = std::min(base->second, number);
}

TextId Builder::text(std::string_view text) {
  const auto [known, is_new] = index().texts.try_emplace(std::string(text), program_.texts.next());
  if (is_new) program_.texts.add(std::string(text));
  return known->second;
}

ValueId Builder::emit(Op op, std::string_view name) {
  const Folded folded = fold(op, program_);
  if (folded.is_constant) return integer(folded.constant);
  if (folded.same_as != no_value) return folded.same_as;
  Stmt stmt;
  stmt.place = place_;
  stmt.loop = loop_;
  const ResultKind kind = info(op).result;
  if (kind != ResultKind::none) {
    Value v;
    v.kind = kind == ResultKind::Scalar ? ValueKind::scalar
             : kind == ResultKind::Real ? ValueKind::real
                                        : ValueKind::ref;
    v.statement = program_.body.next();
    v.name = name;
    stmt.result = program_.values.add(std::move(v));
  }
  stmt.op = std::move(op);
  program_.body.add(std::move(stmt));
  return program_.body.back().result;
}

void Builder::enter_loop(std::string name, ValueId index) {
  loop_ = program_.loops.add({std::move(name), index, loop_});
}

void Builder::leave_loop() { loop_ = program_.loops[loop_].outer; }

Slice Builder::whole(ValueId ref) {
  Slice s;
  s.base = ref;
  if (program_.value(ref).kind == ValueKind::sem) {
    const Shape shape = program_.semaphores[program_.value(ref).semaphore].shape;
    s.rank = static_cast<std::int8_t>(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      s.start[d] = integer(0);
      s.size[d] = integer(shape[d]);
    }
    return s;
  }
  const RefInfo info = ref_info(program_, ref);
  s.rank = static_cast<std::int8_t>(info.bound.size());
  for (std::size_t d = 0; d < info.bound.size(); ++d) {
    s.start[d] = integer(0);
    s.size[d] = info.extent[d] != no_value ? info.extent[d] : integer(info.bound[d]);
  }
  return s;
}

Slice Builder::element(ValueId ref, std::span<const ValueId> index) {
  Slice s;
  s.base = ref;
  s.rank = static_cast<std::int8_t>(index.size());
  for (std::size_t d = 0; d < index.size(); ++d) {
    s.start[d] = index[d];
    s.size[d] = integer(1);
    s.dropped |= static_cast<std::uint8_t>(1U << d);
  }
  return s;
}

Program Builder::finish() {
  std::vector<StmtId> open;
  for (const StmtId i : program_.body.ids()) {
    Stmt& s = program_.body[i];
    if (s.result != no_value) program_.values[s.result].statement = i;
    const Scope scope = info(s.op).scope;
    if (scope == Scope::open) {
      open.push_back(i);
    } else if (scope != Scope::none) {
      CHECK(!open.empty());
      Stmt& opener = program_.body[open.back()];
      opener.partner = i;
      if (scope == Scope::middle) {
        open.back() = i;
      } else {
        // The end of an if with an else has the else as its partner.
        s.partner = open.back();
        open.pop_back();
      }
    }
  }
  CHECK(open.empty());
  return std::move(program_);
}

}  // namespace tessera

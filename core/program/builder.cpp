#include "core/program/builder.h"

#include <utility>

#include "core/program/refs.h"
#include "core/program/scalar.h"
#include "core/report/check.h"

namespace tessera {
namespace {

using Arithmetic = std::int64_t (*)(std::int64_t, std::int64_t);

// The two-operand ops that folding and dispatch share, by position in Op.
Arithmetic arithmetic(std::size_t index) {
  switch (index) {
    case op_index<Add>():
      return scalar::add;
    case op_index<Sub>():
      return scalar::sub;
    case op_index<Mul>():
      return scalar::mul;
    case op_index<Div>():
      return scalar::div;
    case op_index<Mod>():
      return scalar::mod;
    case op_index<Tiles>():
      return scalar::tiles;
    case op_index<Min>():
      return scalar::min;
    case op_index<Max>():
      return scalar::max;
    case op_index<And>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a != 0 && b != 0; };
    case op_index<Or>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a != 0 || b != 0; };
    case op_index<Eq>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a == b; };
    case op_index<Ne>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a != b; };
    case op_index<Lt>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a < b; };
    case op_index<Le>():
      return [](std::int64_t a, std::int64_t b) -> std::int64_t { return a <= b; };
    default:
      return nullptr;
  }
}

Folded constant(std::int64_t value) { return {true, value, no_value}; }
Folded same(ValueId id) { return {false, 0, id}; }

// A value that is 0 or 1.
bool is_condition(const Program& program, ValueId id) {
  const Value& v = program.value(id);
  if (v.constant || v.statement < 0) return v.constant && (v.integer == 0 || v.integer == 1);
  switch (program.body[static_cast<std::size_t>(v.statement)].op.index()) {
    case op_index<And>():
    case op_index<Or>():
    case op_index<Not>():
    case op_index<Eq>():
    case op_index<Ne>():
    case op_index<Lt>():
    case op_index<Le>():
      return true;
    default:
      return false;
  }
}

// x + 0, x * 1, x * 0, x / 1, x and 1, ...: what stays when one operand is constant.
Folded identity(std::size_t index, ValueId a, ValueId b, const Program& program) {
  const auto x = program.constant(a), y = program.constant(b);
  switch (index) {
    case op_index<Add>():
      if (x == 0) return same(b);
      [[fallthrough]];
    case op_index<Sub>():
      if (y == 0) return same(a);
      break;
    case op_index<Mul>():
      if (x == 0 || y == 0) return constant(0);
      if (x == 1) return same(b);
      if (y == 1) return same(a);
      break;
    case op_index<Div>():
    case op_index<Tiles>():
      if (y == 1) return same(a);
      break;
    case op_index<Mod>():
      if (y == 1) return constant(0);
      break;
    case op_index<And>():
      if (x == 0 || y == 0) return constant(0);
      if (x && is_condition(program, b)) return same(b);
      if (y && is_condition(program, a)) return same(a);
      break;
    case op_index<Or>():
      if ((x && *x != 0) || (y && *y != 0)) return constant(1);
      if (x && is_condition(program, b)) return same(b);
      if (y && is_condition(program, a)) return same(a);
      break;
    case op_index<Min>():
    case op_index<Max>():
      if (a == b) return same(a);
      break;
    default:
      break;
  }
  return {};
}

}  // namespace

Folded fold(const Op& op, const Program& program) {
  if (const auto* o = std::get_if<Select>(&op)) {
    const auto c = program.constant(o->condition);
    if (c) return same(*c != 0 ? o->a : o->b);
    if (o->a == o->b) return same(o->a);
    return {};
  }
  if (const auto* o = std::get_if<Not>(&op)) {
    const auto a = program.constant(o->a);
    return a ? constant(*a == 0) : Folded{};
  }
  if (const auto* o = std::get_if<Popcount>(&op)) {
    const auto a = program.constant(o->a);
    return a ? constant(scalar::popcount(*a)) : Folded{};
  }
  if (const auto* o = std::get_if<Limit>(&op)) {
    const auto a = program.constant(o->a), bound = program.constant(o->bound);
    return a && bound && *a >= 0 && *a <= *bound ? same(o->a) : Folded{};
  }
  const Arithmetic f = arithmetic(op.index());
  if (!f) return {};
  const auto& fields = info(op).fields;
  const ValueId a = field<ValueId>(op, fields[0]), b = field<ValueId>(op, fields[1]);
  const auto x = program.constant(a), y = program.constant(b);
  if (x && y) return constant(f(*x, *y));
  return identity(op.index(), a, b, program);
}

Builder::Builder(Program program) : program_(std::move(program)) {}

void Builder::at(Loc loc, std::int32_t caller) {
  program_.places.push_back({std::move(loc), caller});
  place_ = static_cast<std::int32_t>(program_.places.size()) - 1;
}

Builder::Index& Builder::index() {
  if (index_) return *index_;
  Index& index = index_.emplace();
  for (std::size_t i = 0; i < program_.values.size(); ++i) {
    const Value& v = program_.values[i];
    if (v.constant && v.kind == ValueKind::scalar)
      index.integers.try_emplace(v.integer, static_cast<ValueId>(i));
  }
  for (std::size_t i = 0; i < program_.texts.size(); ++i)
    index.texts.try_emplace(program_.texts[i], TextId{static_cast<std::int32_t>(i)});
  for (const Buffer& b : program_.buffers) index.names.insert(b.name);
  for (const Semaphore& s : program_.semaphores) index.names.insert(s.name);
  return index;
}

ValueId Builder::integer(std::int64_t value) {
  const auto id = static_cast<ValueId>(program_.values.size());
  const auto [known, is_new] = index().integers.try_emplace(value, id);
  if (!is_new) return known->second;
  Value v;
  v.constant = true;
  v.integer = value;
  program_.values.push_back(std::move(v));
  return id;
}

ValueId Builder::real(double value) {
  Value v;
  v.kind = ValueKind::real;
  v.constant = true;
  v.real = value;
  program_.values.push_back(std::move(v));
  return static_cast<ValueId>(program_.values.size()) - 1;
}

// Buffers and semaphores of one program have names of their own: the second `a` is a_2.
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
  v.index = static_cast<std::int32_t>(program_.buffers.size());
  v.name = buffer.name;
  program_.values.push_back(std::move(v));
  const auto id = static_cast<ValueId>(program_.values.size()) - 1;
  buffer.value = id;
  if (buffer.place < 0) buffer.place = place_;
  program_.buffers.push_back(std::move(buffer));
  return id;
}

ValueId Builder::semaphore(Semaphore semaphore) {
  semaphore.name = free_name(semaphore.name);
  Value v;
  v.kind = ValueKind::sem;
  v.index = static_cast<std::int32_t>(program_.semaphores.size());
  v.name = semaphore.name;
  program_.values.push_back(std::move(v));
  const auto id = static_cast<ValueId>(program_.values.size()) - 1;
  semaphore.value = id;
  if (semaphore.place < 0) semaphore.place = place_;
  program_.semaphores.push_back(std::move(semaphore));
  return id;
}

void Builder::rename(ValueId buffer, const std::string& name) {
  Value& v = program_.values[static_cast<std::size_t>(buffer)];
  std::string& own = program_.buffers[static_cast<std::size_t>(v.index)].name;
  const std::string old = std::exchange(own, free_name(name));
  v.name = own;
  index().names.erase(old);
  index().next_number.clear();  // the number that is free now may be below
}

TextId Builder::text(std::string_view text) {
  const TextId id{static_cast<std::int32_t>(program_.texts.size())};
  const auto [known, is_new] = index().texts.try_emplace(std::string(text), id);
  if (is_new) program_.texts.emplace_back(text);
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
    v.statement = static_cast<std::int32_t>(program_.body.size());
    v.name = name;
    program_.values.push_back(std::move(v));
    stmt.result = static_cast<ValueId>(program_.values.size()) - 1;
  }
  stmt.op = std::move(op);
  program_.body.push_back(std::move(stmt));
  return program_.body.back().result;
}

void Builder::enter_loop(std::string name, ValueId index) {
  program_.loops.push_back({std::move(name), index, loop_});
  loop_ = static_cast<std::int32_t>(program_.loops.size()) - 1;
}

void Builder::leave_loop() { loop_ = program_.loops[static_cast<std::size_t>(loop_)].outer; }

Slice Builder::whole(ValueId ref) {
  Slice s;
  s.base = ref;
  if (program_.value(ref).kind == ValueKind::sem) {
    const Shape shape =
        program_.semaphores[static_cast<std::size_t>(program_.value(ref).index)].shape;
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
  std::vector<std::int32_t> open;
  for (std::size_t i = 0; i < program_.body.size(); ++i) {
    Stmt& s = program_.body[i];
    if (s.result != no_value)
      program_.values[static_cast<std::size_t>(s.result)].statement = static_cast<std::int32_t>(i);
    const Scope scope = info(s.op).scope;
    if (scope == Scope::open) {
      open.push_back(static_cast<std::int32_t>(i));
    } else if (scope != Scope::none) {
      CHECK(!open.empty());
      Stmt& opener = program_.body[static_cast<std::size_t>(open.back())];
      opener.partner = static_cast<std::int32_t>(i);
      if (scope == Scope::middle) {
        open.back() = static_cast<std::int32_t>(i);
      } else {
        // The end of an if with an else belongs to the if for whoever walks back.
        s.partner = open.back();
        open.pop_back();
      }
    }
  }
  CHECK(open.empty());
  return std::move(program_);
}

}  // namespace tessera

#include "core/program/op_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/data/tensor.h"
#include "core/program/refs.h"
#include "core/program/view_shape.h"

namespace tessera {

void OpRules::check(const Op& op) {
  switch (class_of(op)) {
    case OpClass::cells:
      return cells(op);
    case OpClass::copy:
      return copies(op);
    case OpClass::sync:
      return sync(op);
    case OpClass::tile:
      return tiles_.check(op);
    case OpClass::lifetime:
      return lifetime(op);
    case OpClass::debug:
      return debug(op);
    default:
      break;
  }
  memories(op);
  if (const auto* o = std::get_if<ViewAs>(&op)) view_as(*o);
  if (const auto* o = std::get_if<Limit>(&op); o && !program_.constant(o->bound))
    report_.fail("the bound after `max` must be known when the kernel is instantiated");
}

void OpRules::memories(const Op& op) {
  for (const FieldInfo& f : info(op).fields)
    if (f.kind == FieldKind::Slice) memory(field<Slice>(op, f), f.name);
}

// Scalar memory is accessed in its own element type, so its views cannot change the type.
void OpRules::view_as(const ViewAs& op) {
  if (program_.value(op.source.base).kind != ValueKind::ref) return;
  const auto shown = type_of_slice(program_, op.source);
  const ViewType type = view_type(program_, op);
  if (!shown)
    return report_.fail("a view with another shape or type shows memory whose extents are known");
  if (const std::string problem = view_problem(*shown, type); !problem.empty())
    return report_.fail(problem);
  if (shown->dtype != type.dtype && ref_info(program_, op.source.base).space == Space::smem)
    report_.fail(fmt::format("{} is scalar memory (smem), which has no view with another type: "
                             "expected {}, found {}",
                             report_.name_of(op.source), name(shown->dtype), name(type.dtype)),
                 ErrorCode::invalid_type);
}

void OpRules::cells(const Op& op) {
  if (const auto* o = std::get_if<Load>(&op)) {
    load(*o);
  } else if (const auto* o = std::get_if<LoadReal>(&op)) {
    scalar_memory(o->src, "src", true);
  } else if (const auto* o = std::get_if<Store>(&op)) {
    store(*o);
  } else if (const auto* o = std::get_if<PrefixSum>(&op)) {
    array(o->dst, "dst"), array(o->src, "src");
  } else if (const auto* o = std::get_if<SearchRight>(&op)) {
    array(o->sorted, "sorted");
  } else if (const auto* o = std::get_if<Iota>(&op)) {
    array(o->dst, "dst");
  } else if (const auto* o = std::get_if<Repeat>(&op)) {
    array(o->dst, "dst"), array(o->values, "values"), array(o->counts, "counts");
  }
}

void OpRules::load(const Load& op) {
  scalar_memory(op.src, "src", true);
  if (program_.value(op.src.base).kind == ValueKind::ref &&
      is_float(ref_info(program_, op.src.base).dtype))
    report_.fail(fmt::format("{} is not an integer", report_.name_of(op.src)),
                 ErrorCode::invalid_type);
}

void OpRules::store(const Store& op) {
  scalar_memory(op.dst, "dst", true);
  if (program_.value(op.dst.base).kind != ValueKind::ref) return;
  report_.written(op.dst);
  if (is_float(ref_info(program_, op.dst.base).dtype))
    report_.fail("scalars that are stored are integers", ErrorCode::invalid_type);
}

void OpRules::copies(const Op& op) {
  if (const auto* o = std::get_if<Start>(&op)) {
    copy(o->src, o->dst, false, o->reshaped != 0);
    if (o->add != 0) adds_to(o->dst);
    bytes(o->sem, "sem");
  } else if (const auto* o = std::get_if<WriteBack>(&op)) {
    copy(o->src, o->dst, false);
    bytes(o->sem, "sem");
  } else if (const auto* o = std::get_if<StartRemote>(&op)) {
    copy(o->src, o->dst, true, o->reshaped != 0);
    if (o->add != 0) adds_to(o->dst);
    bytes(o->sent, "sent");
    bytes(o->arrived, "arrived");
  }
}

void OpRules::bytes(const Slice& sem, std::string_view field) {
  semaphore(sem, field, {SemKind::bytes}, "a copy counts on a semaphore declared `bytes`");
}

void OpRules::sync(const Op& op) {
  if (const auto* o = std::get_if<Signal>(&op)) signal(*o);
  if (const auto* o = std::get_if<Wait>(&op)) wait(*o);
  if (const auto* o = std::get_if<Await>(&op)) await(*o);
  if (const auto* o = std::get_if<ReadSem>(&op))
    semaphore(o->sem, "sem", {SemKind::count, SemKind::bytes, SemKind::barrier}, "");
}

void OpRules::signal(const Signal& op) {
  semaphore(op.sem, "sem", {SemKind::count, SemKind::barrier},
            "`signal` takes one declared `count`, or a barrier");
  if (const auto count = program_.constant(op.count); count && *count < 0)
    report_.fail(fmt::format("a signal adds at least 0, found {}", *count));
}

void OpRules::wait(const Wait& op) {
  semaphore(op.sem, "sem", {SemKind::count, SemKind::bytes, SemKind::barrier}, "");
  if (const auto count = program_.constant(op.count); count && *count < 0)
    report_.fail(fmt::format("a wait is for at least 0, found {}", *count));
  if (program_.value(op.sem.base).kind == ValueKind::sem && sem(op.sem).monotone)
    report_.fail(fmt::format("`{}` is monotone, and `wait` would subtract from it; write `await`",
                             sem(op.sem).name));
}

void OpRules::await(const Await& op) {
  semaphore(op.sem, "sem", {SemKind::count}, "`await` takes one declared `count monotone`");
  if (program_.value(op.sem.base).kind == ValueKind::sem && !sem(op.sem).monotone)
    report_.fail(fmt::format(
        "`{}` is not declared monotone, which `await` needs; write `wait`, or `count monotone`",
        sem(op.sem).name));
}

void OpRules::lifetime(const Op& op) {
  if (const auto* o = std::get_if<Alloc>(&op)) return scoped(o->ref);
  if (const auto* o = std::get_if<Free>(&op)) return scoped(o->ref);
  if (std::holds_alternative<Fresh>(op) || std::holds_alternative<Pad>(op))
    return tiles_.operands(op);
  memories(op);
}

void OpRules::debug(const Op& op) {
  const auto* print = std::get_if<Print>(&op);
  if (print != nullptr && program_.value(print->what.base).kind == ValueKind::sem &&
      !kept(print->what).empty())
    report_.fail("`print` shows one semaphore, found an array; give an index");
}

void OpRules::scoped(const Slice& ref) {
  const Value& base = program_.value(ref.base);
  const bool is_scoped = base.kind == ValueKind::sem
                             ? sem(ref).scoped
                             : program_.buffer(ref.base) && program_.buffer(ref.base)->scoped;
  if (!is_scoped)
    report_.fail(fmt::format("`{}` is not declared `scoped`, so it has no `alloc` and no `free`",
                             base.name));
}

void OpRules::copy(const Slice& src, const Slice& dst, bool remote, bool reshaped) {
  for (const auto& [slice, side] : {std::pair{&src, "source"}, std::pair{&dst, "destination"}}) {
    if (is_number(program_, *slice) || program_.value(slice->base).kind != ValueKind::ref)
      return report_.fail(fmt::format("the {} of a copy must be memory", side),
                          ErrorCode::invalid_type);
    if (ref_info(program_, slice->base).space == Space::tile)
      return report_.fail(
          fmt::format("{} is in tile registers, which copies cannot reach; declare it in vmem",
                      report_.name_of(*slice)));
  }
  const DType from = ref_info(program_, src.base).dtype, to = ref_info(program_, dst.base).dtype;
  if (from != to)
    report_.fail(fmt::format("a copy does not convert: its source is {}, its destination {}",
                             name(from), name(to)),
                 ErrorCode::invalid_type);
  const std::vector<int> a = kept(src), b = kept(dst);
  bool same = a.size() == b.size();
  for (std::size_t d = 0; same && d < a.size(); ++d) {
    const auto x = program_.constant(src.size[static_cast<std::size_t>(a[d])]),
               y = program_.constant(dst.size[static_cast<std::size_t>(b[d])]);
    same = !x || !y || *x == *y;
  }
  if (reshaped) {
    const auto from_type = type_of_slice(program_, src), to_type = type_of_slice(program_, dst);
    if (from_type && to_type && elements(from_type->shape) != elements(to_type->shape))
      report_.fail(fmt::format(
          "the two sides of a copy must have as many elements: its source {} has shape {}, its "
          "destination {} has {}",
          report_.name_of(src), report_.shape_of(src), report_.name_of(dst),
          report_.shape_of(dst)));
  } else if (!same)
    report_.fail(fmt::format(
        "the two sides of a copy must have one shape: its source {} has {}, its destination {} has "
        "{}",
        report_.name_of(src), report_.shape_of(src), report_.name_of(dst), report_.shape_of(dst)));
  if (!remote || ref_info(program_, dst.base).space != Space::tile) report_.written(dst);
}

// A copy adds in the element type of the memory, but a view of another type joins or splits
// elements.
void OpRules::adds_to(const Slice& dst) {
  if (is_number(program_, dst) || program_.value(dst.base).kind != ValueKind::ref) return;
  const RefInfo ref = ref_info(program_, dst.base);
  const Buffer* const memory = program_.buffer(ref.root);
  if (memory == nullptr || memory->dtype == ref.dtype) return;
  report_.fail(fmt::format("a copy adds in the element type of the memory: expected a destination "
                           "of {}, the type of {}, found {} ({}); copy to a buffer of {}, and add "
                           "tiles",
                           name(memory->dtype), memory->name, report_.name_of(dst), name(ref.dtype),
                           name(ref.dtype)),
               ErrorCode::invalid_type);
}

void OpRules::semaphore(const Slice& slice, std::string_view field,
                        std::initializer_list<SemKind> kinds, std::string_view why) {
  if (program_.value(slice.base).kind != ValueKind::sem)
    return report_.fail(report_.field_text(field) + " must be a semaphore",
                        ErrorCode::invalid_type);
  if (!kept(slice).empty())
    return report_.fail(report_.field_text(field) +
                        " must be one semaphore, found an array; give an index");
  const Semaphore& s = sem(slice);
  if (std::find(kinds.begin(), kinds.end(), s.kind) == kinds.end())
    report_.fail(fmt::format("`{}` is declared {}`{}`; {}", s.name,
                             s.kind == SemKind::barrier ? "as a " : "", name(s.kind), why),
                 ErrorCode::invalid_type);
}

bool OpRules::memory(const Slice& slice, std::string_view field) {
  if (program_.value(slice.base).kind == ValueKind::ref) return true;
  report_.fail(report_.field_text(field) + " must be memory", ErrorCode::invalid_type);
  return false;
}

void OpRules::scalar_memory(const Slice& slice, std::string_view field, bool one) {
  if (!memory(slice, field)) return;
  if (ref_info(program_, slice.base).space != Space::smem)
    return report_.fail(fmt::format("{} is not scalar memory (smem)", report_.name_of(slice)));
  if (one && !kept(slice).empty())
    report_.fail(fmt::format("{} is not one number", report_.name_of(slice)));
}

void OpRules::array(const Slice& slice, std::string_view field) {
  scalar_memory(slice, field, false);
  if (kept(slice).size() != 1)
    report_.fail(fmt::format("{} is not a one-dimensional array", report_.name_of(slice)));
  else if (program_.value(slice.base).kind == ValueKind::ref &&
           is_float(ref_info(program_, slice.base).dtype))
    report_.fail(fmt::format("{} is not an array of integers", report_.name_of(slice)),
                 ErrorCode::invalid_type);
}

}  // namespace tessera

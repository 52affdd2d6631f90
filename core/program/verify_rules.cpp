// What single ops demand beyond the types of their fields.
#include <fmt/format.h>

#include <algorithm>

#include "core/passes/simplify.h"
#include "core/program/verify.h"

namespace tessera {

void Verifier::written(const Slice& slice, std::string_view field) {
  const RefInfo ref = ref_info(program_, slice.base);
  if (const Buffer* b = program_.buffer(ref.root); b && b->role == Role::in)
    fail(fmt::format("`{}` writes operand `{}`, which is an input", field, b->name));
}

// Tile ops work on vmem and tile registers; hbm is reached by copies, smem by scalars.
void Verifier::tile_operand(const Slice& slice, std::string_view field, bool is_target) {
  if (is_number(program_, slice)) {
    if (is_target)
      fail(fmt::format("field `{}` must be memory, found a number", field),
           ErrorCode::invalid_type);
    return;
  }
  if (program_.value(slice.base).kind == ValueKind::sem)
    return fail(fmt::format("field `{}` must be a tile, found a semaphore", field),
                ErrorCode::invalid_type);
  const RefInfo ref = ref_info(program_, slice.base);
  if (ref.space == Space::hbm)
    return fail(fmt::format(
        "{} is in hbm, which tile ops cannot reach; `copy` or `start` it to vmem, or use a window",
        name_of(slice)));
  if (ref.space == Space::smem)
    return fail(fmt::format("{} is scalar memory, which tile ops cannot reach", name_of(slice)));
  if (is_target) written(slice, field);
}

// A dimension of an operand is the target's or 1; constant sizes are compared, the others when the
// op runs.
void Verifier::broadcasts(const Op& op) {
  const auto& fields = info(op).fields;
  const Slice& target = field<Slice>(op, fields[0]);
  const std::vector<int> to = kept(target);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].kind != FieldKind::Slice) continue;
    const Slice& s = field<Slice>(op, fields[i]);
    if (is_number(program_, s)) continue;
    const std::vector<int> from = kept(s);
    bool ok = from.size() <= to.size();
    for (std::size_t d = 0; ok && d < from.size(); ++d) {
      const auto have =
          program_.constant(s.size[static_cast<std::size_t>(from[from.size() - 1 - d])]);
      const auto want =
          program_.constant(target.size[static_cast<std::size_t>(to[to.size() - 1 - d])]);
      ok = !have || !want || *have == *want || *have == 1;
    }
    if (!ok)
      fail(fmt::format("`{}` of shape {} does not fit `{}` of shape {}", fields[i].name,
                       shape_of(s), fields[0].name, shape_of(target)));
  }
}

void Verifier::matmul(const Matmul& op) {
  for (const auto& [slice, field] :
       {std::pair{&op.acc, "acc"}, std::pair{&op.a, "a"}, std::pair{&op.b, "b"}}) {
    if (is_number(program_, *slice))
      return fail(fmt::format("`{}` of a matrix product must be a tile", field),
                  ErrorCode::invalid_type);
    if (kept(*slice).size() != 2)
      return fail(fmt::format("`{}` of a matrix product must be a matrix, found shape {}", field,
                              shape_of(*slice)));
  }
  const auto size = [&](const Slice& s, int dim) {
    return s.size[static_cast<std::size_t>(kept(s)[static_cast<std::size_t>(dim)])];
  };
  const auto agree = [&](ValueId a, ValueId b, std::string_view what) {
    const auto x = program_.constant(a), y = program_.constant(b);
    if (x && y && *x != *y)
      fail(fmt::format("the {} of the matrix product do not agree: {} and {}", what, *x, *y));
  };
  agree(size(op.a, op.transpose_a != 0 ? 0 : 1), size(op.b, op.transpose_b != 0 ? 1 : 0),
        "contracted dimensions");
  agree(size(op.acc, 0), size(op.a, op.transpose_a != 0 ? 1 : 0), "rows");
  agree(size(op.acc, 1), size(op.b, op.transpose_b != 0 ? 0 : 1), "columns");
  const DType acc = ref_info(program_, op.acc.base).dtype, a = ref_info(program_, op.a.base).dtype,
              b = ref_info(program_, op.b.base).dtype;
  if (is_integer(a) != is_integer(b))
    return fail(fmt::format("a product of {} and {} is not defined", name(a), name(b)),
                ErrorCode::invalid_type);
  const bool sums_of_i8 = a == DType::i8 && b == DType::i8 && acc == DType::f32;
  if (acc != accumulator(a) && !sums_of_i8)
    fail(fmt::format("a product of {} accumulates in {}{}, found {}", name(a), name(accumulator(a)),
                     a == DType::i8 && b == DType::i8 ? " or f32" : "", name(acc)),
         ErrorCode::invalid_type);
}

// Blocks of one size cover the data.
void Verifier::scaled(const Scaled& op) {
  for (const auto& [slice, field] : {std::pair{&op.src, "src"}, std::pair{&op.scale, "scale"}})
    if (is_number(program_, *slice))
      return fail(fmt::format("`{}` of a scaled tile must be a tile", field),
                  ErrorCode::invalid_type);
  const std::vector<int> data = kept(op.src), scale = kept(op.scale), dst = kept(op.dst);
  bool ok = data.size() == scale.size() && data.size() == dst.size() && data.size() <= 3;
  for (std::size_t d = 0; ok && d < data.size(); ++d) {
    const auto extent = [&](const Slice& slice, const std::vector<int>& dims) {
      return program_.constant(slice.size[static_cast<std::size_t>(dims[d])]);
    };
    const auto a = extent(op.src, data), b = extent(op.scale, scale), c = extent(op.dst, dst);
    ok = (!a || !b || (*b == 0 ? *a == 0 : *a % *b == 0)) && (!a || !c || *a == *c);
  }
  if (!ok)
    fail(
        fmt::format("the scales of shape {} do not cut tiles of shapes {} and {} into equal blocks",
                    shape_of(op.scale), shape_of(op.src), shape_of(op.dst)));
  if (!is_float(ref_info(program_, op.src.base).dtype) ||
      !is_float(ref_info(program_, op.scale.base).dtype))
    fail("a scaled tile and its scales are floats", ErrorCode::invalid_type);
}

void Verifier::copy(const Slice& src, const Slice& dst, bool remote) {
  for (const auto& [slice, field] : {std::pair{&src, "src"}, std::pair{&dst, "dst"}}) {
    if (is_number(program_, *slice) || program_.value(slice->base).kind != ValueKind::ref)
      return fail(fmt::format("`{}` of a copy must be memory", field), ErrorCode::invalid_type);
    if (ref_info(program_, slice->base).space == Space::tile)
      return fail(
          fmt::format("{} is in tile registers, which copies cannot reach", name_of(*slice)));
  }
  const DType from = ref_info(program_, src.base).dtype, to = ref_info(program_, dst.base).dtype;
  if (from != to)
    fail(fmt::format("a copy does not convert: source is {}, destination {}", name(from), name(to)),
         ErrorCode::invalid_type);
  const std::vector<int> a = kept(src), b = kept(dst);
  bool same = a.size() == b.size();
  for (std::size_t d = 0; same && d < a.size(); ++d) {
    const auto x = program_.constant(src.size[static_cast<std::size_t>(a[d])]),
               y = program_.constant(dst.size[static_cast<std::size_t>(b[d])]);
    same = !x || !y || *x == *y;
  }
  if (!same)
    fail(fmt::format("a copy keeps the shape: source {} of shape {}, destination {} of shape {}",
                     name_of(src), shape_of(src), name_of(dst), shape_of(dst)));
  if (!remote || ref_info(program_, dst.base).space != Space::tile) written(dst, "dst");
}

void Verifier::semaphore(const Slice& slice, std::string_view field,
                         std::initializer_list<SemKind> kinds, std::string_view why) {
  if (program_.value(slice.base).kind != ValueKind::sem)
    return fail(fmt::format("field `{}` must be a semaphore", field), ErrorCode::invalid_type);
  if (!kept(slice).empty())
    return fail(fmt::format("field `{}` must be one semaphore, found an array", field));
  const Semaphore& s = sem(slice);
  if (std::find(kinds.begin(), kinds.end(), s.kind) == kinds.end())
    fail(fmt::format("`{}` is a semaphore of {}; {}", s.name, name(s.kind), why),
         ErrorCode::invalid_type);
}

bool Verifier::memory(const Slice& slice, std::string_view field) {
  if (program_.value(slice.base).kind == ValueKind::ref) return true;
  fail(fmt::format("field `{}` must be memory", field), ErrorCode::invalid_type);
  return false;
}

void Verifier::scalar_memory(const Slice& slice, std::string_view field, bool one) {
  if (!memory(slice, field)) return;
  if (ref_info(program_, slice.base).space != Space::smem)
    return fail(fmt::format("{} is not scalar memory (smem)", name_of(slice)));
  if (one && !kept(slice).empty()) fail(fmt::format("{} is not one number", name_of(slice)));
}

void Verifier::array(const Slice& slice, std::string_view field) {
  scalar_memory(slice, field, false);
  if (kept(slice).size() != 1)
    fail(fmt::format("{} is not a one-dimensional array", name_of(slice)));
  else if (program_.value(slice.base).kind == ValueKind::ref &&
           is_float(ref_info(program_, slice.base).dtype))
    fail(fmt::format("{} is not an array of integers", name_of(slice)), ErrorCode::invalid_type);
}

void Verifier::grid(const Stmt& stmt) {
  const auto& op = std::get<Grid>(stmt.op);
  if (open_.empty() || !std::holds_alternative<Pipeline>(program_.body[open_.back()].op))
    return fail("a grid dimension stands in a pipeline");
  if (grid_body_.back() > 0)
    return fail("a grid dimension stands before the windows and the body of its pipeline");
  if (op.parallel != 0 && !last_grid_parallel_)
    fail("a parallel grid dimension stands before those that are not");
  last_grid_parallel_ = op.parallel != 0;
}

void Verifier::window(const Stmt& stmt) {
  const auto& op = std::get<Window>(stmt.op);
  if (open_.empty() || !std::holds_alternative<Pipeline>(program_.body[open_.back()].op))
    return fail("a window stands in a pipeline");
  if (grid_body_.back() > 1) return fail("a window stands before the body of its pipeline");
  grid_body_.back() = 1;
  if (program_.value(op.source.base).kind != ValueKind::ref) return fail("a window shows memory");
  if (op.depth < 1 || op.depth > max_window_depth)
    fail(fmt::format("the depth of a window is 1 to {}, found {}", max_window_depth, op.depth));
  for (int d : kept(op.source))
    if (!program_.constant(op.source.size[static_cast<std::size_t>(d)]))
      fail("the block of a window has sizes that are known when the kernel is instantiated");
}

void Verifier::tile_op(const Op& op) {
  const auto& fields = info(op).fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].kind == FieldKind::Slice)
      tile_operand(field<Slice>(op, fields[i]), fields[i].name, i == 0);
}

void Verifier::rules(const Stmt& stmt) {
  const Op& op = stmt.op;
  const OpInfo& row = info(op);
  // Anything that is not scalar code begins the body of the pipeline it stands in.
  const bool in_pipeline =
      !open_.empty() && std::holds_alternative<Pipeline>(program_.body[open_.back()].op);
  if (in_pipeline && !is_pure(op) && !std::holds_alternative<Limit>(op) &&
      !std::holds_alternative<Grid>(op) && !std::holds_alternative<Window>(op))
    grid_body_.back() = 2;
  if (std::holds_alternative<Grid>(op)) return grid(stmt);
  if (std::holds_alternative<Window>(op)) return window(stmt);
  if (const auto* o = std::get_if<Load>(&op)) {
    scalar_memory(o->src, "src", true);
    if (program_.value(o->src.base).kind == ValueKind::ref &&
        is_float(ref_info(program_, o->src.base).dtype))
      fail(fmt::format("{} is not an integer", name_of(o->src)), ErrorCode::invalid_type);
  } else if (const auto* o = std::get_if<LoadReal>(&op)) {
    scalar_memory(o->src, "src", true);
  } else if (const auto* o = std::get_if<Store>(&op)) {
    scalar_memory(o->dst, "dst", true);
    if (program_.value(o->dst.base).kind == ValueKind::ref) {
      written(o->dst, "dst");
      if (is_float(ref_info(program_, o->dst.base).dtype))
        fail("scalars that are stored are integers", ErrorCode::invalid_type);
    }
  } else if (const auto* o = std::get_if<PrefixSum>(&op)) {
    array(o->dst, "dst"), array(o->src, "src");
  } else if (const auto* o = std::get_if<SearchRight>(&op)) {
    array(o->sorted, "sorted");
  } else if (const auto* o = std::get_if<Iota>(&op)) {
    array(o->dst, "dst");
  } else if (const auto* o = std::get_if<Repeat>(&op)) {
    array(o->dst, "dst"), array(o->values, "values"), array(o->counts, "counts");
  } else if (const auto* o = std::get_if<Limit>(&op)) {
    if (!program_.constant(o->bound))
      fail("the bound of a limit must be known when the kernel is instantiated");
  } else if (const auto* o = std::get_if<Start>(&op)) {
    copy(o->src, o->dst, false);
    semaphore(o->sem, "sem", {SemKind::bytes}, "a copy counts bytes");
  } else if (const auto* o = std::get_if<WriteBack>(&op)) {
    copy(o->src, o->dst, false);
    semaphore(o->sem, "sem", {SemKind::bytes}, "a copy counts bytes");
  } else if (const auto* o = std::get_if<StartRemote>(&op)) {
    copy(o->src, o->dst, true);
    semaphore(o->sent, "sent", {SemKind::bytes}, "a copy counts bytes");
    semaphore(o->arrived, "arrived", {SemKind::bytes}, "a copy counts bytes");
  } else if (const auto* o = std::get_if<Signal>(&op)) {
    semaphore(o->sem, "sem", {SemKind::count, SemKind::barrier}, "only copies signal it");
    if (const auto count = program_.constant(o->count); count && *count < 0)
      fail(fmt::format("a signal of {} is negative", *count));
  } else if (const auto* o = std::get_if<Wait>(&op)) {
    semaphore(o->sem, "sem", {SemKind::count, SemKind::bytes, SemKind::barrier}, "");
    if (const auto count = program_.constant(o->count); count && *count < 0)
      fail(fmt::format("a wait for {} is negative", *count));
    if (program_.value(o->sem.base).kind == ValueKind::sem && sem(o->sem).monotone)
      fail(fmt::format("`{}` is monotone: it may only be awaited", sem(o->sem).name));
  } else if (const auto* o = std::get_if<Await>(&op)) {
    semaphore(o->sem, "sem", {SemKind::count}, "only counting semaphores are awaited");
    if (program_.value(o->sem.base).kind == ValueKind::sem && !sem(o->sem).monotone)
      fail(fmt::format(
          "`{}` is not monotone: `wait` subtracts from it, `await` needs one declared monotone",
          sem(o->sem).name));
  } else if (const auto* o = std::get_if<ReadSem>(&op)) {
    semaphore(o->sem, "sem", {SemKind::count, SemKind::bytes, SemKind::barrier}, "");
  } else if (const auto* o = std::get_if<Matmul>(&op)) {
    const std::size_t before = diags_.size();
    tile_op(op);
    if (diags_.size() == before) matmul(*o);
  } else if (const auto* o = std::get_if<Scaled>(&op)) {
    const std::size_t before = diags_.size();
    tile_op(op);
    if (diags_.size() == before) scaled(*o);
  } else if (std::holds_alternative<Alloc>(op) || std::holds_alternative<Free>(op)) {
    const Slice& s = field<Slice>(op, row.fields[0]);
    const Value& base = program_.value(s.base);
    const bool scoped = base.kind == ValueKind::sem
                            ? sem(s).scoped
                            : program_.buffer(s.base) && program_.buffer(s.base)->scoped;
    if (!scoped) fail(fmt::format("`{}` is not declared scoped", base.name));
  } else if (std::holds_alternative<Fresh>(op) || std::holds_alternative<Pad>(op)) {
    tile_op(op);
  } else if (!row.fields.empty() && row.fields[0].name == "dst" &&
             row.fields[0].kind == FieldKind::Slice) {
    const std::size_t before = diags_.size();
    tile_op(op);
    const bool reshapes = std::holds_alternative<Transpose>(op) ||
                          std::holds_alternative<RowSum>(op) ||
                          std::holds_alternative<RowMax>(op) ||
                          std::holds_alternative<ColSum>(op) || std::holds_alternative<ColMax>(op);
    // Numbers broadcast; they have no rows and columns.
    if (reshapes && is_number(program_, field<Slice>(op, row.fields[1])))
      fail(fmt::format("field `{}` must be a tile, found a number", row.fields[1].name),
           ErrorCode::invalid_type);
    if (diags_.size() == before && !reshapes) broadcasts(op);
    if (const auto* o = std::get_if<TileIota>(&op); o != nullptr && diags_.size() == before) {
      const auto rank = static_cast<std::int64_t>(kept(o->dst).size());
      if (o->dim < 0 || o->dim >= rank)
        fail(fmt::format("field `dim` is {}, and {} of shape {} has {} dimensions", o->dim,
                         name_of(o->dst), shape_of(o->dst), rank));
    }
  } else {
    for (const FieldInfo& f : row.fields)
      if (f.kind == FieldKind::Slice) memory(field<Slice>(op, f), f.name);
  }
}

}  // namespace tessera

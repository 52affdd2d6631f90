#include "devices/cuda/lower/general_tiles.h"

#include <fmt/format.h>

#include <cmath>

#include "core/program/refs.h"
#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/in_order.h"
#include "devices/cuda/lower/source_template.h"
#include "devices/cuda/lower/tile_expression.h"

namespace tessera::cuda {
namespace {

// Of a tile in global memory, in bytes: warps that read a row touch whole lines of the cache.
constexpr std::int64_t alignment = 256;

bool is_whole_number(DType dtype) { return is_integer(dtype); }

bool is_stored(DType dtype) {
  return dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16 ||
         dtype == DType::i32 || dtype == DType::i8 || dtype == DType::e4m3 || dtype == DType::e5m2;
}

}  // namespace

GeneralTiles::GeneralTiles(const Program& program, ScalarCode& code, KernelNames& names)
    : program_(program), code_(code), names_(names) {
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::smem) continue;
    places_[&buffer] = bytes_;
    bytes_ += (elements(buffer.shape) * size_of(buffer.dtype) + alignment - 1) / alignment * alignment;
  }
}

std::string GeneralTiles::fail(std::string reason) {
  if (problem_.empty()) problem_ = std::move(reason);
  return "0";
}

std::string GeneralTiles::sum(const std::vector<std::string>& terms) const {
  std::string text;
  for (const std::string& term : terms) {
    if (term == "0") continue;
    text += (text.empty() ? "" : " + ") + term;
  }
  return text.empty() ? "0" : "(" + text + ")";
}

// A loop over the target's elements, e0 and e1, by all threads; then they meet.
std::string GeneralTiles::loop(const Slice& target, const std::string& body, int indent) {
  const std::vector<int> dims = kept(target);
  if (dims.empty() || dims.size() > 2) {
    fail("a tile of other than one or two dimensions");
    return "";
  }
  const auto size = [&](std::size_t d) {
    return code_.text(target.size[static_cast<std::size_t>(dims[d])]);
  };
  const std::string across = dims.size() == 2 ? size(1) : "1";
  return indented(fill(R"({
  const i64 down = most(0, @down@), across = most(0, @across@);
  for (i64 at = ptx::thread(); at < down * across; at += C::threads) {
    const i64 e0 = at / across, e1 = at % across;
@body@
  }
}
ptx::sync_block();
)",
                       {{"down", size(0)}, {"across", across}, {"body", indented(body, 4)}}),
                  indent);
}

GeneralTiles::Element GeneralTiles::scratch(const Buffer& buffer, const Slice& slice,
                                            const Indices& at) {
  std::string offset = "0";
  std::size_t index = 0;
  for (int d = 0; d < slice.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    std::vector<std::string> terms{code_.text(slice.start[i])};
    if (!(slice.dropped >> d & 1)) terms.push_back(at[index++]);
    const std::string place = sum(terms);
    offset = d == 0 ? place : fmt::format("({} * {} + {})", offset, buffer.shape[i], place);
  }
  return {fmt::format("reinterpret_cast<{}*>(tiles + {})[{}]", storage_type(buffer.dtype),
                      places_.at(&buffer), offset),
          "", buffer.dtype, &buffer};
}

GeneralTiles::Element GeneralTiles::window(const Window& op, const Slice& slice,
                                           const Indices& at) {
  const Buffer* const buffer = program_.buffer(op.source.base);
  if (buffer == nullptr || buffer->space != Space::hbm || buffer->role == Role::scratch) {
    fail("a window on something that is no operand in hbm");
    return {};
  }
  std::vector<std::string> place(buffer->shape.size());
  std::string inside;
  int of_window = 0;
  std::size_t index = 0;
  for (int d = 0; d < op.source.rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    std::vector<std::string> terms{code_.text(op.source.start[i])};
    if (!(op.source.dropped >> d & 1)) {
      const auto w = static_cast<std::size_t>(of_window);
      terms.push_back(code_.text(slice.start[w]));
      if (!(slice.dropped >> of_window & 1)) terms.push_back(at[index++]);
      ++of_window;
    }
    place[i] = sum(terms);
    inside += fmt::format("{0}{1} >= 0 && {1} < {2}", inside.empty() ? "" : " && ", place[i],
                          names_.number(buffer->shape[i]));
  }
  std::string offset;
  for (std::size_t o = 0; o < place.size(); ++o) {
    const std::size_t d = buffer->order.empty() ? o : static_cast<std::size_t>(buffer->order[o]);
    offset = o == 0
                 ? place[d]
                 : fmt::format("({} * {} + {})", offset, names_.number(buffer->shape[d]), place[d]);
  }
  return {fmt::format("{}[{}]", names_.operand(*buffer), offset), inside, buffer->dtype, buffer};
}

GeneralTiles::Element GeneralTiles::element(const Slice& slice, const Indices& at) {
  if (const Buffer* const buffer = program_.buffer(slice.base)) {
    if (places_.contains(buffer)) return scratch(*buffer, slice, at);
  } else if (const auto found = windows_.find(slice.base); found != windows_.end()) {
    return window(*found->second, slice, at);
  }
  fail("tile arithmetic on something else than a tile or a window");
  return {};
}

// 0 outside of the operand. As a whole number, or as a float.
std::string GeneralTiles::load(const Slice& slice, const Indices& at, bool whole_numbers) {
  const Element from = element(slice, at);
  if (!problem_.empty()) return "0";
  if (!is_stored(from.dtype) && from.dtype != DType::e8m0)
    return fail(fmt::format("elements of {}", name(from.dtype)));
  std::string value = from.text;
  if (is_whole_number(from.dtype)) {
    value = fmt::format("static_cast<{}>({})", whole_numbers ? "i64" : "float", value);
  } else if (whole_numbers) {
    return fail("whole numbers made of others");
  } else {
    value = fmt::format("load_{}({})", name(from.dtype), value);
  }
  return from.inside.empty() ? value : fmt::format("({} ? {} : 0)", from.inside, value);
}

// A source's element at the target's: a single row or column is read for all.
std::string GeneralTiles::read(const Slice& slice, const Slice& target, bool whole_numbers) {
  if (is_number(program_, slice)) {
    const Value& v = program_.value(slice.base);
    if (whole_numbers && v.kind == ValueKind::scalar) return code_.text(slice.base);
    if (whole_numbers && !(v.constant && std::abs(v.real) < 0x1p63 && v.real == std::trunc(v.real)))
      return fail("whole numbers made of others");
    if (whole_numbers) return std::to_string(static_cast<std::int64_t>(v.real));
    if (v.constant && v.kind == ValueKind::scalar) return float_text(static_cast<float>(v.integer));
    return v.constant ? code_.text(slice.base)
                      : fmt::format("static_cast<float>({})", code_.text(slice.base));
  }
  const Shape from = static_shape(program_, slice), to = static_shape(program_, target);
  if (from.size() != to.size()) return fail("tiles of different numbers of dimensions");
  if (slice.base == target.base && slice.start != target.start)
    return fail("a tile is made of other elements of its own");
  Indices at;
  const std::vector<int> from_dims = kept(slice), to_dims = kept(target);
  for (std::size_t d = 0; d < to.size(); ++d) {
    // A part of one row, or column, is spread over all: its size has to be known here.
    const ValueId size = slice.size[static_cast<std::size_t>(from_dims[d])];
    if (!program_.constant(size) &&
        !same_number(program_, size, target.size[static_cast<std::size_t>(to_dims[d])]))
      return fail("a part whose size the run alone knows, beside one of another size");
    const bool is_spread = from[d] == 1 && to[d] != 1;
    if (is_spread && slice.base == target.base)
      return fail("a tile is made of other elements of its own");
    at.push_back(is_spread ? "0" : fmt::format("e{}", d));
  }
  return load(slice, at, whole_numbers);
}

std::string GeneralTiles::store(const Slice& target, const std::string& value) {
  Indices at;
  for (std::size_t d = 0; d < kept(target).size(); ++d) at.push_back(fmt::format("e{}", d));
  const Element to = element(target, at);
  if (!problem_.empty()) return "";
  if (!is_stored(to.dtype)) return fail(fmt::format("elements of {}", name(to.dtype)));
  std::string rounded = value;
  if (to.dtype == DType::bf16 || to.dtype == DType::f16) {
    rounded =
        fmt::format("static_cast<unsigned short>(ptx::pack_{}({}, 0.0f))", name(to.dtype), value);
  } else if (to.dtype == DType::e4m3 || to.dtype == DType::e5m2) {
    rounded = fmt::format("store_{}({})", name(to.dtype), value);
  } else if (is_whole_number(to.dtype)) {
    rounded = fmt::format("saturated<{}>({})", storage_type(to.dtype), value);
  }
  return to.inside.empty() ? fmt::format("{} = {};", to.text, rounded)
                           : fmt::format("if ({}) {} = {};", to.inside, to.text, rounded);
}

// Rows that are named, and that the operand does not have, are reported.
std::string GeneralTiles::outside(const Slice& target, int indent) {
  const auto found = windows_.find(target.base);
  if (found == windows_.end()) return "";
  const Window& op = *found->second;
  const Buffer* const buffer = program_.buffer(op.source.base);
  result_ = buffer;
  const std::vector<int> dims = kept(op.source);
  if (is_whole(program_, target) || dims.empty() || buffer == nullptr) return "";
  const auto d = static_cast<std::size_t>(dims[0]);
  const std::string end = sum(
      {code_.text(op.source.start[d]), code_.text(target.start[0]), code_.text(target.size[0])});
  return InOrder{
      "{:{}}if (ptx::thread() == 0 && {} > 0 && {} > {}) ptx::first_error(p.error, {});\n",
      "",
      indent,
      code_.text(target.size[0]),
      end,
      names_.number(buffer->shape[d]),
      end};
}

std::string GeneralTiles::matmul(const Matmul& op, int indent) {
  // Sums of whole numbers are whole until they are added to an accumulator that is not.
  const bool whole = is_whole_number(ref_info(program_, op.a.base).dtype);
  const bool whole_acc = is_whole_number(ref_info(program_, op.acc.base).dtype);
  const auto operand = [&](const Slice& slice, bool transposed, const char* row,
                           const char* column) {
    return load(slice, transposed ? Indices{column, row} : Indices{row, column}, whole);
  };
  if (kept(op.a).size() != 2 || kept(op.b).size() != 2 || kept(op.acc).size() != 2) {
    fail("a product of tiles of other than two dimensions");
    return "";
  }
  const auto along = static_cast<std::size_t>(kept(op.a)[op.transpose_a != 0 ? 0 : 1]);
  const std::string a = operand(op.a, op.transpose_a != 0, "e0", "x");
  const std::string b = operand(op.b, op.transpose_b != 0, "x", "e1");
  const std::string before = load(op.acc, {"e0", "e1"}, whole_acc);
  const bool apart = whole && !whole_acc;
  const std::string body =
      fill("@type@ sum = @before@;\n"
           "for (i64 x = 0; x < @length@; ++x) sum += @a@ * @b@;\n"
           "@store@\n",
           {{"type", whole ? "i64" : "float"},
            {"before", apart ? "0" : before},
            {"length", code_.text(op.a.size[along])},
            {"a", a},
            {"b", b},
            {"store", store(op.acc, apart       ? before + " + static_cast<float>(sum)"
                                    : whole_acc ? "static_cast<int>(sum)"  // wraps
                                                : "sum") +
                          "\n"}});
  return loop(op.acc, body, indent);
}

// The target's one column (row) of its source's rows (columns).
std::string GeneralTiles::reduce(const Slice& target, const Slice& source, bool rows, bool is_max,
                                 int indent) {
  if (kept(source).size() != 2 || source.base == target.base) {
    fail("a reduction of a tile that has not two dimensions, or into itself");
    return "";
  }
  const auto along = static_cast<std::size_t>(kept(source)[rows ? 1 : 0]);
  const std::string value = load(source, rows ? Indices{"e0", "x"} : Indices{"x", "e1"}, false);
  const std::string body =
      fill("float sum = @before@;\n"
           "for (i64 x = 0; x < @length@; ++x) sum = @next@;\n"
           "@store@\n",
           {{"before", is_max ? "-__builtin_huge_valf()" : "0.0f"},
            {"length", code_.text(source.size[along])},
            {"next", is_max ? fmt::format("greater(sum, {})", value) : "sum + " + value},
            {"store", store(target, "sum") + "\n"}});
  return loop(target, body, indent);
}

// Each element of the scale is that of a block: the source's sides divided by its own.
std::string GeneralTiles::scaled(const Scaled& op, const Slice& target) {
  const std::vector<int> from = kept(op.src), by = kept(op.scale);
  if (from.size() != by.size()) return fail("tiles of different numbers of dimensions");
  Indices at;
  for (std::size_t d = 0; d < from.size(); ++d) {
    at.push_back(InOrder{"(e{} / most(1, {} / most(1, {})))", d,
                         code_.text(op.src.size[static_cast<std::size_t>(from[d])]),
                         code_.text(op.scale.size[static_cast<std::size_t>(by[d])])});
  }
  return InOrder{"{} * {}", read(op.src, target, false), load(op.scale, at, false)};
}

std::string GeneralTiles::elementwise(const Op& op, const Slice& target, int indent) {
  const bool whole = is_whole_number(ref_info(program_, target.base).dtype);
  std::string value;
  if (const auto* turned = std::get_if<Transpose>(&op)) {
    if (turned->src.base == target.base) {
      fail("a tile is made of other elements of its own");
      return "";
    }
    value = load(turned->src, {"e1", "e0"}, whole);
  } else if (const auto* by = std::get_if<Scaled>(&op)) {
    value = whole ? fail("whole numbers made of others") : scaled(*by, target);
  } else if (const auto* iota = std::get_if<TileIota>(&op)) {
    value = fmt::format("static_cast<{}>(e{})", whole ? "i64" : "float", iota->dim);
  } else {
    bool mixed = false;
    DType widest = ref_info(program_, target.base).dtype;
    const auto text = tile_expression(op, [&](const Slice& source) {
      if (!is_number(program_, source)) {
        const DType type = ref_info(program_, source.base).dtype;
        mixed |= !whole && is_whole_number(type);
        if (size_of(type) > size_of(widest)) widest = type;
      }
      return read(source, target, whole);
    });
    const bool is_plain = std::holds_alternative<Cast>(op);
    if (!text || (!is_plain && mixed) ||
        (whole && !is_plain && !std::holds_alternative<TileAdd>(op) &&
         !std::holds_alternative<TileSub>(op) && !std::holds_alternative<TileMul>(op))) {
      fail(fmt::format("`{}` on these types has no CUDA form", info(op).mnemonic));
      return "";
    }
    // Modulo the range of the widest type among them.
    value = whole && !is_plain ? fmt::format("static_cast<{}>({})", storage_type(widest), *text)
                               : *text;
  }
  return loop(target, store(target, value) + "\n", indent);
}

std::string GeneralTiles::statement(const Op& op, int indent) {
  const Slice& target = *written_slice(op);
  const std::string check = outside(target, indent);
  if (const auto* o = std::get_if<Matmul>(&op)) return check + matmul(*o, indent);
  if (const auto* o = std::get_if<RowSum>(&op))
    return check + reduce(target, o->src, true, false, indent);
  if (const auto* o = std::get_if<RowMax>(&op))
    return check + reduce(target, o->src, true, true, indent);
  if (const auto* o = std::get_if<ColSum>(&op))
    return check + reduce(target, o->src, false, false, indent);
  if (const auto* o = std::get_if<ColMax>(&op))
    return check + reduce(target, o->src, false, true, indent);
  return check + elementwise(op, target, indent);
}

}  // namespace tessera::cuda

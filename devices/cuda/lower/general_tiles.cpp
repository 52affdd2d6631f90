#include "devices/cuda/lower/general_tiles.h"

#include <fmt/format.h>

#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/in_order.h"
#include "devices/cuda/lower/source_template.h"

namespace tessera::cuda {
namespace {

constexpr const char* reads_others =
    "the CUDA kernel's threads would read elements of the tile that others write at the same time";

}  // namespace

// Loop of all threads over the target's elements, with indices e0 and e1, and a barrier.
std::string GeneralTiles::loop(const Slice& target, const std::string& body, int indent) {
  const std::vector<int> dims = kept(target);
  if (dims.empty() || dims.size() > 2) {
    elements_.fail("CUDA kernels work on tiles of one or two dimensions");
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

// Code for the source's element at the target's indices. A single row or column is broadcast.
std::string GeneralTiles::read(const Slice& slice, const Slice& target, bool whole) {
  if (is_number(program_, slice)) {
    const Value& v = program_.value(slice.base);
    if (whole) return fmt::format("static_cast<i64>({})", code_.text(slice.base));
    if (v.constant && v.kind == ValueKind::scalar) return float_text(static_cast<float>(v.integer));
    return v.constant ? code_.text(slice.base)
                      : fmt::format("static_cast<float>({})", code_.text(slice.base));
  }
  const Shape from = static_shape(program_, slice), to = static_shape(program_, target);
  if (from.size() > to.size())
    return elements_.fail("an operand has more dimensions than the result");
  Indices at;
  const std::vector<int> from_dims = kept(slice), to_dims = kept(target);
  // Leading dimensions that the source does not have are broadcast.
  const std::size_t lacks = to.size() - from.size();
  if (slice.base == target.base && (lacks > 0 || slice.start != target.start))
    return elements_.fail(reads_others);
  for (std::size_t d = lacks; d < to.size(); ++d) {
    // A slice of one row or column is broadcast, so its size must be known at compile time.
    const ValueId size = slice.size[static_cast<std::size_t>(from_dims[d - lacks])];
    if (!program_.constant(size) &&
        !same_number(program_, size, target.size[static_cast<std::size_t>(to_dims[d])]))
      return elements_.fail(
          "a slice with a size that is known only at run time is combined with one of another "
          "size, and a CUDA kernel must know which is repeated");
    const bool is_spread = from[d - lacks] == 1 && to[d] != 1;
    if (is_spread && slice.base == target.base) return elements_.fail(reads_others);
    at.push_back(is_spread ? "0" : fmt::format("e{}", d));
  }
  return elements_.load(slice, at, whole);
}

// Check that reports selected rows that the operand does not have.
std::string GeneralTiles::outside(const Slice& target, int indent) {
  const Window* const found = elements_.window_of(target.base);
  if (found == nullptr) return "";
  const Window& op = *found;
  const Buffer* const buffer = program_.buffer(op.source.base);
  result_ = buffer;
  const std::vector<int> dims = kept(op.source);
  if (is_whole(program_, target) || dims.empty() || buffer == nullptr) return "";
  const auto d = static_cast<std::size_t>(dims[0]);
  const std::string end = sum_text(
      {code_.text(op.source.start[d]), code_.text(target.start[0]), code_.text(target.size[0])});
  // A target without elements has no position to check.
  std::string has_elements = fmt::format("{} > 0", code_.text(target.size[0]));
  for (std::size_t other = 1; other < static_cast<std::size_t>(target.rank); ++other)
    if (!program_.constant(target.size[other]))
      has_elements += fmt::format(" && {} > 0", code_.text(target.size[other]));
  return indented(fill("if (ptx::thread() == 0 && @has_elements@ && @end@ > @extent@) "
                       "ptx::first_error(p.error, @end@);\n",
                       {{"has_elements", has_elements},
                        {"end", end},
                        {"extent", names_.number(buffer->shape[d])}}),
                  indent);
}

std::string GeneralTiles::matmul(const Matmul& op, int indent) {
  // Products of integers are summed as integers, also if the accumulator is a float.
  const bool whole = is_integer(ref_info(program_, op.a.base).dtype);
  const bool whole_acc = is_integer(ref_info(program_, op.acc.base).dtype);
  const auto operand = [&](const Slice& slice, bool transposed, const char* row,
                           const char* column) {
    return elements_.load(slice, transposed ? Indices{column, row} : Indices{row, column}, whole);
  };
  if (kept(op.a).size() != 2 || kept(op.b).size() != 2 || kept(op.acc).size() != 2) {
    elements_.fail("a CUDA product takes matrices of two dimensions");
    return "";
  }
  const auto along = static_cast<std::size_t>(kept(op.a)[op.transpose_a != 0 ? 0 : 1]);
  const std::string a = operand(op.a, op.transpose_a != 0, "e0", "x");
  const std::string b = operand(op.b, op.transpose_b != 0, "x", "e1");
  const std::string before = elements_.load(op.acc, {"e0", "e1"}, whole_acc);
  const bool apart = whole && !whole_acc;
  const std::string body = fill(
      "@type@ sum = @before@;\n"
      "for (i64 x = 0; x < @length@; ++x) sum += @a@ * @b@;\n"
      "@store@\n",
      {{"type", whole ? "i64" : "float"},
       {"before", apart ? "0" : before},
       {"length", code_.text(op.a.size[along])},
       {"a", a},
       {"b", b},
       {"store",
        elements_.store(op.acc, apart       ? before + " + static_cast<float>(sum)"
                                : whole_acc ? "static_cast<i64>(static_cast<int>(sum))"  // wraps
                                            : "sum") +
            "\n"}});
  return loop(op.acc, body, indent);
}

// Reduces a line of the source to each element of the target. Integers wrap in the wider type.
std::string GeneralTiles::reduce(const Op& op, std::int64_t dim, int indent) {
  const Slice &target = field<Slice>(op, info(op).fields[0]),
              &source = field<Slice>(op, info(op).fields[1]);
  const std::vector<int> dims = kept(source);
  if (dims.size() > 2 || source.base == target.base) {
    elements_.fail("a CUDA reduction takes a matrix of two dimensions and stores to another tile");
    return "";
  }
  const DType from = ref_info(program_, source.base).dtype;
  Indices at;
  for (std::size_t d = 0; d < dims.size(); ++d)
    at.push_back(static_cast<std::int64_t>(d) == dim ? "x" : fmt::format("e{}", d));
  const std::string value = elements_.load(source, at, is_integer(from));
  const std::string length =
      code_.text(source.size[static_cast<std::size_t>(dims[static_cast<std::size_t>(dim)])]);
  const FoldCode fold = fold_code(op, ref_info(program_, target.base).dtype, from, length, value);
  const std::string body = fill(
      "@type@ sum = @begin@;\n"
      "for (i64 x = 0; x < @length@; ++x) sum = @next@;\n"
      "@store@\n",
      {{"type", fold.type},
       {"begin", fold.begin},
       {"length", length},
       {"next", fold.next},
       {"store", elements_.store(target, fold.result) + "\n"}});
  return loop(target, body, indent);
}

// Code for the source's element at the permuted indices of the target.
std::string GeneralTiles::permuted(const Op& op, const Slice& target) {
  const Slice& source = field<Slice>(op, info(op).fields[1]);
  if (source.base == target.base) return elements_.fail(reads_others);
  const std::vector<int> order = permutation(op, static_cast<int>(kept(source).size()));
  Indices at(order.size());
  for (std::size_t d = 0; d < order.size(); ++d)
    at[static_cast<std::size_t>(order[d])] = fmt::format("e{}", d);
  return elements_.load(source, at, is_integer(ref_info(program_, source.base).dtype));
}

// Each element of the scale applies to a block of the source. Block sizes are the sizes of the
// source divided by the sizes of the scale.
std::string GeneralTiles::scaled(const Scaled& op, const Slice& target) {
  const std::vector<int> from = kept(op.src), by = kept(op.scale);
  if (from.size() != by.size())
    return elements_.fail("CUDA kernels scale a tile by scales of the same number of dimensions");
  Indices at;
  for (std::size_t d = 0; d < from.size(); ++d) {
    at.push_back(InOrder{"(e{} / most(1, {} / most(1, {})))", d,
                         code_.text(op.src.size[static_cast<std::size_t>(from[d])]),
                         code_.text(op.scale.size[static_cast<std::size_t>(by[d])])});
  }
  return InOrder{"{} * {}", read(op.src, target, false), elements_.load(op.scale, at, false)};
}

ElementType GeneralTiles::type_of(const Slice& slice) const {
  if (!is_number(program_, slice)) return {ref_info(program_, slice.base).dtype};
  const bool is_real = program_.value(slice.base).kind == ValueKind::real;
  return {is_real ? DType::f32 : DType::i64, true};
}

std::string GeneralTiles::value(const Op& op, const Slice& target) {
  if (reshape_of(op) == Reshape::permuted) return permuted(op, target);
  if (const auto* by = std::get_if<Scaled>(&op)) return scaled(*by, target);
  if (const auto* iota = std::get_if<TileIota>(&op)) return fmt::format("e{}", iota->dim);
  std::vector<const Slice*> slices;
  ElementTypes types;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind != FieldKind::Slice) continue;
    slices.push_back(&field<Slice>(op, f));
    types.push_back(type_of(*slices.back()));
  }
  const auto text = element_code(
      op, types, [&](std::size_t i, bool whole) { return read(*slices[i], target, whole); });
  return text ? *text : elements_.fail(fmt::format("`{}` has no CUDA form", info(op).mnemonic));
}

std::string GeneralTiles::statement(const Op& op, int indent) {
  const Slice& target = *written_slice(op);
  const std::string check = outside(target, indent);
  if (const auto* o = std::get_if<Matmul>(&op)) return check + matmul(*o, indent);
  if (const auto dim = reduced_dimension(op)) return check + reduce(op, *dim, indent);
  return check + loop(target, elements_.store(target, value(op, target)) + "\n", indent);
}

}  // namespace tessera::cuda

#include "analysis/running_error/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/data/convert.h"
#include "core/data/dtype_range.h"

namespace tessera::running_error {
namespace {

// The elements of a view, row-major. Integers beyond 2^53 are rounded.
std::vector<double> numbers_of(const TileView& view) {
  const auto count = static_cast<std::size_t>(view.elements());
  std::vector<double> values(count);
  const auto take = [&](auto zero) {
    using T = decltype(zero);
    constexpr DType wide = std::is_same_v<T, float> ? DType::f32 : DType::i64;
    const std::int64_t length = view.rank == 0 ? 1 : view.size[Box::at(view.rank - 1)];
    std::vector<std::byte> dense(static_cast<std::size_t>(length * size_of(view.dtype)));
    std::vector<T> row(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(length)) {
      const TileView from = stretch(view, static_cast<std::int64_t>(i), length);
      copy_elements(compact(dense.data(), from), from);
      convert(dense.data(), view.dtype, reinterpret_cast<std::byte*>(row.data()), wide, length);
      std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  is_float(view.dtype) ? take(float{}) : take(std::int64_t{});
  return values;
}

// The same type as in interp/tiles/integer_range.h.
DType widest_of(DType dst, const Tile& a, const Tile& b) {
  DType widest = is_float(dst) ? DType::i64 : dst;
  for (const DType dtype : {a.dtype, b.dtype}) widest = wider_integer(widest, dtype);
  return widest;
}

}  // namespace

Tile ErrorDomain::filled(const Extents& shape, Bound bound) {
  return {shape,
          std::vector<Bound>(static_cast<std::size_t>(shadow::elements_of(shape)), bound),
          {},
          DType::f32};
}

Tile ErrorDomain::operand(Tile tile, DType type) {
  tile.dtype = type;
  return tile;
}

void ErrorDomain::complete(Tile& operand, Storage& storage, const Box& box) {
  operand.values = numbers_of(storage.read(box));
  mark_unknown(operand);
}

void ErrorDomain::mark_unknown(Tile& tile) {
  for (std::size_t i = 0; i < tile.values.size(); ++i) {
    if (!std::isnan(tile.values[i]) || !running_error::is_known(tile.bound(i))) continue;
    if (tile.bounds.empty()) tile.bounds.assign(tile.values.size(), 0);
    tile.bounds[i] = rules_.unknown("it is not a number");
  }
}

Tile ErrorDomain::of_integer(std::int64_t integer) {
  return {{}, {}, {static_cast<double>(integer)}, DType::i64};
}

// The reference may use the literal as written or rounded to f32; the bound covers both.
Tile ErrorDomain::of_literal(double literal) {
  const auto held = static_cast<double>(static_cast<float>(literal));
  Tile tile{{}, {}, {held}, DType::f32};
  if (!std::isinf(held) && held != literal) tile.bounds = {rounded_up(std::abs(held - literal))};
  mark_unknown(tile);
  return tile;
}

Tile ErrorDomain::of_real(std::int64_t integer) {
  const Number x = rules_.as_f32({static_cast<double>(integer), 0});
  return {{}, {x.bound}, {x.value}, DType::f32};
}

Tile ErrorDomain::prepared(Tile tile) const {
  if (!rules_.flushes() || !is_float(tile.dtype)) return tile;
  std::vector<Bound> bounds(tile.values.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = rules_.flushed(tile.at(i)).bound;
  const auto is_zero = [](Bound bound) { return bound == 0; };
  if (!std::all_of(bounds.begin(), bounds.end(), is_zero)) tile.bounds = std::move(bounds);
  return tile;
}

Tile ErrorDomain::as_f32(Tile tile) {
  if (is_float(tile.dtype)) return tile;
  std::vector<Bound> bounds(tile.elements());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Number x = rules_.as_f32(tile.at(i));
    tile.values[i] = x.value;
    bounds[i] = x.bound;
  }
  return {tile.shape, std::move(bounds), std::move(tile.values), DType::f32};
}

template <typename Make>
Tile ErrorDomain::each(const Extents& shape, DType to, Make&& make) {
  Tile tile = filled(shape, 0);
  for (std::size_t i = 0; i < tile.bounds.size(); ++i)
    tile.bounds[i] = rules_.rounded(to, make(i)).bound;
  tile.simplify();
  return tile;
}

Tile ErrorDomain::binary(Binary kind, Tile a, Tile b, DType to) {
  if (is_float(a.dtype) || is_float(b.dtype)) {
    a = as_f32(std::move(a));
    b = as_f32(std::move(b));
    return each(a.shape, to, [&](std::size_t i) { return rules_.binary(kind, a.at(i), b.at(i)); });
  }
  const DType widest = widest_of(to, a, b);
  return each(a.shape, to,
              [&](std::size_t i) { return rules_.of_integers(kind, a.at(i), b.at(i), widest); });
}

Tile ErrorDomain::integers(Integers kind, const Tile& a, const Tile& b, DType type, DType to) {
  return each(a.shape, to,
              [&](std::size_t i) { return rules_.of_bits(kind, a.at(i), b.at(i), type); });
}

Tile ErrorDomain::function(Function kind, Tile x, DType to) {
  x = as_f32(std::move(x));
  return each(x.shape, to, [&](std::size_t i) { return rules_.function(kind, x.at(i)); });
}

Tile ErrorDomain::power(Tile a, Tile b, DType to) {
  a = as_f32(std::move(a));
  b = as_f32(std::move(b));
  return each(a.shape, to, [&](std::size_t i) { return rules_.power(a.at(i), b.at(i)); });
}

Tile ErrorDomain::select(Tile condition, Tile a, Tile b, DType to) {
  condition = as_f32(std::move(condition));
  if (is_float(a.dtype) || is_float(b.dtype)) {
    a = as_f32(std::move(a));
    b = as_f32(std::move(b));
  }
  return each(a.shape, to,
              [&](std::size_t i) { return rules_.select(condition.at(i), a.at(i), b.at(i)); });
}

Tile ErrorDomain::cast(const Tile& x, DType to) {
  if (x.is_machines() && x.dtype == to) return x.like(x.shape);
  return each(x.shape, to, [&](std::size_t i) { return x.at(i); });
}

Tile ErrorDomain::truncate(const Tile& x, DType to) {
  return each(x.shape, to, [&](std::size_t i) { return rules_.cut_off(x.at(i), x.dtype, to); });
}

Tile ErrorDomain::iota(const Extents& shape, std::size_t dim, DType to) {
  const std::int64_t extent = shape[dim], inner = shadow::lines_along(shape, dim).inner;
  return each(shape, to, [&](std::size_t i) {
    return Number{static_cast<double>(static_cast<std::int64_t>(i) / inner % extent), 0};
  });
}

// The bits of a value that rounding may have changed are not known.
Expected<Tile> ErrorDomain::bits(const Tile& x, const Extents& shape, DType to) {
  if (x.is_machines()) return x.like(shape);
  return error(ErrorCode::unsupported,
               fmt::format("the bits of {} as {} have no rule for errors where they may be rounded",
                           name(x.dtype), name(to)));
}

Tile ErrorDomain::reduce(Reduction kind, const Tile& x, std::size_t dim, DType to) {
  const shadow::Lines lines = shadow::lines_along(x.shape, dim);
  const auto inner = static_cast<std::size_t>(lines.inner),
             terms = static_cast<std::size_t>(lines.extent);
  const bool are_integers = is_integer(x.dtype);
  std::vector<Number> line(terms);
  return each(shadow::reduced(x.shape, dim), to, [&](std::size_t i) {
    for (std::size_t j = 0; j < terms; ++j)
      line[j] = x.at((i / inner * terms + j) * inner + i % inner);
    return kind == Reduction::sum ? rules_.sum(line, are_integers)
                                  : rules_.outermost(kind == Reduction::max, line);
  });
}

Tile ErrorDomain::product(const Tile& acc, const Tile& a, const Tile& b) {
  Tile result = acc.like(acc.shape);
  if (acc.shape.size() == 2) {
    result.bounds = rules_.product(acc, a, b);
  } else {
    const auto products = shadow::product_extents(acc.shape, a.shape, b.shape)->products;
    for (std::size_t i = 0; i < static_cast<std::size_t>(products); ++i) {
      const std::vector<Bound> one =
          rules_.product(matrix_of(acc, i), matrix_of(a, i), matrix_of(b, i));
      result.bounds.insert(result.bounds.end(), one.begin(), one.end());
    }
  }
  result.simplify();
  return result;
}

}  // namespace tessera::running_error

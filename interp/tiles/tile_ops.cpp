#include "interp/tiles/tile_ops.h"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/report/check.h"
#include "interp/tiles/functions.h"
#include "interp/tiles/integer_range.h"
#include "interp/tiles/tile_ops_init.h"
#include "interp/tiles/tile_ops_rows.h"

namespace tessera::tile {
namespace {

// Integers compute in i64. If any operand is a float, everything computes in f32.
template <typename... Views>
bool is_float_op(const Views&... views) {
  return (is_float(views.dtype) || ...);
}

template <typename T>
void binary_as(Binary op, const TileView& dst, const std::array<Source, 2>& sources) {
  const auto arithmetic_map = [&]<Binary fixed>() {
    if constexpr (std::is_same_v<T, float> || fixed == Binary::div) {
      map<T>(dst, sources, [](T a, T b) { return value_of(fixed, a, b); });
    } else {
      with_integer(integer_range(dst, {&sources[0].view(), &sources[1].view()}), [&](auto zero) {
        map<T>(dst, sources, [](T a, T b) {
          return static_cast<T>(static_cast<decltype(zero)>(value_of(fixed, a, b)));
        });
      });
    }
  };
  switch (op) {
    case Binary::add:
      return arithmetic_map.template operator()<Binary::add>();
    case Binary::sub:
      return arithmetic_map.template operator()<Binary::sub>();
    case Binary::mul:
      return arithmetic_map.template operator()<Binary::mul>();
    case Binary::div:
      return arithmetic_map.template operator()<Binary::div>();
    case Binary::min:
      return map<T>(dst, sources, [](T a, T b) { return lesser(a, b); });
    case Binary::max:
      return map<T>(dst, sources, [](T a, T b) { return larger(a, b); });
    case Binary::lt:
      return map<T>(dst, sources, [](T a, T b) { return T(a < b ? 1 : 0); });
    case Binary::le:
      return map<T>(dst, sources, [](T a, T b) { return T(a <= b ? 1 : 0); });
    case Binary::eq:
      return map<T>(dst, sources, [](T a, T b) { return T(a == b ? 1 : 0); });
  }
}

template <typename T>
void select_as(const TileView& dst, const Source& condition, const Source& a, const Source& b) {
  std::array<T, piece> yes, no;
  std::array<float, piece> choice;  // nonzero integers are nonzero as floats too
  for_each_piece(dst, [&](const Index& index, std::int64_t begin, std::int64_t n) {
    condition.load(index, begin, n, choice.data());
    a.load(index, begin, n, yes.data());
    b.load(index, begin, n, no.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      yes[i] = choice[i] != 0 ? yes[i] : no[i];
    store(dst, index, begin, n, yes.data());
  });
}

template <typename T>
void fill_elements(const TileView& dst, const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  const std::int64_t step = dst.rank == 0 ? 1 : dst.stride[Box::at(dst.rank - 1)];
  for_each_piece(dst, [&](const Index& index, std::int64_t begin, std::int64_t n) {
    T* to = reinterpret_cast<T*>(dst.data) + offset_of(dst, index) + begin * step;
    if (step == 1) {
      std::fill_n(to, n, value);
    } else {
      for (std::int64_t i = 0; i < n; ++i) to[i * step] = value;
    }
  });
}

// Converts the number once.
void fill_elements(const TileView& dst, const TileView& number) {
  const auto* from = is_integer(number.dtype) ? reinterpret_cast<const std::byte*>(&number.integer)
                                              : reinterpret_cast<const std::byte*>(&number.real);
  alignas(8) std::array<std::byte, 8> element;
  convert(from, number.dtype, element.data(), dst.dtype, 1);
  switch (size_of(dst.dtype)) {
    case 1:
      return fill_elements<std::uint8_t>(dst, element.data());
    case 2:
      return fill_elements<std::uint16_t>(dst, element.data());
    case 4:
      return fill_elements<std::uint32_t>(dst, element.data());
    default:
      return fill_elements<std::uint64_t>(dst, element.data());
  }
}

void convert_elements(const TileView& dst, const std::array<Source, 1>& source) {
  const TileView& from = source[0].view();
  if (from.is_number) {
    fill_elements(dst, from);
  } else if (from.dtype == dst.dtype) {
    if (from.data != dst.data) copy_elements(dst, from);
  } else if (is_float(from.dtype)) {
    map<float>(dst, source, [](float a) { return a; });
  } else {
    map<std::int64_t>(dst, source, [](std::int64_t a) { return a; });
  }
}

}  // namespace

TileView with_rank(const TileView& view, int rank) {
  if (view.rank == 0) return view;
  TileView result = view;
  const int added = rank - view.rank;
  for (int d = 0; d < rank; ++d) {
    result.size[Box::at(d)] = d < added ? 1 : view.size[Box::at(d - added)];
    result.stride[Box::at(d)] = d < added ? 0 : view.stride[Box::at(d - added)];
  }
  result.rank = static_cast<std::int8_t>(rank);
  return result;
}

bool broadcasts(const TileView& src, const TileView& dst) {
  if (src.rank == 0) return true;
  if (src.rank != dst.rank) return false;
  for (int d = 0; d < src.rank; ++d) {
    if (src.size[Box::at(d)] != 1 && src.size[Box::at(d)] != dst.size[Box::at(d)]) return false;
  }
  return true;
}

void cast(const TileView& dst, const TileView& src, const Context& context) {
  if (context.math != Math::none) {
    convert_elements(dst, {Source(src, dst)});
  }
  record(dst, {&src}, context);
}

void iota(const TileView& dst, int dim, const Context& context) {
  for_each_piece(dst, [&](const Index& index, std::int64_t begin, std::int64_t n) {
    std::array<std::int64_t, piece> values;
    const bool along = dim == dst.rank - 1;
    for (std::int64_t i = 0; i < n; ++i)
      values[Box::at(static_cast<int>(i))] = along ? begin + i : index[Box::at(dim)];
    store(dst, index, begin, n, values.data());
  });
  record(dst, {}, context);
}

void unknown(const TileView& dst, const std::optional<Origin>& undefined, const Context& context) {
  constexpr std::array<std::int64_t, piece> zeros{};
  if (context.math != Math::none)
    for_each_piece(dst, [&](const Index& index, std::int64_t begin, std::int64_t n) {
      store(dst, index, begin, n, zeros.data());
    });
  if (undefined)
    record_undefined(dst, undefined->place, context);
  else
    record(dst, {}, context);
}

void binary(Binary op, const TileView& dst, const TileView& a, const TileView& b,
            const Context& context) {
  if (context.math != Math::none) {
    const std::array<Source, 2> sources{Source(a, dst), Source(b, dst)};
    if (is_float_op(a, b))
      binary_as<float>(op, dst, sources);
    else
      binary_as<std::int64_t>(op, dst, sources);
  }
  record(dst, {&a, &b}, context);
}

void select(const TileView& dst, const TileView& condition, const TileView& a, const TileView& b,
            const Context& context) {
  const BitPlane mask = selected(dst, condition, a, b);
  if (context.math != Math::none) {
    const Source chooser(condition, dst), yes(a, dst), no(b, dst);
    if (is_float_op(a, b))
      select_as<float>(dst, chooser, yes, no);
    else
      select_as<std::int64_t>(dst, chooser, yes, no);
  }
  record_select(dst, condition, a, b, mask, context);
}

void apply(shapes::Function function, const TileView& dst, const TileView& src,
           const Context& context) {
  if (context.math != Math::none) {
    const RealFunction f = real_function(function);
    map<float>(dst, std::array{Source(src, dst)},
               [f](float a) { return static_cast<float>(f(a)); });
  }
  record(dst, {&src}, context);
}

void apply(FunctionOfTwo f, const TileView& dst, const TileView& a, const TileView& b,
           const Context& context) {
  if (context.math != Math::none) {
    map<float>(dst, std::array{Source(a, dst), Source(b, dst)},
               [f](float x, float y) { return static_cast<float>(f(x, y)); });
  }
  record(dst, {&a, &b}, context);
}

bool cuts(const TileView& scale, const TileView& tile) {
  if (scale.rank != tile.rank || tile.rank > max_rank / 2) return false;
  for (int d = 0; d < tile.rank; ++d) {
    const std::int64_t count = scale.size[Box::at(d)], extent = tile.size[Box::at(d)];
    if (count == 0 ? extent != 0 : extent % count != 0) return false;
  }
  return true;
}

void scale(const TileView& dst, const TileView& src, const TileView& scale,
           const Context& context) {
  // Splits each dimension into two: the block, and the position in the block. The scale has size 1
  // in the latter and is broadcast there. The element order does not change.
  const auto split = [&](const TileView& view, bool is_scale) {
    TileView result = view;
    result.rank = static_cast<std::int8_t>(2 * view.rank);
    for (int d = 0; d < view.rank; ++d) {
      const std::int64_t blocks = scale.size[Box::at(d)];
      const std::int64_t side = is_scale || blocks == 0 ? 1 : view.size[Box::at(d)] / blocks;
      const bool broadcast = view.size[Box::at(d)] == 1;
      result.size[Box::at(2 * d)] = broadcast ? 1 : blocks;
      result.size[Box::at(2 * d + 1)] = broadcast ? 1 : side;
      result.stride[Box::at(2 * d)] = view.stride[Box::at(d)] * side;
      result.stride[Box::at(2 * d + 1)] = view.stride[Box::at(d)];
    }
    return result;
  };
  binary(Binary::mul, split(dst, false), split(src, false), split(scale, true), context);
}

void permute(const TileView& dst, const TileView& src, const std::vector<int>& order,
             const Context& context) {
  CHECK(static_cast<std::size_t>(src.rank) == order.size() && dst.rank == src.rank);
  TileView turned = src;
  for (int d = 0; d < src.rank; ++d) {
    const auto from = Box::at(order[Box::at(d)]);
    turned.size[Box::at(d)] = src.size[from];
    turned.stride[Box::at(d)] = src.stride[from];
  }
  cast(dst, turned, context);
}

}  // namespace tessera::tile

// Ragged dot product by its definition: loops over all indices of the result and of the
// contraction. The ragged index selects the group.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/ragged_dot/ragged_dot.h"

namespace tessera::ragged {

using Index = std::vector<std::int64_t>;
using Values = std::vector<double>;

// An array of doubles, so that finite differences are computed in f64.
struct Array {
  Shape shape;
  Values values;
  double& at(const Index& index) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) flat = flat * shape[d] + index[d];
    return values[static_cast<std::size_t>(flat)];
  }
};

inline Array array(Shape shape) {
  return {shape, Values(static_cast<std::size_t>(elements(shape)), 0)};
}
inline Array array(const Tensor& tensor) {
  Array result = array(tensor.shape());
  for (std::size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = tensor.at(static_cast<std::int64_t>(i));
  return result;
}

inline void each_index(const Shape& shape, const std::function<void(const Index&)>& visit) {
  Index index(shape.size(), 0);
  for (std::int64_t left = elements(shape); left > 0; --left) {
    visit(index);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

// Returns the group of the ragged index r, for the group sizes at `prefix`; -1: none.
inline std::int64_t group_of(Array& sizes, Index prefix, std::int64_t r) {
  if (sizes.shape.size() == 1) prefix.clear();
  prefix.push_back(0);
  std::int64_t end = 0;
  for (std::int64_t g = 0; g < sizes.shape.back(); ++g) {
    prefix.back() = g;
    end += static_cast<std::int64_t>(sizes.at(prefix));
    if (r < end) return g;
  }
  return -1;
}

// Computes groups first .. first + count. count -1: all groups from `first`.
inline Array naive(Array lhs, Array rhs, Array sizes, const RaggedDotDims& dims,
                   std::int64_t first = 0, std::int64_t count = -1) {
  const auto has = [](const Index& axes, std::int64_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  };
  const std::int64_t ragged = dims.lhs_ragged[0];
  const bool contracts = has(dims.lhs_contracting, ragged);
  if (count < 0) count = sizes.shape.back() - first;
  Index lhs_rest, rhs_rest;
  for (std::int64_t a = 0; a < static_cast<std::int64_t>(lhs.shape.size()); ++a)
    if (!has(dims.lhs_batch, a) && !has(dims.lhs_contracting, a)) lhs_rest.push_back(a);
  for (std::int64_t a = 0; a < static_cast<std::int64_t>(rhs.shape.size()); ++a)
    if (!has(dims.rhs_batch, a) && !has(dims.rhs_contracting, a) && !has(dims.rhs_group, a))
      rhs_rest.push_back(a);
  Shape out_shape, contraction;
  if (contracts) out_shape.push_back(count);
  const auto extents = [](Shape& to, const Shape& of, const Index& axes) {
    for (const std::int64_t a : axes) to.push_back(of[static_cast<std::size_t>(a)]);
  };
  extents(out_shape, lhs.shape, dims.lhs_batch);
  extents(out_shape, lhs.shape, lhs_rest);
  extents(out_shape, rhs.shape, rhs_rest);
  extents(contraction, lhs.shape, dims.lhs_contracting);
  Array out = array(out_shape);
  each_index(out_shape, [&](const Index& o) {
    std::size_t at = 0;
    const std::int64_t out_group = contracts ? o[at++] + first : -1;
    Index l(lhs.shape.size()), r(rhs.shape.size());
    const auto put = [](Index& to, std::int64_t axis, std::int64_t value) {
      to[static_cast<std::size_t>(axis)] = value;
    };
    for (std::size_t i = 0; i < dims.lhs_batch.size(); ++i, ++at) {
      put(l, dims.lhs_batch[i], o[at]);
      put(r, dims.rhs_batch[i], o[at]);
    }
    for (const std::int64_t a : lhs_rest) put(l, a, o[at++]);
    for (const std::int64_t a : rhs_rest) put(r, a, o[at++]);
    each_index(contraction, [&](const Index& c) {
      for (std::size_t i = 0; i < c.size(); ++i) {
        put(l, dims.lhs_contracting[i], c[i]);
        put(r, dims.rhs_contracting[i], c[i]);
      }
      // Batch indices, then the indices of the contracting (or remaining) axes before the ragged
      // axis.
      Index prefix;
      for (const std::int64_t a : dims.lhs_batch) prefix.push_back(l[static_cast<std::size_t>(a)]);
      for (const std::int64_t a : contracts ? dims.lhs_contracting : lhs_rest) {
        if (a == ragged) break;
        prefix.push_back(l[static_cast<std::size_t>(a)]);
      }
      const std::int64_t g = group_of(sizes, prefix, l[static_cast<std::size_t>(ragged)]);
      if (contracts ? g != out_group : g < first || g >= first + count) return;
      if (!contracts) put(r, dims.rhs_group[0], g - first);
      out.at(o) += lhs.at(l) * rhs.at(r);
    });
  });
  return out;
}

}  // namespace tessera::ragged

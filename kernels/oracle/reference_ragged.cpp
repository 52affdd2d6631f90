#include "kernels/oracle/reference_ragged.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "kernels/oracle/reference_product.h"

namespace tessera {
namespace {

using Rows = std::vector<std::int64_t>;

// Matrix in a tensor that begins at element `offset` and has rows of `columns` elements.
MatrixView rows_of(const Tensor& tensor, std::int64_t offset, std::int64_t columns) {
  return {&tensor, offset, columns, 1};
}

// Rows in [begin, begin + count), and the same rows relative to `begin`.
struct Some {
  std::span<const std::int64_t> rows;
  Rows inside;
};

Some between(std::span<const std::int64_t> all, std::int64_t begin, std::int64_t count) {
  const auto first = std::lower_bound(all.begin(), all.end(), begin);
  const auto end = std::lower_bound(first, all.end(), begin + count);
  Some some{{first, end}, {first, end}};
  for (std::int64_t& row : some.inside) row -= begin;
  return some;
}

void ragged_rows(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                 ReferenceProduct& product, const BlockSink& sink) {
  const std::int64_t m = problem.m(), k = problem.k(), n = problem.n();
  for (std::int64_t p = 0; p < problem.batch() * problem.outer(); ++p) {
    const MatrixView lhs = rows_of(problem.lhs, p * m * k, k);
    const Rows edges = problem.group_edges(p);
    const auto multiply = [&](std::int64_t begin, std::int64_t end, const MatrixView& weights,
                              std::int64_t terms) {
      const Some some = between(rows, p * m + begin, end - begin);
      product.multiply(lhs.from(begin, 0), some.inside, weights, terms, n, nullptr, some.rows,
                       sink);
    };
    multiply(0, edges.front(), lhs, 0);
    for (std::int64_t g = 0; g < problem.local_groups; ++g) {
      const std::int64_t block = (g * problem.batch() + p / problem.outer()) * k * n;
      const MatrixView weights = problem.transpose_rhs ? rows_of(problem.rhs, block, k).transposed()
                                                       : rows_of(problem.rhs, block, n);
      multiply(edges[static_cast<std::size_t>(g)], edges[static_cast<std::size_t>(g) + 1], weights,
               k);
    }
    multiply(edges.back(), m, lhs, 0);
  }
}

// Copies the rows of a group, of every outer index of a batch entry, to consecutive rows.
Tensor gathered(const Tensor& tensor, const RaggedProblem& problem, std::int64_t batch,
                const std::vector<Rows>& edges, std::int64_t group, std::int64_t columns) {
  const auto g = static_cast<std::size_t>(group);
  std::int64_t total = 0;
  for (const Rows& edge : edges) total += edge[g + 1] - edge[g];
  Tensor result = Tensor::uninitialised(tensor.dtype(), {total, columns});
  const std::int64_t size = columns * size_of(tensor.dtype());
  std::byte* to = result.data();
  for (std::size_t o = 0; o < edges.size(); ++o) {
    const std::int64_t first =
        (batch * problem.outer() + static_cast<std::int64_t>(o)) * problem.m();
    const std::int64_t bytes = (edges[o][g + 1] - edges[o][g]) * size;
    if (bytes == 0) continue;
    std::memcpy(to, tensor.data() + (first + edges[o][g]) * size, static_cast<std::size_t>(bytes));
    to += bytes;
  }
  return result;
}

void ragged_contraction(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                        ReferenceProduct& product, const BlockSink& sink) {
  for (std::int64_t g = 0; g < problem.local_groups; ++g) {
    for (std::int64_t b = 0; b < problem.batch(); ++b) {
      std::vector<Rows> edges;
      for (std::int64_t o = 0; o < problem.outer(); ++o)
        edges.push_back(problem.group_edges(b * problem.outer() + o));
      const Tensor lhs = gathered(problem.lhs, problem, b, edges, g, problem.k());
      const Tensor rhs = gathered(problem.rhs, problem, b, edges, g, problem.n());
      const Some some = between(rows, (g * problem.batch() + b) * problem.k(), problem.k());
      product.multiply(rows_of(lhs, 0, problem.k()).transposed(), some.inside,
                       rows_of(rhs, 0, problem.n()), lhs.dim(0), problem.n(), nullptr, some.rows,
                       sink);
    }
  }
}

void ragged_batch(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                  ReferenceProduct& product, const BlockSink& sink) {
  for (std::int64_t b = 0; b < problem.batch(); ++b) {
    const Some some = between(rows, b * problem.m(), problem.m());
    product.multiply(rows_of(problem.lhs, b * problem.m() * problem.k(), problem.k()), some.inside,
                     rows_of(problem.rhs, b * problem.k() * problem.n(), problem.n()), problem.k(),
                     problem.n(), nullptr, some.rows, sink);
  }
}

}  // namespace

Rows RaggedProblem::group_edges(std::int64_t prefix) const {
  const auto groups = static_cast<std::int64_t>(group_sizes.size()) / (batch() * outer());
  const auto sizes = group_sizes.begin() + prefix * groups;
  std::int64_t at = std::accumulate(sizes, sizes + group_offset, std::int64_t{0});
  Rows edges{at * inner};
  for (std::int64_t g = 0; g < local_groups; ++g) {
    at += sizes[group_offset + g];
    edges.push_back(at * inner);
  }
  return edges;
}

Rows RaggedProblem::edges() const {
  Rows all;
  if (mode == RaggedMode::NonContracting) {
    for (std::int64_t p = 0; p < batch() * outer(); ++p)
      for (const std::int64_t edge : group_edges(p)) all.push_back(p * m() + edge);
    return all;
  }
  const bool blocks = mode == RaggedMode::Contracting;
  for (std::int64_t i = 0; i < (blocks ? local_groups : 1) * batch(); ++i)
    all.push_back(i * (blocks ? k() : m()));
  return all;
}

void reference_ragged_dot(const RaggedProblem& problem, std::span<const std::int64_t> rows,
                          Magnitude magnitude, const BlockSink& sink) {
  ReferenceProduct product(magnitude);
  switch (problem.mode) {
    case RaggedMode::NonContracting:
      return ragged_rows(problem, rows, product, sink);
    case RaggedMode::Contracting:
      return ragged_contraction(problem, rows, product, sink);
    case RaggedMode::Batch:
      return ragged_batch(problem, rows, product, sink);
  }
}

Tensor reference_ragged_dot(const RaggedProblem& problem, DType out) {
  const Shape shape = problem.mode == RaggedMode::Contracting
                          ? Shape{problem.local_groups, problem.batch(), problem.k(), problem.n()}
                          : Shape{problem.batch(), problem.outer(), problem.m(), problem.n()};
  return collect_reference(out, shape,
                           [&](std::span<const std::int64_t> rows, const BlockSink& sink) {
                             reference_ragged_dot(problem, rows, Magnitude::none, sink);
                           });
}

}  // namespace tessera

#include "kernels/oracle/reference_grouped_gemm.h"

#include <algorithm>
#include <cmath>

#include "kernels/oracle/reference_product.h"

namespace tessera {
namespace {

using Rows = std::vector<std::int64_t>;

// Applies the factor, c and the bias to the blocks of a product.
class Epilogue {
 public:
  Epilogue(const GemmGroup& group, const GroupedGemmProblem& problem, const BlockSink& sink)
      : group_(group), first_(problem.first_element), columns_(problem.columns), sink_(sink) {}

  void operator()(ReferenceBlock block) {
    const std::size_t rows = block.rows.size(), width = static_cast<std::size_t>(block.columns);
    value_.assign(block.value, block.value + rows * width);
    const bool judged = block.magnitude != nullptr;
    const double* const sum = block.value;
    if (judged) magnitude_.assign(block.magnitude, block.magnitude + rows * width);
    const double factor = std::abs(group_.factor);
    for (std::size_t i = 0; i < value_.size(); ++i) {
      value_[i] *= group_.factor;
      if (judged) magnitude_[i] *= factor;
    }
    if (group_.c && group_.beta != 0)
      add(MatrixView{group_.c, first_ + block.column, columns_, 1}, block.rows, block.columns,
          group_.beta, judged);
    if (group_.bias)
      add(MatrixView{group_.bias, group_.index * columns_ + block.column, 0, 1}, block.rows,
          block.columns, 1, judged);
    block.value = value_.data();
    block.epilogue = group_.epilogue;
    if (judged) {
      // ErrorBound computes the loss by flushing from these values. The loss in products grows with
      // the factor.
      row_.assign(block.row_largest, block.row_largest + rows);
      column_.assign(block.column_largest, block.column_largest + width);
      for (double& largest : row_) largest = factor * (1 + largest);
      for (double& largest : column_) largest *= factor;
      block.sum = sum;
      block.sum_magnitude = block.magnitude;
      block.magnitude = magnitude_.data();
      block.row_largest = row_.data();
      block.column_largest = column_.data();
    }
    sink_(block);
  }

 private:
  void add(const MatrixView& term, std::span<const std::int64_t> rows, std::int64_t columns,
           double factor, bool judged) {
    term_.resize(value_.size());
    decode(term, rows, columns, term_.data());
    for (std::size_t i = 0; i < value_.size(); ++i) {
      value_[i] += factor * term_[i];
      if (judged) magnitude_[i] += std::abs(factor * term_[i]);
    }
  }

  const GemmGroup& group_;
  std::int64_t first_, columns_;
  const BlockSink& sink_;
  std::vector<double> value_, magnitude_, row_, column_, term_;
};

}  // namespace

Rows GroupedGemmProblem::edges() const {
  Rows all;
  for (const GemmGroup& group : groups) all.push_back(group.first_row);
  if (!groups.empty()) all.push_back(groups.back().first_row + groups.back().rows);
  return all;
}

void reference_grouped_gemm(const GroupedGemmProblem& problem, std::span<const std::int64_t> rows,
                            Magnitude magnitude, const BlockSink& sink) {
  ReferenceProduct product(magnitude);
  const auto between = [&](std::int64_t begin, std::int64_t end) {
    const auto first = std::lower_bound(rows.begin(), rows.end(), begin);
    return std::span(first, std::lower_bound(first, rows.end(), end));
  };
  std::int64_t done = 0;
  const auto nothing = [&](std::int64_t end) {
    if (problem.groups.empty()) return;
    const auto some = between(done, end);
    product.multiply(problem.groups.front().a, some, problem.groups.front().b, 0, problem.columns,
                     nullptr, some, sink);
  };
  for (const GemmGroup& group : problem.groups) {
    nothing(group.first_row);
    const auto some = between(group.first_row, group.first_row + group.rows);
    Rows inside(some.begin(), some.end());
    for (std::int64_t& row : inside) row -= group.first_row;
    Epilogue epilogue(group, problem, sink);
    product.multiply(group.a, inside, group.b, group.terms, problem.columns, nullptr, some,
                     [&](const ReferenceBlock& block) { epilogue(block); });
    done = group.first_row + group.rows;
  }
  nothing(problem.rows);
}

Tensor reference_grouped_gemm(const GroupedGemmProblem& problem, DType out) {
  return collect_reference(out, {problem.rows, problem.columns},
                           [&](std::span<const std::int64_t> rows, const BlockSink& sink) {
                             reference_grouped_gemm(problem, rows, Magnitude::none, sink);
                           });
}

}  // namespace tessera

#include "devices/cuda/lower/contraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/passes/simplify.h"
#include "core/program/refs.h"
#include "core/report/try.h"
#include "devices/cuda/lower/pipeline_place.h"

namespace tessera::cuda {
namespace {

class Recogniser {
 public:
  explicit Recogniser(const Program& program) : program_(program) {}

  Expected<Contraction> run() {
    const PipelinePlace pipeline = TRY(pipeline_place(program_));
    result_.open = pipeline.open;
    close_ = pipeline.close;
    if (read_grid() && read_body() && complete()) return std::move(result_);
    return *problem_;
  }

 private:
  const Stmt& statement(StmtId at) const { return program_.body[at]; }

  bool fail(StmtId at, std::string reason) {
    problem_ = unsupported_at(program_, at, std::move(reason));
    return false;
  }

  bool read_grid() {
    body_ = result_.open + 1;
    for (StmtId i = body_; i < close_; ++i) {
      const Stmt& s = statement(i);
      if (const auto* grid = std::get_if<Grid>(&s.op)) {
        const GridLoop loop{s.result, grid->lower, grid->upper};
        if (result_.steps)
          return fail(i, "a CUDA kernel has one grid dimension that is not `parallel`");
        if (grid->parallel != 0) {
          if (program_.constant(grid->lower) != 0)
            return fail(i, "a CUDA kernel counts its `parallel` dimensions from 0");
          result_.loops.push_back(loop);
        } else {
          result_.steps = loop;
        }
        body_ = i + 1;
      } else if (const auto* window = std::get_if<Window>(&s.op)) {
        const Buffer* buffer = program_.buffer(window->source.base);
        if (!buffer || buffer->space != Space::hbm)
          return fail(i, "a window on memory that is not an operand in hbm");
        WindowUse use{s.result, window, buffer, {}, kept(window->source)};
        for (const int d : use.dims) {
          use.block.push_back(
              program_.constant(window->source.size[static_cast<std::size_t>(d)]).value_or(0));
        }
        windows_.emplace(s.result, std::move(use));
        body_ = i + 1;
      } else if (std::holds_alternative<Pipeline>(s.op)) {
        return fail(i, "a pipeline in a pipeline has no CUDA kernel");
      }
    }
    if (result_.loops.empty())
      return fail(result_.open, "a CUDA kernel needs a `parallel` grid dimension, found none");
    return true;
  }

  bool same(ValueId a, ValueId b) const { return same_number(program_, a, b); }

  // True if the condition holds at the first (last) step only.
  bool says_first(ValueId condition) const {
    const auto* eq = equality(condition);
    return eq && eq->a == result_.steps->index && same(eq->b, result_.steps->lower);
  }
  bool says_last(ValueId condition) const {
    const auto* eq = equality(condition);
    if (!eq || eq->a != result_.steps->index) return false;
    const auto upper = program_.constant(result_.steps->upper), at = program_.constant(eq->b);
    if (upper && at) return *at == *upper - 1;
    const StmtId defined = program_.value(eq->b).statement;
    if (at || !defined) return false;
    const auto* sub = std::get_if<Sub>(&statement(defined).op);
    return sub && sub->a == result_.steps->upper && program_.constant(sub->b) == 1;
  }
  const Eq* equality(ValueId condition) const {
    if (!result_.steps || program_.constant(condition)) return nullptr;
    const StmtId at = program_.value(condition).statement;
    return !at ? nullptr : std::get_if<Eq>(&statement(at).op);
  }
  bool one_step() const {
    if (!result_.steps) return true;
    const auto lower = program_.constant(result_.steps->lower);
    const auto upper = program_.constant(result_.steps->upper);
    return lower && upper && *upper - *lower == 1;
  }

  // Removes a condition for which `says` is true. Returns false if there is none, unless the
  // contraction is a single step.
  template <typename Says>
  bool take(std::vector<Condition>& conditions, Says says) const {
    const auto found = std::find_if(conditions.begin(), conditions.end(),
                                    [&](const Condition& c) { return c.holds && says(c.value); });
    if (found == conditions.end()) return one_step();
    conditions.erase(found);
    return true;
  }

  bool read_body() {
    std::vector<Condition> conditions;
    for (StmtId i = body_; i < close_; ++i) {
      const Stmt& s = statement(i);
      if (is_pure(s.op)) {
        if (viewed_slice(s.op) != nullptr)
          return fail(i, "a view in the body of a pipeline has no CUDA kernel");
      } else if (std::holds_alternative<Scaled>(s.op)) {
        return fail(i, "`scaled` has no CUDA kernel");
      } else if (const auto* branch = std::get_if<If>(&s.op)) {
        conditions.push_back({branch->condition, true});
      } else if (std::holds_alternative<Else>(s.op)) {
        conditions.back().holds = false;
      } else if (std::holds_alternative<End>(s.op)) {
        conditions.pop_back();
      } else if (const auto* product = std::get_if<Matmul>(&s.op)) {
        if (!read_product(i, *product, conditions)) return false;
      } else if (!read_tile_op(i, conditions)) {
        return false;
      }
    }
    return true;
  }

  // Before the product: the accumulator is set to 0 at the first step. After it: the epilogue, at
  // the last step.
  bool read_tile_op(StmtId at, std::vector<Condition> conditions) {
    const Op& op = statement(at).op;
    const Slice* target = written_slice(op);
    if (!target || program_.value(target->base).kind != ValueKind::ref) {
      return fail(
          at, fmt::format("`{}` in the body of a pipeline has no CUDA kernel", info(op).mnemonic));
    }
    if (result_.sums == no_value) {
      const auto* cast = std::get_if<Cast>(&op);
      const bool zero = cast && is_number(program_, cast->src) &&
                        (program_.constant(cast->src.base) == 0 ||
                         (program_.value(cast->src.base).constant &&
                          program_.value(cast->src.base).kind == ValueKind::real &&
                          program_.value(cast->src.base).real == 0));
      if (!zero || !is_whole(program_, *target) || initial_ != no_value)
        return fail(at, "before the product a CUDA kernel only sets the accumulator to 0");
      if (!take(conditions, [&](ValueId c) { return says_first(c); }) || !conditions.empty()) {
        return fail(at, "a CUDA kernel sets the accumulator to 0 only in the first step");
      }
      initial_ = target->base;
      return true;
    }
    if (!take(conditions, [&](ValueId c) { return says_last(c); })) {
      return fail(at, "after the product, a CUDA kernel computes only in the last step");
    }
    if (const auto window = windows_.find(target->base); window != windows_.end()) {
      const bool has_rows =
          result_.row_start == no_value ||
          (same(target->start[0], result_.row_start) && same(target->size[0], result_.row_size));
      if (!has_rows)
        return fail(at, "the epilogue stores different rows than the product computes");
      if (result_.result.op && result_.result.ref != target->base)
        return fail(at, "the fast CUDA kernels store one result, and this is a second");
      result_.result = window->second;
    }
    result_.epilogue.push_back({at, std::move(conditions)});
    return true;
  }

  bool read_product(StmtId at, const Matmul& op, const std::vector<Condition>& conditions) {
    if (result_.sums != no_value)
      return fail(at, "the fast CUDA kernels have one product in a step, and this is a second");
    if (initial_ != op.acc.base)
      return fail(at, "the product adds to memory other than the accumulator that was set to 0");
    if (program_.buffer(op.acc.base) == nullptr)
      return fail(at, "the product adds to a window, and a CUDA kernel to a tile");
    if (kept(op.acc).size() != 2)
      return fail(at, "the fast CUDA kernels have products of matrices of two dimensions");
    result_.sums = op.acc.base;
    result_.active = conditions;
    return operand(at, op.a, op.transpose_a != 0, true, result_.left) &&
           operand(at, op.b, op.transpose_b == 0, false, result_.right) && sums_are(at, op.acc);
  }

  // Checks that the accumulator slice has the rows that the product reads from its left operand,
  // and all columns.
  bool sums_are(StmtId at, const Slice& acc) {
    const Shape& shape = program_.buffer(acc.base)->shape;
    const auto spans = [&](std::size_t d) {
      return program_.constant(acc.start[d]) == 0 && program_.constant(acc.size[d]) == shape[d];
    };
    const bool has_rows = result_.row_start == no_value ? spans(0)
                                                        : same(acc.start[0], result_.row_start) &&
                                                              same(acc.size[0], result_.row_size);
    if (acc.rank == 2 && acc.dropped == 0 && has_rows && spans(1)) return true;
    return fail(at, "the accumulator has other rows or columns here than the product computes");
  }

  // flipped: the first dimension of the block runs along the contraction, the second across it
  // (after the transposition by the op).
  bool operand(StmtId at, const Slice& slice, bool flipped, bool is_left, ProductOperand& to) {
    const auto window = windows_.find(slice.base);
    if (window == windows_.end()) return fail(at, "an operand of the product is not a window");
    to.window = window->second;
    if (to.window.dims.size() != 2 || slice.rank != 2 || slice.dropped != 0)
      return fail(at, "an operand of the product does not have two dimensions");
    const int across = flipped ? 1 : 0, along = 1 - across;
    to.row_dim = to.window.dims[static_cast<std::size_t>(across)];
    to.k_dim = to.window.dims[static_cast<std::size_t>(along)];
    to.rows = to.window.block[static_cast<std::size_t>(across)];
    const std::int64_t k = to.window.block[static_cast<std::size_t>(along)];
    const std::vector<int>& order = to.window.buffer->order;
    const int contiguous =
        order.empty() ? static_cast<int>(to.window.buffer->shape.size()) - 1 : order.back();
    if (contiguous != to.row_dim && contiguous != to.k_dim) {
      return fail(at,
                  fmt::format("`{}` is contiguous along a dimension that its block does not have",
                              to.window.buffer->name));
    }
    to.k_major = contiguous == to.k_dim;
    const auto start = [&](int d) { return slice.start[static_cast<std::size_t>(d)]; };
    const auto size = [&](int d) { return slice.size[static_cast<std::size_t>(d)]; };
    if (program_.constant(start(across)) != 0 || program_.constant(size(across)) != to.rows) {
      if (!is_left) return fail(at, "the product uses only some columns of its right operand");
      result_.row_start = start(across);
      result_.row_size = size(across);
    }
    const bool whole = program_.constant(start(along)) == 0 && program_.constant(size(along)) == k;
    const ValueId k_start = whole ? no_value : start(along),
                  k_size = whole ? no_value : size(along);
    if (!is_left && (k != result_.k || !same_part(k_start, k_size)))
      return fail(at, "the product uses different parts of its operands along the contraction");
    result_.k = k;
    result_.k_start = k_start;
    result_.k_size = k_size;
    return holds_when_active(at, to.window);
  }
  bool same_part(ValueId start, ValueId size) const {
    if (start == no_value || result_.k_start == no_value) return start == result_.k_start;
    return same(start, result_.k_start) && same(size, result_.k_size);
  }

  // Checks that a block is fetched at every step that multiplies.
  bool holds_when_active(StmtId at, const WindowUse& window) {
    const ValueId when = window.op->when;
    if (when == no_value || program_.constant(when) == 1) return true;
    for (const Condition& c : result_.active) {
      if (c.holds && c.value == when) return true;
    }
    return fail(at, "the product reads a window at steps that do not fetch it");
  }

  bool complete() {
    if (result_.sums == no_value)
      return fail(
          result_.open,
          "the pipeline has no product of two windows, which the fast CUDA kernels require");
    if (!result_.result.op)
      return fail(result_.open,
                  "the pipeline stores to no window, so a CUDA kernel would have no result");
    if (result_.result.op->update != 0)
      return fail(result_.open, "the result's window is read before it is stored");
    if (result_.result.dims.size() != 2)
      return fail(result_.open, "the result's block does not have two dimensions");
    result_.depth = std::min(result_.left.window.op->depth, result_.right.window.op->depth);
    return true;
  }

  const Program& program_;
  Contraction result_;
  std::optional<Diag> problem_;
  StmtId body_, close_;
  std::map<ValueId, WindowUse> windows_;
  ValueId initial_ = no_value;
};

}  // namespace

bool same_number(const Program& program, ValueId a, ValueId b) {
  if (a == b) return true;
  const auto x = program.constant(a), y = program.constant(b);
  if (x || y) return x && y && *x == *y;
  const auto difference = [&](ValueId v) -> const Sub* {
    const StmtId at = program.value(v).statement;
    return !at ? nullptr : std::get_if<Sub>(&program.body[at].op);
  };
  const Sub *left = difference(a), *right = difference(b);
  return left && right && same_number(program, left->a, right->a) &&
         same_number(program, left->b, right->b);
}

Expected<Contraction> recognise(const Program& program) { return Recogniser(program).run(); }

}  // namespace tessera::cuda

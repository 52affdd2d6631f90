#include "kernels/ragged_dot/ragged_dot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/data/splitmix.h"
#include "tests/conformance/grouped.h"
#include "tests/unit/ragged_naive.h"

namespace tessera {
namespace {

using grouped::made;
using grouped::sizes_tensor;
using ragged::Array;
using ragged::array;
using ragged::Index;

RaggedDotOptions on_interpreter() {
  RaggedDotOptions options;
  options.device = "interpreter";
  options.preferred_element_type = DType::f32;
  options.tiling = Tiling{8, 8, 8};
  return options;
}

// A call of random axes: batch, contracted and other axes of both operands in any order.
struct Drawn {
  RaggedDotDims dims;
  Tensor lhs, rhs, sizes, offset;
  std::int64_t first = 0, count = -1;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(SplitMix::mix(seed)) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(high - low + 1));
  }

  Drawn call(RaggedMode mode) {
    Drawn drawn;
    const auto batch = between(mode == RaggedMode::Batch ? 1 : 0, 2), contracting = between(1, 2),
               rows = between(mode == RaggedMode::NonContracting ? 1 : 0, 3),
               columns = between(0, 2);
    const std::int64_t groups = between(1, 4);
    drawn.first = between(0, 3) == 0 ? between(0, groups - 1) : 0;
    const std::int64_t left = groups - drawn.first;
    drawn.count = drawn.first > 0 ? between(1, left) : left;
    Shape batch_shape = shape(batch), k_shape = shape(contracting);
    std::vector<Axis> l = axes(batch_shape, 'b'), r = l;
    append(l, axes(k_shape, 'k'));
    append(r, axes(k_shape, 'k'));
    append(l, axes(shape(rows), 'm'));
    append(r, axes(shape(columns), 'n'));
    if (mode == RaggedMode::NonContracting) r.push_back({'g', 0, drawn.count});
    shuffle(l);
    shuffle(r);
    const auto of = [](const std::vector<Axis>& all, char part) {
      Index found;  // by position within the part
      for (std::int64_t number = 0;; ++number) {
        const auto at = std::find_if(all.begin(), all.end(), [&](const Axis& axis) {
          return axis.part == part && axis.number == number;
        });
        if (at == all.end()) return found;
        found.push_back(at - all.begin());
      }
    };
    RaggedDotDims& dims = drawn.dims;
    dims.lhs_batch = of(l, 'b');
    dims.rhs_batch = of(r, 'b');
    dims.lhs_contracting = of(l, 'k');
    dims.rhs_contracting = of(r, 'k');
    dims.rhs_group = of(r, 'g');
    const Index candidates = mode == RaggedMode::Batch         ? dims.lhs_batch
                             : mode == RaggedMode::Contracting ? dims.lhs_contracting
                                                               : of(l, 'm');
    dims.lhs_ragged = {candidates[static_cast<std::size_t>(
        between(0, static_cast<std::int64_t>(candidates.size()) - 1))]};
    drawn.lhs = filled(l, FillRole::lhs);
    drawn.rhs = filled(r, FillRole::rhs);
    drawn.sizes = sizes(drawn, mode, groups);
    drawn.offset = Tensor(DType::i32, {1});
    drawn.offset.set(0, static_cast<double>(drawn.first));
    return drawn;
  }

 private:
  struct Axis {
    char part;
    std::int64_t number, extent;
  };

  Shape shape(std::int64_t rank) {
    Shape result;
    for (std::int64_t d = 0; d < rank; ++d) result.push_back(between(1, 5));
    return result;
  }
  static std::vector<Axis> axes(const Shape& shape, char part) {
    std::vector<Axis> result;
    for (const std::int64_t size : shape)
      result.push_back({part, static_cast<std::int64_t>(result.size()), size});
    return result;
  }
  static void append(std::vector<Axis>& to, const std::vector<Axis>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  void shuffle(std::vector<Axis>& axes) {
    for (std::size_t i = axes.size(); i > 1; --i)
      std::swap(axes[i - 1],
                axes[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  Tensor filled(const std::vector<Axis>& axes, FillRole role) {
    Shape shape;
    for (const Axis& axis : axes) shape.push_back(axis.extent);
    return made(DType::f32, shape, role, Fill::integers, 1000, random_.next());
  }

  // Returns group sizes: [groups], or with the axes before the ragged axis.
  Tensor sizes(const Drawn& drawn, RaggedMode mode, std::int64_t groups) {
    const RaggedDotDims& dims = drawn.dims;
    Index before = mode == RaggedMode::Batch ? Index{} : dims.lhs_batch, part;
    if (mode == RaggedMode::Batch) part = dims.lhs_batch;
    if (mode == RaggedMode::Contracting) part = dims.lhs_contracting;
    for (std::int64_t a = 0; mode == RaggedMode::NonContracting && a < drawn.lhs.rank(); ++a) {
      const auto in = [&](const Index& list) {
        return std::find(list.begin(), list.end(), a) != list.end();
      };
      if (!in(dims.lhs_batch) && !in(dims.lhs_contracting)) part.push_back(a);
    }
    for (const std::int64_t axis : part) {
      if (axis == dims.lhs_ragged[0]) break;
      before.push_back(axis);
    }
    Shape shape;
    if (between(0, 1) == 0)
      for (const std::int64_t axis : before) shape.push_back(drawn.lhs.dim(static_cast<int>(axis)));
    shape.push_back(groups);
    const DType types[] = {DType::i32, DType::i64, DType::u32, DType::i8};
    Tensor result(types[between(0, 3)], shape);
    const std::int64_t extent = drawn.lhs.dim(static_cast<int>(dims.lhs_ragged[0]));
    for (std::int64_t i = 0; i < result.elements(); i += groups) {
      std::int64_t room = between(0, 2) == 0 ? between(0, extent) : extent;
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t size = g + 1 == groups ? room : between(0, room);
        result.set(i + g, static_cast<double>(size));
        room -= size;
      }
    }
    return result;
  }

  SplitMix random_;
};

// Returns the expected result. For a ragged batch this is the plain dot product, because the sizes
// do not affect the result.
Array expected(const Drawn& d, RaggedMode mode) {
  if (mode != RaggedMode::Batch)
    return ragged::naive(array(d.lhs), array(d.rhs), array(d.sizes), d.dims, d.first, d.count);
  // One group that contains every index, with a copy of rhs with a group axis.
  RaggedDotDims dims = d.dims;
  Array rhs = array(d.rhs);
  dims.rhs_group = {static_cast<std::int64_t>(rhs.shape.size())};
  rhs.shape.push_back(1);
  Array sizes = array(Shape{1});
  sizes.values[0] = 1000;
  return ragged::naive(array(d.lhs), rhs, sizes, dims);
}

TEST(RaggedDot, any_axes_give_the_definitions_values_in_each_mode) {
  int many = 0;
  for (const RaggedMode mode :
       {RaggedMode::NonContracting, RaggedMode::Contracting, RaggedMode::Batch}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(std::string(name(mode)) + " " + std::to_string(seed));
      const Drawn d = Draw(seed * 3 + static_cast<std::uint64_t>(mode)).call(mode);
      RaggedDotOptions options = on_interpreter();
      if (d.first > 0 && mode != RaggedMode::Batch) options.group_offset = &d.offset;
      if (mode == RaggedMode::Contracting) options.local_groups = d.count;
      const Array want = expected(d, mode);
      const auto out = ragged_dot_general(d.lhs, d.rhs, d.sizes, d.dims, options);
      ASSERT_TRUE(out) << render(out.diags());
      ASSERT_EQ(out->shape(), want.shape);
      ASSERT_EQ(array(*out).values, want.values);
      many += d.lhs.rank() > 3 ? 1 : 0;
      // The reference device has the same result, and its check passes.
      RaggedDotOptions reference = options;
      reference.device = "reference";
      reference.tiling = {};
      const auto by_reference = ragged_dot_general(d.lhs, d.rhs, d.sizes, d.dims, reference);
      ASSERT_TRUE(by_reference);
      ASSERT_EQ(array(*by_reference).values, want.values);
      CheckOptions how;
      how.values = Arithmetic::Values::small_integers;
      EXPECT_TRUE(check_ragged_dot(d.lhs, d.rhs, d.sizes, d.dims, options, *out, how).ok);
      if (out->elements() == 0) continue;
      Tensor spoilt = out->clone();
      spoilt.set(out->elements() - 1, spoilt.at(out->elements() - 1) + 1);
      EXPECT_FALSE(check_ragged_dot(d.lhs, d.rhs, d.sizes, d.dims, options, spoilt, how).ok);
    }
  }
  EXPECT_GT(many, 40);
}

// The result is bilinear, so central differences of step 1 are exact in f64, and so are the
// gradients for integers.
TEST(RaggedDot, gradients_are_the_finite_differences_in_f64) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Drawn d = Draw(seed + 500).call(RaggedMode::NonContracting);
    RaggedDotOptions options = on_interpreter();
    if (d.first > 0) options.group_offset = &d.offset;
    const Array out = expected(d, RaggedMode::NonContracting);
    const Tensor cotangent =
        made(DType::f32, out.shape, FillRole::existing, Fill::integers, 1000, seed);
    const auto gradients = ragged_dot_vjp(cotangent, d.lhs, d.rhs, d.sizes, d.dims, options);
    ASSERT_TRUE(gradients) << render(gradients.diags());
    const Array ct = array(cotangent);
    const auto loss = [&](const Array& lhs, const Array& rhs) {
      const Array y = ragged::naive(lhs, rhs, array(d.sizes), d.dims, d.first, d.count);
      return std::inner_product(y.values.begin(), y.values.end(), ct.values.begin(), 0.0);
    };
    const auto compare = [&](const Tensor& operand, const Tensor& gradient, bool left) {
      ASSERT_EQ(gradient.shape(), operand.shape());
      Array point = array(operand);
      const Array other = array(left ? d.rhs : d.lhs);
      const std::size_t step = std::max<std::size_t>(point.values.size() / 12, 1);
      for (std::size_t i = 0; i < point.values.size(); i += step) {
        const double here = point.values[i];
        point.values[i] = here + 1;
        const double above = left ? loss(point, other) : loss(other, point);
        point.values[i] = here - 1;
        const double below = left ? loss(point, other) : loss(other, point);
        point.values[i] = here;
        ASSERT_EQ(gradient.at(static_cast<std::int64_t>(i)), (above - below) / 2) << i;
      }
    };
    compare(d.lhs, gradients->lhs, true);
    compare(d.rhs, gradients->rhs, false);
  }
}

std::string refusal(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                    const RaggedDotDims& dims, const RaggedDotOptions& options = on_interpreter()) {
  const auto out = ragged_dot_general(lhs, rhs, sizes, dims, options);
  if (out) return "none";
  const Diag& diag = out.diags().front();
  const char* const kinds[] = {"ValueError", "TypeError", "NotImplementedError", "RuntimeError",
                               "environment"};
  return std::string(kinds[static_cast<int>(diag.code)]) + ": " + diag.message;
}

Tensor f32(Shape shape) { return Tensor(DType::f32, std::move(shape)); }

TEST(RaggedDot, refuses_with_the_texts_of_its_source) {
  const Tensor lhs = f32({11, 5}), rhs = f32({3, 5, 7}), sizes = sizes_tensor({4, 4, 3});
  const RaggedDotDims good{{1}, {1}, {}, {}, {0}, {0}};
  EXPECT_EQ(refusal(lhs, rhs, sizes, good), "none");
  const auto with = [&](auto change) {
    RaggedDotDims dims = good;
    change(dims);
    return refusal(lhs, rhs, sizes, dims);
  };
  EXPECT_EQ(with([](auto& d) { d.lhs_ragged = {}; }),
            "TypeError: ragged_dot_general expects exactly one lhs ragged dimension.");
  EXPECT_EQ(with([](auto& d) {
              d.lhs_ragged = {0, 1};
            }),
            "TypeError: ragged_dot_general expects exactly one lhs ragged dimension.");
  EXPECT_EQ(with([](auto& d) { d.lhs_ragged = {2}; }),
            "TypeError: ragged_dot_general requires lhs ragged dimension numbers to be nonnegative "
            "and less than the number of axes of the lhs value, got 2 for lhs of rank 2.");
  EXPECT_EQ(refusal(lhs, rhs, Tensor(DType::i32, {}), good),
            "TypeError: expected rank of group_sizes to be >=1.");
  EXPECT_EQ(refusal(f32({2, 11, 5}), f32({3, 2, 5, 7}), Tensor(DType::i32, {4, 3}),
                    {{2}, {2}, {0}, {1}, {1}, {0}}),
            "TypeError: expected group_sizes to have shape (2, 3), got (4, 3).");
  EXPECT_EQ(with([](auto& d) { d.lhs_ragged = {1}; }),
            "TypeError: ragged_dot_general requires zero group dimensions in the rhs when lhs "
            "ragged dimension is contracting or batch.");
  EXPECT_EQ(with([](auto& d) { d.rhs_group = {}; }),
            "TypeError: ragged_dot_general requires exactly one rhs group dimension when lhs "
            "ragged dimension is noncontracting.");
  EXPECT_EQ(with([](auto& d) { d.rhs_group = {3}; }),
            "TypeError: ragged_dot_general requires rhs group dimension numbers to be nonnegative "
            "and less than the number of axes of the rhs value, got 3 for rhs of rank 3.");
  EXPECT_EQ(with([](auto& d) { d.rhs_group = {1}; }),
            "TypeError: ragged_dot_general requires rhs group dimension numbers to be distinct "
            "from contracting and batch dimensions.");
  EXPECT_EQ(refusal(lhs, f32({2, 5, 7}), sizes, good),
            "TypeError: expected rhs group dimension size to be 3, got 2.");
  EXPECT_EQ(refusal(lhs, rhs, f32({3}), good),
            "TypeError: ragged_dot_general requires that group_sizes.dtype is subtype of "
            "np.integer.");
  EXPECT_EQ(refusal(lhs, f32({3, 6, 7}), sizes, good),
            "TypeError: dot_general requires contracting dimensions to have the same shape, got "
            "(5,) and (6,)");
  EXPECT_EQ(refusal(lhs, rhs, sizes_tensor({4, 4, 4}), good),
            "ValueError: the group sizes up to group 2 sum to more than the ragged extent 11");
  EXPECT_EQ(refusal(lhs, rhs, sizes_tensor({4, -1, 4}), good),
            "ValueError: group_sizes[1] = -1 is negative");
}

TEST(RaggedDot, group_offset_chooses_the_groups_that_are_computed) {
  const Tensor lhs = f32({11, 5}), sizes = sizes_tensor({4, 4, 3});
  const RaggedDotDims dims{{1}, {1}, {}, {}, {0}, {0}};
  RaggedDotOptions options = on_interpreter();
  const Tensor wrong_shape(DType::i32, {2});
  options.group_offset = &wrong_shape;
  EXPECT_EQ(refusal(lhs, f32({2, 5, 7}), sizes, dims, options),
            "ValueError: group_offset must be a ()-shaped array. Got: (2,).");
  Tensor offset(DType::i32, {1});
  offset.set(0, 3);
  options.group_offset = &offset;
  EXPECT_EQ(refusal(lhs, f32({2, 5, 7}), sizes, dims, options),
            "ValueError: group_offset 3 is not among the 3 groups of group_sizes");
  offset.set(0, 2);
  EXPECT_EQ(refusal(lhs, f32({2, 5, 7}), sizes, dims, options),
            "ValueError: 2 groups from group 2 on do not fit into the 3 of group_sizes");
  // A ragged batch is computed completely, whatever the sizes are.
  offset.set(0, 0);
  EXPECT_EQ(refusal(f32({4, 2, 5}), f32({4, 5, 7}), sizes_tensor({1, 3}),
                    {{2}, {1}, {0}, {0}, {0}, {}}, options),
            "NotImplementedError: Unimplemented group_offset support. The sizes of a ragged batch "
            "change no value, and all of it is computed");
}

TEST(RaggedDot, the_reference_is_not_cut) {
  const Tensor lhs = f32({4, 5}), rhs = f32({2, 5, 7}), sizes = sizes_tensor({1, 3});
  const RaggedDotDims dims{{1}, {1}, {}, {}, {0}, {0}};
  RaggedDotOptions options;
  options.device = "reference";
  EXPECT_EQ(refusal(lhs, rhs, sizes, dims, options), "none");
  options.input_buffer_count = 3;
  EXPECT_EQ(refusal(lhs, rhs, sizes, dims, options),
            "NotImplementedError: input_buffer_count selects the tiles of a kernel, and the "
            "reference has no tiles");
  options.tiling = Tiling{8, 8, 8};
  EXPECT_EQ(refusal(lhs, rhs, sizes, dims, options),
            "NotImplementedError: a tiling selects the tiles of a kernel, and the reference has no "
            "tiles");
}

TEST(RaggedDot, gradients_of_the_other_modes_are_refused_as_by_the_source) {
  const Tensor lhs = f32({11, 5}), rhs = f32({11, 7}), sizes = sizes_tensor({4, 4, 3});
  const auto contracting = ragged_dot_vjp(f32({3, 5, 7}), lhs, rhs, sizes,
                                          {{0}, {0}, {}, {}, {0}, {}}, on_interpreter());
  ASSERT_FALSE(contracting);
  EXPECT_EQ(contracting.diags().front().code, ErrorCode::unsupported);
  EXPECT_EQ(contracting.diags().front().message,
            "Unimplemented grad_x_dims for ragged dot general in mode RAGGED_CONTRACTING.");
  const auto batch =
      ragged_dot_vjp(f32({6, 4, 7}), f32({6, 4, 5}), f32({6, 5, 7}), sizes_tensor({2, 4}),
                     {{2}, {1}, {0}, {0}, {0}, {}}, on_interpreter());
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.diags().front().message,
            "Unimplemented grad_x_dims for ragged dot general in mode RAGGED_BATCH.");
}

TEST(RaggedDot, the_preferred_type_is_the_results_and_precision_is_said) {
  const Tensor lhs = made(DType::bf16, {11, 5}, FillRole::lhs, Fill::integers, 5, 1),
               rhs = made(DType::bf16, {3, 5, 7}, FillRole::rhs, Fill::integers, 5, 2),
               sizes = sizes_tensor({4, 4, 3});
  RaggedDotOptions options = on_interpreter();
  for (const DType type : {DType::f32, DType::bf16, DType::f16}) {
    options.preferred_element_type = type;
    const auto out = ragged_dot(lhs, rhs, sizes, options);
    ASSERT_TRUE(out);
    EXPECT_EQ(out->dtype(), type);
  }
  options.preferred_element_type.reset();
  options.precision = Precision::Highest;
  const auto run = run_ragged_dot(lhs, rhs, sizes, {{1}, {1}, {}, {}, {0}, {0}}, options);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->out.dtype(), DType::bf16);
  EXPECT_EQ(run->notes,
            std::vector<std::string>{"the interpreter computes every precision in f32"});
  options.preferred_element_type = DType::i8;
  EXPECT_EQ(refusal(lhs, rhs, sizes, {{1}, {1}, {}, {}, {0}, {0}}, options),
            "NotImplementedError: ragged_dot stores f32, bf16, f16 or i32, not i8: give a "
            "preferred_element_type");
}

}  // namespace
}  // namespace tessera

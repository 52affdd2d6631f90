// Ragged all-to-all: the published vectors, what is refused, bounded buffers, and gradients
// (collective conformance case 20).
#include "interp/schedule/strategies.h"
#include "kernels/collective/ragged_slices.h"
#include "kernels/inputs/group_sizes.h"
#include "tests/conformance/collective.h"

namespace tessera {
namespace {

using collective::every_mode;
using collective::made;
using collective::mode;
using collective::Tensors;
using collective::under;
using Numbers = std::vector<std::int64_t>;

Tensor array(const Numbers& values, DType type = DType::i32) {
  Tensor tensor(type, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<std::int64_t>(i), static_cast<double>(values[i]));
  return tensor;
}

RaggedSlices slices_of(const Numbers& in, const Numbers& send, const Numbers& out,
                       const Numbers& recv) {
  return {array(in), array(send), array(out), array(recv)};
}

Numbers numbers(const Tensor& tensor) {
  Numbers result;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    result.push_back(static_cast<std::int64_t>(tensor.at(i)));
  return result;
}

std::vector<Numbers> parts(const RaggedSlices& slices) {
  return {numbers(slices.input_offsets), numbers(slices.send_sizes), numbers(slices.output_offsets),
          numbers(slices.recv_sizes)};
}

// Device 0 has 1, 2, 2, device 1 has 3, 4, 0; outputs begin as zeros.
struct Vector {
  Tensors operand, output;
  std::vector<RaggedSlices> slices;
  Vector() {
    operand.push_back(array({1, 2, 2}, DType::f32));
    operand.push_back(array({3, 4, 0}, DType::f32));
    for (int d = 0; d < 2; ++d) output.push_back(array({0, 0, 0, 0}, DType::f32));
    slices.push_back(slices_of({0, 1}, {1, 2}, {0, 0}, {1, 1}));
    slices.push_back(slices_of({0, 1}, {1, 1}, {1, 2}, {2, 1}));
  }
};

TEST(CollectiveRagged, case_20_the_published_vector_in_every_mode) {
  const Vector v;
  for (const RunOptions& run : every_mode()) {
    const auto out =
        ragged_all_to_all(v.operand, v.output, v.slices, under(CollectiveOptions{}, run));
    ASSERT_TRUE(out) << collective::text(out.diags());
    EXPECT_EQ(numbers((*out)[0]), (Numbers{1, 3, 0, 0}));
    EXPECT_EQ(numbers((*out)[1]), (Numbers{2, 2, 4, 0}));
  }
}

TEST(CollectiveRagged, case_20_the_published_traffic_gives_the_published_slices) {
  const Traffic traffic = {{2, 1}, {3, 4}};
  const auto there = dispatch_slices(traffic), back = combine_slices(traffic);
  EXPECT_EQ(parts(there[0]), (std::vector<Numbers>{{0, 2}, {2, 1}, {0, 0}, {2, 3}}));
  EXPECT_EQ(parts(there[1]), (std::vector<Numbers>{{0, 3}, {3, 4}, {2, 1}, {1, 4}}));
  EXPECT_EQ(parts(back[0]), (std::vector<Numbers>{{0, 2}, {2, 3}, {0, 0}, {2, 1}}));
  EXPECT_EQ(parts(back[1]), (std::vector<Numbers>{{0, 1}, {1, 4}, {2, 3}, {3, 4}}));
  const auto shared = shared_slices({2, 3});
  EXPECT_EQ(parts(shared[0]), (std::vector<Numbers>{{0, 0}, {2, 2}, {0, 0}, {2, 3}}));
  EXPECT_EQ(parts(shared[1]), (std::vector<Numbers>{{0, 0}, {3, 3}, {2, 2}, {2, 3}}));
}

// Room for 4 rows: device 0 is sent 2 + 3 of them, device 1 1 + 4.
TEST(CollectiveRagged, case_20_a_bounded_buffer_leaves_the_last_rows_behind) {
  const Traffic traffic = {{2, 1}, {3, 4}};
  EXPECT_EQ(bounded(traffic, 4), (Traffic{{2, 1}, {2, 3}}));
  const auto there = dispatch_slices(traffic, 4), back = combine_slices(traffic, 4);
  EXPECT_EQ(parts(there[1]), (std::vector<Numbers>{{0, 3}, {2, 3}, {2, 1}, {1, 3}}));
  EXPECT_EQ(parts(back[0]), (std::vector<Numbers>{{0, 2}, {2, 2}, {0, 0}, {2, 1}}));
  EXPECT_EQ(parts(back[1]), (std::vector<Numbers>{{0, 1}, {1, 3}, {2, 3}, {2, 3}}));
  const RunOptions run = mode("random:1");
  const auto options = under(CollectiveOptions{}, run);
  Tensors rows, empty, nothing;
  for (int d = 0; d < 2; ++d) {
    rows.emplace_back(DType::f32, Shape{7, 1});
    for (int i = 0; i < 7; ++i) rows.back().set(i, 10 * (d + 1) + i);
    empty.emplace_back(DType::f32, Shape{4, 1});
    nothing.emplace_back(DType::f32, Shape{7, 1});
  }
  const auto received = ragged_all_to_all(rows, empty, there, options);
  ASSERT_TRUE(received) << collective::text(received.diags());
  EXPECT_EQ(numbers((*received)[0]), (Numbers{10, 11, 20, 21}));
  EXPECT_EQ(numbers((*received)[1]), (Numbers{12, 23, 24, 25}));
  const auto returned = ragged_all_to_all(*received, nothing, back, options);
  ASSERT_TRUE(returned) << collective::text(returned.diags());
  EXPECT_EQ(numbers((*returned)[0]), (Numbers{10, 11, 12, 0, 0, 0, 0}));
  EXPECT_EQ(numbers((*returned)[1]), (Numbers{20, 21, 0, 23, 24, 25, 0}));
}

// A drawn exchange of `per` slices for each pair, some of them empty.
struct Drawn {
  std::vector<RaggedSlices> slices;
  std::int64_t rows = 17, room = 0;

  Drawn(std::int64_t devices, std::int64_t per, const char* kind, std::uint64_t seed) {
    std::vector<Numbers> sizes;
    for (std::int64_t d = 0; d < devices; ++d)
      sizes.push_back(
          *generate_group_sizes(kind, devices * per, rows, seed + static_cast<std::uint64_t>(d)));
    slices = group_slices(sizes);
    room = rows * devices;
  }
};

TEST(CollectiveRagged, case_20_drawn_slices_are_exact_and_proved) {
  for (const std::int64_t devices : {1, 2, 3, 5, 8})
    for (const std::int64_t per : {1, 2, 3})
      for (const char* kind : {"multinomial", "zipf:2", "onehot"})
        for (const std::string& schedule : sample_schedules(1)) {
          const Drawn drawn(devices, per, kind, 3);
          const auto count = static_cast<std::size_t>(devices);
          const Tensors operand =
              made(count, DType::bf16, {drawn.rows, 6}, FillRole::lhs, Fill::uniform, 1, 1);
          const Tensors output =
              made(count, DType::bf16, {drawn.room, 6}, FillRole::existing, Fill::uniform, 1, 2);
          const RunOptions run = mode(schedule, DmaOrder::unordered, CopyGranularity::partial);
          const auto options = under(CollectiveOptions{}, run);
          const auto launch = launch_ragged_all_to_all(operand, output, drawn.slices, options);
          ASSERT_EQ(collective::certified(launch, options), "proved") << devices << kind;
          const Verdict verdict =
              check_ragged_all_to_all(operand, output, drawn.slices, *launch, {});
          EXPECT_TRUE(verdict.ok) << verdict.message;
          EXPECT_EQ(verdict.checked_rows, drawn.room * devices);
        }
}

TEST(CollectiveRagged, case_20_rows_of_any_shape_and_calls_in_a_row) {
  const Drawn drawn(4, 2, "multinomial", 5);
  const Tensors operand =
      made(4, DType::f32, {drawn.rows, 3, 2}, FillRole::lhs, Fill::uniform, 1, 1);
  const Tensors output =
      made(4, DType::f32, {drawn.room, 3, 2}, FillRole::existing, Fill::uniform, 1, 2);
  for (const std::string& schedule : sample_schedules(1)) {
    const RunOptions run = mode(schedule, DmaOrder::unordered, CopyGranularity::whole, 1);
    CollectiveOptions options = under(CollectiveOptions{}, run);
    options.calls = 3;
    const auto out = ragged_all_to_all(operand, output, drawn.slices, options);
    ASSERT_TRUE(out) << collective::text(out.diags());
    EXPECT_EQ((*out)[0].shape(), (Shape{drawn.room, 3, 2}));
    // Device 0's own first slice lies at the beginning.
    for (std::int64_t i = 0; i < 6 * static_cast<std::int64_t>(drawn.slices[0].send_sizes.at(0));
         ++i)
      ASSERT_EQ((*out)[0].at(i), operand[0].at(i));
  }
}

TEST(CollectiveRagged, case_20_what_does_not_fit_is_refused_by_name) {
  const auto refused = [](void (*change)(Vector&)) {
    Vector v;
    change(v);
    const auto launch = launch_ragged_all_to_all(v.operand, v.output, v.slices);
    return launch ? std::string("taken") : launch.diags()[0].message;
  };
  EXPECT_EQ(refused([](Vector&) {}), "taken");
  EXPECT_EQ(refused([](Vector& v) { v.slices[1].send_sizes = Tensor(DType::f32, {2}); }),
            "ragged_all_to_all send_sizes must be integer type.");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[0].recv_sizes = Tensor(DType::i32, {2, 1});
            }),
            "ragged_all_to_all recv_sizes must be rank 1 with positive dimension size, but got "
            "shape (2, 1)");
  EXPECT_EQ(refused([](Vector& v) { v.slices[0].input_offsets = Tensor(DType::i32, {0}); }),
            "ragged_all_to_all input_offsets must be rank 1 with positive dimension size, but got "
            "shape (0,)");
  EXPECT_EQ(refused([](Vector& v) {
              for (RaggedSlices& s : v.slices)
                s = slices_of({0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0});
            }),
            "3 slices cannot be shared equally by 2 devices");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[1].output_offsets = array({1, 2, 3, 4});
            }),
            "output_offsets of device 1 has 4 slices, input_offsets of device 0 2");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[1].send_sizes = array({1, -1});
            }),
            "send_sizes[1] of device 1 is -1");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[1].recv_sizes = array({3, 1});
            }),
            "device 0 sends 2 rows to device 1 (send_sizes[1]), which receives 3 from it "
            "(recv_sizes[0])");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[0].input_offsets = array({0, 2});
            }),
            "slice 1 of device 0 is rows 2 .. 4 of an operand of 3 rows");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[0].output_offsets = array({0, 3});
            }),
            "slice 1 of device 0 is written to rows 3 .. 5 of device 1, whose output has 4 rows");
  EXPECT_EQ(refused([](Vector& v) {
              v.slices[1].output_offsets = array({1, 1});
            }),
            "slice 1 of device 0 and slice 1 of device 1 both write rows 1 .. 2 of device 1");
  EXPECT_EQ(refused([](Vector& v) { v.operand.pop_back(); }),
            "operands are given for 1 devices, outputs for 2 and slices for 2");
  EXPECT_EQ(
      refused([](Vector& v) {
        for (Tensor& t : v.output) t = Tensor(DType::f32, {4, 2});
      }),
      "expected operand and output rows of the same type and shape, got f32(3,) and f32(4, 2)");
}

// <t, f(operand, output)> = <d operand, operand> + <d output, output>, exactly in whole numbers.
TEST(CollectiveRagged, case_20_gradients_are_the_adjoint) {
  const auto inner = [](const Tensors& a, const Tensors& b) {
    double sum = 0;
    for (std::size_t d = 0; d < a.size(); ++d)
      for (std::int64_t i = 0; i < a[d].elements(); ++i) sum += a[d].at(i) * b[d].at(i);
    return sum;
  };
  const RunOptions run = mode("random:2");
  const auto options = under(CollectiveOptions{}, run);
  for (const char* kind : {"multinomial", "empty:50", "onehot"})
    for (const std::int64_t per : {1, 2}) {
      const Drawn drawn(3, per, kind, 7);
      const auto matrix = [&](std::int64_t rows, std::uint64_t seed) {
        return made(3, DType::f32, {rows, 4}, FillRole::lhs, Fill::integers, 1, seed);
      };
      const Tensors operand = matrix(drawn.rows, 1), output = matrix(drawn.room, 2),
                    cotangent = matrix(drawn.room, 3);
      const auto out = ragged_all_to_all(operand, output, drawn.slices, options);
      const auto gradients = ragged_all_to_all_vjp(cotangent, drawn.rows, drawn.slices, options);
      ASSERT_TRUE(out && gradients);
      EXPECT_EQ(inner(cotangent, *out),
                inner(gradients->operand, operand) + inner(gradients->output, output));
      EXPECT_NE(inner(gradients->operand, operand), 0);
    }
  // Rows that are sent twice would have to be added.
  const Tensors cotangent = made(2, DType::f32, {5, 1}, FillRole::lhs, Fill::integers, 1, 3);
  const auto refused = ragged_all_to_all_vjp(cotangent, 3, shared_slices({2, 3}), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diags()[0].message,
            "slice 0 of device 0 and slice 0 of device 1 both write rows 0 .. 2 of device 0");
}

}  // namespace
}  // namespace tessera

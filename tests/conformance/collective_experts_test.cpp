// The ring of experts: tokens and experts shared by the devices of rings (collective conformance
// case 19).
#include "interp/schedule/strategies.h"
#include "kernels/experts/ring_of_experts.h"
#include "kernels/inputs/routing.h"
#include "tests/conformance/collective.h"

namespace tessera {
namespace {

using collective::every_mode;
using collective::how;
using collective::inner;
using collective::made;
using collective::mode;
using collective::Tensors;
using collective::under;

// Whom the tokens choose: drawn; every second expert alone; the last place's alone; one expert for
// every choice.
enum class Choices : std::uint8_t { drawn, even, last_place, one };
constexpr Choices kinds[] = {Choices::drawn, Choices::even, Choices::last_place, Choices::one};

struct Experts {
  std::int64_t tokens = 5, k = 12, n = 10, groups = 12, top_k = 2;
  Tensor rings = make_rings(1, 4, 3);
  DType type = DType::f32;
  Fill fill = Fill::integers;
  Choices choices = Choices::drawn;
  RingOfExpertsOptions options;

  std::size_t devices() const { return static_cast<std::size_t>(rings.elements()); }
  std::int64_t local() const { return groups / rings.dim(1); }
  // With whole numbers every sum of the results and the gradients is exact.
  std::int64_t terms() const { return k * top_k * 64; }
  Tensors lhs() const {
    return made(devices(), type, {tokens, k}, FillRole::lhs, fill, terms(), 1);
  }
  Tensors rhs() const {
    return made(devices(), type,
                options.transpose_rhs ? Shape{local(), n, k} : Shape{local(), k, n}, FillRole::rhs,
                fill, terms(), 2);
  }
  Tensors weights() const {
    return made(devices(), DType::f32, {tokens, top_k}, FillRole::existing, fill, 1, 3);
  }
  Tensors experts() const {
    Tensors all;
    for (std::size_t d = 0; d < devices(); ++d) {
      all.push_back(*random_experts(tokens, top_k, groups, d + 1));
      for (std::int64_t i = 0; i < all[d].elements(); ++i) {
        std::int32_t& expert = all[d].as<std::int32_t>()[i];
        if (choices == Choices::even) expert -= expert % 2;
        if (choices == Choices::last_place)
          expert = static_cast<std::int32_t>(groups - 1 - expert % local());
        if (choices == Choices::one) expert = static_cast<std::int32_t>(groups / 2);
      }
    }
    return all;
  }
};

void expect_right(const Experts& c, const RunOptions& run) {
  SCOPED_TRACE(to_string(c.rings.shape()) + " rings, " + collective::text(run));
  const Tensors lhs = c.lhs(), rhs = c.rhs(), experts = c.experts(), weights = c.weights();
  const auto options = under(c.options, run);
  const auto launch = launch_ring_of_experts(lhs, rhs, experts, weights, c.rings, options);
  collective::run_clean(launch, options);
  if (testing::Test::HasFatalFailure()) return;
  const Verdict verdict =
      check_ring_of_experts(lhs, rhs, experts, weights, c.rings, *launch, options, how(c.fill));
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_EQ(verdict.checked_rows, c.tokens * c.rings.elements());
}

TEST(CollectiveExperts, case_19_every_length_top_k_and_kind_of_choices) {
  for (const std::int64_t length : {1, 2, 3, 4})
    for (const std::int64_t top_k : {1, 2, 8})
      for (const Choices choices : kinds)
        for (const DType type : {DType::f32, DType::bf16})
          for (const Fill fill : {Fill::integers, Fill::normal}) {
            Experts c;
            c.rings = make_rings(length == 2 ? 2 : 1, length, 7);
            c.top_k = top_k;
            c.choices = choices;
            c.type = type;
            c.fill = fill;
            c.options.transpose_rhs = type == DType::bf16;
            c.options.tiling = Tiling{8, 8, 8};
            expect_right(c, mode("random:1", DmaOrder::unordered, CopyGranularity::partial));
          }
}

TEST(CollectiveExperts, case_19_in_every_mode_and_three_calls_with_a_slow_device) {
  Experts c;
  for (const RunOptions& run : every_mode()) expect_right(c, run);
  c.options.calls = 3;
  for (const std::string& schedule : sample_schedules(1, 3))
    expect_right(c, mode(schedule, DmaOrder::unordered, CopyGranularity::whole, 2));
}

TEST(CollectiveExperts, no_token_and_no_term_is_work_too) {
  Experts c;
  c.tokens = 0;
  expect_right(c, mode("eager"));
  c.tokens = 1;
  expect_right(c, mode("lifo"));
  c.k = 0;
  expect_right(c, mode("eager"));
}

// By another way than the check's: product by product, in whole numbers.
TEST(CollectiveExperts, case_19_results_are_those_token_by_token) {
  for (const std::int64_t top_k : {1, 2, 8}) {
    Experts c;
    c.top_k = top_k;
    const Tensors lhs = c.lhs(), rhs = c.rhs(), experts = c.experts(), weights = c.weights();
    const RunOptions run = mode("random:2");
    const auto out = ring_of_experts(lhs, rhs, experts, weights, c.rings, under(c.options, run));
    ASSERT_TRUE(out) << collective::text(out.diags());
    for (std::size_t d = 0; d < c.devices(); ++d)
      for (std::int64_t i = 0; i < c.tokens * c.n; ++i) {
        const std::int64_t t = i / c.n, column = i % c.n;
        double expected = 0;
        for (std::int64_t j = t * top_k; j < (t + 1) * top_k; ++j) {
          const auto e = static_cast<std::int64_t>(experts[d].at(j));
          const Tensor& shard = rhs[device_at(c.rings, 0, e / c.local())];
          for (std::int64_t x = 0; x < c.k; ++x)
            expected += weights[d].at(j) * lhs[d].at(t * c.k + x) *
                        shard.at((e % c.local() * c.k + x) * c.n + column);
        }
        ASSERT_EQ((*out)[d].at(i), expected) << "token " << t << " of device " << d;
      }
  }
}

TEST(CollectiveExperts, a_wrong_weight_or_choice_is_seen_by_the_check) {
  for (const Fill fill : {Fill::integers, Fill::normal}) {
    Experts c;
    c.fill = fill;
    const Tensors lhs = c.lhs(), rhs = c.rhs();
    Tensors experts = c.experts(), weights = c.weights();
    const RunOptions run = mode("eager");
    const auto options = under(c.options, run);
    const auto launch = launch_ring_of_experts(lhs, rhs, experts, weights, c.rings, options);
    collective::run_clean(launch, options);
    const auto wrong = [&] {
      return check_ring_of_experts(lhs, rhs, experts, weights, c.rings, *launch, options, how(fill))
          .wrong_elements;
    };
    EXPECT_EQ(wrong(), 0);
    const double weight = weights[1].at(3);
    weights[1].set(3, weight + 1);
    EXPECT_GT(wrong(), 0);
    EXPECT_LE(wrong(), c.n);  // of one token
    weights[1].set(3, weight);
    experts[1].set(3, static_cast<double>((experts[1].as<std::int32_t>()[3] + 1) % c.groups));
    EXPECT_GT(wrong(), 0);
    EXPECT_LE(wrong(), c.n);
  }
}

TEST(CollectiveExperts, what_does_not_fit_is_refused_by_name) {
  Experts c;
  const Tensors lhs = c.lhs(), rhs = c.rhs();
  Tensors experts = c.experts(), weights = c.weights();
  const auto refused = [&] {
    const auto launch = launch_ring_of_experts(lhs, rhs, experts, weights, c.rings, c.options);
    return launch ? std::string("taken") : render(launch.diags());
  };
  EXPECT_EQ(refused(), "taken");
  experts[2].set(7, 12);
  EXPECT_EQ(refused(), "error: token 3 goes to expert 12, and there are 12\nnote: on device 2\n");
  c.choices = Choices::one;  // expert 6 is the first of place 2
  experts = c.experts();
  c.options.capacity = 39;
  EXPECT_EQ(refused(), "error: the experts of device " + std::to_string(device_at(c.rings, 0, 2)) +
                           " are chosen 40 times, more than its capacity of 39\n");
  c.options.capacity = 40;
  EXPECT_EQ(refused(), "taken");
  expect_right(c, mode("eager"));
  weights[0] = Tensor(DType::f32, {5, 2});
  for (Tensor& tensor : weights) tensor = Tensor(DType::f32, {5, 3});
  EXPECT_EQ(refused(),
            "error: weights are f32 of the shape of experts, (5, 2), got f32(5, 3)\n"
            "note: on device 0\n");
  for (Tensor& tensor : experts) tensor = Tensor(DType::i32, {5, 0});
  EXPECT_EQ(refused(),
            "error: every token has at least one expert, got top_k = 0\n"
            "note: on device 0\n");
  for (Tensor& tensor : experts) tensor = Tensor(DType::i32, {4, 2});
  EXPECT_EQ(refused(),
            "error: experts are given for 4 tokens, and lhs has 5 rows\nnote: on device 0\n");
}

// What the host would have refused, the program refuses as well.
TEST(CollectiveExperts, the_program_refuses_choices_and_rows_beyond_its_buffers) {
  Experts c;
  const Tensors lhs = c.lhs(), rhs = c.rhs(), weights = c.weights();
  const RunOptions run = mode("eager");
  const auto options = under(c.options, run);
  const auto said = [&](std::int64_t capacity, std::int32_t expert) {
    Tensors experts = c.experts();
    auto launch = launch_ring_of_experts(lhs, rhs, experts, weights, c.rings, options);
    launch->settings.erase("capacity");
    launch->set("capacity", capacity);
    experts[3].as<std::int32_t>()[0] = expert;
    return collective::outcome(launch, options);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(said(40, 11), "clean");
  EXPECT_PRED2(has, said(4, 11), "a device has more choices than its capacity");
  EXPECT_PRED2(has, said(40, -1), "a token goes to an expert that does not exist");
  EXPECT_PRED2(has, said(40, 12), "a token goes to an expert that does not exist");
}

// Linear in tokens and matrices, so <c, f(l, r)> = <dl, l> = <dr, r>: exactly, in whole numbers.
TEST(CollectiveExperts, case_19_gradients_are_the_adjoint) {
  const RunOptions run = mode("random:1");
  for (const bool transpose : {false, true})
    for (const Choices choices : kinds) {
      Experts c;
      c.rings = make_rings(2, 3, 2);
      c.choices = choices;
      c.options.transpose_rhs = transpose;
      c.options.tiling = Tiling{8, 4, 8};
      const Tensors lhs = c.lhs(), rhs = c.rhs(), experts = c.experts(), weights = c.weights();
      const auto options = under(c.options, run);
      const Tensors cotangent =
          made(c.devices(), DType::f32, {c.tokens, c.n}, FillRole::existing, Fill::integers, 1, 9);
      const auto out = ring_of_experts(lhs, rhs, experts, weights, c.rings, options);
      const auto gradients =
          ring_of_experts_vjp(cotangent, lhs, rhs, experts, weights, c.rings, options);
      ASSERT_TRUE(out && gradients) << collective::text(gradients.diags());
      EXPECT_EQ(inner(cotangent, *out), inner(gradients->lhs, lhs));
      EXPECT_EQ(inner(cotangent, *out), inner(gradients->rhs, rhs));
      EXPECT_NE(inner(cotangent, *out), 0);
    }
}

}  // namespace
}  // namespace tessera

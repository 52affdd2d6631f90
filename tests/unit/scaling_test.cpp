// Quantisation: host functions compared with tables and with the rules, and programs compared bit
// for bit with the host functions.
#include "kernels/grouped_gemm/scaling.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/data/convert.h"
#include "interp/run.h"
#include "kernels/grouped_gemm/grouped_tensor.h"
#include "kernels/inputs/fill.h"
#include "kernels/launch/launch.h"
#include "kernels/programs/kernels.h"
#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::made;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

const char* letter(DType type) { return type == DType::e4m3 ? "e4m3" : "e5m2"; }

// Runs a library program. Results are written to the tensors of the binding.
void run_program(std::string_view kernel, Settings settings, DeviceBinding binding) {
  Launch launch(kernel, 1);
  launch.settings = std::move(settings);
  launch.devices[0] = std::move(binding);
  CollectiveOptions options;
  options.device = "interpreter";
  const auto report = run(launch, options);
  ASSERT_TRUE(report) << render(report.diags());
  ASSERT_TRUE(report->findings.empty()) << render(report->findings);
}

// Expects equal bits, except for NaN payloads in wider types than FP8, which depend on the order of
// a product's operands. FP8 has only one NaN.
void expect_same_bits(const Tensor& a, const Tensor& b, const char* what) {
  ASSERT_EQ(a.dtype(), b.dtype()) << what;
  ASSERT_EQ(a.bytes(), b.bytes()) << what;
  const std::int64_t size = size_of(a.dtype());
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    if (size > 1 && std::isnan(a.at(i)) && std::isnan(b.at(i))) continue;
    ASSERT_EQ(std::memcmp(a.data() + i * size, b.data() + i * size, static_cast<std::size_t>(size)),
              0)
        << what << " element " << i << ": " << a.at(i) << " and " << b.at(i);
  }
}

// Expects equal FP8 codes. The NaN of a program has no sign.
void expect_same_codes(const Tensor& a, const Tensor& b, const char* what) {
  ASSERT_EQ(a.bytes(), b.bytes()) << what;
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    if (std::isnan(a.at(i)) && std::isnan(b.at(i))) continue;
    ASSERT_EQ(a.as<std::uint8_t>()[i], b.as<std::uint8_t>()[i]) << what << " element " << i;
  }
}

// Returns all 65536 bf16 codes, shuffled bijectively, so that blocks of 32 are mixed.
Tensor all_bf16(DType type) {
  Tensor codes(DType::bf16, {512, 128});
  for (std::uint32_t i = 0; i < 65536; ++i)
    codes.as<std::uint16_t>()[(i * 40503U) & 0xFFFFU] = static_cast<std::uint16_t>(i);
  Tensor result = Tensor::uninitialised(type, codes.shape());
  convert(codes.data(), DType::bf16, result.data(), type, codes.elements());
  return result;
}

// Returns blocks of finite elements, of every magnitude.
Tensor finite_values(DType type, std::uint64_t seed) {
  Tensor x = made(DType::f32, {96, 160}, FillRole::lhs, Fill::normal, 1, seed);
  for (std::int64_t i = 0; i < x.elements(); ++i)
    x.as<float>()[i] = std::ldexp(x.as<float>()[i], static_cast<int>((i / 32) % 60) - 30);
  Tensor result = Tensor::uninitialised(type, x.shape());
  convert(x.data(), DType::f32, result.data(), type, x.elements());
  return result;
}

Settings extents(const Tensor& x, DType type, DType quantised) {
  return {{"m", std::to_string(x.dim(0))},
          {"n", std::to_string(x.dim(1))},
          {"T", std::string(name(type))},
          {"Q", letter(quantised)},
          {"tm", "64"},
          {"tn", "96"}};
}

TEST(Scaling, mx_programs_equal_the_host_bit_for_bit) {
  for (const DType quantised : {DType::e4m3, DType::e5m2}) {
    for (const MxAlong along : {MxAlong::rows, MxAlong::columns}) {
      for (int source = 0; source < 4; ++source) {
        const DType type = source % 2 == 0 ? DType::bf16 : DType::f32;
        const Tensor x = source < 2 ? all_bf16(type) : finite_values(type, 7);
        SCOPED_TRACE(std::string(letter(quantised)) + " source " + std::to_string(source));
        const auto host = quantize_mx(x, quantised, along);
        ASSERT_TRUE(host);
        Settings settings = extents(x, type, quantised);
        settings["columns"] = along == MxAlong::columns ? "1" : "0";
        Tensor q(quantised, x.shape()), scales(DType::e8m0, host->scales.shape());
        run_program("quantize_mxfp8", settings, {{"x", input(x)}, {"q", &q}, {"scales", &scales}});
        expect_same_bits(scales, host->scales, "scales");
        expect_same_bits(q, host->data, "data");
        for (const DType out : {DType::f32, DType::bf16}) {
          settings["T"] = std::string(name(out));
          Tensor back(out, x.shape());
          run_program("dequantize_mxfp8", settings,
                      {{"q", input(q)}, {"scales", input(scales)}, {"x", &back}});
          expect_same_bits(back, *dequantize_mx(q, scales, out), "dequantised");
        }
      }
    }
  }
}

TEST(Scaling, tensor_programs_equal_the_host_bit_for_bit) {
  for (const DType quantised : {DType::e4m3, DType::e5m2}) {
    for (int source = 0; source < 6; ++source) {
      SCOPED_TRACE(std::string(letter(quantised)) + " source " + std::to_string(source));
      Tensor x = source == 0 ? all_bf16(DType::f32) : finite_values(DType::f32, 9);
      if (source == 2) std::memset(x.data(), 0, static_cast<std::size_t>(x.bytes()));
      if (source == 3) x.as<float>()[1234] = inf;
      if (source == 4) x.as<float>()[17] = nan;
      if (source == 5)
        for (std::int64_t i = 0; i < x.elements(); ++i) x.as<float>()[i] *= 1e-45F;
      for (const bool power_of_two : {false, true}) {
        const float scale = tensor_scale(amax(x), quantised, {0, power_of_two});
        Settings settings = extents(x, DType::f32, quantised);
        Tensor given(DType::f32, {1}), q(quantised, x.shape()), most(DType::f32, {1, 1}),
            found(DType::f32, {1, 1}), inverse(DType::f32, {1, 1});
        given.as<float>()[0] = scale;
        const Tensor host = quantize(x, quantised, scale);
        run_program("quantize_tensor", settings,
                    {{"x", input(x)}, {"scale", &given}, {"q", &q}, {"amax", &most}});
        expect_same_bits(q, host, "delayed");
        const auto same_number = [](float a, float b) { return a == b || (a != a && b != b); };
        EXPECT_TRUE(same_number(most.as<float>()[0], amax(x)));
        settings["power_of_two"] = power_of_two ? "1" : "0";
        Tensor again(quantised, x.shape());
        run_program("quantize_current", settings,
                    {{"x", input(x)},
                     {"q", &again},
                     {"amax", &most},
                     {"scale", &found},
                     {"scale_inv", &inverse}});
        EXPECT_EQ(found.as<float>()[0], scale);
        EXPECT_EQ(inverse.as<float>()[0], 1 / scale);
        expect_same_bits(again, host, "current");
        settings.erase("power_of_two");
        given.as<float>()[0] = 1 / scale;
        Tensor back(DType::f32, x.shape());
        run_program("dequantize_tensor", settings,
                    {{"q", input(q)}, {"scale_inv", &given}, {"x", &back}});
        expect_same_bits(back, dequantize(q, 1 / scale), "dequantised");
      }
    }
  }
}

// Elements beyond the largest finite number become that number, or the result of an IEEE-like cast.
TEST(Scaling, elements_that_overflow_saturate_or_become_inf_or_nan) {
  struct Row {
    float value;
    int saturated, ieee;
  };
  const Row of_e4m3[] = {{448, 0x7E, 0x7E}, {449, 0x7E, 0x7E},  {464, 0x7E, 0x7E},
                         {465, 0x7E, 0x7F}, {-465, 0xFE, 0xFF}, {1e30F, 0x7E, 0x7F},
                         {inf, 0x7E, 0x7F}, {-inf, 0xFE, 0xFF}, {nan, 0x7F, 0x7F}};
  const Row of_e5m2[] = {{57344, 0x7B, 0x7B},  {61439, 0x7B, 0x7B}, {61440, 0x7B, 0x7C},
                         {-61440, 0xFB, 0xFC}, {inf, 0x7B, 0x7C},   {nan, 0x7F, 0x7F}};
  const auto expect = [](DType type, const Row& row) {
    Tensor x(DType::f32, {1});
    x.as<float>()[0] = row.value;
    EXPECT_EQ(quantize(x, type, 1).as<std::uint8_t>()[0], row.saturated) << row.value;
    EXPECT_EQ(quantize(x, type, 1, Overflow::ieee).as<std::uint8_t>()[0], row.ieee) << row.value;
  };
  for (const Row& row : of_e4m3) expect(DType::e4m3, row);
  for (const Row& row : of_e5m2) expect(DType::e5m2, row);
}

// The scale of a block and the element of its amax, for each rounding of the scale.
TEST(Scaling, mx_scales_round_up_to_nearest_or_down) {
  struct Row {
    float amax;
    ScaleRounding rounding;
    Overflow overflow;
    int scale, element;
  };
  using enum ScaleRounding;
  using enum Overflow;
  const float above = std::nextafter(448.0F, 1e9F);
  const Row rows[] = {{448, up, saturate, 127, 0x7E},
                      {448, nearest, saturate, 127, 0x7E},
                      {448, down, saturate, 127, 0x7E},
                      {above, up, saturate, 128, 0x76},
                      {above, nearest, saturate, 127, 0x7E},
                      {above, down, saturate, 127, 0x7E},
                      {464, down, ieee, 127, 0x7E},
                      {465, down, saturate, 127, 0x7E},
                      {465, down, ieee, 127, 0x7F},
                      {671, nearest, ieee, 127, 0x7F},
                      {672, nearest, ieee, 128, 0x7A},
                      {895, down, ieee, 127, 0x7F},
                      {896, down, ieee, 128, 0x7E},
                      {0, down, ieee, 0, 0},
                      {1e-45F, down, ieee, 0, 0},
                      {inf, down, saturate, 254, 0x7E},
                      {inf, up, ieee, 254, 0x7F},
                      {nan, down, saturate, 255, 0x7F}};
  for (const Row& row : rows) {
    Tensor x(DType::f32, {1, 32});
    x.as<float>()[5] = row.amax;
    const auto q = quantize_mx(x, DType::e4m3, MxAlong::rows, {row.rounding, row.overflow});
    ASSERT_TRUE(q);
    EXPECT_EQ(q->scales.as<std::uint8_t>()[0], row.scale) << row.amax;
    EXPECT_EQ(q->data.as<std::uint8_t>()[5], row.element) << row.amax;
  }
}

TEST(Scaling, mx_programs_round_scales_as_the_host_does) {
  for (int source = 0; source < 2; ++source) {
    const Tensor x = source == 0 ? all_bf16(DType::bf16) : finite_values(DType::f32, 7);
    for (const auto along : {MxAlong::rows, MxAlong::columns}) {
      // The parameter's numbers, in the order of its text.
      const ScaleRounding roundings[] = {ScaleRounding::up, ScaleRounding::nearest,
                                         ScaleRounding::down};
      for (int rounding = 0; rounding < 3; ++rounding) {
        for (const auto overflow : {Overflow::saturate, Overflow::ieee}) {
          SCOPED_TRACE(std::to_string(source) + " rounding " + std::to_string(rounding));
          const auto host = quantize_mx(x, DType::e4m3, along, {roundings[rounding], overflow});
          ASSERT_TRUE(host);
          Settings settings = extents(x, x.dtype(), DType::e4m3);
          settings["columns"] = along == MxAlong::columns ? "1" : "0";
          settings["scale_rounding"] = std::to_string(rounding);
          settings["saturate"] = overflow == Overflow::saturate ? "1" : "0";
          Tensor q(DType::e4m3, x.shape()), scales(DType::e8m0, host->scales.shape());
          run_program("quantize_mxfp8", settings,
                      {{"x", input(x)}, {"q", &q}, {"scales", &scales}});
          expect_same_bits(scales, host->scales, "scales");
          expect_same_codes(q, host->data, "data");
        }
      }
    }
  }
}

TEST(Scaling, tensor_programs_overflow_as_the_host_does) {
  Tensor x = finite_values(DType::f32, 9);
  x.as<float>()[1234] = inf;
  for (const float scale : {1.0F, 300.0F}) {
    const Tensor host = quantize(x, DType::e4m3, scale, Overflow::ieee);
    Settings settings = extents(x, DType::f32, DType::e4m3);
    settings["saturate"] = "0";
    Tensor given(DType::f32, {1}), q(DType::e4m3, x.shape()), most(DType::f32, {1, 1}),
        found(DType::f32, {1, 1}), inverse(DType::f32, {1, 1});
    given.as<float>()[0] = scale;
    run_program("quantize_tensor", settings,
                {{"x", input(x)}, {"scale", &given}, {"q", &q}, {"amax", &most}});
    expect_same_codes(q, host, "delayed");
    if (scale != 1) continue;  // scale of an infinite amax
    run_program(
        "quantize_current", settings,
        {{"x", input(x)}, {"q", &q}, {"amax", &most}, {"scale", &found}, {"scale_inv", &inverse}});
    expect_same_codes(q, host, "current");
  }
}

// Scale and element of a block's own amax, as published.
TEST(Scaling, mx_golden_table) {
  struct Row {
    float amax;
    int scale_e4m3, e4m3, scale_e5m2, e5m2;
  };
  const Row rows[] = {
      {0, 0, 0x00, 0, 0x00},           {1e-45F, 0, 0x00, 0, 0x00},    {1e-38F, 0, 0x3E, 0, 0x3F},
      {1, 119, 0x78, 112, 0x78},       {3, 120, 0x7C, 113, 0x7A},     {6, 121, 0x7C, 114, 0x7A},
      {447, 127, 0x7E, 120, 0x7B},     {448, 127, 0x7E, 120, 0x7B},   {449, 128, 0x76, 121, 0x77},
      {896, 128, 0x7E, 121, 0x7B},     {57344, 134, 0x7E, 127, 0x7B}, {1e10F, 152, 0x79, 145, 0x79},
      {3.4e38F, 247, 0x78, 240, 0x78}, {inf, 254, 0x7E, 254, 0x7B},   {nan, 255, 0x7F, 255, 0x7F}};
  for (const Row& row : rows) {
    Tensor x(DType::f32, {1, 32});
    x.as<float>()[5] = row.amax;
    for (const DType type : {DType::e4m3, DType::e5m2}) {
      const auto q = quantize_mx(x, type, MxAlong::rows);
      ASSERT_TRUE(q);
      const bool first = type == DType::e4m3;
      EXPECT_EQ(q->scales.as<std::uint8_t>()[0], first ? row.scale_e4m3 : row.scale_e5m2)
          << row.amax;
      EXPECT_EQ(q->data.as<std::uint8_t>()[5], first ? row.e4m3 : row.e5m2) << row.amax;
    }
  }
  const auto uneven = quantize_mx(Tensor(DType::f32, {4, 40}), DType::e4m3, MxAlong::rows);
  ASSERT_FALSE(uneven);
  EXPECT_EQ(uneven.diags().front().message,
            "MXFP8 scales apply to 32 elements, which do not divide the 40 of a row");
}

// Every element code with every scale code is dequantised to the product of their values, in f32.
TEST(Scaling, every_code_under_every_scale_dequantises_to_their_product) {
  for (const DType type : {DType::e4m3, DType::e5m2}) {
    Tensor data(type, {256, 32 * 8}), scales(DType::e8m0, {256, 8});
    for (int s = 0; s < 256; ++s)
      for (int i = 0; i < 256; ++i) {
        data.as<std::uint8_t>()[s * 256 + i] = static_cast<std::uint8_t>(i);
        scales.as<std::uint8_t>()[s * 8 + i / 32] = static_cast<std::uint8_t>(s);
      }
    const Tensor values = *dequantize_mx(data, scales);
    for (int s = 0; s < 256; ++s)
      for (int i = 0; i < 256; ++i) {
        const auto code = static_cast<std::uint8_t>(i);
        const double element = type == DType::e4m3 ? from_e4m3(code) : from_e5m2(code);
        const float want = static_cast<float>(s == 255 ? std::numeric_limits<double>::quiet_NaN()
                                                       : std::ldexp(element, s - 127));
        const float got = values.as<float>()[s * 256 + i];
        if (std::isnan(want)) {
          ASSERT_TRUE(std::isnan(got)) << s << " " << i;
        } else {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(want))
              << s << " " << i;
        }
      }
  }
}

TEST(Scaling, swizzle_points_and_bijection) {
  struct Point {
    std::int64_t i, j, place;
  };
  for (const auto& [i, j, place] :
       {Point{0, 0, 0}, Point{0, 1, 1}, Point{0, 3, 3}, Point{1, 0, 16}, Point{31, 0, 496},
        Point{32, 0, 4}, Point{64, 0, 8}, Point{96, 3, 15}, Point{127, 3, 511}, Point{0, 4, 512},
        Point{128, 0, 1024}, Point{129, 5, 1553}})
    EXPECT_EQ(swizzled_place(i, j, 8), place) << i << " " << j;
  for (const auto& [rows, columns] : {std::pair{128, 4}, std::pair{256, 12}, std::pair{384, 8}}) {
    std::set<std::int64_t> places;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) places.insert(swizzled_place(i, j, columns));
    EXPECT_EQ(places.size(), static_cast<std::size_t>(rows * columns));
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), rows * columns - 1);
  }
  const Tensor scales = made(DType::e8m0, {130, 7}, FillRole::lhs, Fill::normal, 1, 3);
  const Tensor flat = *swizzled(scales);
  EXPECT_EQ(flat.shape(), Shape{256 * 8});
  expect_same_bits(*unswizzled(flat, 130, 7), scales, "unswizzled");
}

TEST(Scaling, an_amax_of_0_inf_or_nan_gives_scale_1) {
  for (const float most : {0.0F, inf, nan}) {
    EXPECT_EQ(tensor_scale(most, DType::e4m3), 1);
    EXPECT_EQ(tensor_scale(most, DType::e5m2), 1);
  }
  EXPECT_EQ(tensor_scale(1, DType::e4m3), 448);
  EXPECT_EQ(tensor_scale(3, DType::e4m3), 448.0F / 3);
  EXPECT_EQ(tensor_scale(3, DType::e4m3, {0, true}), 128);
  EXPECT_EQ(tensor_scale(1e-45F, DType::e5m2), std::numeric_limits<float>::max());
  EXPECT_EQ(tensor_scale(0.5F, DType::e4m3, {2, false}), 224);
}

// The scale of a call depends on the calls before it. Slot 0 is cleared after the roll by -1.
TEST(Scaling, delayed_scaling_updates_in_its_sequence) {
  DelayedScaling delayed = *DelayedScaling::make(DType::e4m3);
  EXPECT_EQ(delayed.history().size(), 1024U);
  EXPECT_EQ(delayed.scale(), 1);
  delayed.note(7);
  EXPECT_EQ(delayed.scale(), 64);
  EXPECT_EQ(delayed.history()[0], 0);
  EXPECT_EQ(delayed.history()[1023], 7);
  delayed.note(3.5F);  // the maximum of the history is still 7
  EXPECT_EQ(delayed.scale(), 64);
  EXPECT_EQ(delayed.history()[1022], 7);
  EXPECT_EQ(delayed.history()[1023], 3.5F);
  for (int i = 0; i < 1021; ++i) delayed.note(1);
  EXPECT_EQ(delayed.scale(), 64) << "7 is in slot 1";
  EXPECT_EQ(delayed.history()[1], 7);
  delayed.note(1);
  EXPECT_EQ(delayed.history()[1], 3.5F);
  delayed.note(1);
  EXPECT_EQ(delayed.scale(), 128) << "7 has left, 3.5 is the largest";
  delayed.note(inf);
  EXPECT_EQ(delayed.scale(), 128) << "an amax that is not finite keeps the scale";
  DelayedScaling recent = *DelayedScaling::make(DType::e4m3, DelayedScaling::From::MostRecent, 4);
  recent.note(7);
  recent.note(3.5F);
  EXPECT_EQ(recent.scale(), 128);
}

// The MXFP8 product of a program is within the bound of f32 sums of the dequantised elements.
TEST(Scaling, the_scaled_product_is_that_of_the_dequantised_operands) {
  for (const auto& [left, right] :
       {std::pair{DType::e4m3, DType::e4m3}, std::pair{DType::e4m3, DType::e5m2}}) {
    const Tensor x = made(DType::f32, {40, 96}, FillRole::lhs, Fill::normal, 96, 1),
                 y = made(DType::f32, {96, 24}, FillRole::rhs, Fill::normal, 96, 2);
    const auto a = quantize_mx(x, left, MxAlong::rows), b = quantize_mx(y, right, MxAlong::columns);
    Tensor out(DType::f32, {40, 24});
    run_program("scaled_matmul",
                {{"T", letter(left)},
                 {"R", letter(right)},
                 {"U", "f32"},
                 {"m", "40"},
                 {"k", "96"},
                 {"n", "24"},
                 {"tm", "16"},
                 {"tk", "64"},
                 {"tn", "16"}},
                {{"a", input(a->data)},
                 {"a_scale", input(a->scales)},
                 {"b", input(b->data)},
                 {"b_scale", input(b->scales)},
                 {"out", &out}});
    const Tensor av = *dequantize_mx(a->data, a->scales), bv = *dequantize_mx(b->data, b->scales);
    GroupedProblem dense;
    dense.lhs = &av;
    Tensor weights(DType::f32, {1, 96, 24});
    std::memcpy(weights.data(), bv.data(), static_cast<std::size_t>(bv.bytes()));
    dense.rhs = &weights;
    dense.group_sizes = {40};
    dense.local_groups = 1;
    const Verdict verdict = check_gmm(dense, out, {});
    EXPECT_TRUE(verdict.ok) << verdict.message;
    EXPECT_EQ(verdict.checked_rows, 40);
  }
}

template <typename T>
std::string refusal(const Expected<T>& result) {
  return result ? "none" : result.diags().front().message;
}

TEST(Scaling, what_a_caller_gets_wrong_is_an_error_and_no_abort) {
  const Tensor x(DType::f32, {32, 64}), none;
  const char* const no_fp8 = "elements are quantised to e4m3 or e5m2, not bf16";
  EXPECT_EQ(refusal(quantize_mx(x, DType::bf16, MxAlong::rows)), no_fp8);
  EXPECT_EQ(refusal(quantize_mx(none, DType::e4m3, MxAlong::rows)),
            "MXFP8 quantises a matrix, found shape ()");
  EXPECT_EQ(refusal(DelayedScaling::make(DType::bf16)), no_fp8);
  EXPECT_EQ(refusal(DelayedScaling::make(DType::e4m3, DelayedScaling::From::Max, 0)),
            "the history of delayed scaling is of 1 to 16777216 calls, got 0");
  const Tensor data(DType::e4m3, {32, 64}), scales(DType::e8m0, {32, 2}),
      other(DType::e8m0, {2, 2});
  EXPECT_EQ(refusal(dequantize_mx(data, scales)), "none");
  EXPECT_EQ(refusal(dequantize_mx(data, other)),
            "MXFP8 scales of data (32, 64) are e8m0 of shape (32, 2) or (1, 64), found e8m0 of "
            "(2, 2)");
  EXPECT_EQ(refusal(dequantize_mx(data, x)),
            "MXFP8 scales of data (32, 64) are e8m0 of shape (32, 2) or (1, 64), found f32 of "
            "(32, 64)");
  EXPECT_EQ(refusal(dequantize_mx(none, scales)), "MXFP8 data is a matrix, found shape ()");
  EXPECT_EQ(refusal(swizzled(x)),
            "a matrix of scales of one byte is swizzled, found f32 of shape (32, 64)");
  const Tensor flat(DType::e8m0, {511});
  EXPECT_EQ(refusal(unswizzled(flat, 128, 4)),
            "128 x 4 swizzled scales from element 0 on are 512 elements of one byte, found 511 of "
            "e8m0");
  EXPECT_NE(refusal(unswizzled(flat, std::int64_t{1} << 40, std::int64_t{1} << 40)), "none");
  EXPECT_EQ(refusal(unswizzled(flat, -1, 4)),
            "-1 rows and 4 columns from element 0 on: one of these is negative");
  // A tensor without data has no elements, so its amax is 0.
  EXPECT_EQ(amax(none), 0);
  EXPECT_EQ(quantize(none, DType::e4m3, 1).data(), nullptr);
}

TEST(Scaling, a_grouped_tensor_that_is_none_is_an_error_and_no_abort) {
  const auto data = std::make_shared<const Tensor>(DType::bf16, Shape{4, 64});
  const GroupedTensor x = no_scale_tensor(data, dim_sizes({1, 3}));
  QuantizeSpec spec;
  EXPECT_EQ(refusal(quantize_grouped(x, 1, 2, MxAlong::rows, spec)), "none");
  spec.dtype = DType::bf16;
  EXPECT_EQ(refusal(quantize_grouped(x, 1, 2, MxAlong::rows, spec)),
            "elements are quantised to e4m3 or e5m2, not bf16");
  spec.dtype = DType::e5m2;
  EXPECT_EQ(refusal(quantize_grouped({}, 1, 2, MxAlong::rows, spec)), "the tensor has no data");
  EXPECT_EQ(refusal(quantize_grouped(no_scale_tensor(nullptr), 1, 2, MxAlong::rows, spec)),
            "the tensor has no data");
  EXPECT_EQ(refusal(quantize_grouped(x, 5, 2, MxAlong::rows, spec)),
            "the tensor has 2 axes, and they are merged at 5");
  EXPECT_EQ(refusal(quantize_grouped(x, 1, 3, MxAlong::rows, spec)),
            "the sizes of the groups of the tensor are i32 of shape (3,), found i32 of (2,)");
  EXPECT_EQ(refusal(quantize_grouped(no_scale_tensor(data, dim_sizes({2, 3})), 1, 2, MxAlong::rows,
                                     spec)),
            "the group sizes of the tensor up to group 1 sum to more than 4");
  EXPECT_EQ(refusal(quantize_grouped(no_scale_tensor(data, dim_sizes({-1, 3})), 1, 2, MxAlong::rows,
                                     spec)),
            "group_sizes[0] = -1 is negative");
  GroupedTensor scaled = *quantize_grouped(x, 1, 2, MxAlong::rows, {});
  EXPECT_EQ(refusal(dequantize_grouped(scaled, 1, 2, MxAlong::rows)), "none");
  Tensor nan(DType::f32, {2});
  nan.set(0, 1);
  nan.set(1, std::nan(""));
  scaled.scale_inv = std::make_shared<const Tensor>(nan.clone());
  EXPECT_EQ(refusal(dequantize_grouped(scaled, 1, 2, MxAlong::rows)),
            "scale_inv[1] of the tensor is nan: a scale is finite and above 0");
  spec.mode = ScalingMode::DelayedTensor;
  spec.delayed_scales = {1, -1};
  EXPECT_EQ(refusal(quantize_grouped(x, 1, 2, MxAlong::rows, spec)),
            "the delayed scale of group 1 is -1: a scale is finite and above 0");
  spec.delayed_scales = {1};
  EXPECT_EQ(refusal(quantize_grouped(x, 1, 2, MxAlong::rows, spec)),
            "delayed scaling needs a scale for each of 2 groups, got 1");
  scaled.scale_inv = nullptr;
  EXPECT_EQ(refusal(dequantize_grouped(scaled, 1, 2, MxAlong::rows)),
            "the tensor has CURRENT_TENSOR_SCALING and no scale_inv");
}

// Plain scales next to the elements become the scales of quantisation.
TEST(Scaling, plain_block_scales_of_groups_are_swizzled) {
  for (const MxAlong along : {MxAlong::rows, MxAlong::columns}) {
    const GroupedTensor x =
        no_scale_tensor(std::make_shared<const Tensor>(
                            made(DType::f32, {192, 64}, FillRole::lhs, Fill::normal, 96, 1)),
                        dim_sizes({32, 0, 160}));
    QuantizeSpec spec;
    spec.mode = ScalingMode::Mxfp8_1D;
    const auto want = quantize_grouped(x, 1, 3, along, spec);
    ASSERT_TRUE(want) << render(want.diags());
    const auto whole = quantize_mx(*x.data, DType::e4m3, along);
    ASSERT_TRUE(whole);
    GroupedTensor plain = *want;
    plain.pre_swizzled = false;
    plain.scale_inv = std::make_shared<const Tensor>(whole->scales.clone());
    const auto got = swizzle_grouped("x", plain, 1, 3, along);
    ASSERT_TRUE(got) << render(got.diags());
    EXPECT_TRUE(got->pre_swizzled);
    ASSERT_EQ(got->scale_inv->shape(), want->scale_inv->shape());
    EXPECT_EQ(std::memcmp(got->scale_inv->data(), want->scale_inv->data(),
                          static_cast<std::size_t>(want->scale_inv->bytes())),
              0);
    plain.scale_inv = std::make_shared<const Tensor>(DType::e8m0, Shape{384});
    EXPECT_NE(refusal(swizzle_grouped("x", plain, 1, 3, along)).find("found e8m0 of shape (384,)"),
              std::string::npos);
    plain.scale_inv = nullptr;
    EXPECT_EQ(refusal(swizzle_grouped("x", plain, 1, 3, along)),
              "x has MXFP8_1D_SCALING and no scale_inv");
  }
}

}  // namespace
}  // namespace tessera

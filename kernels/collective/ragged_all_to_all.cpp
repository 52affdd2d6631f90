#include "kernels/collective/ragged_all_to_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/report/guarded.h"
#include "core/report/try.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera {
namespace {

using Slices = std::span<const RaggedSlices>;
using Tensors = std::span<const Tensor>;

constexpr std::array moved = {DType::f32, DType::bf16, DType::f16, DType::i32, DType::i8};

std::int64_t entry(const Tensor& tensor, std::int64_t i) {
  return static_cast<std::int64_t>(tensor.at(i));
}

Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  Tensor result = Tensor::uninitialised(tensor.dtype(), shape);
  if (tensor.bytes() > 0)
    std::memcpy(result.data(), tensor.data(), static_cast<std::size_t>(tensor.bytes()));
  return result;
}

Tensor as_i32(const Tensor& tensor) {
  Tensor result(DType::i32, tensor.shape());
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    result.as<std::int32_t>()[i] = static_cast<std::int32_t>(entry(tensor, i));
  return result;
}

std::int64_t width_of(const Tensor& tensor) {
  std::int64_t width = 1;
  for (int i = 1; i < tensor.rank(); ++i) width *= tensor.dim(i);
  return width;
}

Expected<void> check_operands(Tensors operand, Tensors output, std::size_t devices) {
  if (operand.empty() || operand.size() != output.size() || operand.size() != devices) {
    return error(fmt::format("operands are given for {} devices, outputs for {} and slices for {}",
                             operand.size(), output.size(), devices));
  }
  TRY(check_alike("operand", operand));
  TRY(check_alike("output", output));
  const Tensor &from = operand[0], &to = output[0];
  const auto row = [](const Tensor& tensor) {
    return Shape(tensor.shape().begin() + 1, tensor.shape().end());
  };
  if (from.rank() < 1 || to.rank() < 1 || from.dtype() != to.dtype() || row(from) != row(to)) {
    return error(fmt::format(
        "expected operand and output rows of the same type and shape, got {}{} and "
        "{}{}",
        name(from.dtype()), to_string(from.shape()), name(to.dtype()), to_string(to.shape())));
  }
  if (std::find(moved.begin(), moved.end(), from.dtype()) != moved.end()) return {};
  return error(
      ErrorCode::unsupported,
      fmt::format("ragged_all_to_all takes f32, bf16, f16, i32, i8, not {}", name(from.dtype())));
}

// Binds the caller's tensor, reshaped to a matrix if necessary, as an operand of one device.
void bind(Launch& launch, std::size_t device, const char* name, const Tensor& tensor) {
  if (tensor.rank() == 2) return launch.input(device, name, tensor);
  launch.owned.push_back(reshaped(tensor, {tensor.dim(0), width_of(tensor)}));
  launch.devices[device].emplace(name, &launch.owned.back());
}

void copy_rows(const Tensor& from, std::int64_t first, Tensor& to, std::int64_t place,
               std::int64_t rows) {
  const std::int64_t row = width_of(from) * size_of(from.dtype());
  if (rows * row > 0)
    std::memcpy(to.data() + place * row, from.data() + first * row,
                static_cast<std::size_t>(rows * row));
}

// Transposes a field between devices: x[d] [j, c] of the result is x[j] [d, c]. Gives a device the
// fields of the slices sent to it.
Tensor exchanged(Slices slices, Tensor RaggedSlices::*field, std::size_t device) {
  const std::int64_t count = slices[0].input_offsets.dim(0);
  const std::int64_t per = count / static_cast<std::int64_t>(slices.size());
  Tensor result(DType::i32, {count});
  for (std::int64_t i = 0; i < count; ++i)
    result.as<std::int32_t>()[i] =
        static_cast<std::int32_t>(entry(slices[static_cast<std::size_t>(i / per)].*field,
                                        static_cast<std::int64_t>(device) * per + i % per));
  return result;
}

}  // namespace

Expected<Launch> launch_ragged_all_to_all(Tensors operand, Tensors output, Slices slices,
                                          const CollectiveOptions& options) try {
  TRY(check_operands(operand, output, slices.size()));
  const std::int64_t rows = operand[0].dim(0), out_rows = output[0].dim(0);
  TRY(check_ragged_slices(rows, out_rows, slices));
  Launch launch("ragged_all_to_all", operand.size());
  launch.calls = options.calls;
  launch.set("T", operand[0].dtype());
  launch.set("rows", rows);
  launch.set("out_rows", out_rows);
  launch.set("width", width_of(operand[0]));
  launch.set("slices", slices[0].input_offsets.dim(0));
  launch.set("ranks", static_cast<std::int64_t>(operand.size()));
  launch.set("collective", options.collective_id);
  for (std::size_t d = 0; d < operand.size(); ++d) {
    bind(launch, d, "operand", operand[d]);
    bind(launch, d, "existing", output[d]);
    const auto table = [&](const char* name, const Tensor& tensor) {
      launch.owned.push_back(as_i32(tensor));
      launch.devices[d].emplace(name, &launch.owned.back());
    };
    table("input_offsets", slices[d].input_offsets);
    table("send_sizes", slices[d].send_sizes);
    table("output_offsets", slices[d].output_offsets);
    table("recv_sizes", slices[d].recv_sizes);
  }
  launch.results(operand[0].dtype(), {out_rows, width_of(output[0])});
  return launch;
} catch (...) {
  return given_up("preparing a launch");
}

Expected<std::vector<Tensor>> ragged_all_to_all(Tensors operand, Tensors output, Slices slices,
                                                const CollectiveOptions& options) {
  auto all = results(launch_ragged_all_to_all(operand, output, slices, options), options);
  if (!all) return all.diags();
  for (Tensor& tensor : *all)
    if (tensor.shape() != output[0].shape()) tensor = reshaped(tensor, output[0].shape());
  return all;
}

Verdict check_ragged_all_to_all(Tensors operand, Tensors output, Slices slices, const Launch& done,
                                const CheckOptions& options) {
  const std::int64_t count = slices[0].input_offsets.dim(0);
  const std::int64_t per = count / static_cast<std::int64_t>(slices.size());
  std::vector<Tensor> expected;
  for (const Tensor& tensor : output) expected.push_back(tensor.clone());
  for (std::size_t d = 0; d < operand.size(); ++d)
    for (std::int64_t i = 0; i < count; ++i)
      copy_rows(operand[d], entry(slices[d].input_offsets, i),
                expected[static_cast<std::size_t>(i / per)], entry(slices[d].output_offsets, i),
                entry(slices[d].send_sizes, i));
  std::vector<Verdict> verdicts;
  for (std::size_t d = 0; d < operand.size(); ++d)
    verdicts.push_back(check_same(expected[d], done.result(d), options));
  return together(verdicts);
}

Expected<RaggedGradients> ragged_all_to_all_vjp(Tensors cotangent, std::int64_t operand_rows,
                                                Slices slices,
                                                const CollectiveOptions& options) try {
  if (cotangent.empty() || cotangent[0].rank() < 1)
    return error("there is no cotangent, or it has no rows");
  TRY(check_ragged_slices(operand_rows, cotangent[0].dim(0), slices));
  RaggedGradients gradients;
  std::vector<RaggedSlices> back;
  Shape shape = cotangent[0].shape();
  shape[0] = operand_rows;
  for (std::size_t d = 0; d < slices.size(); ++d) {
    back.push_back(
        {exchanged(slices, &RaggedSlices::output_offsets, d), as_i32(slices[d].recv_sizes),
         exchanged(slices, &RaggedSlices::input_offsets, d), as_i32(slices[d].send_sizes)});
    gradients.operand.emplace_back(cotangent[0].dtype(), shape);
  }
  auto of_operand = ragged_all_to_all(cotangent, gradients.operand, back, options);
  if (!of_operand) return of_operand.diags();
  gradients.operand = *std::move(of_operand);
  for (std::size_t d = 0; d < slices.size(); ++d) {
    Tensor& own = gradients.output.emplace_back(cotangent[d].clone());
    const Tensor zeros(own.dtype(), own.shape());
    for (std::int64_t i = 0; i < back[d].input_offsets.dim(0); ++i)
      copy_rows(zeros, 0, own, entry(back[d].input_offsets, i), entry(back[d].send_sizes, i));
  }
  return gradients;
} catch (...) {
  return given_up("computing gradients");
}

}  // namespace tessera

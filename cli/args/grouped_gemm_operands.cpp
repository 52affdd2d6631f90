// Operands of grouped-gemm, from files or generated.
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "cli/args/fill_operand.h"
#include "cli/args/grouped_gemm_reader.h"
#include "cli/args/host_memory.h"
#include "kernels/grouped_gemm/types.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 2> fill_options = {"fill", "outliers"};

}  // namespace

std::optional<Tensor> GroupedGemmReader::operand_file(std::string_view whose,
                                                      std::optional<DType> dtype) {
  const std::string name(whose);
  if (!has(name + "-scale-inv")) return load(whose, dtype, DType::bf16);
  return load(whose, type(name + "-quantised", quantised_names()), DType::e4m3);
}

void GroupedGemmReader::operands(const std::optional<Tensor>& lhs,
                                 const std::optional<Tensor>& rhs) {
  const Fill kind = fill_kind();
  const std::int64_t outliers = integer("outliers", 0, 1);
  if (lhs && rhs) refuse(fill_options, "has nothing to fill: every operand is a file");
  take(check_host_memory({{call_.dtype, lhs_shape_}, {call_.dtype, rhs_shape_}}));
  if (!ok()) return;
  const std::int64_t products = terms(state_->options.lhs_contracting);
  const auto generate = [&](const Shape& shape, FillRole role, std::uint64_t stream) {
    const auto make = [=, dtype = call_.dtype] {
      // The factor 4 leaves room for alpha and beta * c.
      Tensor tensor = filled_operand(dtype, shape, kind, role, 4 * products, stream);
      for (std::int64_t i = outliers - 1; outliers > 0 && i < tensor.elements(); i += outliers)
        tensor.set(i, tensor.at(i) * 1000);
      return tensor;
    };
    return Tensor::deferred(call_.dtype, shape, make);
  };
  const bool delayed = text("scaling") == "delayed";
  const auto make = [&](const std::optional<Tensor>& file, const Shape& shape, FillRole role,
                        std::uint64_t stream, GroupedTensor& to, float& seen) {
    Tensor tensor = file ? file->clone() : generate(shape, role, call_.seed * 8 + stream);
    // The simulated previous call had the operands of the next seed, or the same file.
    if (delayed && file) seen = amax(tensor);
    if (delayed && !file) seen = amax(generate(shape, role, (call_.seed + 1) * 8 + stream));
    to.data = std::make_shared<const Tensor>(std::move(tensor));
    to.original_shape = to.data->shape();
    to.dq_dtype = to.data->dtype();
  };
  make(lhs, lhs_shape_, FillRole::lhs, 1, state_->lhs, lhs_seen_);
  make(rhs, rhs_shape_, FillRole::rhs, 2, state_->rhs, rhs_seen_);
  call_.values = {kind, lhs || rhs, outliers > 0};
}

}  // namespace tessera::cli

// Validation of an all-gather matmul along k: the seven checks of its source, then additional ones.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "core/report/try.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/rings.h"

namespace tessera {
namespace {

Diag unsupported(std::string text) { return error(ErrorCode::unsupported, std::move(text)); }

bool is_contiguous(const Tensor& rings) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(rings.elements()));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int64_t>(rings.at(static_cast<std::int64_t>(i)));
  std::sort(ids.begin(), ids.end());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

// Adds a note with the repeated ids of a rejected table.
Diag repeated(Diag diag, const Tensor& rings) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < rings.elements(); ++i)
    ids.push_back(static_cast<std::int64_t>(rings.at(i)));
  std::sort(ids.begin(), ids.end());
  std::vector<std::int64_t> twice;
  for (std::size_t i = 1; i < ids.size(); ++i)
    if (ids[i] == ids[i - 1] && (twice.empty() || twice.back() != ids[i])) twice.push_back(ids[i]);
  if (!twice.empty())
    diag.notes.push_back({{}, fmt::format("repeated: {}", fmt::join(twice, ", "))});
  return diag;
}

Expected<void> check_source(const TensorType& lhs, const TensorType& rhs, const TensorType& out,
                            const Tensor& rings, const AllgatherMatmulOptions& options) {
  if (rings.rank() != 2) return error("The ring should be a 2D NumPy array");
  const std::int64_t k_shard = lhs.shape[1], k_full = rhs.shape[0], length = rings.dim(1);
  if (k_shard * length != k_full) {
    return error(
        fmt::format("LHS contraction dimension has size {}, ring has length {} so expected RHS to "
                    "have shape {}, but got {}",
                    k_shard, length, k_shard * length, k_full));
  }
  if (lhs.dtype != DType::bf16 || rhs.dtype != DType::bf16 || out.dtype != DType::f32)
    return error("Only bf16 inputs and fp32 outputs supported");
  // The production kernel supports rings of any length.
  if (options.variant == AllgatherMatmulOptions::Variant::literal && length % 2 != 0)
    return error("Bidirectional collective matmul only supports evenly sized rings");
  if (rings.dtype() != DType::i32)
    return error("Ring description should be encoded in 32-bit integers.");
  if (std::popcount(static_cast<std::uint64_t>(std::llabs(options.buffering))) != 1)
    return unsupported("Buffering values should be multiples of 2");
  if (!is_contiguous(rings)) {
    return repeated(
        unsupported("Device IDs used in collective should span a contiguous range starting at 0"),
        rings);
  }
  return {};
}

}  // namespace

Expected<void> check_allgather_matmul(const TensorType& lhs, const TensorType& rhs,
                                      const TensorType& out, const Tensor& rings,
                                      const AllgatherMatmulOptions& options) {
  if (lhs.shape.size() != 2 || rhs.shape.size() != 2) {
    return error(fmt::format("lhs and rhs have two dimensions each, got shapes {} and {}",
                             to_string(lhs.shape), to_string(rhs.shape)));
  }
  TRY(check_source(lhs, rhs, out, rings, options));
  const bool literal = options.variant == AllgatherMatmulOptions::Variant::literal;
  const std::int64_t length = rings.dim(1), longest = literal ? 3 : 2;
  if (options.buffering < 1)
    return error(fmt::format("buffering must be at least 1, got {}", options.buffering));
  if (options.buffering == 1 && length > longest && options.protocol_checks) {
    return unsupported(
        fmt::format("buffering 1 on a ring of {}: every device would wait for capacity in step 0, "
                    "which only step 0 of another device provides",
                    length));
  }
  if (!literal && !options.protocol_checks && options.buffering == 1 && length > longest)
    return unsupported("only the literal kernel runs without its protocol checks");
  if (rings.elements() == 0) return error("a ring has at least one device");
  if (out.shape != Shape{lhs.shape[0], rhs.shape[1]}) {
    return error(fmt::format("lhs has shape {} and rhs {}, so out has shape {}, not {}",
                             to_string(lhs.shape), to_string(rhs.shape),
                             to_string(Shape{lhs.shape[0], rhs.shape[1]}), to_string(out.shape)));
  }
  return {};
}

}  // namespace tessera

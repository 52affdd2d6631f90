#include "core/program/view_shape.h"

#include <fmt/format.h>

#include "core/data/tensor.h"

namespace tessera {

std::optional<int> packed_dim(const ViewType& from, const ViewType& to) {
  if (size_of(from.dtype) == size_of(to.dtype)) return std::nullopt;
  for (std::size_t d = 0; d < from.shape.size() && d < to.shape.size(); ++d)
    if (from.shape[d] != to.shape[d]) return static_cast<int>(d);
  return 0;
}

std::string view_problem(const ViewType& from, const ViewType& to) {
  const std::int64_t narrow = size_of(from.dtype), wide = size_of(to.dtype);
  if (narrow == wide) {
    if (elements(from.shape) == elements(to.shape)) return "";
    return fmt::format("{} has {} elements, and {} would have {}", to_string(from),
                       elements(from.shape), to_string(to), elements(to.shape));
  }
  bool fits = from.shape.size() == to.shape.size();
  int differ = 0;
  for (std::size_t d = 0; fits && d < to.shape.size(); ++d) {
    if (from.shape[d] == to.shape[d]) continue;
    ++differ;
    fits = from.shape[d] * narrow == to.shape[d] * wide;
  }
  if (fits && differ == 1) return "";
  return fmt::format(
      "{} cannot be viewed as {}: between types of different widths one dimension is {} times as "
      "{}, and the others are equal; for another shape too, use a view of that view",
      to_string(from), to_string(to), wide > narrow ? wide / narrow : narrow / wide,
      wide > narrow ? "short" : "long");
}

std::optional<ViewType> type_of_slice(const Program& program, const Slice& slice) {
  ViewType type{ref_info(program, slice.base).dtype, {}};
  for (const int d : kept(slice)) {
    const auto size = program.constant(slice.size[static_cast<std::size_t>(d)]);
    if (!size) return std::nullopt;
    type.shape.push_back(*size);
  }
  return type;
}

}  // namespace tessera

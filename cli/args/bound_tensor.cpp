#include "cli/args/bound_tensor.h"

#include <fmt/format.h>

#include <vector>

#include "core/data/tensor_file.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// The numbers of a small operand such as group sizes, in words.
std::optional<std::vector<double>> numbers_in(const Buffer& buffer, const std::string& text) {
  if (!is_integer(buffer.dtype)) return parse_reals(text);
  const auto integers = parse_integers(text);
  if (!integers) return std::nullopt;
  return std::vector<double>(integers->begin(), integers->end());
}

}  // namespace

Shape stored_shape(const Buffer& buffer) {
  if (buffer.order.empty()) return buffer.shape;
  Shape shape;
  for (const int dim : buffer.order) shape.push_back(buffer.shape[static_cast<std::size_t>(dim)]);
  return shape;
}

Tensor zeros(const Buffer& buffer, Diags& diags) {
  Expected<Tensor> tensor = Tensor::allocate(buffer.dtype, stored_shape(buffer));
  if (tensor) return *std::move(tensor);
  diags.insert(diags.end(), tensor.diags().begin(), tensor.diags().end());
  return {};
}

std::optional<Tensor> given_in_words(const Buffer& buffer, const std::string& text, Diags& diags) {
  const auto numbers = numbers_in(buffer, text);
  if (!numbers) return std::nullopt;
  Tensor tensor = zeros(buffer, diags);
  if (!diags.empty()) return tensor;
  if (static_cast<std::int64_t>(numbers->size()) != tensor.elements()) {
    diags.push_back(error(fmt::format("operand {} has {} elements, and --in gives {}", buffer.name,
                                      tensor.elements(), numbers->size())));
    return tensor;
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    tensor.set(element, (*numbers)[i]);
    // Floats are rounded, as their element type is.
    if (!is_integer(buffer.dtype) || tensor.at(element) == (*numbers)[i]) continue;
    diags.push_back(error(fmt::format("operand {} is of type {}, which does not hold {}",
                                      buffer.name, name(buffer.dtype), (*numbers)[i])));
    return tensor;
  }
  return tensor;
}

Tensor from_file(const Buffer& buffer, const std::string& file, Diags& diags) {
  Expected<Tensor> tensor = load_tensor(file, buffer.dtype);
  if (!tensor) {
    diags.insert(diags.end(), tensor.diags().begin(), tensor.diags().end());
    return {};
  }
  const Shape shape = stored_shape(buffer);
  if (tensor->dtype() != buffer.dtype || tensor->shape() != shape) {
    diags.push_back(error(fmt::format("operand {} is {}{}{}, and {} holds {}{}", buffer.name,
                                      name(buffer.dtype), to_string(shape),
                                      buffer.order.empty() ? "" : " as it is stored", file,
                                      name(tensor->dtype()), to_string(tensor->shape()))));
  }
  return *std::move(tensor);
}

}  // namespace tessera::cli

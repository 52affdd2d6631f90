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

std::string_view role_text(const Buffer& buffer) {
  return buffer.role == Role::out ? "result" : "operand";
}

void add(Diags& diags, const Diags& more) { diags.insert(diags.end(), more.begin(), more.end()); }

// `is_type`: whether a tensor of this type will do.
Tensor checked(const Buffer& buffer, const std::string& file, Expected<Tensor> tensor, bool is_type,
               Diags& diags) {
  const Shape shape = stored_shape(buffer);
  if (!is_type || tensor->shape() != shape)
    diags.push_back(error(fmt::format("{} {} is {}{}{}, and {} holds {}{}", role_text(buffer),
                                      buffer.name, name(buffer.dtype), to_string(shape),
                                      buffer.order.empty() ? "" : " as it is stored", file,
                                      name(tensor->dtype()), to_string(tensor->shape()))));
  return *std::move(tensor);
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

std::optional<Tensor> given_in_words(const Buffer& buffer, const std::string& text,
                                     std::string_view option, Diags& diags) {
  const auto numbers = numbers_in(buffer, text);
  if (!numbers) return std::nullopt;
  Tensor tensor = zeros(buffer, diags);
  if (!diags.empty()) return tensor;
  if (static_cast<std::int64_t>(numbers->size()) != tensor.elements()) {
    diags.push_back(error(fmt::format("{} {} has {} elements, and --{} gives {}", role_text(buffer),
                                      buffer.name, tensor.elements(), option, numbers->size())));
    return tensor;
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    tensor.set(element, (*numbers)[i]);
    // Floats are rounded, as their element type is.
    if (!is_integer(buffer.dtype) || tensor.at(element) == (*numbers)[i]) continue;
    diags.push_back(
        error(fmt::format("{} {} is of type {}, which does not hold {}", role_text(buffer),
                          buffer.name, name(buffer.dtype), (*numbers)[i])));
    return tensor;
  }
  return tensor;
}

Tensor from_file(const Buffer& buffer, const std::string& file, Diags& diags) {
  Expected<Tensor> tensor = load_tensor(file, buffer.dtype);
  if (!tensor) {
    add(diags, tensor.diags());
    return {};
  }
  const bool is_type = tensor->dtype() == buffer.dtype;
  return checked(buffer, file, std::move(tensor), is_type, diags);
}

Tensor expected_from_file(const Buffer& buffer, const std::string& file, Diags& diags) {
  const Expected<TensorHeader> header = read_tensor_header(file);
  if (!header) {
    add(diags, header.diags());
    return {};
  }
  // Raw bytes are of the result's own type.
  Expected<Tensor> tensor = load_tensor(file, header->dtype.value_or(buffer.dtype));
  if (!tensor) {
    add(diags, tensor.diags());
    return {};
  }
  const bool is_type = is_float(tensor->dtype()) == is_float(buffer.dtype);
  return checked(buffer, file, std::move(tensor), is_type, diags);
}

}  // namespace tessera::cli

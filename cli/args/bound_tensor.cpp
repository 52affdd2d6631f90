#include "cli/args/bound_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/args/device_parts.h"
#include "core/data/convert.h"
#include "core/data/dtype_info.h"
#include "core/data/tensor_file.h"
#include "interp/memory/layout.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Parses a list of numbers. None if it is malformed or, for an integer buffer, contains a
// non-integer.
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

Tensor zeros(const Buffer& buffer, DType type, Diags& diags) {
  Expected<Tensor> tensor = Tensor::allocate(type, stored_shape(buffer));
  if (tensor) return *std::move(tensor);
  add(diags, tensor.diags());
  return {};
}

// True if the type represents the number exactly, or if it is a float type and the number rounds to
// a finite value.
bool holds(DType type, double number) {
  alignas(8) std::byte element[8];
  store_element(element, type, number, Overflow::ieee);
  const double held = load_element(element, type);
  if (held == number || (std::isnan(held) && std::isnan(number))) return true;
  return dtype_info(type).digits > 0 && std::isfinite(number) && std::isfinite(held);
}

}  // namespace

Tensor zeros(const Buffer& buffer, Diags& diags) { return zeros(buffer, buffer.dtype, diags); }

std::optional<Tensor> given_in_words(const Buffer& buffer, DType type, const std::string& text,
                                     std::string_view option, Diags& diags) {
  const auto numbers = numbers_in(buffer, text);
  if (!numbers) return std::nullopt;
  Tensor tensor = zeros(buffer, type, diags);
  if (!diags.empty()) return tensor;
  if (static_cast<std::int64_t>(numbers->size()) != tensor.elements()) {
    diags.push_back(error(fmt::format("{} {} has {} elements, and --{} gives {}", role_text(buffer),
                                      buffer.name, tensor.elements(), option, numbers->size())));
    return tensor;
  }
  // Integers are converted through doubles.
  constexpr double most = 9007199254740992;  // 2^53
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const double number = (*numbers)[i];
    if (is_integer(type) && std::abs(number) >= most) {
      diags.push_back(error(fmt::format(
          "{} {}: --{} accepts integers below 2^53, not {}; use a .npy file for larger ones",
          role_text(buffer), buffer.name, option, number)));
      return tensor;
    }
    if (!holds(type, number)) {
      diags.push_back(
          error(fmt::format("{} {}: expected numbers that {} holds, found {} (--{})",
                            role_text(buffer), buffer.name, name(type), number, option)));
      return tensor;
    }
    const auto element = static_cast<std::int64_t>(i);
    store_element(tensor.data() + element * size_of(type), type, number, Overflow::ieee);
  }
  return tensor;
}

// any_width: accept any type of the buffer's family.
Tensor OperandFiles::read(const Buffer& buffer, DType type, const Assignment& from, int device,
                          bool any_width, Diags& diags) {
  const auto index = static_cast<std::size_t>(device);
  if (const auto whole = wholes_.find(&buffer);
      whole != wholes_.end() && from.device == every_device)
    return part_of(whole->second, index);
  Expected<Tensor> tensor = load_tensor(from.value, type, files_);
  if (!tensor) {
    add(diags, tensor.diags());
    return {};
  }
  const Shape shape = stored_shape(buffer), &given = tensor->shape();
  const bool is_type = any_width ? is_float(tensor->dtype()) == is_float(buffer.dtype)
                                 : tensor->dtype() == buffer.dtype;
  const bool may_be_stacked = from.device == every_device && given.size() == shape.size() + 1 &&
                              std::equal(shape.begin(), shape.end(), given.begin() + 1);
  if (is_type && given == shape) return *std::move(tensor);
  if (is_type && may_be_stacked && given[0] == devices_)
    return part_of(wholes_.emplace(&buffer, *std::move(tensor)).first->second, index);
  diags.push_back(error(fmt::format(
      "{} {} is {}{}{}, and {} holds {}{}{}", role_text(buffer), buffer.name, name(buffer.dtype),
      to_string(shape), buffer.order.empty() ? "" : " as it is stored", from.value,
      name(tensor->dtype()), to_string(given),
      may_be_stacked
          ? fmt::format(", which is for {} devices, and there are {}", given[0], devices_)
          : "")));
  return {};
}

Tensor OperandFiles::operand(const Buffer& buffer, const Assignment& from, int device,
                             Diags& diags) {
  return read(buffer, buffer.dtype, from, device, false, diags);
}

Tensor OperandFiles::expected(const Buffer& buffer, const Assignment& from, int device,
                              Diags& diags) {
  const Expected<TensorHeader> header = read_tensor_header(from.value, files_);
  if (!header) {
    add(diags, header.diags());
    return {};
  }
  // Raw bytes have the element type of the result.
  return read(buffer, header->dtype.value_or(buffer.dtype), from, device, true, diags);
}

}  // namespace tessera::cli

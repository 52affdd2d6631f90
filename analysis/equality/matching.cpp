#include "analysis/equality/matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/report/try.h"
#include "interp/memory/layout.h"

namespace tessera::fields {
namespace {

const Buffer* buffer_of(const Program& program, const std::string& name, Role role) {
  const Buffer* const found = program.find_buffer(name);
  return found != nullptr && found->role == role ? found : nullptr;
}

std::string type_text(const Buffer& buffer) {
  return fmt::format("{}[{}]", name(buffer.dtype), fmt::join(buffer.shape, ", "));
}

// Removes dimensions of one element, which do not affect the order of elements.
Shape long_dims(const Shape& shape) {
  Shape result;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(result),
               [](std::int64_t extent) { return extent != 1; });
  return result;
}

bool is_same_shape(const Shape& a, const Shape& b) { return long_dims(a) == long_dims(b); }

// True if one device of B has the operands and results of all devices of A.
bool stands_for_all(const Side& a, const Side& b) {
  return a.run.options.machine.devices > 1 && b.run.options.machine.devices == 1;
}

// True if `all` is the shape of a stack: the devices of A as the first dimension, then `each`.
bool is_stack_of(const Side& a, const Shape& each, Shape all) {
  if (all.empty() || all.front() != a.run.options.machine.devices) return false;
  all.erase(all.begin());
  return is_same_shape(each, all);
}

Tensor& tensor(const Side& side, int device, const std::string& name) {
  return side.run.operands[static_cast<std::size_t>(device)].find(name)->second;
}

// Operand of integers in both programs.
struct Integers {
  const Buffer& a;
  const Buffer& b;
  bool is_stacked = false;
};

// Calls f(element of A's tensor, element of B's) for the elements of a device, in the order of
// their indices.
template <typename F>
void for_each_pair(const Integers& operand, int device, F&& f) {
  const Layout from(operand.a), to(operand.b);
  const std::int64_t begin = operand.is_stacked ? device * from.elements : 0;
  for (std::int64_t i = 0; i < from.elements; ++i)
    f(from.offset(index_in(from.whole(), i)), to.offset(index_in(to.whole(), begin + i)));
}

Expected<void> match_integers(const Side& a, const Side& b, const Integers& operand) {
  const std::string& name = operand.a.name;
  const auto unit = static_cast<std::size_t>(size_of(operand.a.dtype));
  for (int device = 0; device < a.run.options.machine.devices; ++device) {
    const std::byte* const from = tensor(a, device, name).data();
    std::byte* const to = tensor(b, stands_for_all(a, b) ? 0 : device, name).data();
    const bool is_again = stands_for_all(a, b) && !operand.is_stacked && device > 0;
    bool is_same = true;
    for_each_pair(operand, device, [&](std::int64_t i, std::int64_t j) {
      const std::byte* const source = from + static_cast<std::size_t>(i) * unit;
      std::byte* const target = to + static_cast<std::size_t>(j) * unit;
      if (is_again)
        is_same = is_same && std::memcmp(source, target, unit) == 0;
      else
        std::memcpy(target, source, unit);
    });
    if (!is_same)
      return error(
          fmt::format("operand `{}` is not the same on all devices of A, and B has it once", name));
  }
  return {};
}

}  // namespace

Expected<std::vector<Matched>> match_results(const Side& a, const Side& b) {
  std::vector<Matched> matched;
  for (const BufferId id : a.program().buffers.ids()) {
    const Buffer& buffer = a.program().buffers[id];
    const Buffer* const other =
        buffer.role == Role::out ? buffer_of(b.program(), buffer.name, Role::out) : nullptr;
    if (other == nullptr) continue;
    const std::int64_t each = elements(buffer.shape);
    const bool is_stacked = stands_for_all(a, b) && is_stack_of(a, buffer.shape, other->shape);
    if (!is_same_shape(buffer.shape, other->shape) && !is_stacked)
      return error(fmt::format("result `{}` is {} in A and {} in B: they cannot be compared",
                               buffer.name, type_text(buffer), type_text(*other)));
    matched.push_back({id, b.program().value(other->value).buffer, buffer.name, each, is_stacked});
  }
  if (matched.empty()) return error("A and B have no result of the same name: nothing to compare");
  return matched;
}

std::vector<std::string> uncompared_results(const Side& a, const Side& b) {
  std::vector<std::string> alone;
  const auto add = [&](const Program& of, const Program& other) {
    for (const Buffer& buffer : of.buffers)
      if (buffer.role == Role::out && buffer_of(other, buffer.name, Role::out) == nullptr)
        alone.push_back(buffer.name);
  };
  add(a.program(), b.program());
  add(b.program(), a.program());
  return alone;
}

Expected<std::vector<std::string>> match_operands(Side& a, Side& b,
                                                  std::vector<std::string>& alike) {
  std::vector<std::string> unmatched;
  for (const Buffer& buffer : a.program().buffers) {
    if (buffer.role != Role::in) continue;
    const Buffer* const other = buffer_of(b.program(), buffer.name, Role::in);
    if (other == nullptr) {
      unmatched.push_back(buffer.name);
      continue;
    }
    const bool is_stacked = stands_for_all(a, b) && is_stack_of(a, buffer.shape, other->shape);
    const bool are_integers = is_integer(buffer.dtype);
    if ((!is_same_shape(buffer.shape, other->shape) && !is_stacked) ||
        are_integers != is_integer(other->dtype) || (are_integers && buffer.dtype != other->dtype))
      return error(
          fmt::format("operand `{}` is {} in A and {} in B: expected the same operand in both",
                      buffer.name, type_text(buffer), type_text(*other)));
    if (are_integers) {
      TRY(match_integers(a, b, {buffer, *other, is_stacked}));
    } else if (is_stacked) {
      b.cuts[buffer.name].each = elements(buffer.shape);
    } else if (stands_for_all(a, b)) {
      a.cuts[buffer.name].is_alike = true;
      alike.push_back(buffer.name);
    }
  }
  for (const Buffer& buffer : b.program().buffers)
    if (buffer.role == Role::in && buffer_of(a.program(), buffer.name, Role::in) == nullptr)
      unmatched.push_back(buffer.name);
  return unmatched;
}

}  // namespace tessera::fields

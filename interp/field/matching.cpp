#include "interp/field/matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/report/try.h"

namespace tessera::fields {
namespace {

const Buffer* buffer_of(const Program& program, const std::string& name, Role role) {
  const Buffer* const found = program.find_buffer(name);
  return found != nullptr && found->role == role ? found : nullptr;
}

std::string type_text(const Buffer& buffer) {
  return fmt::format("{}[{}]", name(buffer.dtype), fmt::join(buffer.shape, ", "));
}

// Whether B has on its one device what all devices of A have.
bool stands_for_all(const Side& a, const Side& b) {
  return a.run.options.devices > 1 && b.run.options.devices == 1;
}

Tensor& tensor(const Side& side, int device, const std::string& name) {
  return side.run.operands[static_cast<std::size_t>(device)].find(name)->second;
}

Expected<void> match_integers(const Side& a, const Side& b, const std::string& name,
                              bool is_stacked) {
  for (int device = 0; device < a.run.options.devices; ++device) {
    const Tensor& from = tensor(a, device, name);
    const auto bytes = static_cast<std::size_t>(from.bytes());
    if (!stands_for_all(a, b)) {
      std::memcpy(tensor(b, device, name).data(), from.data(), bytes);
    } else if (is_stacked) {
      std::memcpy(tensor(b, 0, name).data() + static_cast<std::size_t>(device) * bytes, from.data(),
                  bytes);
    } else if (device == 0) {
      std::memcpy(tensor(b, 0, name).data(), from.data(), bytes);
    } else if (std::memcmp(tensor(b, 0, name).data(), from.data(), bytes) != 0) {
      return error(
          fmt::format("operand `{}` is not the same on all devices of A, and B has it "
                      "once",
                      name));
    }
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
    const std::int64_t each = elements(buffer.shape), there = elements(other->shape);
    const bool is_stacked = stands_for_all(a, b) && there == each * a.run.options.devices;
    if (each != there && !is_stacked)
      return error(fmt::format("result `{}` is {} in A and {} in B: they cannot be compared",
                               buffer.name, type_text(buffer), type_text(*other)));
    matched.push_back({id, b.program().value(other->value).buffer, buffer.name, each, is_stacked});
  }
  if (matched.empty()) return error("A and B have no result of the same name: nothing to compare");
  return matched;
}

Expected<std::vector<std::string>> match_operands(Side& a, Side& b) {
  std::vector<std::string> unmatched;
  for (const Buffer& buffer : a.program().buffers) {
    if (buffer.role != Role::in) continue;
    const Buffer* const other = buffer_of(b.program(), buffer.name, Role::in);
    if (other == nullptr) {
      unmatched.push_back(buffer.name);
      continue;
    }
    const std::int64_t each = elements(buffer.shape), there = elements(other->shape);
    const bool is_stacked = stands_for_all(a, b) && there == each * a.run.options.devices;
    const bool are_integers = is_integer(buffer.dtype);
    if ((each != there && !is_stacked) || are_integers != is_integer(other->dtype) ||
        (are_integers && (buffer.dtype != other->dtype || buffer.order != other->order)))
      return error(fmt::format("operand `{}` is {} in A and {} in B: operands of one name are one",
                               buffer.name, type_text(buffer), type_text(*other)));
    if (are_integers) {
      TRY(match_integers(a, b, buffer.name, is_stacked));
    } else if (is_stacked) {
      b.cuts[buffer.name].each = each;
    } else if (stands_for_all(a, b)) {
      a.cuts[buffer.name].is_alike = true;
    }
  }
  for (const Buffer& buffer : b.program().buffers)
    if (buffer.role == Role::in && buffer_of(a.program(), buffer.name, Role::in) == nullptr)
      unmatched.push_back(buffer.name);
  return unmatched;
}

}  // namespace tessera::fields

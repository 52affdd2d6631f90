#include "core/lang/mesh_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/lang/expressions.h"
#include "core/lang/names.h"

namespace tessera {
namespace {

constexpr std::int64_t most_devices = std::int64_t{1} << 20;

}  // namespace

MeshLowering::MeshLowering(Draft& draft, Names& names, Expressions& expressions)
    : draft_(draft), builder_(draft.builder()), names_(names), expressions_(expressions) {}

void MeshLowering::declare(const ast::MeshDeclaration& node) {
  if (!axes_.empty()) {
    draft_.fail(node.loc, "a kernel has one mesh");
    return;
  }
  std::vector<std::int64_t> sizes;
  std::string product;
  std::int64_t devices = 1;
  for (const ast::MeshAxis& axis : node.axes) {
    const auto size = expressions_.constant(axis.size, "the size of an axis of the mesh");
    if (!size) return;
    if (*size < 1 || *size > most_devices / devices) {
      draft_.fail(axis.loc,
                  fmt::format("a mesh has at least 1 device along an axis and at most 2^20 "
                              "altogether, found {} along `{}`",
                              *size, axis.name));
      return;
    }
    sizes.push_back(*size);
    devices *= *size;
    product += fmt::format("{}{}", product.empty() ? "" : " x ", *size);
  }
  draft_.at(node.loc);
  builder_.emit(Require{
      builder_.emit(Eq{builder_.emit(DeviceCount{}, "devices"), builder_.integer(devices)}),
      builder_.text(fmt::format("the mesh of the kernel has {} devices ({})", devices, product))});
  std::int64_t stride = devices;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ast::MeshAxis& axis = node.axes[i];
    stride /= sizes[i];
    draft_.at(axis.loc);
    const ValueId size = builder_.integer(sizes[i]), step = builder_.integer(stride);
    const ValueId device = builder_.emit(DeviceId{}, "device");
    const ValueId here = builder_.emit(Mod{builder_.emit(Div{device, step}), size}, axis.name);
    axes_.push_back({axis.name, size, step, here});
    names_.bind(axis.name, scalar_entity(here), axis.loc);
  }
}

const MeshLowering::Axis* MeshLowering::find(std::string_view name) const {
  const auto found =
      std::find_if(axes_.begin(), axes_.end(), [&](const Axis& axis) { return axis.name == name; });
  return found == axes_.end() ? nullptr : &*found;
}

// Null after an error.
const MeshLowering::Axis* MeshLowering::axis_of(const ast::Call& node, std::string_view name,
                                                const Loc& loc) {
  if (axes_.empty()) {
    draft_.fail(node.loc,
                fmt::format("`{}` is of a mesh; expected a declaration such as `mesh x = 4, y = 2`",
                            node.function));
    return nullptr;
  }
  const Axis* axis = find(name);
  if (axis != nullptr) return axis;
  std::string names;
  for (const Axis& each : axes_) names += (names.empty() ? "" : ", ") + each.name;
  draft_.fail(loc, fmt::format("expected an axis of the mesh ({})", names));
  return nullptr;
}

Entity MeshLowering::neighbour(const ast::Call& node) {
  const auto* name = node.arguments[0].as<ast::Name>();
  const Axis* axis = axis_of(node, name != nullptr ? name->name : "", node.arguments[0].loc());
  if (axis == nullptr) return {};
  const ValueId by = expressions_.scalar(node.arguments[1]);
  if (by == no_value) return {};
  draft_.at(node.loc);
  const ValueId there = builder_.emit(Mod{builder_.add(axis->here, by), axis->size});
  const ValueId away = builder_.mul(builder_.sub(there, axis->here), axis->stride);
  return scalar_entity(builder_.add(builder_.emit(DeviceId{}, "device"), away));
}

Entity MeshLowering::device_at(const ast::Call& node) {
  ValueId device = no_value;
  std::vector<const Axis*> given;
  for (const ast::Expression& argument : node.arguments) {
    const auto* named = argument.as<ast::NamedArgument>();
    const Axis* axis = axis_of(node, named != nullptr ? named->parameter : "", argument.loc());
    if (axis == nullptr) return {};
    if (std::find(given.begin(), given.end(), axis) != given.end())
      return draft_.fail(argument.loc(), fmt::format("`{}` is given twice", axis->name));
    given.push_back(axis);
    const ValueId at = expressions_.scalar(*named->value);
    if (at == no_value) return {};
    draft_.at(node.loc);
    builder_.emit(Bounds{at, builder_.integer(1), axis->size});
    if (device == no_value) device = builder_.emit(DeviceId{}, "device");
    device = builder_.add(device, builder_.mul(builder_.sub(at, axis->here), axis->stride));
  }
  return scalar_entity(device);
}

}  // namespace tessera

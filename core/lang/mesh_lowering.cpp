#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/lang/expression_lowering.h"
#include "core/lang/statement_lowering.h"

namespace tessera {
namespace {

constexpr std::int64_t max_devices = std::int64_t{1} << 20;

const LoweredAxis* find(Elaboration& e, std::string_view name) {
  const auto found = std::find_if(e.mesh.begin(), e.mesh.end(),
                                  [&](const LoweredAxis& axis) { return axis.name == name; });
  return found == e.mesh.end() ? nullptr : &*found;
}

// Returns the axis; null after an error.
const LoweredAxis* axis_of(Elaboration& e, const ast::Call& node, std::string_view name,
                           const Loc& loc) {
  if (e.mesh.empty()) {
    e.fail(node.loc,
           fmt::format("`{}` requires a mesh; expected a declaration such as `mesh x = 4, y = 2`",
                       node.function));
    return nullptr;
  }
  const LoweredAxis* axis = find(e, name);
  if (axis != nullptr) return axis;
  std::string names;
  for (const LoweredAxis& each : e.mesh) names += (names.empty() ? "" : ", ") + each.name;
  e.fail(loc, fmt::format("expected an axis of the mesh ({})", names));
  return nullptr;
}

}  // namespace

void declare_mesh(Elaboration& e, const ast::MeshDeclaration& node) {
  if (!e.mesh.empty()) {
    e.fail(node.loc, "a kernel has one mesh");
    return;
  }
  std::vector<std::int64_t> sizes;
  std::string product;
  std::int64_t devices = 1;
  for (const ast::MeshAxis& axis : node.axes) {
    const auto size = constant(e, axis.size, "the size of an axis of the mesh");
    if (!size) return;
    if (*size < 1 || *size > max_devices / devices) {
      e.fail(axis.loc, fmt::format("a mesh has at least 1 device along an axis and at most 2^20 "
                                   "altogether, found {} along `{}`",
                                   *size, axis.name));
      return;
    }
    sizes.push_back(*size);
    devices *= *size;
    product += fmt::format("{}{}", product.empty() ? "" : " x ", *size);
  }
  e.at(node.loc);
  e.builder.emit(Require{
      e.builder.emit(Eq{e.builder.emit(DeviceCount{}, "devices"), e.builder.integer(devices)}),
      e.builder.text(fmt::format("the mesh of the kernel has {} devices ({})", devices, product))});
  std::int64_t stride = devices;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const ast::MeshAxis& axis = node.axes[i];
    stride /= sizes[i];
    e.at(axis.loc);
    const ValueId size = e.builder.integer(sizes[i]), step = e.builder.integer(stride);
    const ValueId device = e.builder.emit(DeviceId{}, "device");
    const ValueId here = e.builder.emit(Mod{e.builder.emit(Div{device, step}), size}, axis.name);
    e.mesh.push_back({axis.name, size, step, here});
    e.bind(axis.name, scalar_entity(here), axis.loc);
  }
}

Entity neighbour(Elaboration& e, const ast::Call& node) {
  const auto* name = node.arguments[0].as<ast::Name>();
  const LoweredAxis* axis =
      axis_of(e, node, name != nullptr ? name->name : "", node.arguments[0].loc());
  if (axis == nullptr) return {};
  const ValueId by = scalar(e, node.arguments[1]);
  if (by == no_value) return {};
  e.at(node.loc);
  const ValueId there = e.builder.emit(Mod{e.builder.add(axis->here, by), axis->size});
  const ValueId away = e.builder.mul(e.builder.sub(there, axis->here), axis->stride);
  return scalar_entity(e.builder.add(e.builder.emit(DeviceId{}, "device"), away));
}

Entity device_at(Elaboration& e, const ast::Call& node) {
  ValueId device = no_value;
  std::vector<const LoweredAxis*> given;
  for (const ast::Expression& argument : node.arguments) {
    const auto* named = argument.as<ast::NamedArgument>();
    const LoweredAxis* axis =
        axis_of(e, node, named != nullptr ? named->parameter : "", argument.loc());
    if (axis == nullptr) return {};
    if (std::find(given.begin(), given.end(), axis) != given.end())
      return e.fail(argument.loc(), fmt::format("`{}` is given twice", axis->name));
    given.push_back(axis);
    const ValueId at = scalar(e, *named->value);
    if (at == no_value) return {};
    e.at(node.loc);
    e.builder.emit(Bounds{at, e.builder.integer(1), axis->size});
    if (device == no_value) device = e.builder.emit(DeviceId{}, "device");
    device = e.builder.add(device, e.builder.mul(e.builder.sub(at, axis->here), axis->stride));
  }
  return scalar_entity(device);
}

}  // namespace tessera

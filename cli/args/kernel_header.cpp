#include "cli/args/kernel_header.h"

#include "core/lang/ast.h"
#include "core/report/check.h"
#include "kernels/programs/kernels.h"

namespace tessera::cli {
namespace {

const std::string& name_of(const ast::Expression& expression) {
  const auto* const name = expression.as<ast::Name>();
  CHECK(name != nullptr);
  return name->name;
}

const ast::BufferDeclaration* find(const std::vector<ast::Declaration>& declarations,
                                   std::string_view operand, const HeaderParameters& parameters) {
  for (const ast::Declaration& declaration : declarations) {
    if (const auto* group = std::get_if<ast::ConditionalDeclarations>(&declaration.form)) {
      const bool holds = parameters.number(name_of(group->condition)) != 0;
      const auto* found = find(holds ? group->then : group->otherwise, operand, parameters);
      if (found != nullptr) return found;
    }
    const auto* buffer = std::get_if<ast::BufferDeclaration>(&declaration.form);
    if (buffer != nullptr && buffer->role != Role::scratch && buffer->name == operand)
      return buffer;
  }
  return nullptr;
}

Axis axis_of(const ast::Expression& extent, const HeaderParameters& parameters) {
  const auto* const binary = extent.as<ast::Binary>();
  if (binary == nullptr) return parameters.axis(name_of(extent));
  const bool is_product = binary->op == ast::Operator::multiply;
  Axis axis = axis_of(is_product ? *binary->right : *binary->left, parameters);
  const std::int64_t number =
      parameters.number(name_of(is_product ? *binary->left : *binary->right));
  axis.shares = is_product ? axis.shares / number : axis.shares * number;
  return axis;
}

}  // namespace

Shape HeaderOperand::shape() const {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(axis.extent->value.value() / axis.shares);
  return shape;
}

HeaderOperand header_operand(std::string_view kernel, std::string_view operand,
                             const HeaderParameters& parameters) {
  const Expected<const Module*> module = embedded_module(kernel);
  CHECK(module);
  const auto node = (*module)->kernel_nodes.find(kernel);
  CHECK(node != (*module)->kernel_nodes.end());
  const auto* const declared = find(node->second.node->declarations, operand, parameters);
  CHECK(declared != nullptr);
  HeaderOperand result;
  for (const ast::Expression& extent : declared->type.extents)
    result.axes.push_back(axis_of(extent, parameters));
  result.type = parse_dtype(name_of(declared->type.dtype));
  return result;
}

}  // namespace tessera::cli

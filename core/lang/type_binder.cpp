#include <fmt/format.h>

#include "core/data/dtype_range.h"
#include "core/data/shape_limits.h"
#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/foreign_words.h"

namespace tessera {

std::optional<DType> accumulator_type(Elaboration& e, const ast::Call& node) {
  const auto inner = element_type(e, node.arguments[0]);
  const auto stored = node.arguments.size() == 2 ? element_type(e, node.arguments[1]) : inner;
  if (!inner || !stored) return std::nullopt;
  return node.arguments.size() == 2 ? accumulator(*inner, *stored) : accumulator(*inner);
}

std::optional<DType> element_type(Elaboration& e, const ast::Expression& node) {
  const auto* call = node.as<ast::Call>();
  if (call != nullptr && call->function == "accumulator" &&
      (call->arguments.size() == 1 || call->arguments.size() == 2))
    return accumulator_type(e, *call);
  if (const auto* own = node.as<ast::Name>()) {
    if (const Entity* known = e.names.find(own->name)) {
      if (known->kind == Entity::Kind::type) return known->type;
    } else if (const auto type = parse_dtype(own->name)) {
      return type;
    }
  }
  const std::string_view ours = type_instead_of(word_of(node));
  e.fail(node.loc(),
         fmt::format("expected an element type, found `{}`{}", word_of(node),
                     ours.empty() ? "" : fmt::format("; did you mean `{}`?", ours)),
         ErrorCode::invalid_type);
  return std::nullopt;
}

std::optional<Shape> known_shape(Elaboration& e, const std::vector<ast::Expression>& extents,
                                 const Loc& loc) {
  Shape result;
  for (const ast::Expression& node : extents) {
    const auto extent = constant(e, node, "an extent");
    if (!extent) return std::nullopt;
    result.push_back(*extent);
    const bool is_its_own = !shape_problem({*extent}).empty();
    if (std::string problem = shape_problem(result); !problem.empty())
      return e.fail(is_its_own ? node.loc() : loc, std::move(problem)), std::nullopt;
  }
  if (result.size() > max_rank)
    return e.fail(loc, fmt::format("memory has at most {} dimensions, found {}", max_rank,
                                   result.size())),
           std::nullopt;
  return result;
}

std::optional<Space> memory_space(Elaboration& e, const ast::Name& node) {
  for (const Space space : {Space::hbm, Space::vmem, Space::smem, Space::tile})
    if (node.name == name(space)) return space;
  e.fail(node.loc, fmt::format("expected hbm, vmem or smem, found `{}`", node.name));
  return std::nullopt;
}

}  // namespace tessera

#include <fmt/format.h>

#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/place_lowering.h"
#include "core/program/refs.h"

namespace tessera {
namespace {

bool bind_extents(Elaboration& e, const ast::Parameter& parameter, const Slice& given,
                  const Loc& argument) {
  const std::vector<ast::Expression>& extents = parameter.type->extents;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto* own = extents[d].as<ast::Name>();
    if (own != nullptr && !e.names.find(own->name)) {
      e.names.set(own->name, scalar_entity(given.size[d]));
      continue;
    }
    const ValueId expected = scalar(e, extents[d]);
    if (expected == no_value) return false;
    const auto a = e.program().constant(expected), b = e.program().constant(given.size[d]);
    if (!a || !b || *a == *b) continue;
    e.fail(argument,
           fmt::format("dimension {} of `{}` is {}, the argument's {}", d, parameter.name, *a, *b));
    return false;
  }
  return true;
}

bool bind_dtype(Elaboration& e, const ast::Parameter& parameter, DType given, const Loc& argument) {
  const ast::Expression& element = parameter.type->dtype;
  const auto* own = element.as<ast::Name>();
  if (own != nullptr && !e.names.find(own->name) && !parse_dtype(own->name))
    e.names.set(own->name, {.kind = Entity::Kind::type, .type = given});
  const auto wanted = element_type(e, element);
  if (!wanted) return false;
  if (*wanted == given) return true;
  e.fail(argument,
         fmt::format("parameter `{}` is of type {}, the argument of {}", parameter.name,
                     name(*wanted), name(given)),
         ErrorCode::invalid_type);
  return false;
}

bool bind_memory(Elaboration& e, const ast::Parameter& parameter, const Entity& value,
                 const Loc& argument, Environment* into) {
  if (value.kind != Entity::Kind::view) {
    const std::string hint =
        value.kind == Entity::Kind::sem
            ? fmt::format("; a parameter that takes a semaphore has no type: `{}`", parameter.name)
            : "";
    e.fail(argument,
           fmt::format("parameter `{}` takes memory, found {}{}", parameter.name, e.describe(value),
                       hint),
           ErrorCode::invalid_type);
    return false;
  }
  e.at(argument);
  const Slice whole = whole_ref(e, value.slice);
  const RefInfo ref = ref_info(e.program(), whole.base);
  const std::size_t dims = parameter.type->extents.size();
  if (ref.bound.size() != dims) {
    e.fail(argument, fmt::format("parameter `{}` has {} dimensions, the argument {}",
                                 parameter.name, dims, ref.bound.size()));
    return false;
  }
  const Names::Inside inside(e.names, into);
  const bool ok =
      bind_dtype(e, parameter, ref.dtype, argument) && bind_extents(e, parameter, whole, argument);
  e.names.set(parameter.name, view_entity(whole));
  return ok;
}

}  // namespace

std::optional<std::vector<const ast::Expression*>> arguments_of(Elaboration& e,
                                                                const ast::Function& function,
                                                                const ast::Call& node) {
  const std::vector<ast::Parameter>& parameters = function.parameters;
  std::vector<const ast::Expression*> given(parameters.size(), nullptr);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const ast::Expression& argument = node.arguments[i];
    const auto* named = argument.as<ast::NamedArgument>();
    std::size_t p = i;
    if (named != nullptr) {
      p = 0;
      while (p < parameters.size() && parameters[p].name != named->parameter) ++p;
      if (p == parameters.size())
        return e.fail(argument.loc(), fmt::format("function `{}` has no parameter `{}`",
                                                  function.name, named->parameter)),
               std::nullopt;
    }
    if (p >= given.size())
      return e.fail(node.loc, fmt::format("function `{}` takes {} arguments, found {}",
                                          function.name, given.size(), node.arguments.size())),
             std::nullopt;
    if (given[p])
      return e.fail(argument.loc(),
                    fmt::format("parameter `{}` is given twice", parameters[p].name)),
             std::nullopt;
    given[p] = named != nullptr ? named->value.get() : &argument;
  }
  return given;
}

bool bind_argument(Elaboration& e, const ast::Parameter& parameter, const ast::Expression& argument,
                   Environment* into) {
  const bool takes_name = parameter.type && argument.as<ast::Name>();
  const Entity value = takes_name ? place(e, argument) : evaluate(e, argument);
  if (value.kind == Entity::Kind::nothing) return false;
  if (parameter.type) return bind_memory(e, parameter, value, argument.loc(), into);
  into->names[parameter.name] = value;
  return true;
}

}  // namespace tessera

#include "core/lang/argument_binder.h"

#include <fmt/format.h>

#include "core/lang/expressions.h"
#include "core/lang/place_lowering.h"
#include "core/lang/type_binder.h"
#include "core/program/refs.h"

namespace tessera {

ArgumentBinder::ArgumentBinder(Draft& draft, Names& names, Expressions& expressions,
                               PlaceLowering& places, TypeBinder& types)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      expressions_(expressions),
      places_(places),
      types_(types) {}

// The arguments in the order of the parameters, null where there is none; nothing after an error.
std::optional<std::vector<const ast::Expression*>> ArgumentBinder::arguments(
    const ast::Function& function, const ast::Call& node) {
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
        return draft_.fail(argument.loc(), fmt::format("function `{}` has no parameter `{}`",
                                                       function.name, named->parameter)),
               std::nullopt;
    }
    if (p >= given.size())
      return draft_.fail(node.loc, fmt::format("function `{}` takes {} arguments, found {}",
                                               function.name, given.size(), node.arguments.size())),
             std::nullopt;
    if (given[p])
      return draft_.fail(argument.loc(),
                         fmt::format("parameter `{}` is given twice", parameters[p].name)),
             std::nullopt;
    given[p] = named != nullptr ? named->value.get() : &argument;
  }
  return given;
}

bool ArgumentBinder::bind(const ast::Parameter& parameter, const ast::Expression& argument,
                          Environment* into) {
  const bool takes_name = parameter.type && argument.as<ast::Name>();
  const Entity value = takes_name ? places_.place(argument) : expressions_.evaluate(argument);
  if (value.kind == Entity::Kind::nothing) return false;
  if (parameter.type) return bind_memory(parameter, value, argument.loc(), into);
  into->names[parameter.name] = value;
  return true;
}

bool ArgumentBinder::bind_memory(const ast::Parameter& parameter, const Entity& value,
                                 const Loc& argument, Environment* into) {
  if (value.kind != Entity::Kind::view) {
    const std::string hint =
        value.kind == Entity::Kind::sem
            ? fmt::format("; one that takes a semaphore has no type: `{}`", parameter.name)
            : "";
    draft_.fail(argument,
                fmt::format("parameter `{}` takes memory, found {}{}", parameter.name,
                            draft_.describe(value), hint),
                ErrorCode::invalid_type);
    return false;
  }
  draft_.at(argument);
  const Slice whole = places_.whole_ref(value.slice);
  const RefInfo ref = ref_info(builder_.program(), whole.base);
  const std::size_t dims = parameter.type->extents.size();
  if (ref.bound.size() != dims) {
    draft_.fail(argument, fmt::format("parameter `{}` has {} dimensions, the argument {}",
                                      parameter.name, dims, ref.bound.size()));
    return false;
  }
  const Names::Inside inside(names_, into);
  const bool ok =
      bind_dtype(parameter, ref.dtype, argument) && bind_extents(parameter, whole, argument);
  names_.set(parameter.name, {.kind = Entity::Kind::view, .slice = whole});
  return ok;
}

bool ArgumentBinder::bind_dtype(const ast::Parameter& parameter, DType given, const Loc& argument) {
  const ast::Expression& element = parameter.type->dtype;
  const auto* own = element.as<ast::Name>();
  if (own != nullptr && !names_.find(own->name) && !parse_dtype(own->name))
    names_.set(own->name, {.kind = Entity::Kind::type, .type = given});
  const auto wanted = types_.dtype(element);
  if (!wanted) return false;
  if (*wanted == given) return true;
  draft_.fail(argument,
              fmt::format("parameter `{}` is of type {}, the argument of {}", parameter.name,
                          name(*wanted), name(given)),
              ErrorCode::invalid_type);
  return false;
}

bool ArgumentBinder::bind_extents(const ast::Parameter& parameter, const Slice& given,
                                  const Loc& argument) {
  const std::vector<ast::Expression>& extents = parameter.type->extents;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto* own = extents[d].as<ast::Name>();
    if (own != nullptr && !names_.find(own->name)) {
      names_.set(own->name, scalar_entity(given.size[d]));
      continue;
    }
    const ValueId expected = expressions_.scalar(extents[d]);
    if (expected == no_value) return false;
    const auto a = builder_.program().constant(expected),
               b = builder_.program().constant(given.size[d]);
    if (!a || !b || *a == *b) continue;
    draft_.fail(argument, fmt::format("dimension {} of `{}` is {}, the argument's {}", d,
                                      parameter.name, *a, *b));
    return false;
  }
  return true;
}

}  // namespace tessera

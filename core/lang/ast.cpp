#include "core/lang/ast.h"

namespace tessera::ast {
namespace {

template <typename Form>
const Loc& loc_of(const Form& form) {
  return std::visit([](const auto& f) -> const Loc& { return f.loc; }, form);
}

}  // namespace

const Loc& Expression::loc() const { return loc_of(form); }

const Loc& Statement::loc() const { return loc_of(form); }

const Loc& Declaration::loc() const { return loc_of(form); }

const Loc& Item::loc() const {
  if (const auto* index = std::get_if<Child>(&form)) return (*index)->loc();
  if (const auto* span = std::get_if<Span>(&form)) return span->loc;
  if (const auto* stepped = std::get_if<Stepped>(&form)) return stepped->loc;
  return std::get<WholeDimension>(form).loc;
}

std::string_view name(Operator op) {
  switch (op) {
    case Operator::either:
      return "or";
    case Operator::both:
      return "and";
    case Operator::equal:
      return "==";
    case Operator::not_equal:
      return "!=";
    case Operator::less_equal:
      return "<=";
    case Operator::greater_equal:
      return ">=";
    case Operator::less:
      return "<";
    case Operator::greater:
      return ">";
    case Operator::limit:
      return "max";
    case Operator::add:
      return "+";
    case Operator::subtract:
      return "-";
    case Operator::multiply:
      return "*";
    case Operator::divide:
      return "/";
    case Operator::modulo:
      return "mod";
    case Operator::product:
      return ".";
  }
  return "?";
}

const Call* call_of(const Expression& expression, std::string_view function,
                    std::size_t arguments) {
  const auto* call = expression.as<Call>();
  return call && call->function == function && call->arguments.size() == arguments ? call : nullptr;
}

std::string_view word_of(const Expression& expression) {
  if (const auto* text = expression.as<Text>()) return text->value;
  if (const auto* own = expression.as<Name>()) return own->name;
  if (const auto* call = expression.as<Call>()) return call->function;
  if (const auto* argument = expression.as<NamedArgument>()) return argument->parameter;
  if (const auto* member = expression.as<Member>()) return member->name;
  if (const auto* binary = expression.as<Binary>()) return name(binary->op);
  if (expression.as<Negative>()) return "-";
  if (expression.as<Not>()) return "not";
  return {};
}

}  // namespace tessera::ast

#include <fmt/format.h>

#include <utility>

#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/foreign_words.h"
#include "core/lang/functions.h"
#include "core/lang/place_lowering.h"
#include "core/lang/statement_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/word_lowering.h"
#include "core/lang/words.h"

namespace tessera {
namespace {

constexpr int max_call_depth = 64;  // functions cannot recurse: they are inlined
constexpr std::int64_t max_calls = 100'000;

// Sets a field of the op to an argument; false after an error.
bool set_field(Elaboration& e, Op& op, const FieldInfo& f, const ast::Expression& argument) {
  switch (f.kind) {
    case FieldKind::Value:
      return (field<ValueId>(op, f) = scalar(e, argument)) != no_value;
    case FieldKind::Maybe:
      return (field<Maybe>(op, f).id = scalar(e, argument)) != no_value;
    case FieldKind::Slice: {
      const Entity entity = place(e, argument);
      const auto slice = entity.kind == Entity::Kind::sem ? std::optional(entity.slice)
                                                          : tile_operand(e, entity, argument.loc());
      if (slice) field<Slice>(op, f) = *slice;
      return slice.has_value();
    }
    case FieldKind::Int: {
      const auto value = constant(e, argument, f.name);
      if (value) field<std::int64_t>(op, f) = *value;
      return value.has_value();
    }
    case FieldKind::Text: {
      const auto* text = argument.as<ast::Text>();
      if (text == nullptr) return e.fail(argument.loc(), "expected a text in quotes"), false;
      field<TextId>(op, f) = e.builder.text(text->value);
      return true;
    }
  }
  return false;
}

// Lowers mnemonic(field, field, ...) with the fields of the op table. Missing flags are 0; other
// optional fields can be omitted.
Entity call_op(Elaboration& e, const Op& prototype, const ast::Call& node) {
  Op op = prototype;
  const OpInfo& row = info(op);
  if (row.scope != tessera::Scope::none || row.result == ResultKind::Ref)
    return e.fail(node.loc, fmt::format("`{}` cannot be called", row.mnemonic));
  if (row.op_class == OpClass::debug)
    return e.fail(node.loc, fmt::format("`{}` cannot be called; expected the statement `print`",
                                        row.mnemonic));
  std::size_t required = row.fields.size();
  while (required > 0 && (row.fields[required - 1].kind == FieldKind::Int ||
                          row.fields[required - 1].kind == FieldKind::Maybe))
    --required;
  const std::size_t given = node.arguments.size();
  if (given < required || given > row.fields.size()) {
    std::string names;
    for (const FieldInfo& f : row.fields)
      names += (names.empty() ? "" : ", ") + std::string(f.name);
    const std::string_view ours = instead_of(row.mnemonic);
    return e.fail(node.loc,
                  fmt::format("expected {}({}), found {} arguments{}", row.mnemonic, names, given,
                              ours.empty() ? "" : fmt::format("; also {}", ours)));
  }
  for (std::size_t i = 0; i < given; ++i)
    if (!set_field(e, op, row.fields[i], node.arguments[i])) return {};
  e.at(node.loc);
  const ValueId result = e.builder.emit(std::move(op));
  if (row.result == ResultKind::Scalar) return scalar_entity(result);
  if (row.result == ResultKind::Real) return {.kind = Entity::Kind::real, .value = result};
  // Op without a value.
  return {.kind = Entity::Kind::record, .environment = e.names.make(nullptr)};
}

// Counts the call; false after an error.
bool may_call(Elaboration& e, const Loc& loc) {
  if (++e.calls > max_calls)
    return e.fail(loc, "the kernel makes more than 100000 calls; each is inlined"), false;
  if (e.call_depth >= max_call_depth)
    return e.fail(loc, "calls are nested too deeply; functions are inlined and cannot recurse"),
           false;
  return true;
}

// While this object exists, a call is being inlined: names are resolved in `inner`, and emitted ops
// record the call.
class Inlined {
 public:
  Inlined(Elaboration& e, const Loc& call, Environment* inner)
      : e_(e), caller_(e.caller), inside_(e.names, inner) {
    e.at(call);
    e.caller = e.builder.place();
    ++e.call_depth;
  }
  ~Inlined() {
    --e_.call_depth;
    e_.caller = caller_;
  }
  Inlined(const Inlined&) = delete;
  Inlined& operator=(const Inlined&) = delete;

 private:
  Elaboration& e_;
  PlaceId caller_;
  Names::Inside inside_;
};

// Calls a function of an index: its definition is evaluated for each call, in its own environment,
// with the arguments bound.
Entity call_closure(Elaboration& e, const Entity& closure,
                    const std::vector<ast::Expression>& arguments, const Loc& loc) {
  const ast::Definition& definition = *closure.definition;
  const std::size_t parameters = definition.parameters.size();
  if (arguments.size() != parameters)
    return e.fail(loc, fmt::format("`{}` takes {} arguments, found {}", definition.name, parameters,
                                   arguments.size()));
  if (!may_call(e, loc)) return {};
  Environment* inner = e.names.make(closure.environment);
  for (std::size_t i = 0; i < parameters; ++i) {
    const Entity argument = evaluate(e, arguments[i]);
    if (argument.kind == Entity::Kind::nothing) return {};
    const auto name = [](const auto& parameter) { return parameter.name; };
    inner->names[std::visit(name, definition.parameters[i])] = argument;
  }
  const Inlined inlined(e, loc, inner);
  return evaluate(e, definition.value);
}

Entity call_function(Elaboration& e, const ast::Function& function, const ast::Call& node) {
  if (!may_call(e, node.loc)) return {};
  Environment* inner = e.names.make(nullptr);
  const auto given = arguments_of(e, function, node);
  if (!given) return {};
  // Memory first: it defines names for extents, which defaults and declarations may use.
  for (std::size_t p = 0; p < given->size(); ++p)
    if ((*given)[p] && !bind_argument(e, function.parameters[p], *(*given)[p], inner)) return {};
  const PlaceId around = e.caller;
  const Inlined inlined(e, node.loc, inner);
  for (std::size_t p = 0; p < given->size(); ++p) {
    if ((*given)[p]) continue;
    const ast::Parameter& parameter = function.parameters[p];
    if (!parameter.fallback) {
      e.caller = around;
      return e.fail(node.loc, fmt::format("function `{}` needs its parameter `{}`", function.name,
                                          parameter.name));
    }
    const Entity value = evaluate(e, *parameter.fallback);
    inner->names[parameter.name] = value;
    if (value.kind == Entity::Kind::nothing) return {};
  }
  return result_of(e, function);
}

}  // namespace

Entity call(Elaboration& e, const ast::MemberCall& node) {
  const Entity member = evaluate(e, *node.member);
  if (member.kind == Entity::Kind::nothing) return {};
  if (member.kind != Entity::Kind::closure)
    return e.fail(node.loc, fmt::format("{} cannot be called", e.describe(member)));
  return call_closure(e, member, node.arguments, node.loc);
}

Entity call(Elaboration& e, const ast::Call& node, const Slice* to) {
  if (const Entity* local = e.names.find(node.function)) {
    if (local->kind != Entity::Kind::closure)
      return e.fail(node.loc,
                    fmt::format("`{}` is {}, not a function", node.function, e.describe(*local)));
    return call_closure(e, Entity(*local), node.arguments, node.loc);
  }
  if (const ast::Function* function = find_function(e, node.function))
    return call_function(e, *function, node);
  if (!is_word(node.function)) return unknown_function(e, node);
  if (auto result = call_word(e, node, to)) return *result;
  return call_op(e, make_op(node.function), node);
}

}  // namespace tessera

#include "core/lang/call_lowering.h"

#include <fmt/format.h>

#include <utility>

#include "core/lang/argument_binder.h"
#include "core/lang/expressions.h"
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

}  // namespace

CallLowering::CallLowering(Draft& draft, Names& names, Functions& functions,
                           Expressions& expressions, PlaceLowering& places, TileLowering& tiles,
                           WordLowering& words, ArgumentBinder& arguments,
                           StatementLowering& statements)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      functions_(functions),
      expressions_(expressions),
      places_(places),
      tiles_(tiles),
      words_(words),
      arguments_(arguments),
      statements_(statements) {}

Entity CallLowering::call(const ast::MemberCall& node) {
  const Entity member = expressions_.evaluate(*node.member);
  if (member.kind == Entity::Kind::nothing) return {};
  if (member.kind != Entity::Kind::closure)
    return draft_.fail(node.loc, fmt::format("{} cannot be called", draft_.describe(member)));
  return call_closure(member, node.arguments, node.loc);
}

Entity CallLowering::call(const ast::Call& node, const Slice* to) {
  if (const Entity* local = names_.find(node.function)) {
    if (local->kind != Entity::Kind::closure)
      return draft_.fail(node.loc, fmt::format("`{}` is {}, not a function", node.function,
                                               draft_.describe(*local)));
    return call_closure(Entity(*local), node.arguments, node.loc);
  }
  if (const ast::Function* function = functions_.find(node.function))
    return call_function(*function, node);
  if (!is_word(node.function)) return functions_.unknown(node);
  if (auto result = words_.call(node, to)) return *result;
  return call_op(make_op(node.function), node);
}

Entity CallLowering::view_as(const ast::ViewAs& node) { return words_.view_as(node); }

// mnemonic(field, field, ...) as the op table has them; missing flags are 0, and what may be left
// out is left out.
Entity CallLowering::call_op(const Op& prototype, const ast::Call& node) {
  Op op = prototype;
  const OpInfo& row = info(op);
  if (row.scope != tessera::Scope::none || row.result == ResultKind::Ref)
    return draft_.fail(node.loc, fmt::format("`{}` cannot be called", row.mnemonic));
  if (row.op_class == OpClass::debug)
    return draft_.fail(
        node.loc,
        fmt::format("`{}` cannot be called; expected the statement `print`", row.mnemonic));
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
    return draft_.fail(
        node.loc, fmt::format("expected {}({}), found {} arguments{}", row.mnemonic, names, given,
                              ours.empty() ? "" : fmt::format("; also {}", ours)));
  }
  for (std::size_t i = 0; i < given; ++i)
    if (!set_field(op, row.fields[i], node.arguments[i])) return {};
  draft_.at(node.loc);
  const ValueId result = builder_.emit(std::move(op));
  if (row.result == ResultKind::Scalar) return scalar_entity(result);
  if (row.result == ResultKind::Real) return {.kind = Entity::Kind::real, .value = result};
  return {.kind = Entity::Kind::record, .environment = names_.make(nullptr)};  // done; no value
}

// False after an error.
bool CallLowering::set_field(Op& op, const FieldInfo& f, const ast::Expression& argument) {
  switch (f.kind) {
    case FieldKind::Value:
      return (field<ValueId>(op, f) = expressions_.scalar(argument)) != no_value;
    case FieldKind::Maybe:
      return (field<Maybe>(op, f).id = expressions_.scalar(argument)) != no_value;
    case FieldKind::Slice: {
      const Entity entity = places_.place(argument);
      const auto slice = entity.kind == Entity::Kind::sem ? std::optional(entity.slice)
                                                          : tiles_.operand(entity, argument.loc());
      if (slice) field<Slice>(op, f) = *slice;
      return slice.has_value();
    }
    case FieldKind::Int: {
      const auto value = expressions_.constant(argument, f.name);
      if (value) field<std::int64_t>(op, f) = *value;
      return value.has_value();
    }
    case FieldKind::Text: {
      const auto* text = argument.as<ast::Text>();
      if (text == nullptr) return draft_.fail(argument.loc(), "expected a text in quotes"), false;
      field<TextId>(op, f) = builder_.text(text->value);
      return true;
    }
  }
  return false;
}

// Counts the call; false after an error.
bool CallLowering::may_call(const Loc& loc) {
  if (++calls_ > max_calls)
    return draft_.fail(loc, "the kernel makes more than 100000 calls; each is inlined"), false;
  if (depth_ >= max_call_depth)
    return draft_.fail(loc,
                       "calls are nested too deeply; functions are inlined and cannot recurse"),
           false;
  return true;
}

// What a call looks up, and where what it emits was called from, while it is inlined.
class CallLowering::Inlined {
 public:
  Inlined(CallLowering& calls, const Loc& call, Environment* inner)
      : calls_(calls), caller_(calls.draft_.caller()), inside_(calls.names_, inner) {
    calls.draft_.at(call);
    calls.draft_.set_caller(calls.builder_.place());
    ++calls.depth_;
  }
  ~Inlined() {
    --calls_.depth_;
    calls_.draft_.set_caller(caller_);
  }
  Inlined(const Inlined&) = delete;
  Inlined& operator=(const Inlined&) = delete;

 private:
  CallLowering& calls_;
  PlaceId caller_;
  Names::Inside inside_;
};

// A function of an index: its definition is evaluated anew where it was defined, with the arguments
// bound.
Entity CallLowering::call_closure(const Entity& closure,
                                  const std::vector<ast::Expression>& arguments, const Loc& loc) {
  const ast::Definition& definition = *closure.definition;
  const std::size_t parameters = definition.parameters.size();
  if (arguments.size() != parameters)
    return draft_.fail(loc, fmt::format("`{}` takes {} arguments, found {}", definition.name,
                                        parameters, arguments.size()));
  if (!may_call(loc)) return {};
  Environment* inner = names_.make(closure.environment);
  for (std::size_t i = 0; i < parameters; ++i) {
    const Entity argument = expressions_.evaluate(arguments[i]);
    if (argument.kind == Entity::Kind::nothing) return {};
    const auto name = [](const auto& parameter) { return parameter.name; };
    inner->names[std::visit(name, definition.parameters[i])] = argument;
  }
  const Inlined inlined(*this, loc, inner);
  return expressions_.evaluate(definition.value);
}

Entity CallLowering::call_function(const ast::Function& function, const ast::Call& node) {
  if (!may_call(node.loc)) return {};
  Environment* inner = names_.make(nullptr);
  const auto given = arguments_.arguments(function, node);
  if (!given) return {};
  // Memory first: it names the extents that defaults and declarations may use.
  for (std::size_t p = 0; p < given->size(); ++p)
    if ((*given)[p] && !arguments_.bind(function.parameters[p], *(*given)[p], inner)) return {};
  const PlaceId around = draft_.caller();
  const Inlined inlined(*this, node.loc, inner);
  for (std::size_t p = 0; p < given->size(); ++p) {
    if ((*given)[p]) continue;
    const ast::Parameter& parameter = function.parameters[p];
    if (!parameter.fallback) {
      draft_.set_caller(around);
      return draft_.fail(node.loc, fmt::format("function `{}` needs its parameter `{}`",
                                               function.name, parameter.name));
    }
    const Entity value = expressions_.evaluate(*parameter.fallback);
    inner->names[parameter.name] = value;
    if (value.kind == Entity::Kind::nothing) return {};
  }
  return statements_.result_of(function);
}

}  // namespace tessera

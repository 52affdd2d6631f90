// Calls: ops by their mnemonic, the words of the language, functions of the file and of the library
// (inlined).
#include <fmt/format.h>

#include <algorithm>

#include "core/lang/elaborate.h"
#include "core/lang/walk.h"
#include "core/report/near.h"

namespace tessera {
namespace {

constexpr int max_call_depth = 64;  // functions cannot recurse: they are inlined
constexpr std::int64_t max_calls = 100'000;

}  // namespace

const ast::Function* Elaborator::find_function(std::string_view name) const {
  for (const Module* module : modules_) {
    if (const auto found = module->functions.find(name); found != module->functions.end())
      return found->second;
  }
  return nullptr;
}

Entity Elaborator::call(const ast::MemberCall& node) {
  const Entity member = evaluate(*node.member);
  if (member.kind == Entity::Kind::nothing) return {};
  if (member.kind != Entity::Kind::closure)
    return fail(node.loc, fmt::format("{} cannot be called", describe(member)));
  return call_closure(member, node.arguments, node.loc);
}

Entity Elaborator::call(const ast::Call& node, const Slice* to) {
  if (const Entity* local = scope_->find(node.function)) {
    if (local->kind != Entity::Kind::closure)
      return fail(node.loc,
                  fmt::format("`{}` is {}, not a function", node.function, describe(*local)));
    return call_closure(Entity(*local), node.arguments, node.loc);
  }
  if (const ast::Function* function = find_function(node.function))
    return call_function(*function, node);
  if (!is_word(node.function)) return unknown_function(node);
  if (auto result = call_builtin(node, to)) return *result;
  return call_op(make_op(node.function), node);
}

Entity Elaborator::unknown_function(const ast::Call& node) {
  std::vector<std::string_view> known = words();
  for (const Module* module : modules_)
    for (const auto& [name, function] : module->functions) known.push_back(name);
  for (const Environment* e = scope_; e; e = e->parent)
    for (const auto& [name, entity] : e->names)
      if (entity.kind == Entity::Kind::closure) known.push_back(name);
  const std::string_view near = nearest(node.function, known);
  return fail(node.loc, fmt::format("unknown function `{}`{}", node.function,
                                    near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

// What a kernel calls, also where nothing reaches it: behind conditions that are known now, and in
// functions that are called there only.
struct Elaborator::Calls : ast::Visitor {
  explicit Calls(const Elaborator& elaborator) : elaborator(elaborator) {}

  using Visitor::meet;
  void meet(const ast::Definition& definition) override { names.insert(definition.name); }
  void meet(const ast::Parameter& parameter) override { names.insert(parameter.name); }
  void meet(const ast::Expression& expression) override {
    const auto* call = expression.as<ast::Call>();
    if (call == nullptr) return;
    const ast::Function* function = elaborator.find_function(call->function);
    if (function == nullptr && !is_word(call->function)) unknown.push_back(call);
    if (function != nullptr && met.insert(call->function).second) functions.push_back(function);
  }

  const Elaborator& elaborator;
  std::vector<const ast::Function*> functions;  // that are called
  std::vector<const ast::Call*> unknown;        // that name no function and no word
  std::set<std::string_view> met;               // the names of the functions
  std::set<std::string_view> names;  // of values and parameters, which may be functions of an index
};

void Elaborator::check_calls(const ast::Kernel& kernel) {
  Calls found(*this);
  walk(kernel, found);
  for (std::size_t i = 0; i < found.functions.size(); ++i) walk(*found.functions[i], found);
  for (const ast::Call* call : found.unknown) {
    const auto is_reported = [&](const Diag& d) {
      return d.loc.source == call->loc.source && d.loc.line == call->loc.line &&
             d.loc.column == call->loc.column;
    };
    if (!found.names.contains(call->function) &&
        std::none_of(diags_.begin(), diags_.end(), is_reported))
      unknown_function(*call);
  }
}

// mnemonic(field, field, ...) as the op table has them; missing flags are 0, and what may be left
// out is left out.
Entity Elaborator::call_op(const Op& prototype, const ast::Call& node) {
  Op op = prototype;
  const OpInfo& row = info(op);
  if (row.scope != tessera::Scope::none || row.result == ResultKind::Ref)
    return fail(node.loc, fmt::format("`{}` cannot be called", row.mnemonic));
  std::size_t required = row.fields.size();
  while (required > 0 && (row.fields[required - 1].kind == FieldKind::Int ||
                          row.fields[required - 1].kind == FieldKind::Maybe))
    --required;
  const std::size_t given = node.arguments.size();
  if (given < required || given > row.fields.size()) {
    std::string names;
    for (const FieldInfo& f : row.fields)
      names += (names.empty() ? "" : ", ") + std::string(f.name);
    return fail(node.loc, fmt::format("{}({}) was given {} arguments", row.mnemonic, names, given));
  }
  for (std::size_t i = 0; i < given; ++i)
    if (!set_field(op, row.fields[i], node.arguments[i])) return {};
  at(node.loc);
  const ValueId result = builder_.emit(std::move(op));
  if (row.result == ResultKind::Scalar) return scalar_entity(result);
  if (row.result == ResultKind::Real) return {.kind = Entity::Kind::real, .value = result};
  return {.kind = Entity::Kind::record, .environment = environment(nullptr)};  // done; no value
}

// False after an error.
bool Elaborator::set_field(Op& op, const FieldInfo& f, const ast::Expression& argument) {
  switch (f.kind) {
    case FieldKind::Value:
      return (field<ValueId>(op, f) = scalar(argument)) != no_value;
    case FieldKind::Maybe:
      return (field<Maybe>(op, f).id = scalar(argument)) != no_value;
    case FieldKind::Slice: {
      const Entity entity = place(argument);
      const auto slice = entity.kind == Entity::Kind::sem ? std::optional(entity.slice)
                                                          : operand(entity, argument.loc());
      if (slice) field<Slice>(op, f) = *slice;
      return slice.has_value();
    }
    case FieldKind::Int: {
      const auto value = constant(argument, f.name);
      if (value) field<std::int64_t>(op, f) = *value;
      return value.has_value();
    }
    case FieldKind::Text: {
      const auto* text = argument.as<ast::Text>();
      if (text == nullptr) return fail(argument.loc(), "expected a text in quotes"), false;
      field<TextId>(op, f) = builder_.text(text->value);
      return true;
    }
  }
  return false;
}

// Counts the call; false after an error.
bool Elaborator::may_call(const Loc& loc) {
  if (++calls_ > max_calls)
    return fail(loc, "the kernel makes more than 100000 calls; each is inlined"), false;
  if (depth_ >= max_call_depth)
    return fail(loc, "calls are nested too deeply; functions are inlined and cannot recurse"),
           false;
  return true;
}

// What a call looks up, and where what it emits was called from, while it is inlined.
class Elaborator::Inlined {
 public:
  Inlined(Elaborator& elaborator, const Loc& call, Environment* inner) : elaborator_(elaborator) {
    elaborator.at(call);
    caller_ = std::exchange(elaborator.caller_, elaborator.builder_.place());
    outer_ = std::exchange(elaborator.scope_, inner);
    ++elaborator.depth_;
  }
  ~Inlined() {
    --elaborator_.depth_;
    elaborator_.scope_ = outer_;
    elaborator_.caller_ = caller_;
  }
  Inlined(const Inlined&) = delete;
  Inlined& operator=(const Inlined&) = delete;

 private:
  Elaborator& elaborator_;
  std::int32_t caller_;
  Environment* outer_;
};

// A function of an index: its definition is evaluated anew where it was defined, with the arguments
// bound.
Entity Elaborator::call_closure(const Entity& closure,
                                const std::vector<ast::Expression>& arguments, const Loc& loc) {
  const ast::Definition& definition = *closure.definition;
  const std::size_t parameters = definition.parameters.size();
  if (arguments.size() != parameters)
    return fail(loc, fmt::format("`{}` takes {} arguments, found {}", definition.name, parameters,
                                 arguments.size()));
  if (!may_call(loc)) return {};
  Environment* inner = environment(closure.environment);
  for (std::size_t i = 0; i < parameters; ++i) {
    const Entity argument = evaluate(arguments[i]);
    if (argument.kind == Entity::Kind::nothing) return {};
    const auto name = [](const auto& parameter) { return parameter.name; };
    inner->names[std::visit(name, definition.parameters[i])] = argument;
  }
  const Inlined inlined(*this, loc, inner);
  return evaluate(definition.value);
}

Slice Elaborator::whole_ref(const Slice& slice) {
  if (is_whole(builder_.program(), slice)) return slice;
  return builder_.whole(builder_.emit(View{slice}, "view"));
}

// A scalar parameter takes a value; `name: f32[dims]` takes memory of that type and names its
// extents. A type that is no element type and not known yet is named as well: `a: T[m, k], b: T[k,
// n]` takes two matrices of one type, whichever.
bool Elaborator::bind_argument(const ast::Parameter& parameter, const ast::Expression& argument,
                               Environment* into) {
  const bool takes_name = parameter.type && argument.as<ast::Name>();
  const Entity value = takes_name ? place(argument) : evaluate(argument);
  if (value.kind == Entity::Kind::nothing) return false;
  if (!parameter.type) {
    into->names[parameter.name] = value;
    return true;
  }
  if (value.kind != Entity::Kind::view) {
    const std::string hint =
        value.kind == Entity::Kind::sem
            ? fmt::format("; one that takes a semaphore has no type: `{}`", parameter.name)
            : "";
    fail(argument.loc(),
         fmt::format("parameter `{}` takes memory, found {}{}", parameter.name, describe(value),
                     hint),
         ErrorCode::invalid_type);
    return false;
  }
  at(argument.loc());
  const Slice whole = whole_ref(value.slice);
  const RefInfo ref = ref_info(builder_.program(), whole.base);
  const std::size_t dims = parameter.type->extents.size();
  if (ref.bound.size() != dims) {
    fail(argument.loc(), fmt::format("parameter `{}` has {} dimensions, the argument {}",
                                     parameter.name, dims, ref.bound.size()));
    return false;
  }
  Environment* outer = std::exchange(scope_, into);
  const bool ok = bind_dtype(parameter, ref.dtype, argument.loc()) &&
                  bind_extents(parameter, whole, argument.loc());
  scope_ = outer;
  into->names[parameter.name] = {.kind = Entity::Kind::view, .slice = whole};
  return ok;
}

bool Elaborator::bind_dtype(const ast::Parameter& parameter, DType given, const Loc& argument) {
  const ast::Expression& element = parameter.type->dtype;
  const auto* own = element.as<ast::Name>();
  if (own != nullptr && !scope_->find(own->name) && !parse_dtype(own->name))
    scope_->names[own->name] = {.kind = Entity::Kind::type, .type = given};
  const auto wanted = dtype(element);
  if (!wanted) return false;
  if (*wanted == given) return true;
  fail(argument,
       fmt::format("parameter `{}` is of type {}, the argument of {}", parameter.name,
                   name(*wanted), name(given)),
       ErrorCode::invalid_type);
  return false;
}

bool Elaborator::bind_extents(const ast::Parameter& parameter, const Slice& given,
                              const Loc& argument) {
  const std::vector<ast::Expression>& extents = parameter.type->extents;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto* own = extents[d].as<ast::Name>();
    if (own != nullptr && !scope_->find(own->name)) {
      scope_->names[own->name] = scalar_entity(given.size[d]);
      continue;
    }
    const ValueId expected = scalar(extents[d]);
    if (expected == no_value) return false;
    const auto a = builder_.program().constant(expected),
               b = builder_.program().constant(given.size[d]);
    if (!a || !b || *a == *b) continue;
    fail(argument,
         fmt::format("dimension {} of `{}` is {}, the argument's {}", d, parameter.name, *a, *b));
    return false;
  }
  return true;
}

// The arguments in the order of the parameters, null where there is none; nothing after an error.
std::optional<std::vector<const ast::Expression*>> Elaborator::arguments(
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
        return fail(argument.loc(), fmt::format("function `{}` has no parameter `{}`",
                                                function.name, named->parameter)),
               std::nullopt;
    }
    if (p >= given.size())
      return fail(node.loc, fmt::format("function `{}` takes {} arguments, found {}", function.name,
                                        given.size(), node.arguments.size())),
             std::nullopt;
    if (given[p])
      return fail(argument.loc(), fmt::format("parameter `{}` is given twice", parameters[p].name)),
             std::nullopt;
    given[p] = named != nullptr ? named->value.get() : &argument;
  }
  return given;
}

Entity Elaborator::call_function(const ast::Function& function, const ast::Call& node) {
  if (!may_call(node.loc)) return {};
  Environment* inner = environment(nullptr);
  const auto given = arguments(function, node);
  if (!given) return {};
  // Memory first: it names the extents that defaults and declarations may use.
  for (std::size_t p = 0; p < given->size(); ++p)
    if ((*given)[p] && !bind_argument(function.parameters[p], *(*given)[p], inner)) return {};
  const std::int32_t around = caller_;
  const Inlined inlined(*this, node.loc, inner);
  for (std::size_t p = 0; p < given->size(); ++p) {
    if ((*given)[p]) continue;
    const ast::Parameter& parameter = function.parameters[p];
    if (!parameter.fallback) {
      caller_ = around;
      return fail(node.loc, fmt::format("function `{}` needs its parameter `{}`", function.name,
                                        parameter.name));
    }
    const Entity value = evaluate(*parameter.fallback);
    inner->names[parameter.name] = value;
    if (value.kind == Entity::Kind::nothing) return {};
  }
  return call_body(function);
}

Entity Elaborator::call_body(const ast::Function& function) {
  const std::size_t scoped = scoped_.size();
  declare_all(function.declarations, true);
  Entity result{.kind = Entity::Kind::record, .environment = environment(nullptr)};
  if (const auto* body = std::get_if<ast::Block>(&function.body)) {
    const Entity saved = std::exchange(result_, result);
    block(*body);
    result = std::exchange(result_, saved);
  } else {
    result = evaluate(std::get<ast::Expression>(function.body));
  }
  free_scoped(scoped);
  return result;
}

}  // namespace tessera

// Calls: ops by their mnemonic, the words of the language, functions of the file and of the library
// (inlined).
#include <fmt/format.h>

#include <algorithm>

#include "core/lang/elaborate.h"
#include "core/report/near.h"

namespace tessera {
namespace {

constexpr int max_call_depth = 64;  // functions cannot recurse: they are inlined
constexpr std::int64_t max_calls = 100'000;

}  // namespace

const Node* Elaborator::find_function(std::string_view name) const {
  for (const Module* module : modules_) {
    if (const auto found = module->functions.find(name); found != module->functions.end())
      return found->second;
  }
  return nullptr;
}

Entity Elaborator::call(const Node& node, const Slice* to) {
  if (node.text.empty()) {  // a member of a function's results
    const Entity member = evaluate(node.kids[0]);
    if (member.kind == Entity::Kind::nothing) return {};
    if (member.kind != Entity::Kind::closure)
      return fail(node, fmt::format("{} cannot be called", describe(member)));
    return call_closure(member, node, 1);
  }
  if (const Entity* local = scope_->find(node.text)) {
    if (local->kind != Entity::Kind::closure)
      return fail(node, fmt::format("`{}` is {}, not a function", node.text, describe(*local)));
    return call_closure(Entity(*local), node, 0);
  }
  if (const Node* function = find_function(node.text)) return call_function(*function, node);
  if (!is_word(node.text)) return unknown_function(node);
  if (auto result = call_builtin(node, to)) return *result;
  return call_op(make_op(node.text), node);
}

Entity Elaborator::unknown_function(const Node& node) {
  std::vector<std::string_view> known = words();
  for (const Module* module : modules_)
    for (const auto& [name, function] : module->functions) known.push_back(name);
  for (const Environment* e = scope_; e; e = e->parent)
    for (const auto& [name, entity] : e->names)
      if (entity.kind == Entity::Kind::closure) known.push_back(name);
  const std::string_view near = nearest(node.text, known);
  return fail(node, fmt::format("unknown function `{}`{}", node.text,
                                near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
}

// What a kernel calls, also where nothing reaches it: behind conditions that are known now, and in
// functions that are called there only.
struct Elaborator::Calls {
  std::vector<const Node*> bodies;       // of the kernel and the functions
  std::vector<const Node*> calls;        // that name no function and no word
  std::set<std::string_view> functions;  // whose bodies are there
  std::set<std::string_view> names;  // of values and parameters, which may be functions of an index
};

void Elaborator::follow_calls(const Node& node, Calls& calls) const {
  if (node.kind == NodeKind::define || node.kind == NodeKind::parameter)
    calls.names.insert(node.text);
  if (node.kind == NodeKind::call && !node.text.empty()) {
    const Node* function = find_function(node.text);
    if (function == nullptr && !is_word(node.text)) calls.calls.push_back(&node);
    if (function != nullptr && calls.functions.insert(node.text).second)
      calls.bodies.push_back(function);
  }
  for (const Node& kid : node.kids) follow_calls(kid, calls);
}

void Elaborator::check_calls(const Node& kernel) {
  Calls found{{&kernel}, {}, {}, {}};
  for (std::size_t i = 0; i < found.bodies.size(); ++i) follow_calls(*found.bodies[i], found);
  for (const Node* call : found.calls) {
    const auto is_reported = [&](const Diag& d) {
      return d.loc.source == call->loc.source && d.loc.line == call->loc.line &&
             d.loc.column == call->loc.column;
    };
    if (!found.names.contains(call->text) &&
        std::none_of(diags_.begin(), diags_.end(), is_reported))
      unknown_function(*call);
  }
}

// mnemonic(field, field, ...) as the op table has them; missing flags are 0, and what may be left
// out is left out.
Entity Elaborator::call_op(const Op& prototype, const Node& node) {
  Op op = prototype;
  const OpInfo& row = info(op);
  if (row.scope != tessera::Scope::none || row.result == ResultKind::Ref)
    return fail(node, fmt::format("`{}` cannot be called", row.mnemonic));
  std::size_t required = row.fields.size();
  while (required > 0 && (row.fields[required - 1].kind == FieldKind::Int ||
                          row.fields[required - 1].kind == FieldKind::Maybe))
    --required;
  if (node.kids.size() < required || node.kids.size() > row.fields.size()) {
    std::string names;
    for (const FieldInfo& f : row.fields)
      names += (names.empty() ? "" : ", ") + std::string(f.name);
    return fail(
        node, fmt::format("{}({}) was given {} arguments", row.mnemonic, names, node.kids.size()));
  }
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const FieldInfo& f = row.fields[i];
    const Node& argument = node.kids[i];
    switch (f.kind) {
      case FieldKind::Value: {
        const ValueId value = scalar(argument);
        if (value == no_value) return {};
        field<ValueId>(op, f) = value;
        break;
      }
      case FieldKind::Maybe: {
        const ValueId value = scalar(argument);
        if (value == no_value) return {};
        field<Maybe>(op, f).id = value;
        break;
      }
      case FieldKind::Slice: {
        const Entity entity = place(argument);
        if (entity.kind == Entity::Kind::sem)
          field<Slice>(op, f) = entity.slice;
        else if (const auto s = operand(entity, argument))
          field<Slice>(op, f) = *s;
        else
          return {};
        break;
      }
      case FieldKind::Int: {
        const auto value = constant(argument, f.name);
        if (!value) return {};
        field<std::int64_t>(op, f) = *value;
        break;
      }
      case FieldKind::Text:
        if (argument.kind != NodeKind::text) return fail(argument, "expected a text in quotes");
        field<TextId>(op, f) = builder_.text(argument.text);
        break;
    }
  }
  at(node);
  const ValueId result = builder_.emit(std::move(op));
  if (row.result == ResultKind::Scalar) return scalar_entity(result);
  if (row.result == ResultKind::Real) return {.kind = Entity::Kind::real, .value = result};
  return {.kind = Entity::Kind::record, .environment = environment(nullptr)};  // done; no value
}

// A function of an index: its definition is evaluated anew where it was defined, with the arguments
// bound.
Entity Elaborator::call_closure(const Entity& closure, const Node& node, std::size_t first) {
  const Node& definition = *closure.definition;
  const std::size_t parameters = definition.kids.size() - 1;
  if (node.kids.size() - first != parameters)
    return fail(node, fmt::format("`{}` takes {} arguments, found {}", definition.text, parameters,
                                  node.kids.size() - first));
  if (++calls_ > max_calls)
    return fail(node, "the kernel makes more than 100000 calls; each is inlined");
  if (depth_ >= max_call_depth)
    return fail(node, "calls are nested too deeply; functions are inlined and cannot recurse");
  Environment* inner = environment(closure.environment);
  for (std::size_t i = 0; i < parameters; ++i) {
    const Entity argument = evaluate(node.kids[first + i]);
    if (argument.kind == Entity::Kind::nothing) return {};
    inner->names[definition.kids[i].text] = argument;
  }
  at(node);
  const auto caller = std::exchange(caller_, builder_.place());
  Environment* outer = std::exchange(scope_, inner);
  ++depth_;
  const Node& body = definition.kids.back();
  const Entity result = body.kind == NodeKind::range ? range(body) : evaluate(body);
  --depth_;
  scope_ = outer;
  caller_ = caller;
  return result;
}

Slice Elaborator::whole_ref(const Slice& slice) {
  if (is_whole(builder_.program(), slice)) return slice;
  return builder_.whole(builder_.emit(View{slice}, "view"));
}

// A scalar parameter takes a value; `name: f32[dims]` takes memory of that type and names its
// extents. A type that is no element type and not known yet is named as well: `a: T[m, k], b: T[k,
// n]` takes two matrices of one type, whichever.
bool Elaborator::bind_argument(const Node& parameter, const Node& argument, Environment* into) {
  const bool takes_memory = !parameter.kids.empty() && parameter.kids[0].kind == NodeKind::type;
  const bool is_named = argument.kind == NodeKind::name;
  const Entity value = takes_memory && is_named ? place(argument) : evaluate(argument);
  if (value.kind == Entity::Kind::nothing) return false;
  if (!takes_memory) {
    into->names[parameter.text] = value;
    return true;
  }
  const Node& type = parameter.kids[0];
  if (value.kind != Entity::Kind::view) {
    const std::string hint =
        value.kind == Entity::Kind::sem
            ? fmt::format("; one that takes a semaphore has no type: `{}`", parameter.text)
            : "";
    fail(argument,
         fmt::format("parameter `{}` takes memory, found {}{}", parameter.text, describe(value),
                     hint),
         ErrorCode::invalid_type);
    return false;
  }
  at(argument);
  const Slice whole = whole_ref(value.slice);
  const RefInfo ref = ref_info(builder_.program(), whole.base);
  const std::size_t dims = type.kids.size() - 1;
  if (ref.bound.size() != dims) {
    fail(argument, fmt::format("parameter `{}` has {} dimensions, the argument {}", parameter.text,
                               dims, ref.bound.size()));
    return false;
  }
  Environment* outer = std::exchange(scope_, into);
  bool ok = true;
  const Node& element = type.kids[0];
  if (element.kind == NodeKind::name && !scope_->find(element.text) && !parse_dtype(element.text))
    scope_->names[element.text] = {.kind = Entity::Kind::type, .type = ref.dtype};
  const auto wanted = dtype(element);
  ok = wanted.has_value();
  if (wanted && *wanted != ref.dtype) {
    fail(argument,
         fmt::format("parameter `{}` is of type {}, the argument of {}", parameter.text,
                     name(*wanted), name(ref.dtype)),
         ErrorCode::invalid_type);
    ok = false;
  }
  for (std::size_t d = 0; ok && d < dims; ++d) {
    const Node& dim = type.kids[d + 1];
    if (dim.kind == NodeKind::name && !scope_->find(dim.text)) {
      scope_->names[dim.text] = scalar_entity(whole.size[d]);
      continue;
    }
    const ValueId expected = scalar(dim);
    const auto a = builder_.program().constant(expected),
               b = builder_.program().constant(whole.size[d]);
    if (expected == no_value || (a && b && *a != *b)) {
      if (expected != no_value)
        fail(argument, fmt::format("dimension {} of `{}` is {}, the argument's {}", d,
                                   parameter.text, *a, *b));
      ok = false;
    }
  }
  scope_ = outer;
  into->names[parameter.text] = {.kind = Entity::Kind::view, .slice = whole};
  return ok;
}

Entity Elaborator::call_function(const Node& function, const Node& node) {
  if (++calls_ > max_calls)
    return fail(node, "the kernel makes more than 100000 calls; each is inlined");
  if (depth_ >= max_call_depth)
    return fail(node, "calls are nested too deeply; functions are inlined and cannot recurse");
  const Node& parameters = function.kids[0];
  Environment* inner = environment(nullptr);
  std::vector<const Node*> given(parameters.kids.size(), nullptr);
  for (std::size_t i = 0; i < node.kids.size(); ++i) {
    const Node& argument = node.kids[i];
    std::size_t p = i;
    if (argument.kind == NodeKind::named_argument) {
      p = 0;
      while (p < parameters.kids.size() && parameters.kids[p].text != argument.text) ++p;
      if (p == parameters.kids.size())
        return fail(argument, fmt::format("function `{}` has no parameter `{}`", function.text,
                                          argument.text));
    }
    if (p >= given.size())
      return fail(node, fmt::format("function `{}` takes {} arguments, found {}", function.text,
                                    given.size(), node.kids.size()));
    if (given[p])
      return fail(argument, fmt::format("parameter `{}` is given twice", parameters.kids[p].text));
    given[p] = argument.kind == NodeKind::named_argument ? &argument.kids[0] : &argument;
  }
  // Memory first: it names the extents that defaults and declarations may use.
  for (std::size_t p = 0; p < given.size(); ++p)
    if (given[p] && !bind_argument(parameters.kids[p], *given[p], inner)) return {};
  at(node);
  const auto caller = std::exchange(caller_, builder_.place());
  Environment* outer = std::exchange(scope_, inner);
  ++depth_;
  Entity result{.kind = Entity::Kind::record, .environment = environment(nullptr)};
  bool ok = true;
  for (std::size_t p = 0; p < given.size() && ok; ++p) {
    if (given[p]) continue;
    const Node& parameter = parameters.kids[p];
    if (parameter.kids.empty() || parameter.kids[0].kind == NodeKind::type) {
      ok = false;
      scope_ = outer;
      caller_ = caller;
      fail(node,
           fmt::format("function `{}` needs its parameter `{}`", function.text, parameter.text));
    } else {
      const Entity value = evaluate(parameter.kids[0]);
      ok = value.kind != Entity::Kind::nothing;
      inner->names[parameter.text] = value;
    }
  }
  if (ok) {
    const std::size_t scoped = scoped_.size();
    declare_all(function.kids[1], true);
    const Node& body = function.kids[2];
    if (body.kind == NodeKind::block) {
      const Entity saved = std::exchange(result_, result);
      block(body);
      result = std::exchange(result_, saved);
    } else {
      result = body.kind == NodeKind::range ? range(body) : evaluate(body);
    }
    free_scoped(scoped);
  }
  --depth_;
  scope_ = outer;
  caller_ = caller;
  return ok ? result : Entity{};
}

}  // namespace tessera

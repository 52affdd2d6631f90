// A kernel's parameters, types and declarations; the entry point that turns a parsed kernel into a
// program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/data/dtype_range.h"
#include "core/data/shape_limits.h"
#include "core/lang/elaborate.h"
#include "core/passes/automatic_barrier.h"
#include "core/passes/simplify.h"
#include "core/report/guarded.h"

namespace tessera {
namespace {

constexpr std::int64_t max_semaphores = std::int64_t{1} << 20;

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || std::isnan(value))
    return std::nullopt;
  return value;
}

}  // namespace

Elaborator::Elaborator(const Module& module, const std::vector<const Module*>& library,
                       std::string name, const InstantiateOptions& launch)
    : modules_{&module}, launch_(launch), builder_(std::move(name)) {
  modules_.insert(modules_.end(), library.begin(), library.end());
}

void Elaborator::bind_types(const std::vector<ast::TypeParameter>& types, Settings& left) {
  for (const ast::TypeParameter& parameter : types) {
    const std::vector<std::string>& choices = parameter.choices;
    const auto given = left.find(parameter.name);
    const std::string text = given != left.end() ? given->second
                             : choices.empty()   ? ""
                                                 : choices[0];
    if (given != left.end()) left.erase(given);
    const auto type = parse_dtype(text);
    const bool accepted =
        choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
    if (!type || !accepted) {
      const std::string known = fmt::format("{}", fmt::join(choices, ", "));
      fail(parameter.loc,
           fmt::format("type parameter `{}` is one of {}, found `{}`", parameter.name,
                       known.empty() ? "the element types" : known, text),
           ErrorCode::invalid_type);
      continue;
    }
    scope_->names[parameter.name] = {.kind = Entity::Kind::type, .type = *type};
    builder_.program().settings.push_back({parameter.name, text});
  }
}

// A parameter whose default is real is real; one without a default is an integer.
bool Elaborator::bind_real(const ast::Parameter& parameter, Settings& left) {
  if (!parameter.fallback) return false;
  constant_ = "the default of a parameter";
  const auto diags = static_cast<std::ptrdiff_t>(diags_.size());
  const Entity fallback = evaluate(*parameter.fallback);
  diags_.erase(diags_.begin() + diags, diags_.end());  // said where an integer's value is asked for
  constant_ = {};
  const auto number = known_number(fallback);
  if (fallback.kind != Entity::Kind::real || !number) return false;
  double value = *number;
  if (const auto given = left.find(parameter.name); given != left.end()) {
    if (const auto real = parse_real(given->second))
      value = *real;
    else
      fail(parameter.loc, fmt::format("parameter `{}` is a real number, found `{}`", parameter.name,
                                      given->second));
    left.erase(given);
  }
  scope_->names[parameter.name] = real_entity(value);
  builder_.program().settings.push_back({parameter.name, fmt::format("{}", value)});
  return true;
}

void Elaborator::bind_parameters(const std::vector<ast::Parameter>& parameters, Settings& left) {
  for (const ast::Parameter& parameter : parameters) {
    if (bind_real(parameter, left)) continue;
    const auto value = integer_of(parameter, left);
    if (!value) {
      scope_->names[parameter.name] = {};
      continue;
    }
    scope_->names[parameter.name] = scalar_entity(builder_.integer(*value));
    builder_.program().settings.push_back({parameter.name, std::to_string(*value)});
  }
}

// What it was given, or its default. Nothing after an error, but for a text that is no integer.
std::optional<std::int64_t> Elaborator::integer_of(const ast::Parameter& parameter,
                                                   Settings& left) {
  if (const auto given = left.find(parameter.name); given != left.end()) {
    const auto number = parse_integer(given->second);
    if (!number)
      fail(parameter.loc,
           fmt::format("parameter `{}` is an integer, found `{}`", parameter.name, given->second));
    left.erase(given);
    return number.value_or(0);
  }
  if (parameter.fallback)
    return constant(*parameter.fallback, fmt::format("the default of `{}`", parameter.name));
  fail(parameter.loc, fmt::format("parameter `{}` has no value and no default", parameter.name));
  return std::nullopt;
}

std::optional<DType> Elaborator::accumulator_type(const ast::Call& node) {
  const auto inner = dtype(node.arguments[0]);
  const auto stored = node.arguments.size() == 2 ? dtype(node.arguments[1]) : inner;
  if (!inner || !stored) return std::nullopt;
  return node.arguments.size() == 2 ? accumulator(*inner, *stored) : accumulator(*inner);
}

std::optional<DType> Elaborator::dtype(const ast::Expression& node) {
  const auto* call = node.as<ast::Call>();
  if (call != nullptr && call->function == "accumulator" &&
      (call->arguments.size() == 1 || call->arguments.size() == 2))
    return accumulator_type(*call);
  if (const auto* own = node.as<ast::Name>()) {
    if (const Entity* e = scope_->find(own->name)) {
      if (e->kind == Entity::Kind::type) return e->type;
    } else if (const auto type = parse_dtype(own->name)) {
      return type;
    }
  }
  fail(node.loc(), fmt::format("expected an element type, found `{}`", word_of(node)),
       ErrorCode::invalid_type);
  return std::nullopt;
}

std::optional<Shape> Elaborator::shape(const std::vector<ast::Expression>& extents,
                                       const Loc& loc) {
  Shape result;
  for (const ast::Expression& node : extents) {
    const auto extent = constant(node, "an extent");
    if (!extent) return std::nullopt;
    result.push_back(*extent);
    const bool is_its_own = !shape_problem({*extent}).empty();
    if (std::string problem = shape_problem(result); !problem.empty())
      return fail(is_its_own ? node.loc() : loc, std::move(problem)), std::nullopt;
  }
  if (result.size() > max_rank)
    return fail(loc,
                fmt::format("memory has at most {} dimensions, found {}", max_rank, result.size())),
           std::nullopt;
  return result;
}

std::optional<Space> Elaborator::space(const ast::Name& node) {
  for (const Space space : {Space::hbm, Space::vmem, Space::smem, Space::tile})
    if (node.name == name(space)) return space;
  fail(node.loc, fmt::format("expected hbm, vmem or smem, found `{}`", node.name));
  return std::nullopt;
}

// The dimensions in `order`; false after an error.
bool Elaborator::storage_order(const ast::StorageOrder& node, Buffer& buffer, bool& ok) {
  for (const ast::Expression& kid : node.dims) {
    const auto dim = constant(kid, "the storage order");
    if (!dim) return false;
    buffer.order.push_back(static_cast<int>(*dim));
  }
  std::vector<int> sorted = buffer.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ok &= sorted[i] == static_cast<int>(i);
  if (!ok || sorted.size() != buffer.shape.size()) {
    fail(node.loc, fmt::format("the storage order names each of the {} dimensions once",
                               buffer.shape.size()));
    ok = false;
  }
  return true;
}

void Elaborator::declare(const ast::BufferDeclaration& node, bool scoped_to_function) {
  if (scoped_to_function && node.role != Role::scratch) {
    fail(node.loc, "a function has no operands of its own; it takes memory as parameters");
    return;
  }
  const auto type = dtype(node.type.dtype);
  const auto extents = shape(node.type.extents, node.type.loc);
  const auto where = space(node.space);
  Buffer buffer;
  bool ok = type && extents && where;
  if (type && extents) {
    buffer.dtype = *type;
    buffer.shape = *extents;
  }
  buffer.role = node.role;
  buffer.space = where.value_or(Space::hbm);
  if (node.order && !storage_order(*node.order, buffer, ok)) return;
  if (!ok) {
    scope_->names.try_emplace(node.name);
    return;
  }
  at(node.loc);
  buffer.name = node.name;
  buffer.scoped = scoped_to_function || node.is_scoped;
  const ValueId ref = builder_.buffer(std::move(buffer));
  bind(node.name, {.kind = Entity::Kind::view, .slice = builder_.whole(ref)}, node.loc);
  if (scoped_to_function) allocate(ref);
}

void Elaborator::allocate(ValueId ref) {
  builder_.emit(Alloc{builder_.whole(ref)});
  scoped_.push_back(ref);
}

// Writes the kind and a barrier's id to `semaphore`; false after an error.
bool Elaborator::semaphore_kind(const ast::Expression& node, Semaphore& semaphore) {
  if (const ast::Call* barrier = call_of(node, "barrier", 1)) {
    semaphore.kind = SemKind::barrier;
    const auto id = constant(barrier->arguments[0], "the collective id of a barrier");
    semaphore.collective = id.value_or(0);
    return id.has_value();
  }
  const auto* word = node.as<ast::Name>();
  for (const SemKind kind : {SemKind::count, SemKind::bytes}) {
    if (word == nullptr || word->name != name(kind)) continue;
    semaphore.kind = kind;
    return true;
  }
  fail(node.loc(), "a semaphore is of kind count, bytes or barrier(id)");
  return false;
}

void Elaborator::declare(const ast::SemaphoreDeclaration& node, bool scoped_to_function) {
  Semaphore semaphore;
  const auto extents = shape(node.extents, node.loc);
  bool ok = extents.has_value();
  if (ok) semaphore.shape = *extents;
  if (ok && elements(semaphore.shape) > max_semaphores) {
    fail(node.loc, fmt::format("an array of at most 2^20 semaphores is possible, found {}",
                               elements(semaphore.shape)));
    ok = false;
  }
  ok &= semaphore_kind(node.kind, semaphore);
  if (!ok) {
    scope_->names.try_emplace(node.name);
    return;
  }
  at(node.loc);
  semaphore.monotone = node.is_monotone;
  semaphore.scoped = scoped_to_function || node.is_scoped;
  semaphore.name = node.name;
  const bool is_barrier = semaphore.kind == SemKind::barrier;
  const std::int64_t id = semaphore.collective;
  const ValueId sem = builder_.semaphore(std::move(semaphore));
  if (is_barrier) barriers_.try_emplace(id, sem);
  bind(node.name, {.kind = Entity::Kind::sem, .slice = builder_.whole(sem)}, node.loc);
  if (scoped_to_function) allocate(sem);
}

void Elaborator::declare(const ast::ConditionalDeclarations& node, bool scoped_to_function) {
  const auto condition = constant(node.condition, "the condition around declarations");
  if (condition) declare_all(*condition != 0 ? node.then : node.otherwise, scoped_to_function);
}

void Elaborator::declare(const ast::Declaration& node, bool scoped_to_function) {
  std::visit([&](const auto& form) { declare(form, scoped_to_function); }, node.form);
}

void Elaborator::declare_all(const std::vector<ast::Declaration>& declarations,
                             bool scoped_to_function) {
  for (const ast::Declaration& node : declarations) declare(node, scoped_to_function);
}

// The body runs several times, as that many launches one after the other would: scratch and
// semaphores are those of one launch, so that a peer which is one behind or ahead does not have
// them; operands, results and barriers remain.
void Elaborator::begin_calls(const ast::Kernel& kernel, const Program& one_call) {
  Program& program = builder_.program();
  builder_.at(kernel.loc);
  program.call_place = builder_.place();
  const ValueId call =
      builder_.emit(For{builder_.integer(0), builder_.integer(launch_.calls), 0}, "call");
  std::vector<ValueId> own;
  for (Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::tile || buffer.scoped) continue;
    if (launch_.keeps_scratch) continue;
    buffer.scoped = true;
    own.push_back(buffer.value);
  }
  for (Semaphore& semaphore : program.semaphores) {
    if (semaphore.kind == SemKind::barrier || semaphore.scoped) continue;
    semaphore.scoped = true;
    own.push_back(semaphore.value);
    of_call_.push_back(semaphore.value);
  }
  for (const ValueId ref : own) allocate(ref);
  if (needs_barrier(one_call)) emit_barrier(builder_, one_call, call);
}

// Where a launch ends, the counts of scoped semaphores are zero as well, and signals for the next
// one do not come before.
void Elaborator::end_calls() {
  builder_.at_place(builder_.program().call_place);
  free_scoped(0);
  std::vector<ValueId> others;
  for (const Semaphore& semaphore : builder_.program().semaphores) {
    if (semaphore.scoped && semaphore.kind != SemKind::barrier &&
        std::find(of_call_.begin(), of_call_.end(), semaphore.value) == of_call_.end())
      others.push_back(semaphore.value);
  }
  for (const ValueId semaphore : others) {
    builder_.emit(Alloc{builder_.whole(semaphore)});
    builder_.emit(Free{builder_.whole(semaphore)});
  }
  builder_.emit(End{});
}

void Elaborator::refuse_settings(const ast::Kernel& kernel, const Settings& left) {
  std::vector<std::string_view> known;
  for (const ast::TypeParameter& p : kernel.type_parameters) known.push_back(p.name);
  for (const ast::Parameter& p : kernel.parameters) known.push_back(p.name);
  for (const auto& [parameter, value] : left)
    fail(kernel.loc,
         fmt::format("kernel `{}` has no parameter `{}`; it has {}", kernel.name, parameter,
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

Expected<Program> Elaborator::kernel(const ast::Kernel& kernel, const Settings& settings,
                                     const Program* one_call) {
  builder_.program().doc = kernel.doc;
  Settings left = settings;
  bind_types(kernel.type_parameters, left);
  bind_parameters(kernel.parameters, left);
  refuse_settings(kernel, left);
  if (!diags_.empty()) return diags_;
  declare_all(kernel.declarations, false);
  if (!diags_.empty()) return diags_;
  if (one_call != nullptr) begin_calls(kernel, *one_call);
  block(kernel.body);
  if (one_call != nullptr)
    end_calls();
  else
    free_scoped(0);
  check_calls(kernel);
  if (!diags_.empty()) return diags_;
  Program program = simplify(builder_.finish());
  Diags problems = verify(program);
  if (!problems.empty()) return problems;
  return program;
}

Expected<Program> instantiate(const Module& module, std::string_view kernel,
                              const Settings& settings, const std::vector<const Module*>& library,
                              const InstantiateOptions& launch) try {
  if (const auto found = module.kernel_nodes.find(kernel); found != module.kernel_nodes.end()) {
    const ast::Kernel& node = *found->second.node;
    Expected<Program> one =
        Elaborator(module, library, node.name, launch).kernel(node, settings, nullptr);
    if (!one || launch.calls <= 1) return one;
    return Elaborator(module, library, node.name, launch).kernel(node, settings, &*one);
  }
  std::string known;
  for (const KernelInfo& k : module.kernels) known += (known.empty() ? "" : ", ") + k.name;
  return error(fmt::format("{} has no kernel `{}`; it has {}", module.source->name, kernel,
                           known.empty() ? "none" : known));
} catch (...) {
  return given_up("instantiating the kernel");
}

}  // namespace tessera

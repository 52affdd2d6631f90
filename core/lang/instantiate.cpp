// A kernel's parameters, types and declarations; the entry point that turns a parsed kernel into a
// program.
#include <fmt/format.h>

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

void Elaborator::bind_types(const Node& types, Settings& left) {
  for (const Node& parameter : types.kids) {
    const auto given = left.find(parameter.text);
    std::string text = given != left.end()      ? given->second
                       : parameter.kids.empty() ? ""
                                                : parameter.kids[0].text;
    if (given != left.end()) left.erase(given);
    const auto type = parse_dtype(text);
    const bool accepted =
        parameter.kids.empty() || std::any_of(parameter.kids.begin(), parameter.kids.end(),
                                              [&](const Node& k) { return k.text == text; });
    if (!type || !accepted) {
      std::string choices;
      for (const Node& k : parameter.kids) choices += (choices.empty() ? "" : ", ") + k.text;
      fail(parameter,
           fmt::format("type parameter `{}` is one of {}, found `{}`", parameter.text,
                       choices.empty() ? "the element types" : choices, text),
           ErrorCode::invalid_type);
      continue;
    }
    scope_->names[parameter.text] = {.kind = Entity::Kind::type, .type = *type};
    builder_.program().settings.push_back({parameter.text, text});
  }
}

// A parameter whose default is real is real; one without a default is an integer.
bool Elaborator::bind_real(const Node& parameter, Settings& left) {
  if (parameter.kids.empty()) return false;
  constant_ = "the default of a parameter";
  const auto diags = static_cast<std::ptrdiff_t>(diags_.size());
  const Entity fallback = evaluate(parameter.kids[0]);
  diags_.erase(diags_.begin() + diags, diags_.end());  // said where an integer's value is asked for
  constant_ = {};
  const auto number = known_number(fallback);
  if (fallback.kind != Entity::Kind::real || !number) return false;
  double value = *number;
  if (const auto given = left.find(parameter.text); given != left.end()) {
    if (const auto real = parse_real(given->second))
      value = *real;
    else
      fail(parameter, fmt::format("parameter `{}` is a real number, found `{}`", parameter.text,
                                  given->second));
    left.erase(given);
  }
  scope_->names[parameter.text] = real_entity(value);
  builder_.program().settings.push_back({parameter.text, fmt::format("{}", value)});
  return true;
}

void Elaborator::bind_parameters(const Node& parameters, Settings& left) {
  for (const Node& parameter : parameters.kids) {
    if (bind_real(parameter, left)) continue;
    std::int64_t value = 0;
    if (const auto given = left.find(parameter.text); given != left.end()) {
      const auto number = parse_integer(given->second);
      if (!number)
        fail(parameter, fmt::format("parameter `{}` is an integer, found `{}`", parameter.text,
                                    given->second));
      value = number.value_or(0);
      left.erase(given);
    } else if (parameter.kids.empty()) {
      fail(parameter, fmt::format("parameter `{}` has no value and no default", parameter.text));
      scope_->names[parameter.text] = {};
      continue;
    } else {
      const auto fallback =
          constant(parameter.kids[0], fmt::format("the default of `{}`", parameter.text));
      if (!fallback) {
        scope_->names[parameter.text] = {};
        continue;
      }
      value = *fallback;
    }
    scope_->names[parameter.text] = scalar_entity(builder_.integer(value));
    builder_.program().settings.push_back({parameter.text, std::to_string(value)});
  }
}

std::optional<DType> Elaborator::dtype(const Node& node) {
  if (node.kind == NodeKind::call && node.text == "accumulator" &&
      (node.kids.size() == 1 || node.kids.size() == 2)) {
    const auto inner = dtype(node.kids[0]);
    const auto stored = node.kids.size() == 2 ? dtype(node.kids[1]) : inner;
    if (!inner || !stored) return std::nullopt;
    return node.kids.size() == 2 ? accumulator(*inner, *stored) : accumulator(*inner);
  }
  if (node.kind == NodeKind::name) {
    if (const Entity* e = scope_->find(node.text)) {
      if (e->kind == Entity::Kind::type) return e->type;
    } else if (const auto type = parse_dtype(node.text)) {
      return type;
    }
  }
  fail(node, fmt::format("expected an element type, found `{}`", node.text),
       ErrorCode::invalid_type);
  return std::nullopt;
}

std::optional<Shape> Elaborator::shape(const Node& type, std::size_t first) {
  Shape result;
  for (std::size_t i = first; i < type.kids.size(); ++i) {
    const auto extent = constant(type.kids[i], "an extent");
    if (!extent) return std::nullopt;
    result.push_back(*extent);
    const bool is_its_own = !shape_problem({*extent}).empty();
    if (std::string problem = shape_problem(result); !problem.empty())
      return fail(is_its_own ? type.kids[i] : type, std::move(problem)), std::nullopt;
  }
  if (result.size() > max_rank)
    return fail(type,
                fmt::format("memory has at most {} dimensions, found {}", max_rank, result.size())),
           std::nullopt;
  return result;
}

void Elaborator::declare_buffer(const Node& node, bool scoped_to_function) {
  const auto type = dtype(node.kids[0].kids[0]);
  const auto extents = shape(node.kids[0], 1);
  Buffer buffer;
  bool ok = type && extents;
  if (ok) {
    buffer.dtype = *type;
    buffer.shape = *extents;
  }
  buffer.role = node.kind == NodeKind::scratch ? Role::scratch
                : node.integer != 0            ? Role::out
                                               : Role::in;
  const std::string& space = node.kids[1].text;
  if (space == "hbm")
    buffer.space = Space::hbm;
  else if (space == "vmem")
    buffer.space = Space::vmem;
  else if (space == "smem")
    buffer.space = Space::smem;
  else if (space == "tile")
    buffer.space = Space::tile;
  else
    ok = false, fail(node.kids[1], fmt::format("expected hbm, vmem or smem, found `{}`", space));
  if (node.kids.size() > 2) {
    for (const Node& kid : node.kids[2].kids) {
      const auto dim = constant(kid, "the storage order");
      if (!dim) return;
      buffer.order.push_back(static_cast<int>(*dim));
    }
    std::vector<int> sorted = buffer.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) ok &= sorted[i] == static_cast<int>(i);
    if (!ok || sorted.size() != buffer.shape.size()) {
      fail(node.kids[2], fmt::format("the storage order names each of the {} dimensions once",
                                     buffer.shape.size()));
      ok = false;
    }
  }
  if (!ok) {
    scope_->names.try_emplace(node.text);
    return;
  }
  at(node);
  buffer.name = node.text;
  const bool allocates = scoped_to_function;
  buffer.scoped = allocates || (node.kind == NodeKind::scratch && node.integer != 0);
  const ValueId ref = builder_.buffer(std::move(buffer));
  bind(node.text, {.kind = Entity::Kind::view, .slice = builder_.whole(ref)}, node);
  if (allocates) {
    builder_.emit(Alloc{builder_.whole(ref)});
    scoped_.push_back(ref);
  }
}

void Elaborator::declare_semaphore(const Node& node, bool scoped_to_function) {
  Semaphore semaphore;
  const auto extents = shape(node, 1);
  bool ok = extents.has_value();
  if (ok) semaphore.shape = *extents;
  if (ok && elements(semaphore.shape) > max_semaphores) {
    fail(node, fmt::format("an array of at most 2^20 semaphores is possible, found {}",
                           elements(semaphore.shape)));
    ok = false;
  }
  const Node& kind = node.kids[0];
  if (kind.kind == NodeKind::name && kind.text == "count")
    semaphore.kind = SemKind::count;
  else if (kind.kind == NodeKind::name && kind.text == "bytes")
    semaphore.kind = SemKind::bytes;
  else if (kind.kind == NodeKind::call && kind.text == "barrier" && kind.kids.size() == 1) {
    semaphore.kind = SemKind::barrier;
    const auto id = constant(kind.kids[0], "the collective id of a barrier");
    ok &= id.has_value();
    semaphore.collective = id.value_or(0);
  } else
    ok = false, fail(kind, "a semaphore is of kind count, bytes or barrier(id)");
  if (!ok) {
    scope_->names.try_emplace(node.text);
    return;
  }
  at(node);
  semaphore.monotone = (node.integer & 2) != 0;
  semaphore.scoped = scoped_to_function || (node.integer & 1) != 0;
  semaphore.name = node.text;
  const bool is_barrier = semaphore.kind == SemKind::barrier;
  const std::int64_t id = semaphore.collective;
  const ValueId sem = builder_.semaphore(std::move(semaphore));
  if (is_barrier) barriers_.try_emplace(id, sem);
  bind(node.text, {.kind = Entity::Kind::sem, .slice = builder_.whole(sem)}, node);
  if (scoped_to_function) {
    builder_.emit(Alloc{builder_.whole(sem)});
    scoped_.push_back(sem);
  }
}

void Elaborator::declare(const Node& node, bool scoped_to_function) {
  if (node.kind == NodeKind::declare_if) {
    const auto condition = constant(node.kids[0], "the condition around declarations");
    if (!condition) return;
    if (*condition != 0)
      declare_all(node.kids[1], scoped_to_function);
    else if (node.kids.size() > 2)
      declare_all(node.kids[2], scoped_to_function);
  } else if (node.kind == NodeKind::semaphore) {
    declare_semaphore(node, scoped_to_function);
  } else {
    if (scoped_to_function && node.kind == NodeKind::operand) {
      fail(node, "a function has no operands of its own; it takes memory as parameters");
      return;
    }
    declare_buffer(node, scoped_to_function);
  }
}

void Elaborator::declare_all(const Node& declarations, bool scoped_to_function) {
  for (const Node& node : declarations.kids) declare(node, scoped_to_function);
}

// The body runs several times, as that many launches one after the other would: scratch and
// semaphores are those of one launch, so that a peer which is one behind or ahead does not have
// them; operands, results and barriers remain.
void Elaborator::begin_calls(const Node& kernel, const Program& one_call) {
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
  for (const ValueId ref : own) {
    builder_.emit(Alloc{builder_.whole(ref)});
    scoped_.push_back(ref);
  }
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

Expected<Program> Elaborator::kernel(const Node& kernel, const Settings& settings,
                                     const Program* one_call) {
  builder_.program().doc = kernel.doc;
  Settings left = settings;
  bind_types(kernel.kids[0], left);
  bind_parameters(kernel.kids[1], left);
  for (const auto& [parameter, value] : left) {
    std::string known;
    for (const Node* group : {&kernel.kids[0], &kernel.kids[1]})
      for (const Node& p : group->kids) known += (known.empty() ? "" : ", ") + p.text;
    fail(kernel, fmt::format("kernel `{}` has no parameter `{}`; it has {}", kernel.text, parameter,
                             known.empty() ? "none" : known));
  }
  if (!diags_.empty()) return diags_;
  declare_all(kernel.kids[2], false);
  if (!diags_.empty()) return diags_;
  if (one_call != nullptr) begin_calls(kernel, *one_call);
  block(kernel.kids[3]);
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
    const Node& node = *found->second.node;
    Expected<Program> one =
        Elaborator(module, library, node.text, launch).kernel(node, settings, nullptr);
    if (!one || launch.calls <= 1) return one;
    return Elaborator(module, library, node.text, launch).kernel(node, settings, &*one);
  }
  std::string known;
  for (const KernelInfo& k : module.kernels) known += (known.empty() ? "" : ", ") + k.name;
  return error(fmt::format("{} has no kernel `{}`; it has {}", module.source->name, kernel,
                           known.empty() ? "none" : known));
} catch (...) {
  return given_up("instantiating the kernel");
}

}  // namespace tessera

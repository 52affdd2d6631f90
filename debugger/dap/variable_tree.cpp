#include "debugger/dap/variable_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/try.h"
#include "interp/findings/describe.h"
#include "interp/findings/elements_text.h"

namespace tessera::debugger {
namespace {

std::int64_t cells_of(const Semaphore& semaphore) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : semaphore.shape) cells *= extent;
  return cells;
}

std::string text_of(const NamedScalar& scalar) {
  if (!scalar.is_defined) return "?";
  return scalar.is_real ? fmt::format("{:.6g}", scalar.real) : fmt::format("{}", scalar.integer);
}

std::string_view type_of(const NamedScalar& scalar) { return scalar.is_real ? "f32" : "integer"; }

Json leaf(const std::string& name, const std::string& value, std::string_view type) {
  return {{"name", name}, {"value", value}, {"type", type}, {"variablesReference", 0}};
}

}  // namespace

void VariableTree::forget() {
  first_ += static_cast<std::int64_t>(nodes_.size());
  nodes_.clear();
}

std::int64_t VariableTree::number(Node node) {
  nodes_.push_back(node);
  return first_ + static_cast<std::int64_t>(nodes_.size()) - 1;
}

Expected<VariableTree::Node> VariableTree::find(std::int64_t reference) const {
  const std::int64_t at = reference - first_;
  if (at < 0 || at >= static_cast<std::int64_t>(nodes_.size()))
    return error(
        fmt::format("the number {} is of no variable at this place of the run", reference));
  return nodes_[static_cast<std::size_t>(at)];
}

// Prefix of a name in the debugger's commands that specifies its device and core.
std::string VariableTree::owner(CoreIndex core) const {
  const Topology& topology = session_.machine().topology();
  return topology.count() == 1 ? "" : topology.name(core) + ".";
}

std::string VariableTree::full_name(const Reference& reference) const {
  const Program& program = session_.program();
  if (const auto* memory = std::get_if<BufferReference>(&reference))
    return owner(memory->owner) + slice_text(program, memory->buffer, memory->box);
  if (const auto* sem = std::get_if<SemId>(&reference))
    return owner(sem->core) + cell_text(program, sem->semaphore, sem->cell);
  if (const auto* scalar = std::get_if<ScalarReference>(&reference))
    return owner(scalar->core) + scalar->name;
  return to_string(std::get<CopyReference>(reference).copy);
}

Json VariableTree::scopes(const AgentId& agent) {
  const auto scope = [&](std::string_view name, Group group, bool is_expensive) -> Json {
    return {{"name", name},
            {"variablesReference", number(Scope{group, agent})},
            {"expensive", is_expensive}};
  };
  if (agent.is_copy()) return Json::array({scope("Copy", Group::copy, false)});
  Json numbers = scope("Numbers", Group::numbers, false);
  numbers["presentationHint"] = "locals";
  // The values of memory may have to be computed first.
  return Json::array({numbers, scope("Memory", Group::memory, true),
                      scope("Semaphores", Group::semaphores, false),
                      scope("Settings", Group::settings, false)});
}

Expected<Json> VariableTree::children(std::int64_t reference, const Part& part) {
  const Node node = TRY(find(reference));
  if (const auto* memory = std::get_if<Memory>(&node)) return parts(*memory, part);
  if (const auto* array = std::get_if<Cells>(&node)) return cells(*array, part);
  const Scope scope = std::get<Scope>(node);
  if (part.filter == "indexed") return Json::array();
  const CoreIndex core = session_.machine().topology().of(scope.agent.issuer());
  switch (scope.group) {
    case Group::numbers:
      return numbers(scope.agent);
    case Group::settings:
      return settings();
    case Group::memory:
      return all_memory(core);
    case Group::semaphores:
      return all_semaphores(core);
    case Group::copy:
      return copy(scope.agent);
  }
  return Json::array();
}

// First the loop indices, as in the stack, then all names with a value here.
Json VariableTree::numbers(const AgentId& agent) {
  Machine& machine = session_.machine();
  const CoreIndex core = machine.topology().of(agent);
  const Standing stands = standing(machine, core);
  Json all = Json::array();
  std::vector<std::string> told;
  const auto tell = [&](const std::string& name, const std::string& value, std::string_view type) {
    if (name.empty() || std::find(told.begin(), told.end(), name) != told.end()) return;
    told.push_back(name);
    Json variable = leaf(name, value, type);
    variable["evaluateName"] = owner(core) + name;
    all.push_back(variable);
  };
  for (auto loop = stands.loops.rbegin(); loop != stands.loops.rend(); ++loop)
    tell(loop->name, std::to_string(loop->value), "index of a loop");
  for (const std::string_view name : names_of(session_.program()))
    if (const auto scalar = find_scalar(machine, core, name))
      tell(std::string(name), text_of(*scalar), type_of(*scalar));
  return all;
}

Json VariableTree::settings() {
  Json all = Json::array();
  for (const Setting& setting : session_.program().settings)
    all.push_back(leaf(setting.name, setting.value, "parameter"));
  return all;
}

Json VariableTree::cell_variable(const std::string& name, const SemId& sem) {
  const SemCell& cell = session_.machine().cell(sem);
  std::string value = std::to_string(cell.count);
  if (cell.waiter) {
    const Standing waits = standing(session_.machine(), cell.waiter);
    value += fmt::format(", {} waits for {}", to_string(waits.agent), waits.need);
  }
  Json variable = leaf(name, value, "semaphore");
  variable["evaluateName"] = full_name(sem);
  return variable;
}

Json VariableTree::all_semaphores(CoreIndex core) {
  const Program& program = session_.program();
  Json all = Json::array();
  for (const SemaphoreId id : program.semaphores.ids()) {
    const Semaphore& semaphore = program.semaphores[id];
    if (semaphore.shape.empty()) {
      all.push_back(cell_variable(semaphore.name, session_.machine().counted({core, id, 0})));
      continue;
    }
    const std::int64_t count = cells_of(semaphore);
    Json variable = leaf(semaphore.name, counted(count, "semaphore"), "semaphores");
    variable["variablesReference"] = number(Cells{id, core});
    variable["indexedVariables"] = count;
    all.push_back(variable);
  }
  return all;
}

Json VariableTree::cells(const Cells& array, const Part& part) {
  Json all = Json::array();
  if (part.filter == "named") return all;
  const Program& program = session_.program();
  const Semaphore& semaphore = program.semaphores[array.semaphore];
  const std::int64_t count = cells_of(semaphore);
  const std::int64_t begin = std::clamp<std::int64_t>(part.start, 0, count);
  const std::int64_t most =
      part.count > 0 ? std::min(part.count, max_requested_children) : max_children;
  for (std::int64_t cell = begin; cell < begin + std::min(most, count - begin); ++cell)
    all.push_back(
        cell_variable(cell_text(program, array.semaphore, cell).substr(semaphore.name.size()),
                      session_.machine().counted({array.core, array.semaphore, cell})));
  return all;
}

Expected<Json> VariableTree::copy(const AgentId& agent) {
  for (const CopyInFlight& one : copies_in_flight(session_.machine())) {
    if (one.agent != agent) continue;
    return Json::array({leaf("source", one.source, "memory"), leaf("target", one.target, "memory"),
                        leaf("bytes", std::to_string(one.bytes), "integer"),
                        leaf("read", std::to_string(one.read), "integer"),
                        leaf("written", std::to_string(one.written), "integer")});
  }
  return error(fmt::format("{} is not in flight here", to_string(agent)));
}

Expected<std::string> VariableTree::expression(std::int64_t reference, const std::string& name) {
  const Node node = TRY(find(reference));
  if (const auto* array = std::get_if<Cells>(&node))
    return owner(array->core) + session_.program().semaphores[array->semaphore].name + name;
  if (const auto* memory = std::get_if<Memory>(&node)) return part_name(*memory, name);
  const Scope scope = std::get<Scope>(node);
  return owner(session_.machine().topology().of(scope.agent.issuer())) + name;
}

Expected<Json> VariableTree::value(const AgentId& agent, std::string_view expression) {
  const Reference what = TRY(parse_reference(session_, agent.issuer(), expression));
  const CoreIndex core = session_.machine().topology().of(agent.issuer());
  Json found;
  if (const auto* memory = std::get_if<BufferReference>(&what)) {
    found = TRY(memory_variable("", {*memory, core}));
  } else if (const auto* sem = std::get_if<SemId>(&what)) {
    found = cell_variable("", *sem);
  } else if (const auto* scalar = std::get_if<ScalarReference>(&what)) {
    const NamedScalar value = *find_scalar(*TRY(session_.valued()), scalar->core, scalar->name);
    found = leaf("", text_of(value), type_of(value));
  } else {
    const AgentId flying = std::get<CopyReference>(what).copy;
    const Json told = TRY(copy(flying));
    found = leaf("",
                 fmt::format("{} -> {}", told.elements()[0].find("value")->text(),
                             told.elements()[1].find("value")->text()),
                 "copy");
    found["variablesReference"] = number(Scope{Group::copy, flying});
  }
  Json answer = {{"result", *found.find("value")}};
  for (const char* name : {"type", "variablesReference", "indexedVariables"})
    if (const Json* member = found.find(name)) answer[name] = *member;
  return answer;
}

}  // namespace tessera::debugger

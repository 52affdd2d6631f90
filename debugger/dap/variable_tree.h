// What a stopped run holds, as the tree of scopes and variables of the protocol: numbers of the
// source, memory by its dimensions, semaphores by their cells.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/report/expected.h"
#include "debugger/commands/reference.h"
#include "debugger/session/inspect.h"
#include "debugger/session/session.h"
#include "text/json.h"

namespace tessera::debugger {

class VariableTree {
 public:
  explicit VariableTree(Session& session) : session_(session) {}

  // The run has moved: what was numbered before is no more.
  void forget();
  // "Scope"s of an agent.
  Json scopes(const AgentId& agent);
  // What of a node is asked for; count 0: all.
  struct Part {
    std::string filter{};  // "indexed", "named" or empty: both
    std::int64_t start = 0, count = 0;
  };
  // "Variable"s below a number that was told.
  Expected<Json> children(std::int64_t reference, const Part& part);
  // What the debugger's commands call the variable of that name below the number.
  Expected<std::string> expression(std::int64_t reference, const std::string& name);
  // Value, type and number of what the debugger's commands name, as "evaluate" tells them.
  Expected<Json> value(const AgentId& agent, std::string_view expression);
  // The same thing by a name that says whose it is.
  std::string full_name(const Reference& reference) const;

 private:
  enum class Group : std::uint8_t { numbers, settings, memory, semaphores, copy };
  struct Scope {
    Group group;
    AgentId agent;
  };
  struct Memory {
    BufferReference what;
    CoreIndex core;  // who looks
  };
  struct Cells {
    SemaphoreId semaphore;
    CoreIndex core;
  };
  using Node = std::variant<Scope, Memory, Cells>;

  std::int64_t number(Node node);
  Expected<Node> find(std::int64_t reference) const;
  std::string owner(CoreIndex core) const;
  std::string name_of(const Memory& memory) const;

  Json numbers(const AgentId& agent);
  Json settings();
  Expected<Json> all_memory(CoreIndex core);
  Expected<Json> memory_variable(const std::string& name, const Memory& memory);
  Expected<std::string> memory_value(const Memory& memory);
  Expected<Json> parts(const Memory& memory, const Part& part);
  Expected<std::string> part_name(const Memory& memory, const std::string& name) const;
  Json all_semaphores(CoreIndex core);
  Json cell_variable(const std::string& name, const SemId& sem);
  Json cells(const Cells& cells, const Part& part);
  Expected<Json> copy(const AgentId& agent);

  Session& session_;
  std::vector<Node> nodes_;
  std::int64_t first_ = 1;  // the number of the first of them
};

}  // namespace tessera::debugger

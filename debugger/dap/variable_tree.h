// State of a stopped run as the tree of scopes and variables of the protocol: numbers of the
// source, memory by dimensions, semaphores by cells.
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

// Maximum number of children in one response: without and with a requested range.
inline constexpr std::int64_t max_children = 1 << 12, max_requested_children = 1 << 16;

class VariableTree {
 public:
  explicit VariableTree(Session& session) : session_(session) {}

  // Invalidates all ids after a movement.
  void forget();
  // Returns the "Scope" objects of an agent at this position, with new ids for their contents.
  Json scopes(const AgentId& agent);
  // Requested children of a node; count 0: all.
  struct Part {
    std::string filter{};  // "indexed", "named" or empty: both
    std::int64_t start = 0, count = 0;
  };
  // Returns the "Variable" objects below an id, at most max_children or, with a count,
  // max_requested_children; memory also at most 4 Mi elements in total. If children of memory are
  // missing, the last one is a note. Fails if the id is unknown or invalidated, if the values
  // cannot be computed, or if the copy of the id is not in flight any more.
  Expected<Json> children(std::int64_t reference, const Part& part);
  // Returns the expression, in the debugger's commands, for the variable `name` below the id. Fails
  // if the id is unknown, or the index of an element; other names are not checked.
  Expected<std::string> expression(std::int64_t reference, const std::string& name);
  // Evaluates a reference of the debugger's commands; names refer to the core of `agent`. Returns
  // value, type and id, as in an "evaluate" response. Fails like parse_reference(), and if the
  // values cannot be computed.
  Expected<Json> value(const AgentId& agent, std::string_view expression);
  // Returns the name of a reference as the commands of the debugger accept it: with its device and
  // core, if the run has several; without the core if each device has one.
  std::string full_name(const Reference& reference) const;

 private:
  enum class Group : std::uint8_t { numbers, settings, memory, semaphores, copy };
  struct Scope {
    Group group;
    AgentId agent;
  };
  struct Memory {
    BufferReference what;
    CoreIndex core;  // core whose view it is
  };
  struct Cells {
    SemaphoreId semaphore;
    CoreIndex core;
  };
  using Node = std::variant<Scope, Memory, Cells>;

  std::int64_t number(Node node);  // returns a new id
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
  std::int64_t first_ = 1;  // id of nodes_[0]
};

}  // namespace tessera::debugger

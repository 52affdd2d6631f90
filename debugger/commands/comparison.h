// Conditions on numbers that the debugger stops for: `now == 1`, `dev1.arrived >= 2`,
// `taken[0] < rows and i != 0`.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "debugger/commands/reference.h"

namespace tessera::debugger {

class Comparison {
 public:
  // Whether the text has one of == != < <= > >=.
  static bool is_in(std::string_view text);
  // One or several with `and` between them. Each side is an integer, a parameter, the name of an
  // integer, a semaphore or one element of integers in smem.
  // What belongs to a core is that of `focus` or, where it is asked of a core, of that one.
  static Expected<Comparison> parse(Session& session, const AgentId& focus, std::string_view text);

  // Where a name has no number there, it does not.
  bool holds(Machine& machine, const AgentId& core) const;
  bool holds(Machine& machine) const { return holds(machine, focus_); }
  // The words that mean the same whoever is in focus.
  std::string full_text(Session& session) const;

 private:
  struct Side {
    std::variant<std::int64_t, ScalarReference, SemId, BufferReference> what;
    bool is_fixed = false;  // its words say whose it is
  };
  struct Part {
    Side left, right;
    std::string_view sign;
  };
  static Expected<Part> parse_part(Session& session, const AgentId& focus, std::string_view text);
  static Expected<Side> parse_side(Session& session, const AgentId& focus, std::string_view text);
  static std::optional<std::int64_t> number(Machine& machine, const Side& side, CoreIndex core);

  AgentId focus_;
  std::vector<Part> parts_;
};

// Stops where another condition holds, and this one of the core that made it hold.
std::unique_ptr<StopCondition> guarded(std::unique_ptr<StopCondition> condition,
                                       Comparison comparison);
// Stops after the step that makes it hold.
std::unique_ptr<StopCondition> becoming(Comparison comparison);

}  // namespace tessera::debugger

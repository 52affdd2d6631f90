// Stop conditions on numbers: `now == 1`, `dev1.arrived >= 2`, `taken[0] < rows and i != 0`.
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
  // True if the text contains one of == != < <= > >=.
  static bool is_in(std::string_view text);
  // Parses one comparison, or several joined by `and`. Each side is an integer, a parameter, the
  // name of an integer, a semaphore, or one element of an integer buffer in smem. Names of a core's
  // objects refer to `focus`, or to the core passed to holds(). Fails for other texts, unknown
  // names, floats, and memory that is not one integer element in smem.
  static Expected<Comparison> parse(Session& session, const AgentId& focus, std::string_view text);

  // True if all comparisons hold for the core, or for the focus; false if a name or element has no
  // value there.
  bool holds(Machine& machine, const AgentId& core) const;
  bool holds(Machine& machine) const { return holds(machine, focus_); }
  // Returns a text with the same meaning for any core in focus.
  std::string full_text(Session& session) const;

 private:
  struct Side {
    std::variant<std::int64_t, ScalarReference, SemId, BufferReference> what;
    bool is_fixed = false;  // the text names the core
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

// Returns a condition that holds if `condition` holds and the comparison holds for the core that
// caused it.
std::unique_ptr<StopCondition> guarded(std::unique_ptr<StopCondition> condition,
                                       Comparison comparison);
// Returns a condition that holds after the step in which the comparison becomes true for its focus.
// If it is true at the start of a movement, it must first become false.
std::unique_ptr<StopCondition> becoming(Comparison comparison);

}  // namespace tessera::debugger

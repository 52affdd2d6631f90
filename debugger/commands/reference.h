// What the debugger's commands name: places in the source, and memory and semaphores of a run.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/program/loop_index.h"
#include "core/report/expected.h"
#include "debugger/session/conditions.h"
#include "debugger/session/inspect.h"
#include "debugger/session/session.h"

namespace tessera::debugger {

// "12", "ring.tsr:12 dev1.core0 i=2 s=1".
struct PlaceReference {
  SourceLine line;
  Whose whose;
  LoopIndices loops;
};
// A line without a step of its own stands for the next one that has one.
Expected<PlaceReference> parse_place(Session& session, const std::vector<std::string>& words);

// From the beginning to the first place at which the condition holds; none: it is at the end.
Expected<std::optional<Cause>> go_to_first(Session& session, StopCondition& condition);

// "dev1", "dev1.core0".
Expected<AgentId> parse_core(const Session& session, std::string_view word);

// What a program calls its memory, semaphores and numbers, each once.
std::vector<std::string_view> names_of(const Program& program);

struct BufferReference {
  BufferId buffer;
  Box box;
  CoreIndex owner;  // where it is kept
};
struct ScalarReference {
  CoreIndex core;  // whose it is
  std::string name;
};
struct CopyReference {
  AgentId copy;
};
using Reference = std::variant<BufferReference, SemId, ScalarReference, CopyReference>;

// "acc", "dev1.out[0:4, :]", "slot[now, 0 +: 8]", "landed[1]", "i", "dev0.core0/dma#3". What
// belongs to a core is that of `focus` where the words name no other; indices are numbers or
// integers of the source. Numbers::known: a number of the source must have a value where the
// session stands; named: it may get one later.
enum class Numbers : bool { known, named };
Expected<Reference> parse_reference(Session& session, const AgentId& focus, std::string_view text,
                                    Numbers numbers = Numbers::known);
// Whether the words say whose it is, as in dev1.arrived.
bool names_core(std::string_view text);
std::string_view trimmed(std::string_view text);

// Whether the memory that the words name has values where a session stands.
Expected<void> check_held(const Storage& storage, std::string_view words);
// What a report adds to values of that memory; empty where a run computes them.
std::string_view missing_values(const Session& session, BufferId buffer);
// The words for the same thing that mean it whoever is in focus and wherever the run stands; of a
// number of a core its name.
std::string full_text(Session& session, const Reference& reference);

}  // namespace tessera::debugger

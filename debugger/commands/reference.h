// References in the debugger's commands: places in the source, and memory, semaphores and copies of
// a run.
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
// Parses a line with optional device, core and loop indices, one a word. A line without steps
// refers to the next line with a step. Fails if there is none, for unknown cores or loops, or for a
// second device or index of a loop.
Expected<PlaceReference> parse_place(Session& session, const std::vector<std::string>& words);

// Moves from the beginning to the first position at which the condition holds, and returns the
// cause. nullopt if it never holds; the session is then at the end. Fails like Session::go_to().
// condition: checked at the beginning before its begin().
Expected<std::optional<Cause>> go_to_first(Session& session, StopCondition& condition);

// Parses "dev1", which means its core 0, or "dev1.core0". Fails if the run has no such core.
Expected<AgentId> parse_core(const Session& session, std::string_view word);

// Returns the names of a program's buffers, semaphores and values, without repetitions. Valid as
// long as the program.
std::vector<std::string_view> names_of(const Program& program);

struct BufferReference {
  BufferId buffer;
  Box box;
  CoreIndex owner;  // owner of the buffer
};
struct ScalarReference {
  CoreIndex core;  // core of the scalar
  std::string name;
};
struct CopyReference {
  AgentId copy;
};
using Reference = std::variant<BufferReference, SemId, ScalarReference, CopyReference>;

// Parses "acc", "dev1.out[0:4, :]", "slot[now, 0 +: 8]", "landed[1]", "i" or "dev0.core0/dma#3".
// Objects of a core belong to `focus` unless the text names a core. Indices are numbers or integer
// variables of the source. Numbers::known: a variable must have a value at the current position.
// Numbers::named: it may get one later. Fails for unknown names and for indices out of range. A
// copy need not be in flight.
enum class Numbers : bool { known, named };
Expected<Reference> parse_reference(Session& session, const AgentId& focus, std::string_view text,
                                    Numbers numbers = Numbers::known);
// True if the text names a core, as in dev1.arrived.
bool names_core(std::string_view text);
// Returns the text without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

// Fails if the memory has no values: it is not live at this position, or the run does not compute
// them. words: name of the memory, for the error.
Expected<void> check_held(const Storage& storage, std::string_view words);
// Returns a note for values of this memory if the run does not compute them; else empty.
std::string_view missing_values(const Session& session, BufferId buffer);
// Returns a text for the same object that is independent of focus and position: with the core, and
// with numbers as indices.
std::string full_text(Session& session, const Reference& reference);

}  // namespace tessera::debugger

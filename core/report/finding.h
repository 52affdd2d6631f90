// What a run found wrong with the program: data, never an exception.
#pragma once  // public
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/ids.h"
#include "core/program/loop_index.h"
#include "core/report/diag.h"

namespace tessera {

// What readers of findings ask about a kind; several may hold.
enum class FindingTrait : std::uint8_t {
  none = 0,
  // It depends on the order of agents and on counts alone, not on values.
  of_order = 1,
  // It shows where a run ends, whatever led there.
  at_end = 2,
  // A semaphore keeps a count.
  leftover = 4,
  // The program asks for more than the machine of the profile has; no schedule changes that.
  of_machine = 8,
  // The program may be right, but it was not judged: exit code 2 where there is nothing else.
  unsupported = 16,
};
// Both traits.
constexpr FindingTrait operator|(FindingTrait a, FindingTrait b) {
  return FindingTrait(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

// Every kind with its traits, once.
#define TESSERA_FINDING_KINDS(KIND)                  \
  KIND(race, of_order)                               \
  KIND(deadlock, of_order | at_end)                  \
  KIND(out_of_bounds, none)                          \
  KIND(uninitialised_read, none)                     \
  KIND(never_written, at_end)                        \
  KIND(never_read, none)                             \
  KIND(dead_store, none)                             \
  KIND(capacity, of_machine)                         \
  KIND(lifetime, none)                               \
  KIND(semaphore_leak, of_order | at_end | leftover) \
  KIND(semaphore_overflow, none)                     \
  KIND(unwaited_dma, of_order | at_end | leftover)   \
  KIND(revisit, none)                                \
  KIND(assertion, none)                              \
  KIND(mismatch, none)                               \
  KIND(unsupported, of_machine | unsupported)

// What went wrong. The enumerator is the name in reports; docs/findings.md explains each kind.
enum class FindingKind : std::uint8_t {
#define KIND(name, traits) name,
  TESSERA_FINDING_KINDS(KIND)
#undef KIND
};

// All kinds, in the order of the enumerators.
std::span<const FindingKind> finding_kinds();
std::string_view name(FindingKind kind);         // as reports have it: "out_of_bounds"
bool has(FindingKind kind, FindingTrait trait);  // by the list above

// What a note shows, for readers of reports that act on it.
enum class NoteRole : std::uint8_t {
  other,            // described only by the message
  undefined_since,  // declares or writes the memory that is undefined since then
  moved_by,         // copied the undefined data
};
std::string_view name(NoteRole role);  // as reports have it: "moved_by"

// An event of a run: who did or waits for what, and where the program says so.
struct FindingPlace {
  Loc loc{};               // the statement; empty where there is none
  std::string message{};   // one sentence without a full stop
  int device = -1;         // its number; -1: no device in particular
  std::string agent{};     // "dev0.core0", "dev0.core0/dma#3"; empty: no agent in particular
  LoopIndices loops{};     // indices of the loops around it; of a copy: around its start
  bool is_last = false;    // the message counts several events; `loops` are those of the last one
  bool is_detail = false;  // a note that only a full report shows
  NoteRole role = NoteRole::other;  // kind of a note
  std::string buffer{};             // memory that the role is about; empty: none
};

// The begin or the end of the kernel on a core, with which an access of another core can race.
enum class KernelEnd : std::uint8_t { none, entry, exit };

// What a finding is about, as indices: statements, semaphores and buffers of the expanded program,
// -1 where there is none. Findings that follow from others are recognised by it.
struct FindingSubject {
  StmtId statement;         // at which it stands
  StmtId other;             // race: the other access; undefined value: the read out of bounds
  StmtId copy;              // the start of a copy that is not waited for in time ...
  SemaphoreId semaphore{};  // ... and the semaphore that counts its bytes; or one left over
  StmtId wait;              // race: the last wait of one side for the other, which is too early
  BufferId buffer{};        // raced for, undefined or never written
  StmtId points_of;         // race of points: their loop, in the program of single points
  bool of_source = false;   // it is the read side of the copy
  KernelEnd end = KernelEnd::none;  // race: with a core's entering or leaving the kernel
  bool decides = false;             // a race whose read decides what the program does next
  bool operator==(const FindingSubject&) const = default;
};

// A wait that the program lacks, as a statement of the language.
struct MissingWait {
  int before_line = 0;  // line of the source before which it belongs, from 1; 0: none is known
  std::string text{};   // the statement: "wait arrived[now] for buffer[now]"
};

// The memory access that a finding is about, as reports print it; empty texts: none.
struct FindingAccess {
  std::string buffer{};   // name of the accessed memory
  std::string slice{};    // its accessed part: "a[0 .. 128, 3]"
  std::string element{};  // the undefined element: "a[5, 3]"
  std::string result{};   // name of the result to which the element is copied
};

// One mistake of the program that a run showed.
struct Finding {
  FindingKind kind;       // its class
  std::string message{};  // one sentence with the values: "read of a[0 .. 8, 3] leaves ..."
  FindingPlace at{};      // where it happened
  std::vector<FindingPlace> notes{};  // call chain, origins, the other access, who waits for what
  FindingSubject about{};             // the same as indices into the program
  Loc start{};                        // of the copy that it is about; empty where there is none
  int mended_with = -1;  // index of the finding whose missing wait mends this one too; -1: none
  MissingWait missing_wait{};  // with it this finding, and those that follow from it, do not happen
  std::vector<std::int32_t> devices{};  // numbers of the devices on which it was found, ascending
  FindingAccess access{};               // of undefined data; empty for other kinds
};

// Whether some finding is of a kind with this trait; whether all are (also where there is none).
bool any_has(const std::vector<Finding>& findings, FindingTrait trait);
bool all_have(const std::vector<Finding>& findings, FindingTrait trait);

// What a report says about a place although it is no mistake.
struct Remark {
  FindingPlace at{};                  // the place, with the message
  std::vector<FindingPlace> notes{};  // other places that belong to it
};

// The message with the agent, unless the message names it, and the place in the loops:
// "..., on dev2.core0 at i=0 j=1 s=3".
std::string message_text(const FindingPlace& place, std::string_view message);
// The same for a finding. The notes of a deadlock name each blocked core, so its text names none.
std::string message_text(const Finding& finding, std::string_view message);

// The finding as an error with the message "KIND: message", for callers that treat it as one.
Diag as_error(const Finding& finding);

// "file:line:col: kind: text", source line and caret, then the notes.
std::string render(const Finding& finding);
std::string render(const std::vector<Finding>& findings);
// A note that begins with these words: "...: note: in no order: ...".
std::string render(const Remark& remark, std::string_view words);
// With another message, and with or without the notes that are details.
std::string render(const Finding& finding, std::string_view message, bool with_details);

}  // namespace tessera

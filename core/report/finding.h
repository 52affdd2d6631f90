// Defects of a program found by a run: data, never exceptions.
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

// Properties of a kind of finding; several may apply.
enum class FindingTrait : std::uint8_t {
  none = 0,
  // Depends only on the order of agents and on counts, not on values.
  of_order = 1,
  // Found at the end of a run, whatever happened before.
  at_end = 2,
  // A semaphore has a count left.
  leftover = 4,
  // The program exceeds the machine of the profile, in every schedule.
  of_machine = 8,
  // The program may be correct but was not checked: exit code 2 if there are only such findings.
  unsupported = 16,
};
// Combines the traits.
constexpr FindingTrait operator|(FindingTrait a, FindingTrait b) {
  return FindingTrait(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}

// All kinds with their traits.
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

// Kind of defect. The enumerator is the name in reports; docs/reference/findings.md explains each
// kind.
enum class FindingKind : std::uint8_t {
#define KIND(name, traits) name,
  TESSERA_FINDING_KINDS(KIND)
#undef KIND
};

// Returns all kinds, in the order of the enumerators.
std::span<const FindingKind> finding_kinds();
std::string_view name(FindingKind kind);  // name in reports: "out_of_bounds"
// True if the kind has the trait, or at least one of combined traits.
bool has(FindingKind kind, FindingTrait trait);

// Meaning of a note, for programs that read reports.
enum class NoteRole : std::uint8_t {
  other,            // described only by the message
  undefined_since,  // statement that declares or writes the memory that is undefined since then
  moved_by,         // copy of the undefined data
};
std::string_view name(NoteRole role);  // name in reports: "moved_by"

// An event of a run: its agent and its place in the program.
struct FindingPlace {
  Loc loc{};               // statement; empty: none
  std::string message{};   // one sentence without a full stop
  int device = -1;         // device number; -1: no particular device
  std::string agent{};     // "dev0.core0", "dev0.core0/dma#3"; empty: no particular agent
  LoopIndices loops{};     // indices of the enclosing loops; for a copy: around its start
  bool is_last = false;    // the message counts several events; `loops` belongs to the last one
  bool is_detail = false;  // only shown in full reports
  NoteRole role = NoteRole::other;  // meaning of a note
  std::string buffer{};             // memory to which the role refers; empty: none
};

// Begin or end of the kernel on a core. An access of another core can race with it.
enum class KernelEnd : std::uint8_t { none, entry, exit };

// Subject of a finding, as indices of the expanded program; -1: none. Used to recognise findings
// that follow from others.
struct FindingSubject {
  StmtId statement;         // statement of the finding
  StmtId other;             // race: other access; undefined value: read out of bounds
  StmtId copy;              // start of a copy without a wait in time
  SemaphoreId semaphore{};  // semaphore that counts its bytes, or that has a count left
  StmtId wait;              // race: last wait of one side for the other, which is too early
  BufferId buffer{};        // raced for, undefined or never written
  StmtId points_of;         // race of iterations: their loop, in the program expanded per iteration
  bool of_source = false;   // true for the read side of the copy
  KernelEnd end = KernelEnd::none;  // race with the begin or end of the kernel on a core
  bool decides = false;             // race with a read that decides the next actions
  bool operator==(const FindingSubject&) const = default;
};

// A wait that is missing in the program, as a statement of the language.
struct MissingWait {
  int before_line = 0;  // source line before which it belongs, from 1; 0: unknown
  std::string text{};   // statement: "wait arrived[now] for buffer[now]"
};

// Memory access of a finding, as printed in reports; empty texts: none.
struct FindingAccess {
  std::string buffer{};   // name of the accessed memory
  std::string slice{};    // accessed slice: "a[0 .. 128, 3]"
  std::string element{};  // undefined element: "a[5, 3]"
  std::string result{};   // result to which the element is copied
};

// An event of the recorded run that a finding is about, for a picture of the run.
struct FindingEvent {
  std::string agent{};              // "dev0.core0", "dev0.core0/dma#3"
  std::int64_t step = -1;           // number of earlier steps of the agent; -1: its next step
  KernelEnd end = KernelEnd::none;  // instead of a step: the begin or end of the kernel
  StmtId statement{};               // none for the begin or end of the kernel
  std::string what{};               // deadlock: "wait arrived >= 4096, has 0"
  // deadlock: indices of the waits that must end before a core can signal this one. Computed for at
  // most 128 blocked cores.
  std::vector<int> waits_for{};
};

// A defect of the program, found by a run.
struct Finding {
  FindingKind kind;       // kind of defect
  std::string message{};  // one sentence with the values: "read of a[0 .. 8, 3] leaves ..."
  FindingPlace at{};      // place of the defect
  std::vector<FindingPlace> notes{};  // call chain, origins, other access, blocked agents
  FindingSubject about{};             // subject as indices into the program
  Loc start{};                        // start of the copy concerned; empty: none
  int mended_with = -1;  // index of the finding whose missing wait also fixes this one; -1: none
  MissingWait missing_wait{};  // wait that fixes this finding and those that follow from it
  std::vector<std::int32_t> devices{};  // numbers of the devices with this finding, ascending
  FindingAccess access{};               // access to undefined data; empty for other kinds
  // race: both accesses, in the order of the run. deadlock: the waits of all blocked cores.
  // Empty for other kinds.
  std::vector<FindingEvent> events{};
};

// any_has(): true if at least one finding has the trait. all_have(): true if all findings have it,
// also if there are none.
bool any_has(const std::vector<Finding>& findings, FindingTrait trait);
bool all_have(const std::vector<Finding>& findings, FindingTrait trait);

// Information on a place that is not a defect.
struct Remark {
  FindingPlace at{};                  // place with the message
  std::vector<FindingPlace> notes{};  // related places
};

// Returns `message` with the place's agent (else its device), unless the message names it, and with
// the loop indices: "..., on dev2.core0 at i=0 j=1 s=3"; "..., the last on ..." if place.is_last.
// Does not use place.message.
std::string message_text(const FindingPlace& place, std::string_view message);
// Returns the same for the place of a finding. A deadlock's text does not name an agent, because
// its notes name all blocked cores.
std::string message_text(const Finding& finding, std::string_view message);

// Returns the finding as an error with the message "KIND: " + message_text(), and with all its
// notes, but without the missing wait.
// ErrorCode::unsupported for kinds with that trait, else ErrorCode::runtime.
Diag as_error(const Finding& finding);

// Return "file:line:col: kind: text", source line and caret for a finding, then all its notes and
// the missing wait, if known; for several findings, the texts in order.
std::string render(const Finding& finding);
std::string render(const std::vector<Finding>& findings);
// Returns the remark as a note, and then its notes. `words` precede its message directly; "wait ":
// "...: note: wait ...".
std::string render(const Remark& remark, std::string_view words);
// Returns the finding with `message` instead of its own message. with_details: also the notes with
// FindingPlace::is_detail.
std::string render(const Finding& finding, std::string_view message, bool with_details);

}  // namespace tessera

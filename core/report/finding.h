// What a run found wrong with the program: data, never an exception.
#pragma once  // public
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/loop_index.h"
#include "core/report/diag.h"

namespace tessera {

// Every kind, once: its enumerator is its name in reports. docs/findings.md explains each.
#define TESSERA_FINDING_KINDS(KIND) \
  KIND(race)                        \
  KIND(deadlock)                    \
  KIND(out_of_bounds)               \
  KIND(uninitialised_read)          \
  KIND(never_written)               \
  KIND(capacity)                    \
  KIND(lifetime)                    \
  KIND(semaphore_leak)              \
  KIND(semaphore_overflow)          \
  KIND(unwaited_dma)                \
  KIND(revisit)                     \
  KIND(mismatch)                    \
  KIND(unsupported)

enum class FindingKind : std::uint8_t {
#define KIND(name) name,
  TESSERA_FINDING_KINDS(KIND)
#undef KIND
};

// All of them, in the order of the enumerators.
std::span<const FindingKind> finding_kinds();
std::string_view name(FindingKind kind);  // "out_of_bounds"

// Who did or waits for what, and where it is written.
struct FindingPlace {
  Loc loc{};
  std::string message{};
  int device = -1;
  std::string agent{};   // "dev0.core0", "dev0.core0/dma#3"; empty: nobody in particular
  LoopIndices loops{};   // where in its loops; of a copy: where it was started
  bool is_last = false;  // of several times, which the message counts: the loops are the last one's
  bool is_detail = false;  // a note that reports show when they are asked for everything
};

// An end of a core's part in the run, with which an access can race.
enum class KernelEnd : std::uint8_t { none, entry, exit };

// What a finding is about: by this interp/findings/cause.h tells causes from what follows.
// Statements of the expanded program; -1 for what it has none of.
struct FindingSubject {
  std::int32_t statement = -1;  // at which it stands
  std::int32_t other = -1;      // race: of the other access
  std::int32_t copy = -1;       // the start of a copy that is not waited for in time ...
  std::int32_t semaphore = -1;  // ... and the semaphore that counts its bytes; or one left over
  std::int32_t wait = -1;       // race: the last wait of one side for the other, which is too early
  std::int32_t buffer = -1;     // raced for, undefined or never written
  std::int32_t points_of = -1;  // race of points: their loop, in the program of single points
  bool of_source = false;       // of the copy it is the half that reads
  KernelEnd end = KernelEnd::none;  // race: with a core's entering or leaving the kernel
  bool decides = false;             // a race whose read decides what the program does next
  bool operator==(const FindingSubject&) const = default;
};

// A wait that was left out, in the program's own words.
struct MissingWait {
  int before_line = 0;  // 0: none is known
  std::string text{};   // "wait arrived[now] for buffer[now]"
};

struct Finding {
  FindingKind kind;
  std::string message{};  // names the values: "read of a[0:128, 64:192] leaves ..."
  FindingPlace at{};
  std::vector<FindingPlace> notes{};  // call chain, origins, the other access, who waits for what
  FindingSubject about{};
  Loc start{};           // of the copy that it is about
  int mended_with = -1;  // the finding whose missing wait takes this one with it, by its index
  MissingWait missing_wait{};           // with which it and all that follows from it are gone
  std::vector<std::int32_t> devices{};  // on which it was found, ascending
};

// What there is to say of a place that is no finding.
struct Remark {
  FindingPlace at{};  // with the message
  std::vector<FindingPlace> notes{};
};

// The message with the place in the loops: "..., at i=0 j=1 s=3".
std::string message_text(const FindingPlace& place, std::string_view message);

// The same as an error, "KIND: message", for callers that take a finding for one.
Diag as_error(const Finding& finding);

// "file:line:col: kind: text", source line and caret, then the notes.
std::string render(const Finding& finding);
std::string render(const std::vector<Finding>& findings);
// A note that begins with these words: "...: note: in no order: ...".
std::string render(const Remark& remark, std::string_view words);
// With another message, and with or without the notes that are details.
std::string render(const Finding& finding, std::string_view message, bool with_details);

}  // namespace tessera

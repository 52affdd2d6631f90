// Output of the debugger on memory, semaphores and numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/try.h"
#include "debugger/commands/debugger.h"
#include "debugger/commands/reference.h"
#include "debugger/commands/why.h"
#include "interp/findings/describe.h"
#include "interp/findings/elements_text.h"

namespace tessera::debugger {
void Debugger::print_buffer(Machine& machine, BufferId buffer, const Box& box, CoreIndex owner) {
  const Program& program = session_.program();
  Storage& storage = *machine.core_state(owner).storages[buffer];
  const Buffer& declared = program.buffers[buffer];
  const std::string what =
      fmt::format("{} {} {}", session_.machine().topology().name(owner, declared.space),
                  slice_text(program, buffer, box), name(declared.dtype));
  if (!storage.is_live()) {
    out_ << what << ": it does not exist here: its scope has not begun or has ended\n";
  } else if (storage.is_idle()) {
    out_ << what << ": its values are not computed in this run (--no-math)\n";
  } else if (box.elements() > max_elements) {
    out_ << fmt::format("{}: {} elements are too many; print a part of it\n", what, box.elements());
  } else {
    const bool is_real = is_float(declared.dtype);
    const std::vector<Element> elements = elements_of(storage, box);
    const std::string_view note = missing_values(session_, buffer);
    if (elements.size() == 1) {
      print_number(what, what + " = ", elements[0], is_real);
      out_ << note << "\n";
      return;
    }
    const auto change = printed_.note(what, session_.position(), elements);
    out_ << what << ", " << statistics(elements, is_real)
         << (change ? fmt::format("; {} of {} changed since event {}", change->count,
                                  elements.size(), change->since)
                    : "")
         << note << "\n"
         << rows_text(elements, columns_of(box), is_real,
                      change ? change->is_changed : std::vector<bool>{});
  }
}

void Debugger::print_number(const std::string& place, std::string_view words,
                            const Element& element, bool is_real) {
  const auto change = printed_.note(place, session_.position(), {element});
  out_ << words << number_text(element, is_real);
  if (change)
    out_ << (change->count > 0 ? fmt::format(", was {} at event {}",
                                             number_text(change->before[0], is_real), change->since)
                               : fmt::format(", as at event {}", change->since));
}

Expected<void> Debugger::print(const Words& words) {
  const Reference what =
      TRY(parse_reference(session_, focus_, fmt::format("{}", fmt::join(words, " "))));
  if (const auto* memory = std::get_if<BufferReference>(&what)) {
    print_buffer(*TRY(session_.valued()), memory->buffer, memory->box, memory->owner);
  } else if (const auto* semaphore = std::get_if<SemId>(&what)) {
    const std::string what =
        fmt::format("{} {}", session_.machine().topology().name(semaphore->core),
                    cell_text(session_.program(), semaphore->semaphore, semaphore->cell));
    print_number(what, what + " = ",
                 {.is_defined = true, .integer = session_.machine().cell(*semaphore).count}, false);
    out_ << "\n";
  } else if (const auto* scalar = std::get_if<ScalarReference>(&what)) {
    const NamedScalar value = *find_scalar(*TRY(session_.valued()), scalar->core, scalar->name);
    print_number(full_text(session_, what), "",
                 {.is_defined = value.is_defined, .integer = value.integer, .real = value.real},
                 value.is_real);
    out_ << "\n";
  } else if (const auto* copy = std::get_if<CopyReference>(&what)) {
    const std::vector<CopyInFlight> all = copies_in_flight(session_.machine());
    const auto found = std::find_if(all.begin(), all.end(), [&](const CopyInFlight& candidate) {
      return candidate.agent == copy->copy;
    });
    if (found == all.end())
      return error(fmt::format("{} is not in flight here", to_string(copy->copy)));
    out_ << fmt::format("{} -> {}, {} of {} B read, {} written\n", found->source, found->target,
                        found->read, found->bytes, found->written);
  }
  return {};
}

Expected<void> Debugger::why(const Words& words) {
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  if (const auto core = parse_core(session_, text)) {
    out_ << why_core(session_, session_.machine().topology().of(*core));
    return {};
  }
  const Reference what = TRY(parse_reference(session_, focus_, text));
  if (const auto* memory = std::get_if<BufferReference>(&what)) {
    out_ << TRY(why_elements(session_, {memory->owner, memory->buffer, memory->box}));
    return {};
  }
  return whence(words);
}

Expected<void> Debugger::whence(const Words& words) {
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  const Reference what = TRY(parse_reference(session_, focus_, text));
  const auto* semaphore = std::get_if<SemId>(&what);
  if (semaphore == nullptr) return error(fmt::format("`{}` is not a semaphore", text));
  out_ << whence_count(session_, *semaphore);
  return {};
}

}  // namespace tessera::debugger

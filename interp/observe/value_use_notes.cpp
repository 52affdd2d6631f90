// Findings of ValueUse on unused values.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "interp/findings/describe.h"
#include "interp/machine/loop_indices.h"
#include "interp/memory/first_box.h"
#include "interp/observe/value_use.h"

namespace tessera {
namespace {

constexpr std::size_t max_readers = 3;  // per note

std::string times_text(std::int64_t count, std::int64_t of) {
  return of == 1 ? "" : fmt::format(" ({} of {} times)", count, of);
}

}  // namespace

// The caller reads results. A write-back of a pipeline slot covers only the part inside the result;
// stores outside it are intended, for example in a ragged tile. Tables, and hbm buffers with space
// for the largest data, are rarely read completely.
Table<BufferId, ValueUse::Drop> ValueUse::drops(const Program& program) {
  Table<BufferId, Drop> result;
  for (const Buffer& buffer : program.buffers) {
    const bool is_large = buffer.space == Space::hbm || buffer.space == Space::smem;
    result.add(buffer.role == Role::out ? Drop::meant
               : is_large               ? Drop::noted_if_all
                                        : Drop::noted);
  }
  for (const Stmt& statement : program.body)
    if (const auto* write_back = std::get_if<WriteBack>(&statement.op))
      if (const BufferId slot = program.value(write_back->src.base).buffer)
        result[slot] = Drop::meant;
  return result;
}

bool ValueUse::is_worth_a_note(PlaceId place, const Unused& unused) const {
  return place && (drop_[unused.buffer] != Drop::noted_if_all || unused.overwritten > 0 ||
                   unused.count == executed_.at(place));
}

Finding ValueUse::unused_write(PlaceId place, const Unused& unused) const {
  const Write& write = unused.first;
  const bool is_landing =
      write.agent.is_copy() && program_->buffers[unused.buffer].role != Role::out;
  Finding finding{.kind = is_landing ? FindingKind::never_read : FindingKind::dead_store};
  finding.message = fmt::format("nothing reads the data that {} to {}{}{}",
                                is_landing ? "this copy writes" : "is stored here",
                                slice_text(*program_, unused.buffer, write.box),
                                unused.is_overwritten ? " before it is overwritten" : "",
                                times_text(unused.count, executed_.at(place)));
  finding.at = {.loc = program_->loc(place),
                .device = write.agent.device,
                .agent = to_string(write.agent),
                .loops = loop_indices(*program_, write.statement, write.loops)};
  finding.about.statement = write.statement;
  finding.about.buffer = unused.buffer;
  finding.devices.assign(unused.devices.begin(), unused.devices.end());
  add_call_chain(*program_, place, finding.notes);
  return finding;
}

// Reports each operand for the first device that does not read all of it; other devices are listed.
void ValueUse::note_operands() {
  // Tables are rarely read completely, even by all devices together. A table is not reported if any
  // element of it is read.
  std::set<BufferId> looked_up;
  for (const auto& [key, operand] : operands_)
    if (program_->buffers[key.second].space == Space::smem && !operand.read.is_clear())
      looked_up.insert(key.second);
  std::map<BufferId, std::size_t> noted;
  for (const auto& [key, operand] : operands_) {
    const auto& [device, buffer] = key;
    const std::optional<Box> first = first_box(operand.layout, operand.read, false);
    if (!first || looked_up.contains(buffer)) continue;
    if (const auto known = noted.find(buffer); known != noted.end()) {
      notes_[known->second].devices.push_back(device);
      continue;
    }
    noted.emplace(buffer, notes_.size());
    Finding finding{.kind = FindingKind::never_read};
    const std::int64_t unread = operand.layout.elements - operand.read.count();
    finding.message = fmt::format("nothing reads {} of dev{}{}: {} of {} elements are not used",
                                  slice_text(*program_, buffer, *first), device,
                                  unread > first->elements() ? " and others" : "", unread,
                                  operand.layout.elements);
    finding.at = {.loc = program_->loc(program_->buffers[buffer].place), .device = device};
    finding.about.buffer = buffer;
    finding.devices = {device};
    for (std::size_t i = 0; i < std::min(operand.readers.size(), max_readers); ++i)
      finding.notes.push_back({.loc = program_->loc(operand.readers[i]),
                               .message = "the rest of it is read here",
                               .device = device});
    notes_.push_back(std::move(finding));
  }
  for (const auto& [buffer, at] : noted)
    if (const std::size_t devices = notes_[at].devices.size(); devices > 1)
      notes_[at].message += fmt::format("; some is unread on {} devices", devices);
}

}  // namespace tessera

#include "interp/findings/uninitialised.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/findings/describe.h"

namespace tessera {

namespace {

// Returns the buffer that was not written: the buffer that was read, or the source of its elements.
BufferId undefined_buffer(const Program& program, const Region& region, Origin origin) {
  if (origin.place)
    for (const BufferId b : program.buffers.ids())
      if (program.buffers[b].place == origin.place) return b;
  return region.buffer;
}

// True if the place is a parallel loop.
bool is_parallel_loop(const Program& program, PlaceId place) {
  return std::any_of(program.body.begin(), program.body.end(), [&](const Stmt& s) {
    const auto* loop = std::get_if<For>(&s.op);
    return loop != nullptr && loop->parallel != 0 && s.place == place;
  });
}

FindingPlace outside_note(const Program& program, StmtId read) {
  return {.loc = program.loc(read), .message = "undefined since this read, which is out of bounds"};
}

// is_named: true if the memory is not the one that was read.
FindingPlace since_note(const Program& program, PlaceId place, BufferId buffer, bool is_named) {
  const std::string& name = program.buffers[buffer].name;
  return {.loc = program.loc(place),
          .message =
              is_named ? fmt::format("{} is undefined since here", name) : "undefined since here",
          .role = NoteRole::undefined_since,
          .buffer = name};
}

}  // namespace

StmtId outside_read(const Program& program, const std::vector<Finding>& found, PlaceId place) {
  for (const Finding& f : found)
    if (f.kind == FindingKind::out_of_bounds && place &&
        program.place_of(f.about.statement) == place)
      return f.about.statement;
  return {};
}

Finding undefined_scalar_finding(const Program& program, const std::string& used_as, StmtId read,
                                 const AgentId& agent, StmtId statement) {
  Finding finding{.kind = FindingKind::uninitialised_read};
  finding.message = fmt::format("{} is undefined", used_as);
  finding.at = {.loc = program.loc(statement), .device = agent.device, .agent = to_string(agent)};
  finding.about = {.statement = statement, .other = read};
  finding.devices = {agent.device};
  finding.notes = {outside_note(program, read)};
  add_call_chain(program, program.place_of(statement), finding.notes);
  return finding;
}

Finding uninitialised_finding(const Program& program, const std::vector<Finding>& found,
                              std::string_view verb, const Region& region, const Index& index,
                              Origin origin, const AgentId& agent, StmtId statement) {
  const PlaceId place = program.place_of(statement);
  const Buffer& buffer = program.buffers[region.buffer];
  const std::string element = element_text(program, region.buffer, index);
  Finding finding{.kind = FindingKind::uninitialised_read};
  const std::string slice = slice_text(program, region.buffer, region.box);
  const bool is_result = buffer.role == Role::out && verb != "read";
  finding.access = {.buffer = buffer.name, .slice = slice, .element = element};
  finding.message = is_result
                        ? fmt::format("{} of {} puts an undefined element into the result: {}",
                                      verb, slice, element)
                        : fmt::format("{} of {} uses {}, which is undefined", verb, slice, element);
  finding.at = {.loc = program.loc(place), .device = agent.device, .agent = to_string(agent)};
  finding.about = {.statement = statement, .buffer = undefined_buffer(program, region, origin)};
  finding.devices = {agent.device};
  // The buffer in which the element was not written; it may differ from the buffer that was read.
  const BufferId source = finding.about.buffer;
  const bool is_brought = source != region.buffer;
  finding.about.other = outside_read(program, found, origin.place);
  if (finding.about.other)
    finding.notes.push_back(outside_note(program, finding.about.other));
  else if (origin.place)
    finding.notes.push_back(
        is_parallel_loop(program, origin.place)
            ? FindingPlace{.loc = program.loc(origin.place),
                           .message = "undefined since here: the points stored it concurrently, "
                                      "each loop worker in its own scratch"}
            : since_note(program, origin.place, source, is_brought));
  if (origin.via && origin.via != origin.place)
    finding.notes.push_back({.loc = program.loc(origin.via),
                             .message = "the undefined data was copied here",
                             .role = NoteRole::moved_by});
  add_call_chain(program, place, finding.notes);
  return finding;
}

Finding undefined_result_finding(const Program& program, const std::vector<Finding>& found,
                                 const Region& src, const Region& dst, const Index& index,
                                 Origin origin, const AgentId& copy, StmtId statement) {
  Finding finding =
      uninitialised_finding(program, found, "copy", src, index, origin, copy, statement);
  finding.message = fmt::format("copy of {} to {} takes {}, which is undefined, into the result",
                                finding.access.slice, slice_text(program, dst.buffer, dst.box),
                                finding.access.element);
  finding.access.result = program.buffers[dst.buffer].name;
  return finding;
}

}  // namespace tessera

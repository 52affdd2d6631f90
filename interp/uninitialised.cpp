#include "interp/uninitialised.h"

#include <fmt/format.h>

#include "interp/describe.h"

namespace tessera {

Finding uninitialised_finding(const Program& program, std::string_view verb, const Region& region,
                              const Index& index, Origin origin, const AgentId& agent,
                              std::int32_t statement) {
  const std::int32_t place = program.body[static_cast<std::size_t>(statement)].place;
  const Buffer& buffer = program.buffers[static_cast<std::size_t>(region.buffer)];
  const std::string element = element_text(program, region.buffer, index);
  Finding finding{.kind = FindingKind::uninitialised_read};
  const std::string slice = slice_text(program, region.buffer, region.box);
  finding.message = buffer.role == Role::out && verb != "read"
                        ? fmt::format("{} of {} puts an undefined element into the result: {}",
                                      verb, slice, element)
                        : fmt::format("{} of {} uses {}, which is undefined", verb, slice, element);
  finding.at = {.loc = program.loc(place), .device = agent.device, .agent = to_string(agent)};
  if (origin.place >= 0)
    finding.notes.push_back({.loc = program.loc(origin.place), .message = "undefined since here"});
  if (origin.via >= 0 && origin.via != origin.place)
    finding.notes.push_back({.loc = program.loc(origin.via), .message = "brought by this"});
  add_call_chain(program, place, finding.notes);
  return finding;
}

}  // namespace tessera

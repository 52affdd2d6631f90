#include "debugger/commands/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/report/near.h"
#include "core/report/try.h"
#include "interp/findings/describe.h"
#include "text/numbers.h"

namespace tessera::debugger {
namespace {

std::vector<std::string_view> parts(std::string_view text, char mark) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t next = text.find(mark, at);
    all.push_back(trimmed(text.substr(at, next == std::string_view::npos ? next : next - at)));
    at = next == std::string_view::npos ? next : next + 1;
  }
  return all;
}

// Returns the last line of the source that can have a step.
int last_line(const Program& program) {
  int last = 0;
  for (const Place& place : program.places) last = std::max(last, place.loc.line);
  return last;
}

Expected<std::int64_t> parse_index(Session& session, CoreIndex core, std::string_view text) {
  if (const auto number = parse_integer(text)) return *number;
  if (const auto found = find_scalar(session.machine(), core, text); found && !found->is_real)
    return found->integer;
  return error(fmt::format("`{}` is neither an integer nor the name of one here", text));
}

struct Side {
  std::int64_t start = 0, size = 1;
  bool is_index = false;
};

// Parses "3", ":", "0 .. 4", "0:4" or "8 +: 4" for a dimension of size `extent`.
Expected<Side> parse_side(Session& session, CoreIndex core, std::string_view text,
                          std::int64_t extent) {
  if (text == ":") return Side{0, extent, false};
  if (const std::size_t at = text.find("+:"); at != std::string_view::npos) {
    const std::int64_t start = TRY(parse_index(session, core, trimmed(text.substr(0, at))));
    return Side{start, TRY(parse_index(session, core, trimmed(text.substr(at + 2)))), false};
  }
  for (const std::string_view between : {"..", ":"}) {
    const std::size_t at = text.find(between);
    if (at == std::string_view::npos) continue;
    const std::string_view first = trimmed(text.substr(0, at)),
                           last = trimmed(text.substr(at + between.size()));
    const std::int64_t start = first.empty() ? 0 : TRY(parse_index(session, core, first));
    const std::int64_t end = last.empty() ? extent : TRY(parse_index(session, core, last));
    // The caller reports a range outside the dimension.
    const bool is_inside = start >= 0 && start <= end && end <= extent;
    return is_inside ? Side{start, end - start, false} : Side{-1, 0, false};
  }
  return Side{TRY(parse_index(session, core, text)), 1, true};
}

struct Named {
  std::string_view name;
  std::vector<std::string_view> indices;  // empty: the whole object
};

Expected<Named> split_indices(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return Named{text, {}};
  if (text.back() != ']')
    return error(fmt::format("`{}` has a `[` and does not end with a `]`", text));
  return Named{trimmed(text.substr(0, open)),
               parts(text.substr(open + 1, text.size() - open - 2), ',')};
}

Expected<Box> parse_box(Session& session, CoreIndex core, const Buffer& buffer,
                        const Named& named) {
  Box box{.rank = static_cast<std::int8_t>(buffer.shape.size())};
  if (named.indices.size() > buffer.shape.size())
    return error(fmt::format("{} has {} dimensions, and {} indices are given", buffer.name,
                             buffer.shape.size(), named.indices.size()));
  for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
    const std::int64_t extent = buffer.shape[d];
    Side side{0, extent, false};
    if (d < named.indices.size()) side = TRY(parse_side(session, core, named.indices[d], extent));
    if (side.start < 0 || side.size < 0 || side.start > extent - side.size)
      return error(fmt::format("{} leaves dimension {} of {}, which is 0 .. {}", named.indices[d],
                               d, buffer.name, extent));
    box.start[d] = side.start;
    box.size[d] = side.size;
    if (side.is_index) box.dropped |= static_cast<std::uint8_t>(1U << d);
  }
  return box;
}

// Fails unless a step of the line is inside loops with all of these names.
Expected<void> check_loops(const Program& program, const SourceLine& line,
                           const LoopIndices& loops) {
  std::vector<std::string> known;
  for (const StmtId entry : entries(program, line)) {
    const std::vector<std::string> around = loop_names(program, entry);
    const auto is_around = [&](const LoopIndex& loop) {
      return std::find(around.begin(), around.end(), loop.name) != around.end();
    };
    if (std::all_of(loops.begin(), loops.end(), is_around)) return {};
    for (const std::string& name : around)
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  for (const LoopIndex& loop : loops)
    if (std::find(known.begin(), known.end(), loop.name) == known.end())
      return error(
          fmt::format("`{}` is the index of no loop around line {}; {}", loop.name, line.line,
                      known.empty() ? "there is none around it"
                                    : fmt::format("there are {}", fmt::join(known, ", "))));
  return error(
      fmt::format("no step of line {} is in loops of all of {}", line.line, to_string(loops)));
}

Expected<SemId> parse_cell(Session& session, CoreIndex core, SemaphoreId id, const Named& named) {
  const Semaphore& semaphore = session.program().semaphores[id];
  if (named.indices.size() != semaphore.shape.size())
    return error(fmt::format("{} is an array of {} dimensions, and {} indices are given",
                             semaphore.name, semaphore.shape.size(), named.indices.size()));
  std::int64_t cell = 0;
  for (std::size_t d = 0; d < semaphore.shape.size(); ++d) {
    const std::int64_t at = TRY(parse_index(session, core, named.indices[d]));
    if (at < 0 || at >= semaphore.shape[d])
      return error(fmt::format("index {} of {} is not among 0 to {}", at, semaphore.name,
                               semaphore.shape[d] - 1));
    cell = cell * semaphore.shape[d] + at;
  }
  return session.machine().counted({core, id, cell});
}

Diag no_such_name(const Program& program, std::string_view name) {
  const std::vector<std::string_view> known = names_of(program);
  return error(fmt::format("nothing here is called `{}`{}", name, did_you_mean(name, known)));
}

// Removes "dev1." or "dev1.core0." from the start of a name.
Expected<AgentId> take_core(const Session& session, const AgentId& focus, std::string_view& text) {
  if (!names_core(text)) return focus;
  std::size_t dot = text.find('.');
  if (text.substr(dot + 1).starts_with("core")) {
    const std::size_t second = text.find('.', dot + 1);
    if (second != std::string_view::npos) dot = second;
  }
  const AgentId core = TRY(parse_core(session, text.substr(0, dot)));
  text.remove_prefix(dot + 1);
  return core;
}

// True for a numeric variable anywhere in the source, or a parameter.
bool is_number(const Program& program, std::string_view name) {
  const auto is_named = [&](const auto& entry) { return entry.name == name; };
  const auto is_named_number = [&](const Value& value) {
    return is_named(value) && (value.kind == ValueKind::scalar || value.kind == ValueKind::real);
  };
  return std::any_of(program.values.begin(), program.values.end(), is_named_number) ||
         std::any_of(program.settings.begin(), program.settings.end(), is_named);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool names_core(std::string_view text) {
  text = trimmed(text);
  const std::size_t dot = text.find('.');
  return text.starts_with("dev") && dot != std::string_view::npos &&
         parse_integer(text.substr(3, dot - 3)).has_value();
}

std::vector<std::string_view> names_of(const Program& program) {
  std::vector<std::string_view> all;
  const auto add = [&](std::string_view name) {
    if (!name.empty() && std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (const Buffer& buffer : program.buffers) add(buffer.name);
  for (const Semaphore& semaphore : program.semaphores) add(semaphore.name);
  for (const Value& value : program.values) add(value.name);
  return all;
}

Expected<AgentId> parse_core(const Session& session, std::string_view word) {
  std::string text(word);
  if (text.find('.') == std::string::npos) text += ".core0";
  const std::optional<AgentId> agent = parse_agent(text);
  if (!agent || agent->is_copy() || agent->worker >= 0)
    return error(fmt::format("`{}` is not a device or core; expected dev1 or dev1.core0", word));
  const RunOptions& run = session.options();
  if (agent->device >= run.machine.devices || agent->core >= run.machine.cores)
    return error(fmt::format("there is no {}: devices are 0 to {}, each with cores 0 to {}", text,
                             run.machine.devices - 1, run.machine.cores - 1));
  return *agent;
}

Expected<std::optional<Cause>> go_to_first(Session& session, StopCondition& condition) {
  TRY(session.go_to(0));
  // forward() does not check the current position.
  if (const std::optional<Cause> here = condition.holds(session.here())) return here;
  StopCondition* const one = &condition;
  const Arrival arrival = TRY(session.forward({&one, 1}));
  if (arrival.why != Arrival::Why::condition) return std::optional<Cause>();
  return std::optional(arrival.cause);
}

Expected<PlaceReference> parse_place(Session& session, const std::vector<std::string>& words) {
  if (words.empty()) return error("expected a line, as in 12 or ring.tsr:12");
  PlaceReference place;
  const std::string_view first = words.front();
  const std::size_t colon = first.rfind(':');
  const auto line =
      parse_integer(colon == std::string_view::npos ? first : first.substr(colon + 1));
  if (!line || *line < 1)
    return error(
        fmt::format("`{}` is not a line; expected a line, as in 12 or ring.tsr:12", first));
  if (colon != std::string_view::npos) place.line.source = first.substr(0, colon);
  const int last = last_line(session.program());
  for (place.line.line = static_cast<int>(std::min<std::int64_t>(*line, last + 1));
       place.line.line <= last && entries(session.program(), place.line).empty();)
    ++place.line.line;
  if (place.line.line > last)
    return error(fmt::format("no step is taken at line {} or after it{}", *line,
                             place.line.source.empty() ? "" : " of " + place.line.source));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      const AgentId core = TRY(parse_core(session, word));
      if (place.whose.device >= 0)
        return error(fmt::format("`{}` is a second device; expected one at most", word));
      place.whose.device = core.device;
      place.whose.core = word.find('.') == std::string_view::npos ? -1 : core.core;
      continue;
    }
    const auto value = parse_integer(word.substr(equals + 1));
    if (!value) return error(fmt::format("`{}` is not a loop index with a value, as in i=2", word));
    const std::string loop(word.substr(0, equals));
    if (std::any_of(place.loops.begin(), place.loops.end(),
                    [&](const LoopIndex& other) { return other.name == loop; }))
      return error(fmt::format("`{}` sets {} a second time", word, loop));
    place.loops.push_back({loop, *value});
  }
  if (!place.loops.empty()) TRY(check_loops(session.program(), place.line, place.loops));
  return place;
}

Expected<Reference> parse_reference(Session& session, const AgentId& focus, std::string_view text,
                                    Numbers numbers) {
  text = trimmed(text);
  if (text.empty()) return error("expected a name, as in acc, out[0:4, :] or dev1.arrived");
  if (const auto agent = parse_agent(text); agent && agent->is_copy())
    return Reference(CopyReference{*agent});
  const std::string_view given = text;
  const AgentId owner = TRY(take_core(session, focus, text));
  const CoreIndex core = session.machine().topology().of(owner);
  const Named named = TRY(split_indices(text));
  if (named.name.empty()) return error(fmt::format("`{}` has no name in it", given));
  const Program& program = session.program();
  if (const auto buffer = find_buffer(program, named.name)) {
    const Box box = TRY(parse_box(session, core, program.buffers[*buffer], named));
    return Reference(BufferReference{*buffer, box, owner_of(session.machine(), core, *buffer)});
  }
  if (const auto semaphore = find_semaphore(program, named.name))
    return Reference(TRY(parse_cell(session, core, *semaphore, named)));
  if (named.indices.empty() && is_number(program, named.name)) {
    if (numbers == Numbers::named || find_scalar(session.machine(), core, named.name))
      return Reference(ScalarReference{core, std::string(named.name)});
    return error(fmt::format("`{}` has no value here yet", named.name));
  }
  return no_such_name(program, named.name);
}

Expected<void> check_held(const Storage& storage, std::string_view words) {
  if (!storage.is_live())
    return error(
        fmt::format("{} does not exist here: its scope has not begun or has ended", words));
  if (storage.is_idle())
    return error(fmt::format("{} is not computed in this run (--no-math)", words));
  return {};
}

std::string_view missing_values(const Session& session, BufferId buffer) {
  const bool computes = session.options().math != Math::none;
  const bool is_given = session.program().buffers[buffer].role == Role::in;
  return computes || is_given ? "" : "; --no-math: results of tile ops are not computed";
}

std::string full_text(Session& session, const Reference& reference) {
  const Topology& topology = session.machine().topology();
  const auto whose = [&](CoreIndex core_index) {
    return to_string(topology.agent(topology.base(core_index)));
  };
  if (const auto* memory = std::get_if<BufferReference>(&reference))
    return fmt::format("{}.{}", whose(memory->owner),
                       slice_text(session.program(), memory->buffer, memory->box));
  if (const auto* semaphore = std::get_if<SemId>(&reference))
    return fmt::format("{}.{}", whose(semaphore->core),
                       cell_text(session.program(), semaphore->semaphore, semaphore->cell));
  if (const auto* scalar = std::get_if<ScalarReference>(&reference))
    return fmt::format("{}.{}", whose(scalar->core), scalar->name);
  return to_string(std::get<CopyReference>(reference).copy);
}

}  // namespace tessera::debugger

#include "cli/debug/dumps.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/operations/device_files.h"
#include "cli/reports/report.h"
#include "core/program/unknown_values.h"
#include "core/report/try.h"
#include "debugger/commands/reference.h"
#include "interp/findings/describe.h"
#include "interp/launch.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

Diag wrong_form(const std::string& words) {
  return error(fmt::format(
      "--dump: expected NAME@PLACE=FILE with a place such as 17, 17,i=2,dev1, event:22 or "
      "end, found '{}'",
      words));
}

// Advances the session to before the event at which the given core reaches the line, or else the
// first core that does. Returns that core.
Expected<AgentId> go_to_line(Session& session, const std::vector<std::string>& words,
                             const std::string& given) {
  const debugger::PlaceReference place = TRY(debugger::parse_place(session, words));
  LineReached reached(session.program(), place.line, place.whose, place.loops);
  const std::optional<Cause> cause = TRY(debugger::go_to_first(session, reached));
  if (cause) return cause->agent;
  return error(ErrorCode::runtime,
               fmt::format("--dump {}: no core reached this place before the run ended", given));
}

// Advances the session to the place. Returns the core that owns memory named without a device.
Expected<AgentId> go_to_place(Session& session, const std::vector<std::string>& words,
                              const std::string& given) {
  const std::string& first = words.front();
  const bool is_event = first.starts_with(event_mark);
  if (first != "end" && !is_event) return go_to_line(session, words, given);
  AgentId focus{};
  if (words.size() > 2) return error(fmt::format("--dump {}: expected one device at most", given));
  if (words.size() == 2) focus = TRY(debugger::parse_core(session, words[1]));
  const std::int64_t event =
      is_event ? *parse_integer(first.substr(event_mark.size())) : Turn::unlimited;
  TRY(session.go_to(event));
  if (is_event && session.position() != event)
    return error(ErrorCode::runtime, fmt::format("--dump {}: the run has only {}", given,
                                                 counted(session.position(), "event")));
  return focus;
}

}  // namespace

Expected<Dumps> Dumps::open(const Arguments& arguments) {
  Dumps dumps;
  for (const std::string& words : arguments.all("dump")) {
    const std::optional<DumpWords> read = dump_words(words);
    if (!read) return wrong_form(words);
    if (has_hole(read->file))
      return error(fmt::format("--dump {}: expected one file, of one device as in dev1.{}@...",
                               words, read->name));
    dumps.all_.push_back({words, *read, TRY(TensorOutput::open(read->file, arguments.files()))});
  }
  return dumps;
}

Expected<void> Dumps::write(Session& session, Dump& dump) {
  const AgentId focus = TRY(go_to_place(session, dump.read.place, dump.words));
  const debugger::Reference what = TRY(debugger::parse_reference(session, focus, dump.read.name));
  const auto* memory = std::get_if<debugger::BufferReference>(&what);
  if (memory == nullptr) return error(fmt::format("--dump: `{}` is not memory", dump.read.name));
  Storage& storage = *TRY(session.valued())->core_state(memory->owner).storages[memory->buffer];
  TRY(debugger::check_held(storage, dump.read.name));
  const Program& program = session.program();
  if (const std::string why = why_unknown(program, memory->buffer); !why.empty())
    return error(
        ErrorCode::unsupported,
        fmt::format("--dump: values of `{}` are unknown: computed by {}", dump.read.name, why));
  Dumped written{fmt::format("{} {}",
                             session.machine().topology().name(
                                 memory->owner, program.buffers[memory->buffer].space),
                             slice_text(program, memory->buffer, memory->box)),
                 dump.read.file, session.position(), storage.is_initialised(memory->box)};
  TRY(dump.output.write(tensor_of(storage, memory->box)));
  written_.push_back(std::move(written));
  return {};
}

Expected<void> Dumps::write(const RunOptions& options,
                            const std::function<Expected<void>(const RunOptions&)>& simulate) {
  if (all_.empty()) return {};
  std::optional<KeptRun> launch = TRY(launch_of(simulate, options));
  if (!launch) return error(ErrorCode::unsupported, "--dump: this operation runs nothing");
  const std::unique_ptr<Session> session = TRY(Session::open(*std::move(launch)));
  for (Dump& dump : all_) {
    const Expected<void> done = write(*session, dump);
    const ErrorCode code = done ? ErrorCode::runtime : done.diags().front().code;
    const bool is_ours = code == ErrorCode::runtime || code == ErrorCode::environment;
    if (!is_ours) return done.diags();
    collect(unwritten_, done);
  }
  return {};
}

std::string Dumps::lines() const {
  std::string text;
  for (const Dumped& one : written_)
    text += line(text.empty() ? "dumped" : "",
                 fmt::format("{} at event {} -> {}{}", one.text, one.event, one.file,
                             one.is_defined ? "" : "; not all of its elements are defined"));
  return text;
}

Json Dumps::json() const {
  Json rows = Json::array();
  for (const Dumped& one : written_)
    rows.push_back({{"memory", one.text},
                    {"event", one.event},
                    {"file", one.file},
                    {"defined", one.is_defined}});
  return rows;
}

}  // namespace tessera::cli

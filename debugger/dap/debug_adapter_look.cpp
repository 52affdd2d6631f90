// Requests of an editor for the state of a stopped run.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/report/try.h"
#include "debugger/dap/debug_adapter.h"
#include "debugger/session/frames.h"
#include "interp/findings/describe.h"

namespace tessera::debugger {
namespace {

// Returns the frames of an agent; for a copy, the frames of its start.
std::vector<Frame> frames_of_agent(Session& session, const AgentId& agent) {
  Machine& machine = session.machine();
  if (!agent.is_copy()) {
    const Standing stands = standing(machine, machine.topology().of(agent));
    return frames_of(session.program(), stands.statement, stands.loops);
  }
  for (const CopyInFlight& copy : copies_in_flight(machine))
    if (copy.agent == agent) return frames_of(session.program(), copy.statement);
  return {};
}

// Name of the innermost frame, with the state of the agent.
std::string top_name(Session& session, const AgentId& agent, const std::string& frame) {
  if (agent.is_copy()) return fmt::format("{}, started in {}", to_string(agent), frame);
  const Standing stands = standing(session.machine(), session.machine().topology().of(agent));
  if (stands.status != CoreStatus::waits) return frame;
  return fmt::format("{}, waits: {} has {} of {}", frame, stands.semaphore, stands.count,
                     stands.need);
}

}  // namespace

Expected<Json> DebugAdapter::threads(Fields&) {
  Json all = Json::array();
  for (const AgentThread& thread : run_->threads.now())
    all.push_back({{"id", thread.id}, {"name", thread.name}});
  return Json({{"threads", all}});
}

// An agent without a place, for example one that has finished, has one frame without a source.
Expected<Json> DebugAdapter::stack_trace(Fields& given) {
  const std::int64_t start = given.integer("startFrame", 0), levels = given.integer("levels", 0);
  const AgentId agent = TRY(thread_of(given));
  std::vector<Frame> frames = frames_of_agent(*run_->session, agent);
  if (frames.empty())
    frames.push_back(
        {to_string(agent) + (agent.is_copy() ? " has landed" : " has finished"), {}, {}, {}, {}});
  Json told = Json::array();
  const auto total = static_cast<std::int64_t>(frames.size());
  const std::int64_t begin = std::clamp<std::int64_t>(start, 0, total);
  const std::int64_t end = levels > 0 ? begin + std::min(levels, total - begin) : total;
  for (std::int64_t i = begin; i < end; ++i) {
    const Frame& frame = frames[static_cast<std::size_t>(i)];
    const std::string name = to_string(frame);
    Json one = {{"id", run_->number_frame(agent)},
                {"name", i == 0 ? top_name(*run_->session, agent, name) : name},
                {"line", 0},
                {"column", 0}};
    if (frame.loc) {
      one["source"] = run_->sources.of(*frame.loc.source);
      one["line"] = to_client(frame.loc.line);
      one["column"] = std::max(frame.loc.column, 1) - 1 + first_column_;
    } else {
      one["presentationHint"] = "label";
    }
    told.push_back(one);
  }
  return Json({{"stackFrames", told}, {"totalFrames", total}});
}

Expected<Json> DebugAdapter::source(Fields& given) {
  const Json asked = given.object("source");
  std::int64_t reference = given.integer("sourceReference", 0);
  TRY(given.checked());
  if (const Json* const inner = asked.find("sourceReference"); inner != nullptr && reference <= 0)
    reference = Fields(asked).integer("sourceReference", 0);
  const std::shared_ptr<const Source> found = run_->sources.at(reference);
  if (found == nullptr) return error(fmt::format("no source has the number {}", reference));
  return Json({{"content", found->text}, {"mimeType", "text/x-tessera"}});
}

Expected<Json> DebugAdapter::scopes(Fields& given) {
  const std::int64_t frame = given.integer("frameId");
  TRY(given.checked());
  const std::optional<AgentId> agent = run_->agent_of_frame(frame);
  if (!agent)
    return error(fmt::format("the number {} is of no frame at this place of the run", frame));
  return Json({{"scopes", run_->variables.scopes(*agent)}});
}

Expected<Json> DebugAdapter::variables(Fields& given) {
  const std::int64_t reference = given.integer("variablesReference");
  VariableTree::Part part;
  part.filter = given.text("filter", "");
  part.start = given.integer("start", 0);
  part.count = given.integer("count", 0);
  TRY(given.checked());
  return Json({{"variables", TRY(run_->variables.children(reference, part))}});
}

Expected<Json> DebugAdapter::evaluate(Fields& given) {
  const std::string expression = given.text("expression");
  const std::string context = given.text("context", "");
  const std::int64_t frame = given.integer("frameId", 0);
  TRY(given.checked());
  const std::optional<AgentId> agent = run_->agent_of_frame(frame);
  if (context != "repl")
    return run_->variables.value(agent.value_or(run_->debugger.focus()), expression);
  if (agent) run_->debugger.set_focus(agent->issuer());
  return repl(expression);
}

// Executes a line of the console: a command, or a name, which is printed.
Expected<Json> DebugAdapter::repl(const std::string& line) {
  Debugger& debugger = run_->debugger;
  const std::string word = line.substr(0, line.find_first_of(" \t["));
  const bool is_name =
      !Debugger::is_command(word) && parse_reference(*run_->session, debugger.focus(), line);
  const AgentId focus = debugger.focus();
  run_->pause.arm();
  run_->take_said();
  run_->shown_finding = run_->session->findings().size();
  const Expected<void> done = debugger.execute(is_name ? "print " + line : line);
  const auto halt = debugger.take_halt();
  if (halt || debugger.focus() != focus) run_->forget_numbers();
  if (debugger.wants_to_quit()) {
    after_ = [this] { end(); };
  } else if (halt || debugger.focus() != focus) {
    after_ = [this] { tell_stopped("goto", ""); };
  }
  std::string said = run_->take_said();
  debugger.take_program_said();  // `said` contains it
  if (!done) return done.diags();
  tell_removed();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return Json({{"result", said}, {"variablesReference", 0}});
}

// Completes the first word to commands, and all words to names of the program.
Expected<Json> DebugAdapter::completions(Fields& given) {
  const std::string text = given.text("text");
  const std::int64_t column = given.integer("column") - first_column_;
  TRY(given.checked());
  const std::string before =
      text.substr(0, static_cast<std::size_t>(std::clamp<std::int64_t>(
                         column, 0, static_cast<std::int64_t>(text.size()))));
  const std::size_t mark = before.find_last_of(" .[,:");
  const std::size_t begin = mark == std::string::npos ? 0 : mark + 1;
  const std::string word = before.substr(begin);
  Json targets = Json::array();
  const auto offer = [&](const std::string& label, std::string_view type) {
    if (!label.starts_with(word)) return;
    targets.push_back({{"label", label},
                       {"type", type},
                       {"start", static_cast<std::int64_t>(begin) + first_column_},
                       {"length", static_cast<std::int64_t>(word.size())}});
  };
  if (begin == 0)
    for (const std::string& command : Debugger::completions(word)) offer(command, "keyword");
  for (const std::string_view name : names_of(run_->session->program()))
    offer(std::string(name), "variable");
  return Json({{"targets", targets}});
}

}  // namespace tessera::debugger

// Movement requests of an editor, and the events at the end of a movement.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/report/try.h"
#include "debugger/dap/debug_adapter.h"

namespace tessera::debugger {
namespace {

constexpr std::size_t max_findings = 20;

// The first line of the debugger's output is the reason of the stop.
std::string first_line(const std::string& said) { return said.substr(0, said.find('\n')); }

}  // namespace

// If the run is over, another forward movement ends the debuggee.
void DebugAdapter::move(const std::string& command) {
  using Way = Debugger::Way;
  const Way way = command.starts_with("reverse-") ? Way::backward : Way::forward;
  if (way == Way::forward && run_->session->is_over()) return end();
  run_movement([&] { return run_->debugger.execute(command); }, way);
}

void DebugAdapter::run_movement(const std::function<Expected<void>()>& movement,
                                Debugger::Way way) {
  run_->pause.arm();
  run_->shown_finding = run_->session->findings().size();
  run_->take_said();
  run_->debugger.take_program_said();
  const Expected<void> moved = movement();
  run_->forget_numbers();
  if (!moved) {
    say("stderr", render(moved.diags()));
    return tell_stopped("pause", "it could not move on");
  }
  tell_halt(run_->debugger.take_halt().value_or(Debugger::Halt{}), way);
}

void DebugAdapter::tell_halt(const Debugger::Halt& halt, Debugger::Way way) {
  using Why = Debugger::Halt::Why;
  const std::string printed = run_->debugger.take_program_said();
  const std::string said = run_->take_said().substr(printed.size());
  if (!printed.empty()) say("stdout", printed);
  const std::vector<Finding>& findings = run_->session->findings();
  const bool is_new = run_->shown_finding < findings.size();
  if (is_new) tell_findings(run_->shown_finding);
  tell_removed();
  // A breakpoint of the program has no number.
  Json hit = Json::object();
  if (halt.stop != 0) hit["hitBreakpointIds"] = Json::array({halt.stop});
  switch (halt.why) {
    case Why::asked:
      return tell_stopped("step", "");
    case Why::breakpoint:
      return tell_stopped("breakpoint", first_line(said), hit);
    case Why::watch:
      return tell_stopped("data breakpoint", first_line(said), hit);
    case Why::finding: {
      if (way == Debugger::Way::backward || !is_new)
        return tell_stopped("exception", "the next event finds something");
      const Finding& finding = findings[run_->shown_finding];
      return tell_stopped("exception", std::string(name(finding.kind)),
                          {{"text", message_text(finding, finding.message)}});
    }
    case Why::paused:  // or the client disconnects
      if (const auto asked = in_.take("pause")) {
        respond(*asked, {});
        tell_stopped("pause", "");
      }
      return;
    case Why::beginning:
      return tell_stopped("entry", "this is the beginning");
    case Why::end:
      return tell_stopped("end", run_->debugger.over_text());
  }
}

void DebugAdapter::tell_stopped(std::string_view reason, const std::string& description,
                                Json more) {
  const AgentThreads::Change change = run_->threads.change();
  for (const std::int64_t id : change.exited)
    tell("thread", {{"reason", "exited"}, {"threadId", id}});
  for (const std::int64_t id : change.started)
    tell("thread", {{"reason", "started"}, {"threadId", id}});
  Json body = {{"reason", reason},
               {"threadId", run_->threads.id_of(run_->debugger.focus())},
               {"allThreadsStopped", true}};
  if (!description.empty()) body["description"] = description;
  const bool has_more = !std::holds_alternative<std::nullptr_t>(more.value());
  if (has_more) body.update(more);
  tell("stopped", body);
}

void DebugAdapter::tell_findings(std::size_t from) {
  const std::vector<Finding>& all = run_->session->findings();
  const std::size_t end = std::min(all.size(), from + max_findings);
  for (std::size_t i = from; i < end; ++i) say("stderr", render(all[i]), all[i].at.loc);
  if (end < all.size())
    say("stderr", fmt::format("... {} more; `info findings` lists them\n", all.size() - end));
}

Expected<AgentId> DebugAdapter::thread_of(Fields& given) const {
  const std::int64_t id = given.integer("threadId");
  TRY(given.checked());
  const std::optional<AgentId> agent = run_->threads.find(id);
  if (!agent) return error(fmt::format("there is no thread {}", id));
  return *agent;
}

// The whole run continues: a thread is one of its agents and cannot run alone.
Expected<Json> DebugAdapter::go_on(Fields&) {
  after_ = [this] { move("continue"); };
  return Json({{"allThreadsContinued", true}});
}

Expected<Json> DebugAdapter::reverse_go_on(Fields&) {
  after_ = [this] { move("reverse-continue"); };
  return Json();
}

// line: the debugger's command for a core. event: the command for the granularity `instruction`. A
// copy is followed until it moves.
Expected<Json> DebugAdapter::step_by(Fields& given, Debugger::Way way, std::string_view line,
                                     std::string_view event) {
  const std::string granularity = given.text("granularity", "statement");
  const AgentId agent = TRY(thread_of(given));
  run_->debugger.set_focus(agent.issuer());
  if (granularity == "instruction") {
    after_ = [this, command = std::string(event)] { move(command); };
  } else if (agent.is_copy()) {
    after_ = [this, agent, way] {
      run_movement([&] { return run_->debugger.follow(agent, way); }, way);
    };
  } else {
    after_ = [this, command = std::string(line)] { move(command); };
  }
  return Json();
}

Expected<Json> DebugAdapter::next(Fields& given) {
  return step_by(given, Debugger::Way::forward, "next", "stepi");
}

Expected<Json> DebugAdapter::step_in(Fields& given) {
  return step_by(given, Debugger::Way::forward, "step", "stepi");
}

Expected<Json> DebugAdapter::step_out(Fields& given) {
  return step_by(given, Debugger::Way::forward, "finish", "finish");
}

Expected<Json> DebugAdapter::step_back(Fields& given) {
  return step_by(given, Debugger::Way::backward, "reverse-next", "reverse-stepi");
}

// A pause request during a movement is answered at its end. Here the run is stopped already.
Expected<Json> DebugAdapter::pause(Fields&) { return Json(); }

}  // namespace tessera::debugger

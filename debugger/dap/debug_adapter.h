// Server for the Debug Adapter Protocol (microsoft.github.io/debug-adapter-protocol). Requests of
// an editor run on the same session, stops and commands as in the terminal.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "debugger/dap/debugged_run.h"
#include "debugger/dap/fields.h"
#include "debugger/dap/messages.h"

namespace tessera::debugger {

class DebugAdapter {
 public:
  struct Target {
    std::unique_ptr<Session> session;
    Invocation invocation;
    Debugger::Compare compare;                           // may be null
    const ReadFiles* read;                               // as in Debugger()
    std::function<int(const Session& ended)> exit_code;  // exit code of the debuggee
  };
  // Opens the target of a launch request. program: none if the command line names one. arguments:
  // in addition to the arguments of the command line.
  using Open = std::function<Expected<Target>(const std::optional<std::string>& program,
                                              const std::vector<std::string>& arguments)>;
  // in, out: must outlive this object.
  DebugAdapter(MessageReader& in, std::ostream& out, Open open);
  ~DebugAdapter();

  // Handles requests until the client disconnects or its input ends. Fails if the input is not a
  // valid message or cannot be read, and with ErrorCode::environment if `out` fails. Requests that
  // fail are answered with their error.
  Expected<void> serve();

 private:
  struct Row;
  static std::span<const Row> table();

  // Messages.
  // Handles a request. Fails only if the message is malformed.
  Expected<void> handle(const Json& message);
  void send(Json message);
  void respond(const Json& request, Json body);
  void refuse(const Json& request, const Diags& diags);
  // Sends an event.
  void tell(std::string_view event, Json body = {});
  // Sends an output event; nothing if the text is empty.
  void say(std::string_view category, const std::string& text, const Loc& at = {});

  // Begin and end of the conversation. These and the functions below that accept Fields handle one
  // request: they return the body of its response, or an error that is its response.
  Expected<Json> initialize(Fields& given);
  Expected<Json> launch(Fields& given);
  Expected<Json> attach(Fields& given);
  Expected<Json> configured(Fields& given);
  Expected<Json> disconnect(Fields& given);
  Expected<Json> terminate(Fields& given);

  // Movements. They start after the response was sent.
  Expected<Json> go_on(Fields& given);
  Expected<Json> next(Fields& given);
  Expected<Json> step_in(Fields& given);
  Expected<Json> step_out(Fields& given);
  Expected<Json> step_back(Fields& given);
  Expected<Json> reverse_go_on(Fields& given);
  Expected<Json> pause(Fields& given);
  Expected<Json> step_by(Fields& given, Debugger::Way way, std::string_view line,
                         std::string_view event);
  // Executes a movement command of the debugger. If the run is over, a forward one calls end().
  void move(const std::string& command);
  void run_only();
  // Calls `movement` and sends the events for its end, or its error as output.
  void run_movement(const std::function<Expected<void>()>& movement, Debugger::Way way);
  void tell_halt(const Debugger::Halt& halt, Debugger::Way way);
  void tell_stopped(std::string_view reason, const std::string& description, Json more = {});
  // Sends at most 20 findings, from this index on.
  void tell_findings(std::size_t from);
  void end();  // sends, only once, that the debuggee has ended

  // Stops.
  Expected<Json> set_breakpoints(Fields& given);
  Expected<Json> set_exception_breakpoints(Fields& given);
  Expected<Json> data_breakpoint_info(Fields& given);
  Expected<Json> set_data_breakpoints(Fields& given);
  Expected<Json> exception_info(Fields& given);
  // Set a stop and return its object, unverified with the reason if the stop cannot be set. Append
  // the number of the stop to `numbers` or to the watches.
  Json set_breakpoint(const Source& source, const Json& asked, std::vector<int>& numbers);
  Json set_data_breakpoint(const Json& asked);
  void tell_removed();

  // Inspection.
  Expected<Json> threads(Fields& given);
  Expected<Json> stack_trace(Fields& given);
  Expected<Json> source(Fields& given);
  Expected<Json> scopes(Fields& given);
  Expected<Json> variables(Fields& given);
  Expected<Json> evaluate(Fields& given);
  Expected<Json> completions(Fields& given);
  Expected<Json> repl(const std::string& line);
  // Returns the agent of the member `threadId`. Fails if there is none, or for earlier errors.
  Expected<AgentId> thread_of(Fields& given) const;

  std::int64_t to_client(int line) const { return line - 1 + first_line_; }

  MessageReader& in_;
  std::ostream& out_;
  Open open_;
  std::int64_t seq_ = 0;
  std::int64_t first_line_ = 1, first_column_ = 1;  // first numbers of the client: 0 or 1
  bool is_initialized_ = false, has_disconnected_ = false, has_terminated_ = false;
  bool stops_on_entry_ = false, runs_only_ = false;
  std::function<void()> after_;  // run after the response

  std::unique_ptr<DebuggedRun> run_;              // null: nothing was launched
  std::function<int(const Session&)> exit_code_;  // null: nothing was launched
};

}  // namespace tessera::debugger

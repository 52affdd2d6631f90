#include "debugger/dap/debug_adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/report/near.h"
#include "core/report/printable.h"
#include "core/report/shown.h"
#include "core/report/try.h"

namespace tessera::debugger {
namespace {

// The request that must come before another one.
enum class After : std::uint8_t { nothing, initialize, launch };

// Without the line end.
std::string text_of(const Diags& diags) {
  std::string text = render(diags);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

struct DebugAdapter::Row {
  std::string_view command;
  After after;
  Expected<Json> (DebugAdapter::*run)(Fields& given);
};

std::span<const DebugAdapter::Row> DebugAdapter::table() {
  static constexpr Row rows[] = {
      {"initialize", After::nothing, &DebugAdapter::initialize},
      {"launch", After::initialize, &DebugAdapter::launch},
      {"attach", After::initialize, &DebugAdapter::attach},
      {"configurationDone", After::launch, &DebugAdapter::configured},
      {"disconnect", After::nothing, &DebugAdapter::disconnect},
      {"terminate", After::initialize, &DebugAdapter::terminate},
      {"setBreakpoints", After::launch, &DebugAdapter::set_breakpoints},
      {"setExceptionBreakpoints", After::launch, &DebugAdapter::set_exception_breakpoints},
      {"dataBreakpointInfo", After::launch, &DebugAdapter::data_breakpoint_info},
      {"setDataBreakpoints", After::launch, &DebugAdapter::set_data_breakpoints},
      {"exceptionInfo", After::launch, &DebugAdapter::exception_info},
      {"continue", After::launch, &DebugAdapter::go_on},
      {"next", After::launch, &DebugAdapter::next},
      {"stepIn", After::launch, &DebugAdapter::step_in},
      {"stepOut", After::launch, &DebugAdapter::step_out},
      {"stepBack", After::launch, &DebugAdapter::step_back},
      {"reverseContinue", After::launch, &DebugAdapter::reverse_go_on},
      {"pause", After::launch, &DebugAdapter::pause},
      {"threads", After::launch, &DebugAdapter::threads},
      {"stackTrace", After::launch, &DebugAdapter::stack_trace},
      {"source", After::launch, &DebugAdapter::source},
      {"scopes", After::launch, &DebugAdapter::scopes},
      {"variables", After::launch, &DebugAdapter::variables},
      {"evaluate", After::launch, &DebugAdapter::evaluate},
      {"completions", After::launch, &DebugAdapter::completions},
  };
  return rows;
}

DebugAdapter::DebugAdapter(MessageReader& in, std::ostream& out, Open open)
    : in_(in), out_(out), open_(std::move(open)) {}

DebugAdapter::~DebugAdapter() = default;

Expected<void> DebugAdapter::serve() {
  while (!has_disconnected_) {
    const std::optional<Json> message = TRY(in_.next());
    if (!message) return {};
    TRY(handle(*message));
    if (!out_) return error(ErrorCode::environment, "the client accepts no more messages");
  }
  return {};
}

// Ignores responses and events of the client: the adapter sends no requests.
Expected<void> DebugAdapter::handle(const Json& message) {
  Fields fields(message);
  const std::string type = fields.text("type");
  if (type == "response" || type == "event") return {};
  fields.integer("seq");
  const std::string command = fields.text("command");
  const Json arguments = fields.object("arguments");
  Expected<void> is_request = fields.checked();
  if (is_request && type != "request")
    is_request = error("its type is none of request, response, event");
  if (!is_request)
    return error(fmt::format("{} is not a message of the protocol: {}", shown_text(message.text()),
                             is_request.diags().front().message));
  const std::span<const Row> rows = table();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& one) { return one.command == command; });
  if (row == rows.end()) {
    std::vector<std::string_view> known;
    for (const Row& one : rows) known.push_back(one.command);
    refuse(message, {error(ErrorCode::unsupported,
                           fmt::format("there is no request `{}` here{}", shown_text(command),
                                       did_you_mean(command, known)))});
  } else if (row->after != After::nothing && !is_initialized_) {
    refuse(message, {error(fmt::format("{} comes after initialize", command))});
  } else if (row->after == After::launch && run_ == nullptr) {
    refuse(message, {error(fmt::format("{} comes after launch", command))});
  } else {
    Fields given(arguments);
    const Expected<Json> body = (this->*row->run)(given);
    if (body)
      respond(message, *body);
    else
      refuse(message, body.diags());
    if (const auto after = std::exchange(after_, nullptr); after && body) after();
  }
  return {};
}

void DebugAdapter::send(Json message) {
  Json numbered = {{"seq", ++seq_}};
  numbered.update(message);
  out_ << framed(numbered) << std::flush;
}

void DebugAdapter::respond(const Json& request, Json body) {
  Json response = {{"type", "response"},
                   {"request_seq", *request.find("seq")},
                   {"success", true},
                   {"command", *request.find("command")}};
  const bool is_empty = std::holds_alternative<std::nullptr_t>(body.value());
  if (!is_empty) response["body"] = std::move(body);
  send(response);
}

// The text is passed as a variable of the message format, because it may contain braces.
void DebugAdapter::refuse(const Json& request, const Diags& diags) {
  const std::string text = text_of(diags);
  Json error_body = {{"id", 1}, {"format", "{text}"}, {"showUser", true}};
  error_body["variables"]["text"] = text;
  Json response = {{"type", "response"},
                   {"request_seq", *request.find("seq")},
                   {"success", false},
                   {"command", *request.find("command")},
                   {"message", printable(diags.front().message)}};
  response["body"]["error"] = std::move(error_body);
  send(response);
}

void DebugAdapter::tell(std::string_view event, Json body) {
  Json message = {{"type", "event"}, {"event", event}};
  const bool is_empty = std::holds_alternative<std::nullptr_t>(body.value());
  if (!is_empty) message["body"] = std::move(body);
  send(message);
}

void DebugAdapter::say(std::string_view category, const std::string& text, const Loc& at) {
  if (text.empty()) return;
  Json body = {{"category", category}, {"output", printable(text)}};
  if (at && run_ != nullptr) {
    body["source"] = run_->sources.of(*at.source);
    body["line"] = to_client(at.line);
  }
  tell("output", body);
}

}  // namespace tessera::debugger

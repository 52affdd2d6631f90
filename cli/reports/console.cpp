#include "cli/reports/console.h"

#include <fmt/format.h>

#include <array>
#include <ostream>
#include <string>
#include <utility>

#include "cli/reports/progress.h"
#include "core/report/shown.h"
#include "core/report/stop.h"

namespace tessera::cli {

std::string_view name(Status status) {
  constexpr std::array<std::string_view, 8> names = {"ok",        "mismatch",    "finding",
                                                     "bad_input", "unsupported", "environment",
                                                     "budget",    "interrupted"};
  return names[static_cast<std::size_t>(status)];
}

int exit_code(Status status) {
  switch (status) {
    case Status::ok:
      return 0;
    case Status::mismatch:
    case Status::finding:
      return 1;
    case Status::bad_input:
    case Status::unsupported:
      return 2;
    case Status::environment:
    case Status::budget:
    case Status::interrupted:
      return 3;
  }
  return 2;
}

Status status_of(const Diags& diags) {
  if (diags.empty()) return Status::ok;
  switch (diags.front().code) {
    case ErrorCode::unsupported:
      return Status::unsupported;
    case ErrorCode::environment:
      return Status::environment;
    case ErrorCode::interrupted:  // by a signal, otherwise by a limit
      return is_stopped(current_stop()) ? Status::interrupted : Status::budget;
    case ErrorCode::invalid_value:
    case ErrorCode::invalid_type:
    case ErrorCode::unused_option:
    case ErrorCode::runtime:
      return Status::bad_input;
  }
  return Status::bad_input;
}

namespace {

Json or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json place_json(const Loc& loc, int device, std::string_view agent) {
  Json place;
  place["file"] = loc ? Json(loc.source->name) : Json();
  place["line"] = loc ? Json(loc.line) : Json();
  place["column"] = loc && loc.column > 0 ? Json(loc.column) : Json();
  place["device"] = device >= 0 ? Json(device) : Json();
  place["agent"] = or_null(agent);
  return place;
}

namespace {

Json note_json(std::string_view message, const Loc& loc, int device, std::string_view agent) {
  Json note = {{"message", message}};
  note.update(place_json(loc, device, agent));
  return note;
}

Json note_json(std::string_view message, const FindingPlace& place) {
  Json note = note_json(message, place.loc, place.device, place.agent);
  note["loops"] = Json::array();
  for (const LoopIndex& index : place.loops)
    note["loops"].push_back({{"name", index.name}, {"value", index.value}});
  return note;
}

Json notes_json(const std::vector<FindingPlace>& notes) {
  Json list = Json::array();
  for (const FindingPlace& note : notes) {
    Json object = note_json(note.message, note);
    object["detail"] = note.is_detail;
    object["role"] = tessera::name(note.role);
    object["buffer"] = or_null(note.buffer);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

Json to_json(const Diag& diag) {
  Json result = {{"kind", diag.code == ErrorCode::unsupported     ? "unsupported"
                          : diag.code == ErrorCode::unused_option ? "unused_option"
                                                                  : "error"}};
  result.update(note_json(shown_text(diag.message, longest_message), diag.loc, -1, {}));
  result["notes"] = Json::array();
  for (const Note& note : diag.notes) {
    result["notes"].push_back(note_json(note.message, note.loc, -1, {}));
  }
  return result;
}

Json to_json(const Finding& finding) {
  Json result = {{"kind", tessera::name(finding.kind)}};
  result.update(note_json(finding.message, finding.at));
  result["notes"] = notes_json(finding.notes);
  result["access"] = Json();
  if (const FindingAccess& access = finding.access; !access.buffer.empty())
    result["access"] = {{"buffer", access.buffer},
                        {"slice", access.slice},
                        {"element", access.element},
                        {"result", or_null(access.result)}};
  result["insert"] = Json();
  if (const MissingWait& wait = finding.missing_wait; wait.before_line > 0)
    result["insert"] = {{"text", wait.text}, {"before_line", wait.before_line}};
  return result;
}

Json to_json(const Remark& remark) {
  Json result = note_json(remark.at.message, remark.at);
  result["notes"] = notes_json(remark.notes);
  return result;
}

void print(Console& console, const Json& object) {
  Json numbered = {{"schema", output_schema}};
  numbered.update(object);
  (console.object != nullptr ? *console.object : console.out) << numbered.lines() << '\n';
}

namespace {

// Adds errors to the object of a report.
void add_errors(Json& object, const Diags& diags) {
  std::string text;
  for (const Diag& diag : diags)
    text += (text.empty() ? "" : "\n") + shown_text(diag.message, longest_message);
  object["status"] = name(status_of(diags));
  object["error"] = text;
  object["errors"] = Json::array();
  for (const Diag& diag : diags) object["errors"].push_back(to_json(diag));
}

}  // namespace

int report(Console& console, Status status, const Diags& unwritten,
           const std::function<Json()>& json, const std::function<void()>& text) {
  if (console.prints_json()) {
    Json object = json();
    if (!unwritten.empty()) add_errors(object, unwritten);
    print(console, object);
  }
  if (console.prints_text()) {
    text();
    console.err << render(unwritten);
  }
  return exit_code(unwritten.empty() ? status : status_of(unwritten));
}

int fail(Console& console, const Diags& diags) {
  Progress::phase(console, {});
  const Status status = status_of(diags);
  if (console.prints_json()) {
    Json object = Json::object();
    add_errors(object, diags);
    print(console, object);
  }
  if (console.prints_text()) console.err << render(diags);
  return exit_code(status);
}

int fail(Console& console, Diag diag) { return fail(console, Diags{std::move(diag)}); }

}  // namespace tessera::cli

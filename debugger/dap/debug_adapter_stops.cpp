// Stops set by an editor.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/report/finding.h"
#include "core/report/near.h"
#include "core/report/shown.h"
#include "core/report/try.h"
#include "debugger/dap/debug_adapter.h"

namespace tessera::debugger {
namespace {

Json unverified(const std::string& message) { return {{"verified", false}, {"message", message}}; }

std::string text_of(const Diags& diags) { return diags.front().message; }

// Converts "dev1 i=2" or "i == 2 && s = 1" to the words of `break` after its line.
Debugger::Words words_of(const std::string& condition) {
  std::string text;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const char c = condition[i];
    const bool is_twice = i + 1 < condition.size() && condition[i + 1] == c;
    if (c == '=') {
      while (!text.empty() && text.back() == ' ') text.pop_back();
      text += '=';
      if (is_twice) ++i;
      while (i + 1 < condition.size() && condition[i + 1] == ' ') ++i;
    } else if (c == ',' || (c == '&' && is_twice)) {
      text += ' ';
      if (c == '&') ++i;
    } else {
      text += std::isspace(static_cast<unsigned char>(c)) != 0 ? ' ' : c;
    }
  }
  Debugger::Words words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

Json DebugAdapter::set_breakpoint(const Source& source, const Json& asked,
                                  std::vector<int>& numbers) {
  Fields given(asked);
  const std::int64_t line = given.integer("line") - first_line_ + 1;
  const std::string condition = given.text("condition", "");
  if (const auto checked = given.checked(); !checked) return unverified(text_of(checked.diags()));
  if (given.has("hitCondition"))
    return unverified("hits are not counted; use a loop index to select one, as in i=2");
  if (given.has("logMessage"))
    return unverified("a breakpoint writes no messages; `print` in the program does");
  Debugger::Words words = words_of(condition);
  words.insert(words.begin(), fmt::format("{}:{}", source.name, line));
  const Expected<PlaceReference> place = parse_place(*run_->session, words);
  if (!place) return unverified(text_of(place.diags()));
  const Expected<int> number = run_->debugger.add_breakpoint(words);
  if (!number) return unverified(text_of(number.diags()));
  numbers.push_back(*number);
  Json told = {{"id", *number}, {"verified", true}, {"line", to_client(place->line.line)}};
  if (place->line.line != line) told["message"] = "the next line that takes a step";
  return told;
}

Expected<Json> DebugAdapter::set_breakpoints(Fields& given) {
  const Json asked = given.object("source");
  std::vector<Json> wanted = given.list("breakpoints");
  if (!given.has("breakpoints"))
    for (const Json& line : given.list("lines")) wanted.push_back({{"line", line}});
  TRY(given.checked());
  const Expected<std::shared_ptr<const Source>> source = run_->sources.find(asked);
  Json told = Json::array();
  if (!source) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      told.push_back(unverified(text_of(source.diags())));
    return Json({{"breakpoints", told}});
  }
  std::vector<int>& numbers = run_->breakpoints[(*source)->name];
  for (const int number : std::exchange(numbers, {})) run_->debugger.remove_stop(number);
  for (const Json& one : wanted) {
    Json breakpoint = set_breakpoint(**source, one, numbers);
    breakpoint["source"] = run_->sources.of(**source);
    told.push_back(breakpoint);
  }
  return Json({{"breakpoints", told}});
}

// Kinds without a filter stop no movement. Their findings are still reported.
Expected<Json> DebugAdapter::set_exception_breakpoints(Fields& given) {
  const std::vector<std::string> wanted = given.texts("filters");
  TRY(given.checked());
  std::vector<FindingKind> passed;
  std::vector<std::string_view> known;
  for (const FindingKind kind : finding_kinds()) {
    known.push_back(name(kind));
    if (std::find(wanted.begin(), wanted.end(), name(kind)) == wanted.end()) passed.push_back(kind);
  }
  Json told = Json::array();
  for (const std::string& filter : wanted) {
    const bool is_known = std::find(known.begin(), known.end(), filter) != known.end();
    told.push_back(is_known
                       ? Json({{"verified", true}})
                       : unverified(fmt::format("no kind of finding is called `{}`{}",
                                                shown_text(filter), did_you_mean(filter, known))));
  }
  run_->debugger.pass_over(std::move(passed));
  return Json({{"breakpoints", told}});
}

Expected<Json> DebugAdapter::exception_info(Fields& given) {
  TRY(thread_of(given));
  const std::vector<Finding>& all = run_->session->findings();
  if (run_->shown_finding >= all.size())
    return error("there is no finding at this place of the run");
  const Finding& finding = all[run_->shown_finding];
  const std::string kind(name(finding.kind));
  return Json(
      {{"exceptionId", kind},
       {"description", message_text(finding, finding.message)},
       {"breakMode", "always"},
       {"details",
        {{"typeName", kind}, {"message", finding.message}, {"stackTrace", render(finding)}}}});
}

Expected<Json> DebugAdapter::data_breakpoint_info(Fields& given) {
  const std::string named = given.text("name");
  const std::int64_t below = given.integer("variablesReference", 0);
  const std::int64_t frame = given.integer("frameId", 0);
  TRY(given.checked());
  const auto none = [](const std::string& why) {
    return Json({{"dataId", nullptr}, {"description", why}});
  };
  const AgentId agent = run_->agent_of_frame(frame).value_or(run_->debugger.focus());
  const Expected<std::string> expression =
      below > 0 ? run_->variables.expression(below, named) : Expected<std::string>(named);
  if (!expression) return none(text_of(expression.diags()));
  const auto what = parse_reference(*run_->session, agent.issuer(), *expression);
  if (!what) return none(text_of(what.diags()));
  if (std::holds_alternative<ScalarReference>(*what))
    return none("a scalar of a core has no event to stop at");
  const std::string full = run_->variables.full_name(*what);
  return Json({{"dataId", full},
               {"description", full},
               {"accessTypes", Json::array({"write"})},
               {"canPersist", true}});
}

Json DebugAdapter::set_data_breakpoint(const Json& asked) {
  Fields given(asked);
  const std::string id = given.text("dataId");
  const std::string access = given.text("accessType", "write");
  if (const auto checked = given.checked(); !checked) return unverified(text_of(checked.diags()));
  if (access != "write")
    return unverified(
        fmt::format("a watch stops after a write or a count, not at a {}", shown_text(access)));
  if (given.has("condition") || given.has("hitCondition"))
    return unverified("a watch has no condition");
  const Expected<int> number = run_->debugger.add_watch(id);
  if (!number) return unverified(text_of(number.diags()));
  run_->watches.push_back(*number);
  return {{"id", *number}, {"verified", true}};
}

Expected<Json> DebugAdapter::set_data_breakpoints(Fields& given) {
  const std::vector<Json> wanted = given.list("breakpoints");
  TRY(given.checked());
  for (const int number : std::exchange(run_->watches, {})) run_->debugger.remove_stop(number);
  Json told = Json::array();
  for (const Json& one : wanted) told.push_back(set_data_breakpoint(one));
  return Json({{"breakpoints", told}});
}

// Reports the client's stops that a console command has deleted.
void DebugAdapter::tell_removed() {
  const auto tell_gone = [&](std::vector<int>& numbers) {
    std::erase_if(numbers, [&](int number) {
      if (run_->debugger.has_stop(number)) return false;
      tell("breakpoint",
           {{"reason", "removed"}, {"breakpoint", {{"id", number}, {"verified", false}}}});
      return true;
    });
  };
  for (auto& [source, numbers] : run_->breakpoints) tell_gone(numbers);
  tell_gone(run_->watches);
}

}  // namespace tessera::debugger

#include "cli/reports/diff_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/reports/finding_text.h"
#include "cli/reports/report.h"
#include "interp/cut_off.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string place_text(const std::optional<DiffPlace>& place) {
  if (!place) return "nothing";
  std::string text = fmt::format("event {}, {}", place->event, to_string(place->agent));
  if (!place->line.empty()) text += (place->agent.is_copy() ? ", started at " : ", ") + place->line;
  if (!place->loops.empty()) text += ", " + to_string(place->loops);
  return text;
}

std::string places_lines(const std::string& label, const DiffPlaces& places) {
  return line(label, "A  " + place_text(places.a)) + line("", "B  " + place_text(places.b));
}

std::string value_text(const DiffValue& value) {
  if (value.value_a.empty()) return value.where;
  return fmt::format("{} = {} in A, {} in B", value.where, value.value_a, value.value_b);
}

std::string findings_line(std::string_view label, const std::vector<Finding>& findings) {
  if (findings.empty()) return {};
  const Finding& first = findings.front();
  std::string text = fmt::format("{}: {}", name(first.kind), message_text(first, first.message));
  if (first.at.loc)
    text = fmt::format("{}:{}: {}", first.at.loc.source->name, first.at.loc.line, text);
  if (findings.size() > 1) text += fmt::format("; {} more", findings.size() - 1);
  return line(label, text);
}

std::string result_lines(const DiffReport& report) {
  std::string text;
  std::int64_t same = 0;
  for (const DiffResult& result : report.results) {
    if (result.tensor.different == 0) {
      ++same;
      continue;
    }
    text +=
        line("result",
             fmt::format("{}: {} of {} elements differ{}", result.where, result.tensor.different,
                         result.tensor.elements,
                         result.first.where.empty() ? "" : "; first " + value_text(result.first)));
    if (!result.first.where.empty()) text += places_lines("", result.first.places);
  }
  if (same > 0 && report.difference.has_values)
    text += line("results", fmt::format("{} of {} the same", same, report.results.size()));
  if (!report.difference.uncompared.empty())
    text +=
        line("results", fmt::format("in one run only, of different type or shape, or unknown: {}",
                                    fmt::join(report.difference.uncompared, ", ")));
  return text;
}

// List of the kinds of differences.
std::string different_text(const DiffReport& report) {
  const RunDifference& found = report.difference;
  std::vector<std::string> parts;
  if (found.event) parts.emplace_back("the events");
  if (found.value) parts.emplace_back("the written values");
  const auto results = std::count_if(report.results.begin(), report.results.end(),
                                     [](const auto& one) { return one.tensor.different > 0; });
  if (results > 0)
    parts.push_back(fmt::format(
        "{} of {}", results,
        counted(static_cast<std::int64_t>(report.results.size()), "result", "results")));
  if (!found.uncompared.empty()) parts.emplace_back("the set of results");
  if (parts.empty()) parts.emplace_back("the findings");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string verdict_line(const DiffReport& report) {
  const RunDifference& found = report.difference;
  if (!found.is_same()) return line("different", different_text(report));
  const std::string values =
      found.has_values ? "bit for bit" : "as far as events go; --no-math computes no values";
  if (!found.is_one_program)
    return line("same", "the results, and the data written to buffers of the same name, " + values);
  if (!found.compares_cores)
    return line("same", "the results, and the data written to hbm, " + values +
                            "; iterations of parallel loops run in another order");
  return line("same", fmt::format("every core and every copy does the same, {}{}", values,
                                  found.order ? "; only the order differs" : ""));
}

Json place_object(const std::optional<DiffPlace>& place) {
  if (!place) return Json();
  Json object = {{"event", place->event}};
  object.update(place_json(place->loc, place->agent.device, to_string(place->agent)));
  object["loops"] = Json::array();
  for (const LoopIndex& loop : place->loops)
    object["loops"].push_back({{"name", loop.name}, {"value", loop.value}});
  return object;
}

Json places_object(const std::optional<DiffPlaces>& places) {
  if (!places) return Json();
  return {{"a", place_object(places->a)}, {"b", place_object(places->b)}};
}

Json value_object(const DiffValue& value) {
  const auto text = [](const std::string& word) { return word.empty() ? Json() : Json(word); };
  return {{"memory", value.where},
          {"a", text(value.value_a)},
          {"b", text(value.value_b)},
          {"places", places_object(value.places)}};
}

}  // namespace

std::string diff_lines(const DiffReport& report) {
  const RunDifference& found = report.difference;
  std::string text = line("A", report.a) + line("B", report.b);
  text += line("events", fmt::format("{} and {}", found.events_a, found.events_b));
  for (const TensorDifference& operand : found.operands)
    text += line("operand", fmt::format("dev{} {}: {} of {} elements differ", operand.device,
                                        operand.name, operand.different, operand.elements));
  for (const auto& [run, end] : {std::pair("A", found.end_a), {"B", found.end_b}})
    if (end != RunEnd::program)
      text += line("cut off", cut_off(end, run).message + "; its results are not compared");
  // If the order first differs at the different event, only the event is reported.
  const bool is_event =
      found.event && (found.event->a == found.order || found.event->b == found.order);
  if (report.order && !is_event) text += places_lines("order", *report.order);
  if (report.event) text += places_lines("event", *report.event);
  if (report.value)
    text += line("value", value_text(*report.value)) + places_lines("", report.value->places);
  text += result_lines(report);
  text +=
      findings_line("finding A", found.findings_a) + findings_line("finding B", found.findings_b);
  return text + verdict_line(report);
}

Json diff_json(const DiffReport& report) {
  const RunDifference& found = report.difference;
  Json object = {{"status", name(found.is_same() ? Status::ok : Status::mismatch)},
                 {"verdict", found.is_same() ? "same" : "different"},
                 {"a", report.a},
                 {"b", report.b},
                 {"one_program", found.is_one_program},
                 {"compares_cores", found.compares_cores},
                 {"has_values", found.has_values},
                 {"events", {{"a", found.events_a}, {"b", found.events_b}}},
                 {"order", places_object(report.order)},
                 {"event", places_object(report.event)},
                 {"value", report.value ? value_object(*report.value) : Json()},
                 {"operands", Json::array()},
                 {"results", Json::array()},
                 {"uncompared", found.uncompared},
                 {"findings_a", findings_json(found.findings_a)},
                 {"findings_b", findings_json(found.findings_b)}};
  const auto row = [](const TensorDifference& tensor) -> Json {
    return {{"name", tensor.name},
            {"device", tensor.device},
            {"elements", tensor.elements},
            {"different", tensor.different}};
  };
  for (const TensorDifference& operand : found.operands) object["operands"].push_back(row(operand));
  for (const DiffResult& result : report.results) {
    Json one = row(result.tensor);
    one["first"] = result.first.where.empty() ? Json() : value_object(result.first);
    object["results"].push_back(std::move(one));
  }
  return object;
}

}  // namespace tessera::cli

#include "cli/reports/expectation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/reports/report.h"
#include "cli/reports/wrong_elements.h"
#include "core/report/try.h"
#include "interp/findings/describe.h"
#include "interp/memory/layout.h"
#include "interp/observe/last_write.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Rule of the comparison of floats; empty for integers, which must be equal.
std::string rule_text(const Expectation& expected) {
  switch (expected.rule) {
    case Rule::equality:
      return {};
    case Rule::tolerance:
      return fmt::format("--rtol {} --atol {}", expected.tolerance.relative,
                         expected.tolerance.absolute);
    case Rule::running_bound:
      break;
  }
  return fmt::format("the running error bound{}",
                     expected.computed_in
                         ? fmt::format(" with --expected-in {}{}", name(*expected.computed_in),
                                       expected.by_xla_cpu ? " --expected-by xla-cpu" : "")
                         : "");
}

// Suffix for a wrong element: the rule of the comparison, and the bound of this element if known.
std::string judged_text(const ComparedResult& result, std::int64_t element) {
  const std::string rule = rule_text(*result.expected);
  if (rule.empty()) return {};
  if (result.bounds.empty()) return fmt::format(" ({})", rule);
  return fmt::format(" ({}: {:.3g})", rule, result.bounds[static_cast<std::size_t>(element)]);
}

// Agreement of a right result with the expected values.
std::string agreement_text(const ComparedResult& result) {
  const std::string rule = rule_text(*result.expected);
  const Comparison& c = result.comparison;
  if (rule.empty()) return "exactly";
  if (result.expected->rule == Rule::tolerance)
    return fmt::format("within {}; the largest difference is {:.3g}", rule, c.max_abs_error);
  const auto without = std::count_if(result.bounds.begin(), result.bounds.end(),
                                     [](float bound) { return bound != bound; });
  return fmt::format("within {}, at {:.2g} of it; the largest difference is {:.3g}{}", rule,
                     c.largest_share, c.max_abs_error,
                     without == 0 ? ""
                                  : fmt::format("; {} without a bound {} equal",
                                                counted(without, "element", "elements"),
                                                without == 1 ? "is" : "are"));
}

// "out", or "out@1" if there are several devices.
std::string result_name(const Buffer& buffer, int device, int devices) {
  return devices > 1 ? fmt::format("{}@{}", buffer.name, device) : buffer.name;
}

// The value, with enough digits to distinguish it from adjacent values of its type.
std::string value_text(const Tensor& tensor, std::int64_t element) {
  if (tensor.dtype() == DType::i64) return fmt::format("{}", tensor.as<std::int64_t>()[element]);
  const double value = tensor.at(element);
  return is_integer(tensor.dtype()) ? fmt::format("{}", value)
                                    : fmt::format("{}", static_cast<float>(value));
}

// "out[5, 130] = 3, expected 4"
std::string element_words(const Program& program, const ComparedResult& result,
                          std::int64_t element) {
  const Buffer& buffer = *result.expected->buffer;
  return fmt::format(
      "{} = {}, expected {}",
      element_text(program, program.buffers.id_of(buffer), Layout(buffer).index(element)),
      value_text(*result.got, element), value_text(result.expected->tensor, element));
}

std::int64_t wrong_in(const ComparedResult& result, const Box& box) {
  std::int64_t wrong = 0;
  Layout(*result.expected->buffer).for_each_run(box, [&](std::int64_t at, std::int64_t length) {
    for (std::int64_t i = at; i < at + length; ++i) wrong += result.is_right(i) ? 0 : 1;
  });
  return wrong;
}

Finding mismatch(const Program& program, const ComparedResult& result) {
  const Expectation& expected = *result.expected;
  const Comparison& c = result.comparison;
  Finding finding{.kind = FindingKind::mismatch};
  finding.at = {.loc = program.loc(expected.buffer->place), .device = expected.device};
  finding.devices = {expected.device};
  finding.message = fmt::format("{} of {} of {} on dev{} {} wrong; the first is {}{}", c.wrong,
                                counted(c.elements, "element", "elements"), expected.buffer->name,
                                expected.device, c.wrong == 1 ? "is" : "are",
                                element_words(program, result, c.first_wrong),
                                judged_text(result, c.first_wrong));
  if (std::string where = wrong_elements_text(result); !where.empty())
    finding.notes.push_back({.message = std::move(where), .device = expected.device});
  if (c.worst >= 0 && c.worst != c.first_wrong)
    finding.notes.push_back({.message = fmt::format("the largest difference is at {}",
                                                    element_words(program, result, c.worst)),
                             .device = expected.device});
  if (c.unbounded > 0)
    finding.notes.push_back(
        {.loc = result.why_unbounded->loc,
         .message =
             fmt::format("{} more {}, without an error bound: {}", c.unbounded,
                         c.unbounded == 1 ? "differs" : "differ", result.why_unbounded->message),
         .device = expected.device});
  if (expected.rule == Rule::running_bound && !expected.computed_in)
    finding.notes.push_back(
        {.message = "the expected values count as exact except for one final rounding; use "
                    "--expected-in f32 if they were computed in f32, with their own roundings",
         .device = expected.device});
  return finding;
}

void add_tile(const Program& program, const ComparedResult& result, const LastWrite::Found& write,
              Finding& finding) {
  finding.at = write.at;
  if (write.box.elements() == 1) return;
  const BufferId buffer = program.buffers.id_of(*result.expected->buffer);
  const std::int64_t wrong = wrong_in(result, write.box);
  FindingPlace note{
      .message = fmt::format("it was written with {}, of which {} of {} elements {} wrong",
                             slice_text(program, buffer, write.box), wrong, write.box.elements(),
                             wrong == 1 ? "is" : "are"),
      .device = result.expected->device};
  finding.notes.insert(finding.notes.begin(), std::move(note));
}

}  // namespace

Expected<std::vector<Finding>> mismatches(const Program& program,
                                          const std::vector<ComparedResult>& results,
                                          const Rerun& rerun) {
  std::vector<Finding> findings;
  std::vector<const ComparedResult*> wrong;
  std::vector<std::unique_ptr<LastWrite>> writes;
  std::vector<Observer*> observers;
  for (const ComparedResult& result : results) {
    if (result.comparison.wrong == 0) continue;
    findings.push_back(mismatch(program, result));
    wrong.push_back(&result);
    const Buffer& buffer = *result.expected->buffer;
    writes.push_back(std::make_unique<LastWrite>(
        result.expected->device, buffer.name, Layout(buffer).index(result.comparison.first_wrong)));
    observers.push_back(writes.back().get());
  }
  if (findings.empty() || !rerun) return findings;
  TRY(rerun(observers));
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (writes[i]->found()) add_tile(program, *wrong[i], *writes[i]->found(), findings[i]);
  return findings;
}

std::string value_lines(const Program& program, const std::vector<ComparedResult>& results,
                        int devices) {
  std::string text;
  const auto add = [&](const std::string& words) {
    text += line(text.empty() ? "values" : "", words);
  };
  for (const ComparedResult& result : results) {
    const Expectation& expected = *result.expected;
    add(fmt::format(
        "{} as expected, {} {}", result_name(*expected.buffer, expected.device, devices),
        counted(result.comparison.elements, "element", "elements"), agreement_text(result)));
  }
  std::string unchecked;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::out) continue;
    std::vector<bool> is_checked(static_cast<std::size_t>(devices));
    for (const ComparedResult& result : results)
      if (result.expected->buffer == &buffer)
        is_checked[static_cast<std::size_t>(result.expected->device)] = true;
    const auto checked = std::count(is_checked.begin(), is_checked.end(), true);
    for (int device = 0; device < devices; ++device) {
      if (is_checked[static_cast<std::size_t>(device)]) continue;
      unchecked += fmt::format("{}{}", unchecked.empty() ? "" : ", ",
                               checked == 0 ? buffer.name : result_name(buffer, device, devices));
      if (checked == 0) break;
    }
  }
  if (!unchecked.empty())
    add(results.empty() ? "not checked (--expect NAME=FILE compares them)"
                        : fmt::format("{} not checked", unchecked));
  return text;
}

Json values_json(const Program& program, const std::vector<ComparedResult>& results, int devices) {
  Json rows = Json::array();
  for (int device = 0; device < devices; ++device) {
    for (const Buffer& buffer : program.buffers) {
      if (buffer.role != Role::out) continue;
      const auto found =
          std::find_if(results.begin(), results.end(), [&](const ComparedResult& result) {
            return result.expected->buffer == &buffer && result.expected->device == device;
          });
      Json row = {{"name", buffer.name}, {"device", device}, {"checked", found != results.end()}};
      if (found != results.end()) {
        const Comparison& c = found->comparison;
        const Expectation& expected = *found->expected;
        const bool has_tolerance = expected.rule == Rule::tolerance,
                   has_bounds = expected.rule == Rule::running_bound;
        row["expected"] = expected.source;
        row["rule"] = name(expected.rule);
        row["elements"] = c.elements;
        row["wrong_elements"] = c.wrong;
        row["max_abs_error"] = c.max_abs_error;
        row["identical_elements"] = c.identical;
        row["rtol"] = has_tolerance ? Json(expected.tolerance.relative) : Json();
        row["atol"] = has_tolerance ? Json(expected.tolerance.absolute) : Json();
        row["expected_in"] =
            expected.computed_in ? Json(tessera::name(*expected.computed_in)) : Json();
        row["largest_share"] = has_bounds ? Json(c.largest_share) : Json();
        row["first_wrong"] = Json();
        if (c.first_wrong >= 0) {
          const Index index = Layout(buffer).index(c.first_wrong);
          row["first_wrong"] = Json::array();
          for (std::size_t d = 0; d < buffer.shape.size(); ++d)
            row["first_wrong"].push_back(index[d]);
        }
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tessera::cli

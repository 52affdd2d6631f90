#include "cli/reports/equal_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/reports/finding_text.h"
#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

using fields::Equality;
using fields::Outcome;
using fields::Which;

std::string_view verdict(Outcome outcome) {
  switch (outcome) {
    case Outcome::equal:
      return "equal";
    case Outcome::different:
      return "different";
    case Outcome::not_shown:
      break;
  }
  return "not_shown";
}

// Value of the member `status` for a verdict.
std::string_view status(Outcome outcome) {
  if (outcome == Outcome::not_shown) return "not_shown";
  return name(outcome == Outcome::equal ? Status::ok : Status::mismatch);
}

// Number of draws, or of branch patterns.
std::string draws_text(const Equality& equality) {
  const std::string draws = counted(equality.draws, "draw", "draws");
  if (!equality.bound.has_order) return draws;
  return fmt::format("{} branch patterns of max and min", equality.draws);
}

std::string equal_text(const Equality& equality) {
  if (equality.bound.has_order)
    return fmt::format(
        "on {}, in which each operand wins, over the reals, up to rounding, for these shapes and "
        "integers",
        draws_text(equality));
  return fmt::format(
      "over the reals, up to rounding, for these shapes and integers, except with a probability of "
      "at most {:.2g}",
      equality.probability);
}

// The numbers that determine the probability of a wrong verdict.
std::string fields_text(const Equality& equality, std::int64_t seed) {
  const fields::Bound& bound = equality.bound;
  const double bits = std::ceil(bound.height);
  return fmt::format(
      "{} of primes of 31 bits, seed {}; degree d = {:.4g}, k = {:.4g} arguments of functions, "
      "coefficients of {:.0f} {}",
      counted(equality.draws, "draw", "draws"), seed, bound.degree, bound.arguments, bits,
      bits == 1 ? "bit" : "bits");
}

// Finding for the first element that differs: a mismatch of B, or of A if B is its definition.
Finding difference_finding(const ComparedProgram& a, const ComparedProgram& b,
                           const Equality& equality) {
  const fields::Difference& difference = *equality.difference;
  const bool blames_a = b.is_definition;
  const bool is_decided = equality.outcome == Outcome::different;
  Finding finding{.kind = is_decided ? FindingKind::mismatch : FindingKind::unsupported};
  finding.message = fmt::format(
      "{}[{}]{} of {} {} {}", difference.result, fmt::join(difference.index, ", "),
      a.run.options.machine.devices > 1 ? fmt::format(" of dev{}", difference.device) : "",
      blames_a ? "A" : "B", is_decided ? "differs from" : "is not shown equal to",
      blames_a ? "B" : "A");
  finding.devices = {difference.device};
  const auto& blamed = blames_a ? difference.wrote_a : difference.wrote_b;
  const auto& other = blames_a ? difference.wrote_b : difference.wrote_a;
  if (blamed) finding.at = *blamed;
  if (other && !b.is_definition) {
    FindingPlace note = *other;
    note.message = "A wrote it here";
    finding.notes.push_back(std::move(note));
  }
  for (const std::string& term : difference.terms) finding.notes.push_back({.message = term});
  return finding;
}

std::vector<Finding> findings_of(const ComparedProgram& a, const ComparedProgram& b,
                                 const Equality& equality) {
  std::vector<Finding> findings = equality.findings;
  if (equality.difference) findings.push_back(difference_finding(a, b, equality));
  return findings;
}

// Integer operands without given values. If both programs have an operand, the values of A are used
// for both.
std::vector<std::string> zeros_of(const ComparedProgram& a, const ComparedProgram& b) {
  std::vector<std::string> all = a.zeros;
  for (const std::string& name : b.zeros) {
    const Buffer* const of_a = a.run.program.find_buffer(name);
    if (of_a == nullptr || of_a->role != Role::in) all.push_back(name);
  }
  return all;
}

}  // namespace

int exit_code(const Equality& equality) {
  constexpr int not_shown = 4;
  if (equality.outcome == Outcome::not_shown) return not_shown;
  return exit_code(equality.outcome == Outcome::equal ? Status::ok : Status::mismatch);
}

std::string equal_lines(const ComparedProgram& a, const ComparedProgram& b,
                        const Equality& equality, std::int64_t seed) {
  std::string text = line("A", a.text) + line("B", b.text);
  text += line("compared", fmt::format("{}: {}", fmt::join(equality.results, ", "),
                                       counted(equality.elements, "element", "elements")));
  if (!equality.unmatched.empty())
    text += line("operands",
                 fmt::format("in one program only: {}", fmt::join(equality.unmatched, ", ")));
  if (!equality.alike.empty())
    text += line("operands", fmt::format("assumed equal on all devices of A: {}",
                                         fmt::join(equality.alike, ", ")));
  if (const std::vector<std::string> zeros = zeros_of(a, b); !zeros.empty())
    text += line("integers", fmt::format("zeros, set with --in: {}", fmt::join(zeros, ", ")));
  if (!equality.uncompared.empty())
    text += line("results", fmt::format("in one program only, not compared: {}",
                                        fmt::join(equality.uncompared, ", ")));
  if (equality.draws > 0) text += line("fields", fields_text(equality, seed));
  if (equality.outcome == Outcome::equal) {
    text += line("equal", equal_text(equality));
    text += line(
        "", fmt::format("not covered: overflow, NaN and the size of rounding errors{}",
                        equality.bound.has_order ? "; nor other combinations of branches" : ""));
    return text;
  }
  if (equality.outcome == Outcome::not_shown)
    text += line("not shown", fmt::format("equal: {}", equality.reason));
  else
    text += line("different", "over the reals; the first element that differs:");
  if (equality.refusal) text += render(Diags{*equality.refusal});
  return text + findings_text(findings_of(a, b, equality), false);
}

Json equal_json(const ComparedProgram& a, const ComparedProgram& b, const Equality& equality,
                std::int64_t seed) {
  Json object = {{"status", status(equality.outcome)},
                 {"verdict", verdict(equality.outcome)},
                 {"a", a.text},
                 {"b", b.text},
                 {"results", equality.results},
                 {"elements", equality.elements},
                 {"unmatched", equality.unmatched},
                 {"alike", equality.alike},
                 {"zeros", zeros_of(a, b)},
                 {"uncompared", equality.uncompared},
                 {"seed", seed},
                 {"draws", equality.draws},
                 {"primes", equality.primes},
                 {"degree", equality.bound.degree},
                 {"arguments", equality.bound.arguments},
                 {"coefficient_bits", equality.bound.height},
                 {"has_order", equality.bound.has_order}};
  const bool has_probability = equality.outcome == Outcome::equal && !equality.bound.has_order;
  object["probability"] = has_probability ? Json(equality.probability) : Json();
  object["reason"] = equality.outcome == Outcome::not_shown ? Json(equality.reason) : Json();
  object["refusal"] = equality.refusal ? to_json(*equality.refusal) : Json();
  object["difference"] = Json();
  if (equality.difference)
    object["difference"] = {{"result", equality.difference->result},
                            {"device", equality.difference->device},
                            {"index", equality.difference->index},
                            {"terms", equality.difference->terms}};
  object["findings"] = findings_json(findings_of(a, b, equality));
  return object;
}

}  // namespace tessera::cli

#include "cli/reports/support_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tessera::cli {
namespace {

bool same_answers(const SupportRow& a, const SupportRow& b) {
  for (std::size_t i = 0; i < a.on.size(); ++i) {
    if (a.on[i].ok != b.on[i].ok || a.on[i].reason != b.on[i].reason) return false;
  }
  return true;
}

// Joins the rows of one operation that have the same answers.
std::vector<SupportRow> with_joined_options(const SupportTable& table) {
  std::vector<SupportRow> rows;
  for (const SupportRow& row : table.rows) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const SupportRow& other) {
      return row.operation == other.operation && same_answers(row, other);
    });
    if (same == rows.end()) {
      rows.push_back(row);
    } else {
      same->option += ", " + row.option;
    }
  }
  return rows;
}

// Joins the rows of operations that have the same options and answers. Operations are in code font.
std::vector<SupportRow> with_joined_operations(const std::vector<SupportRow>& all) {
  std::vector<SupportRow> rows;
  for (const SupportRow& row : all) {
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const SupportRow& other) {
      return row.option == other.option && same_answers(row, other);
    });
    if (same == rows.end()) {
      rows.push_back(row);
      rows.back().operation = fmt::format("`{}`", row.operation);
    } else {
      same->operation += fmt::format(", `{}`", row.operation);
    }
  }
  return rows;
}

}  // namespace

std::string support_page(const SupportTable& table) {
  std::string text = "| operation | option or type |";
  std::string rule = "|---|---|";
  for (const std::string& execution : table.executions) {
    text += fmt::format(" {} |", execution);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  std::vector<std::string> reasons;
  for (const SupportRow& row : with_joined_operations(with_joined_options(table))) {
    text += fmt::format("| {} | {} |", row.operation, row.option);
    for (const Support& support : row.on) {
      const char* const answer = support.ok ? "yes" : "no";
      if (support.reason.empty()) {
        text += fmt::format(" {} |", answer);
        continue;
      }
      auto reason = std::find(reasons.begin(), reasons.end(), support.reason);
      if (reason == reasons.end()) reason = reasons.insert(reasons.end(), support.reason);
      text += fmt::format(" {} ({}) |", answer, reason - reasons.begin() + 1);
    }
    text += "\n";
  }
  if (!reasons.empty()) text += "\n";
  for (std::size_t i = 0; i < reasons.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, reasons[i]);
  return text;
}

Json to_json(const SupportTable& table) {
  Json rows = Json::array();
  for (const SupportRow& row : table.rows) {
    Json object = {{"operation", row.operation}, {"option", row.option}};
    for (std::size_t i = 0; i < row.on.size(); ++i) {
      const Support& on = row.on[i];
      Json answer = {{"ok", on.ok}, {"reason", on.ok ? Json() : Json(on.reason)}};
      if (on.ok && !on.reason.empty()) answer["remark"] = on.reason;
      object["executions"][table.executions[i]] = answer;
    }
    rows.push_back(object);
  }
  return rows;
}

}  // namespace tessera::cli

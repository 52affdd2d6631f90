#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/report/json_text.h"
#include "text/numbers.h"

namespace tessera::bench {
namespace {

Json to_json(const Times& times) {
  return {{"min", times.min}, {"median", times.median}, {"max", times.max}};
}

Json to_json(const BenchRow& row) {
  Json object = {{"name", row.name}, {"seconds", to_json(row.times)}, {"peers", Json::object()}};
  for (const auto& [peer, times] : row.peers) object["peers"][peer] = to_json(times);
  object["ratio"] = row.peers.empty() ? Json() : Json(row.ratio());
  object["check"] = row.check;
  object["rate"] = row.rate;
  object["unit"] = row.unit;
  return object;
}

// Parsed with the JSON library, for the error messages of its accessors.
using Read = nlohmann::ordered_json;

// Throws exceptions of the JSON library, which read_report converts to errors.
Times times_from(const Read& object) {
  return {object.at("min").get<double>(), object.at("median").get<double>(),
          object.at("max").get<double>()};
}

BenchRow row_from(const Read& object) {
  BenchRow row;
  row.name = object.at("name").get<std::string>();
  row.times = times_from(object.at("seconds"));
  for (const auto& [peer, times] : object.at("peers").items())
    row.peers.emplace_back(peer, times_from(times));
  row.check = object.at("check").get<std::string>();
  row.rate = object.value("rate", 0.0);
  row.unit = object.value("unit", std::string());
  return row;
}

// Returns the names of all peers, in order of first appearance.
std::vector<std::string> peers_of(const BenchReport& report) {
  std::vector<std::string> names;
  for (const BenchRow& row : report.rows) {
    for (const auto& [peer, times] : row.peers) {
      if (std::find(names.begin(), names.end(), peer) == names.end()) names.push_back(peer);
    }
  }
  return names;
}

const Times* peer_of(const BenchRow& row, const std::string& name) {
  const auto found = std::find_if(row.peers.begin(), row.peers.end(),
                                  [&](const auto& peer) { return peer.first == name; });
  return found == row.peers.end() || found->second.median <= 0 ? nullptr : &found->second;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

}  // namespace

Json to_json(const BenchReport& report) {
  Json object = {{"suite", report.suite},
                 {"device", report.device},
                 {"machine", report.machine},
                 {"rows", Json::array()}};
  for (const BenchRow& row : report.rows) object["rows"].push_back(to_json(row));
  return object;
}

Expected<BenchReport> read_report(std::string_view text) {
  BenchReport report;
  const Expected<Read> parsed = parse_json(text, "no report of a bench");
  if (!parsed) return parsed.diags();
  try {
    const Read& object = *parsed;
    report.suite = object.at("suite").get<std::string>();
    report.device = object.at("device").get<std::string>();
    report.machine = object.at("machine").get<std::string>();
    for (const Read& row : object.at("rows")) report.rows.push_back(row_from(row));
  } catch (const Read::exception& problem) {
    return error(fmt::format("no report of a bench: {}", shown_text(problem.what(), 200)));
  }
  return report;
}

std::string table_of(const BenchReport& report) {
  const std::vector<std::string> peers = peers_of(report);
  std::size_t width = 4;
  for (const BenchRow& row : report.rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:{}} {:>10} {:>16}", "row", width, "ours", "rate");
  for (const std::string& peer : peers) text += fmt::format(" {:>14}", peer);
  text += "  ours over the best\n";
  for (const BenchRow& row : report.rows) {
    text += fmt::format("{:{}} {:>10} {:>16}", row.name, width, human_seconds(row.times.median),
                        row.rate > 0 ? fmt::format("{:.4g} {}", row.rate, row.unit) : "");
    for (const std::string& peer : peers) {
      const Times* const times = peer_of(row, peer);
      text += times == nullptr
                  ? fmt::format(" {:>14}", "")
                  : fmt::format(" {:>14}", fmt::format("{:.3f}", row.times.median / times->median));
    }
    text += row.peers.empty() ? "" : fmt::format("  {:.3f}", row.ratio());
    text += row.check == "ok" ? "\n" : fmt::format("  {}\n", row.check);
  }
  return text;
}

std::string plot_of(const BenchReport& report) {
  constexpr const char* colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee"};
  constexpr double column = 26, left = 50, top = 40, height = 300;
  const std::vector<std::string> peers = peers_of(report);
  double most = 1.2;
  for (const BenchRow& row : report.rows) {
    for (const auto& [peer, times] : row.peers) {
      if (row.times.median > 0) most = std::max(most, times.median / row.times.median);
    }
  }
  most = std::min(most, 3.0);  // larger ratios are drawn at the edge
  const double width = left + column * static_cast<double>(report.rows.size()) + 20;
  const auto y = [&](double ratio) { return top + height * (1 - std::min(ratio, most) / most); };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"16\">{3}: peers' time over ours, {4}</text>\n",
      width, top + height + 80, left, escaped(report.suite), escaped(report.machine));
  for (double tick = 0; tick <= most + 1e-9; tick += 0.25) {
    const bool is_one = tick == 1;
    svg += fmt::format(
        "<line x1=\"{}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.2f}</text>\n",
        left, width - 10, y(tick), y(tick), is_one ? "black" : "#dddddd", left - 6, y(tick) + 4,
        tick);
  }
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const BenchRow& row = report.rows[r];
    const double x = left + column * (static_cast<double>(r) + 0.5);
    for (std::size_t p = 0; p < peers.size(); ++p) {
      const Times* const times = peer_of(row, peers[p]);
      if (times == nullptr || row.times.median <= 0) continue;
      const double ratio = times->median / row.times.median;
      svg += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{} {}: "
          "{:.3f}</title></circle>\n",
          x, y(ratio), colours[p % std::size(colours)], escaped(row.name), escaped(peers[p]),
          ratio);
    }
    svg +=
        fmt::format("<text transform=\"translate({:.1f},{:.1f}) rotate(60)\"{}>{}</text>\n", x - 3,
                    top + height + 12, row.check == "ok" ? "" : " fill=\"red\"", escaped(row.name));
  }
  for (std::size_t p = 0; p < peers.size(); ++p) {
    svg += fmt::format("<text x=\"{:.0f}\" y=\"32\" fill=\"{}\">{}</text>\n",
                       left + 120 * static_cast<double>(p), colours[p % std::size(colours)],
                       escaped(peers[p]));
  }
  return svg + "</svg>\n";
}

}  // namespace tessera::bench

// Judges `gmm-run verify` by the programs of this folder: bad_NAME.tsr is wrong on some schedule,
// good_NAME.tsr on none, and each says in its first lines why. Prints how many of each group are
// told apart, at which the finding stands on the announced line, and how many a single run would
// have shown. Exit code 1 when one is judged wrongly.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/cli.h"
#include "tests/source_dir.h"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Places = std::set<std::pair<int, std::string>>;  // line, kind

struct Counts {
  int true_positives = 0, false_positives = 0, true_negatives = 0, false_negatives = 0;
  int undecided = 0;        // neither proved nor refuted
  int misplaced = 0;        // refuted, with other findings than those announced
  int seen_by_one_run = 0;  // bad programs that end with a finding when they are just run

  bool is_perfect() const { return false_positives + false_negatives + undecided + misplaced == 0; }
  void add(const Counts& other) {
    true_positives += other.true_positives;
    false_positives += other.false_positives;
    true_negatives += other.true_negatives;
    false_negatives += other.false_negatives;
    undecided += other.undecided;
    misplaced += other.misplaced;
    seen_by_one_run += other.seen_by_one_run;
  }
};

struct Case {
  std::vector<std::string> options;  // of the command, the file left out
  Places announced;
};

Case read_case(const fs::path& path) {
  static const std::regex annotation(R"(// ([a-z_]+): )");
  std::ifstream in(path);
  Case result;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("// RUN: verify")) {
      std::istringstream words(line.substr(14));
      result.options.assign(std::istream_iterator<std::string>(words), {});
    } else if (!line.starts_with("//")) {
      for (std::sregex_iterator at(line.begin(), line.end(), annotation), end; at != end; ++at) {
        result.announced.emplace(number, (*at)[1]);
      }
    }
  }
  return result;
}

Json run_json(const std::string& command, const fs::path& file, const Case& a_case) {
  std::vector<std::string> words = {command, file.string()};
  words.insert(words.end(), a_case.options.begin(), a_case.options.end());
  words.insert(words.end(), {"--interpret", "--json"});
  std::ostringstream out, err;
  tessera::cli::run(words, out, err);
  return Json::parse(out.str(), nullptr, false);
}

// Of what the report shows: of consequences only with --all.
Places places_of(const Json& report, const Case& a_case) {
  const bool shows_all =
      std::find(a_case.options.begin(), a_case.options.end(), "--all") != a_case.options.end();
  Places places;
  for (const Json& finding : report["findings"]) {
    if (!shows_all && !finding["follows_from"].is_null()) continue;
    places.emplace(finding["line"].is_null() ? 0 : finding["line"].get<int>(),
                   finding["kind"].get<std::string>());
  }
  return places;
}

Counts judge(const fs::path& file) {
  const bool is_bad = file.filename().string().starts_with("bad_");
  const Case a_case = read_case(file);
  const Json verdict = run_json("verify", file, a_case);
  const std::string said = verdict.is_object() ? verdict.value("verdict", "none") : "none";
  Counts counts;
  if (said == "refuted") {
    ++(is_bad ? counts.true_positives : counts.false_positives);
    counts.misplaced = places_of(verdict, a_case) == a_case.announced ? 0 : 1;
  } else if (said == "proved") {
    ++(is_bad ? counts.false_negatives : counts.true_negatives);
  } else {
    ++counts.undecided;
  }
  if (is_bad)
    counts.seen_by_one_run = run_json("run", file, a_case).value("status", "") == "finding" ? 1 : 0;
  if (!counts.is_perfect())
    fmt::print("{}: {}{}\n", file.lexically_relative(tessera::test::source_dir()).string(), said,
               counts.misplaced ? ", not as announced" : "");
  return counts;
}

void print_row(const std::string& group, const Counts& c) {
  const int found = c.true_positives + c.false_negatives;
  fmt::print("{:<15}{:>5}{:>5}{:>5}{:>5}{:>11}{:>11}{:>9} of {}\n", group, c.true_positives,
             c.false_positives, c.true_negatives, c.false_negatives, c.undecided, c.misplaced,
             c.seen_by_one_run, found);
}

}  // namespace

int main() {
  const fs::path folder = fs::path(tessera::test::source_dir()) / "tests" / "suite";
  std::map<std::string, Counts> groups;
  Counts all;
  int programs = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tsr") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const Counts counts = judge(file);
    groups[file.parent_path().filename().string()].add(counts);
    all.add(counts);
    ++programs;
  }
  fmt::print("{:<15}{:>5}{:>5}{:>5}{:>5}{:>11}{:>11}  {}\n", "group", "TP", "FP", "TN", "FN",
             "undecided", "misplaced", "one run finds");
  for (const auto& [group, counts] : groups) print_row(group, counts);
  print_row("all", all);
  fmt::print("{} programs\n", programs);
  return all.is_perfect() && programs >= 150 ? 0 : 1;
}

// Every synchronising op of every shipped kernel and example changed, at small sizes: what becomes
// of the mutants. docs/mutants.md is this program's output with --md.
//
//   tessera_mutants [--md] [--quick | NAME...]     --quick: those that take a moment
//
// Exit code 1 when the fate of a mutant is open, when an op is idle, when a race shows nothing, or
// when the page has another row for a program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "interp/certificate/mutation/mutation_test.h"
#include "kernels/programs/kernels.h"
#include "tests/source_dir.h"

namespace {

using Json = nlohmann::json;
using tessera::Fate;
using tessera::fates;
using Counts = std::array<std::int64_t, fates>;

struct Row {
  std::string_view kernel;
  std::string_view words;  // after `gmm-run verify`; examples lie in the source folder
  bool is_quick = false;
};

// The examples, which are files, at sizes at which no op is idle: three tiles each way (two where a
// window has one slot), an empty group, rings of 3 or 4. Kernels say theirs in their own texts.
constexpr Row examples[] = {
    {"examples/double_buffer", "examples/double_buffer.tsr --set blocks=5", true},
    {"examples/right_permute", "examples/right_permute.tsr --devices 4 --calls 2", true},
    {"examples/swap_rows", "examples/swap_rows.tsr --devices 2 --cores 2", true},
    {"examples/matmul_bias",
     "examples/matmul_bias.tsr --set m=20 --set k=24 --set n=16 --set T=bf16 --set tm=8 "
     "--set tk=8 --set tn=8",
     true},
};

std::vector<Row> all_rows() {
  std::vector<Row> rows(std::begin(examples), std::end(examples));
  for (const tessera::Kernel& kernel : tessera::kernels()) {
    const bool is_quick = kernel.name == "gmm" || kernel.name == "tgmm";
    rows.push_back({kernel.name, kernel.small_call, is_quick});
  }
  return rows;
}

std::vector<std::string> words_of(const Row& row) {
  std::istringstream stream{std::string(row.words)};
  std::vector<std::string> words = {"verify"};
  words.insert(words.end(), std::istream_iterator<std::string>(stream), {});
  if (words[1].starts_with("examples/"))
    words[1] = std::string(tessera::test::source_dir()) + "/" + words[1];
  words.insert(words.end(), {"--mutants", "--json"});
  return words;
}

// "allgather_matmul:36 start_remote, sent: another cell".
std::string what(const Json& mutant) {
  std::string file = mutant["file"];
  std::erase_if(file, [](char c) { return c == '<' || c == '>'; });
  file = file.substr(file.rfind('/') + 1);
  const std::string field = mutant["field"];
  return fmt::format("{}:{} {}{}: {}", file, mutant["line"].get<int>(),
                     mutant["op"].get<std::string>(), field.empty() ? "" : ", " + field,
                     mutant["change"].get<std::string>());
}

constexpr std::string_view introduction =
    R"(# Would a proof have noticed?

Every synchronising op of every shipped kernel and example, in the program that the interpreter runs (loops, slots and the
copies of pipelines written out), is changed in turn: removed, its count or bytes one more and one less, its target the next
device or core, its semaphore or slot the next one, the two semaphores of a remote copy swapped. Each mutant is verified
like the program itself. It is refuted by a deadlock or leftover that is the same in every schedule, by another finding, by a race
of which a schedule with another end was run (*race, other end*; *same end*: both orders were run and end alike), or by
results that differ in every schedule (*value*). It is *equivalent* when it is proved and gives the same results, *unreached*
when the op does nothing in this call.

Made by `build/release/bin/tessera_mutants --md > docs/mutants.md`; ctest makes the first rows again.

)";

std::string page() {
  std::ifstream in(std::string(tessera::test::source_dir()) + "/docs/mutants.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string markdown_row(const Row& row, const Counts& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return fmt::format("| {}: `{}` | {} | {} |\n", row.kernel, row.words, sum,
                     fmt::join(counts, " | "));
}

class Table {
 public:
  explicit Table(bool is_markdown) : is_markdown_(is_markdown) {}

  void head() const {
    std::vector<std::string_view> names;
    for (int f = 0; f < fates; ++f) names.push_back(name(static_cast<Fate>(f)));
    if (!is_markdown_) {
      fmt::print("{:<28}{:>8}", "program", "mutants");
      for (const std::string_view n : names) fmt::print("  {}", n);
      fmt::print("\n");
      return;
    }
    fmt::print("{}", introduction);
    fmt::print("| `verify --mutants` | mutants | {} |\n|---|{}\n", fmt::join(names, " | "), [] {
      std::string bars;
      for (int i = 0; i <= fates; ++i) bars += "---:|";
      return bars;
    }());
  }

  // Whether its verdict on every mutant stands.
  bool add(const Row& row) {
    std::ostringstream out, err;
    const int exit_code = tessera::cli::run(words_of(row), out, err);
    const Json report = Json::parse(out.str(), nullptr, false);
    if (exit_code != 0 || report.is_discarded()) {
      fmt::print("{}: {}{}\n", row.kernel, out.str(), err.str());
      return false;
    }
    Counts counts{};
    for (const Json& mutant : report["mutants"]) {
      for (int f = 0; f < fates; ++f) {
        const auto fate = static_cast<Fate>(f);
        if (mutant["fate"] != name(fate)) continue;
        ++counts[static_cast<std::size_t>(f)];
        if (fate == Fate::equivalent || fate == Fate::race || fate == Fate::undecided)
          ++survivors_[fate][fmt::format("{}: {}", row.kernel, what(mutant))];
      }
    }
    const std::string markdown = markdown_row(row, counts);
    const bool is_known = is_markdown_ || page_.find(markdown) != std::string::npos;
    if (is_markdown_)
      fmt::print("{}", markdown);
    else
      print(row.kernel, counts);
    if (!is_known) fmt::print("  docs/mutants.md says otherwise: make it again\n");
    for (std::size_t f = 0; f < counts.size(); ++f) all_[f] += counts[f];
    seconds_ += report["wall_seconds"].get<double>();
    const auto none = [&](Fate fate) { return counts[static_cast<std::size_t>(fate)] == 0; };
    return is_known && none(Fate::undecided) && none(Fate::unreached) && none(Fate::race);
  }

  void end() const {
    if (is_markdown_)
      fmt::print("{}", markdown_row({"all", "all rows"}, all_));
    else
      print("all", all_);
    for (const auto& [fate, places] : survivors_) {
      if (is_markdown_)
        fmt::print("\nMutants whose fate is *{}*:\n\n", name(fate));
      else
        fmt::print("\n{}:\n", name(fate));
      for (const auto& [place, times] : places)
        fmt::print("{}{}{}\n", is_markdown_ ? "- " : "  ", place,
                   times > 1 ? fmt::format(", {} times", times) : "");
    }
    if (!is_markdown_) fmt::print("\n{:.1f} s\n", seconds_);
  }

 private:
  static void print(std::string_view kernel, const Counts& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    fmt::print("{:<28}{:>8}", kernel, sum);
    for (std::size_t f = 0; f < counts.size(); ++f)
      fmt::print("{:>{}}", counts[f], name(static_cast<Fate>(f)).size() + 2);
    fmt::print("\n");
    std::fflush(stdout);
  }

  bool is_markdown_;
  const std::string page_ = page();
  Counts all_{};
  std::map<Fate, std::map<std::string, std::int64_t>> survivors_;
  double seconds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::set<std::string, std::less<>> asked(argv + 1, argv + argc);
  const bool is_markdown = asked.erase("--md") > 0, is_quick = asked.erase("--quick") > 0;
  bool all_right = true;
  Table table(is_markdown);
  table.head();
  for (const Row& row : all_rows()) {
    if ((is_quick && !row.is_quick) || (!asked.empty() && !asked.contains(row.kernel))) continue;
    all_right = table.add(row) && all_right;
  }
  table.end();
  return all_right ? 0 : 1;
}

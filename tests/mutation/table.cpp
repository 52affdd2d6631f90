// Every synchronising op of every shipped kernel and example changed, at small sizes: what becomes
// of the mutants. docs/mutants.md is this program's output with --md.
//
//   tessera_mutants [--md] [--quick | NAME...]     --quick: those that take a moment
//
// Exit code 1 when the fate of a mutant is open, when an op is idle, when a race shows nothing,
// when a kernel has no row (--quick only says so), or when the page has another row for a program.
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

// Sizes at which no op is idle: three tiles each way (two where a window has one slot), an empty
// group, rings of 3 or 4.
constexpr Row rows[] = {
    {"examples/double_buffer", "examples/double_buffer.tsr --set blocks=5", true},
    {"examples/right_permute", "examples/right_permute.tsr --devices 4 --calls 2", true},
    {"examples/swap_rows", "examples/swap_rows.tsr --devices 2 --cores 2", true},
    {"examples/matmul_bias",
     "examples/matmul_bias.tsr --set m=20 --set k=24 --set n=16 --set T=bf16 --set tm=8 "
     "--set tk=8 --set tn=8",
     true},
    {"gmm", "gmm --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8", true},
    {"tgmm", "tgmm --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8", true},
    {"ragged_rows", "ragged-dot --batch 2 --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8"},
    {"ragged_contraction",
     "ragged-dot --lhs-shape 2,14,16 --rhs-shape 2,14,16 --contracting 0,1/0,1 --ragged 1 "
     "--group-sizes 5,0,9 --tiling 8,8,8"},
    {"grouped_gemm", "grouped-gemm --group-sizes 5,0,9 --k 16 --n 16 --tiling 8,8,8"},
    {"grouped_gemm_wgrad",
     "grouped_gemm_wgrad --set m=14 --set k=16 --set n=16 --set groups=3 --set T=bf16 --set R=bf16 "
     "--set U=f32 --set B=f32 --set tm=8 --set tk=8 --set tn=8 --in group_sizes=5,0,9"},
    {"scaled_matmul",
     "scaled_matmul --set m=16 --set k=64 --set n=16 --set T=e4m3 --set R=e5m2 --set U=f32 "
     "--set tm=8 --set tk=32 --set tn=8"},
    {"quantize_tensor",
     "quantize_tensor --set m=16 --set n=16 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=8"},
    {"quantize_current",
     "quantize_current --set m=16 --set n=16 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=8"},
    {"dequantize_tensor",
     "dequantize_tensor --set m=16 --set n=16 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=8"},
    {"quantize_mxfp8",
     "quantize_mxfp8 --set m=16 --set n=64 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=32"},
    {"dequantize_mxfp8",
     "dequantize_mxfp8 --set m=16 --set n=64 --set T=bf16 --set Q=e4m3 --set tm=8 --set tn=32"},
    {"allgather_matmul", "ag-matmul --devices 4 --m 16 --k 64 --n 16 --tiling 8,8,8 --calls 2"},
    {"allgather_matmul_literal",
     "ag-matmul --devices 4 --m 8 --k 16 --n 8 --variant literal --dma-order fifo --calls 2"},
    {"allgather_matmul_rows",
     "ag-matmul --gather m --devices 4 --m 64 --k 256 --n 256 --tiling 16,128,128 --calls 2"},
    {"matmul_reduce_scatter", "matmul-rs --devices 4 --m 32 --k 64 --n 24 --tiling 4,8,8"},
    {"right_permute", "right-permute --devices 4 --m 8 --n 8 --calls 2"},
    {"ring_all_gather", "all-gather --devices 4 --m 8 --n 8 --directions 1 --calls 2"},
    {"ring_all_gather_halves", "all-gather --devices 4 --m 8 --n 8 --calls 2"},
    {"ring_all_reduce", "all-reduce --devices 3 --m 12 --n 136 --calls 2"},
    {"ring_reduce_scatter", "reduce-scatter --devices 4 --m 16 --n 136 --calls 2"},
    {"ragged_all_to_all",
     "ragged_all_to_all --devices 2 --set rows=6 --set out_rows=6 --set width=4 --set slices=4 "
     "--set ranks=2 --set T=f32 --in input_offsets=0,2,3,3 --in send_sizes=2,1,0,3 "
     "--in output_offsets@0=0,2,0,0 --in output_offsets@1=3,5,3,3 "
     "--in recv_sizes@0=2,1,2,1 --in recv_sizes@1=0,3,0,3"},
    {"sharded_gmm",
     "sharded_gmm --devices 3 --set m=16 --set k=16 --set n=24 --set groups=6 --set local_groups=2 "
     "--set rings=1 --set length=3 --set T=bf16 --set tm=8 --set tk=8 --set tn=8 "
     "--in group_sizes=5,0,3,4,0,4 --in group_offset@0=0 --in group_offset@1=2 "
     "--in group_offset@2=4 --in ring=0,1,2 --in position=0,1,2"},
    {"expert_parallel_gmm",
     "expert_parallel_gmm --devices 3 --set rows=7 --set k=16 --set n=24 --set groups=6 "
     "--set ranks=3 --set capacity=10 --set T=bf16 --set tm=8 --set tk=8 --set tn=8 "
     "--in group_sizes@0=1,1,0,1,2,1 --in group_sizes@1=2,1,0,1,1,1 "
     "--in group_sizes@2=3,0,1,1,0,1"},
    {"ring_of_experts",
     "ring-of-experts --devices 3 --m 2 --k 16 --n 24 --groups 6 --top-k 5 --tiling 8,8,8"},
};

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
  for (const tessera::Kernel& kernel : tessera::kernels()) {
    if (std::any_of(std::begin(rows), std::end(rows),
                    [&](const Row& row) { return row.kernel == kernel.name; }))
      continue;
    fmt::print("{} has no row in tests/mutation/table.cpp\n", kernel.name);
    all_right = all_right && is_quick;
  }
  Table table(is_markdown);
  table.head();
  for (const Row& row : rows) {
    if ((is_quick && !row.is_quick) || (!asked.empty() && !asked.contains(row.kernel))) continue;
    all_right = table.add(row) && all_right;
  }
  table.end();
  return all_right ? 0 : 1;
}

// Every synchronising op and every op on values of every shipped kernel and example changed, at
// small sizes: what becomes of the mutants. tests/bench/results/mutants.md is this program's output
// with
// --md.
//
//   tessera_mutants [--md] [--values | --synchronising] [--quick | NAME...]
//     --quick: those that take a moment
//
// Exit code 1 when the fate of a mutant is open, when a synchronising op is idle, or when the page
// has another row for a program.
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/verify_target.h"
#include "tests/mutation/calls.h"
#include "tests/mutation/fate_table.h"
#include "tests/mutation/mutation_test.h"
#include "tests/mutation/value_test.h"
#include "tests/source_dir.h"

namespace tessera {
namespace {

using fields::ValueFate;
using test::Form;
using test::KernelCall;

// The examples, which are files, at sizes at which no op is idle: three tiles each way (two where a
// window has one slot), an empty group, rings of 3 or 4. Kernels say theirs in their own texts.
constexpr KernelCall examples[] = {
    {"examples/double_buffer", "examples/double_buffer.tsr --set blocks=5"},
    {"examples/right_permute", "examples/right_permute.tsr --devices 4 --calls 2"},
    {"examples/swap_rows", "examples/swap_rows.tsr --devices 2 --cores 2"},
    {"examples/matmul_bias",
     "examples/matmul_bias.tsr --set m=20 --set k=24 --set n=16 --set T=bf16 --set tm=8 "
     "--set tk=8 --set tn=8"},
};

bool takes_a_moment(std::string_view kernel) {
  return kernel.starts_with("examples/") || kernel == "gmm" || kernel == "tgmm";
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

Made by `build/release/bin/tessera_mutants --md > tests/bench/results/mutants.md`; ctest makes the first rows again.

)";

constexpr std::string_view of_values =
    R"(## Would a comparison have noticed?

Ops on values break no protocol, so no proof of schedules sees them changed. Every one of them is changed in turn as well: removed; `=`
for `+=`, of sums, products and copies; a subtraction for an addition, a minimum for a maximum; `first` and `last` negated, true in
every turn, one turn later, one for the other; the operands swapped, another memory of the same type and shape for one of them, an
operand of a product transposed; each index of each rectangle 0, one more, or that of the next slot.

Each mutant is run and compared with the program as [equal](../../../docs/explain/equal.md) compares two programs. It is killed by a *finding* (it is
refused, or does not run to its end), because it computes *different* functions, because a run on small integers, zeros or an
infinity ends with *other results* where the rules of `equal` show no difference (quantised values, maxima), or because *another
schedule* refutes it, though this one computes the same. It is *equal* when it computes the same functions and is proved, as where an
index is 0 in every turn of this call, a loop has one turn, or what is stored is overwritten later; *unreached* when the op does
nothing in this call. Each kernel is called three times, with other tiles and sizes.

)";

std::vector<KernelCall> all_calls() {
  std::vector<KernelCall> calls(std::begin(examples), std::end(examples));
  for (const KernelCall& call : test::kernel_calls()) calls.push_back(call);
  return calls;
}

Expected<cli::VerifyTarget> target_of(const KernelCall& call) {
  std::istringstream stream{std::string(call.words)};
  std::vector<std::string> words = {"verify"};
  words.insert(words.end(), std::istream_iterator<std::string>(stream), {});
  if (words[1].starts_with("examples/"))
    words[1] = std::string(tessera::test::source_dir()) + "/" + words[1];
  return cli::verify_target(words);
}

// "allgather_matmul: allgather_matmul:36 start_remote, sent: another cell".
template <typename Judged>
std::string what(std::string_view kernel, const Judged& judged, const std::string& field) {
  std::string file = judged.loc ? judged.loc.source->name : "";
  std::erase_if(file, [](char c) { return c == '<' || c == '>'; });
  file = file.substr(file.rfind('/') + 1);
  return fmt::format("{}: {}:{} {}{}{}: {}", kernel, file, judged.loc.line, judged.mnemonic,
                     field.empty() ? "" : ", ", field, name(judged.mutant.mutation));
}

bool refused(const KernelCall& call, const std::string& why) {
  fmt::print("{}: `{}`: {}\n", call.kernel, call.words, why);
  return false;
}

using Synchronising = test::FateTable<Fate, fates>;
using Values = test::FateTable<ValueFate, fields::value_fates>;

bool add(Synchronising& table, const KernelCall& call) {
  const auto target = target_of(call);
  if (!target) return refused(call, render(target.diags()));
  const auto test = mutation_test(target->prepared.simulate, target->how);
  if (!test) return refused(call, render(test.diags()));
  for (const JudgedMutant& judged : test->mutants)
    table.add(judged.fate, what(call.kernel, judged, judged.mutant.field));
  return table.end_row(call.kernel, call.words);
}

bool add(Values& table, const KernelCall& call) {
  const auto target = target_of(call);
  if (!target) return refused(call, render(target.diags()));
  const auto test = fields::value_test(target->prepared.simulate, target->how);
  if (!test) return refused(call, render(test.diags()));
  if (!test->refusal.empty()) return refused(call, test->refusal);
  for (const fields::JudgedValueMutant& judged : test->mutants)
    table.add(judged.fate, what(call.kernel, judged, judged.place));
  return table.end_row(call.kernel, call.words);
}

std::string page() {
  std::ifstream in(std::string(tessera::test::source_dir()) + "/tests/bench/results/mutants.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename Table>
bool rows(Table& table, const std::vector<KernelCall>& calls, Form form,
          std::string_view introduction_of_page, std::string_view head) {
  if (form == Form::markdown) fmt::print("{}", introduction_of_page);
  table.head(head);
  bool all_right = true;
  for (const KernelCall& call : calls) all_right = add(table, call) && all_right;
  table.end();
  return all_right;
}

int tables(std::set<std::string, std::less<>> asked) {
  const auto begin = std::chrono::steady_clock::now();
  const Form form = asked.erase("--md") > 0 ? Form::markdown : Form::text;
  const bool quick = asked.erase("--quick") > 0, values_alone = asked.erase("--values") > 0;
  const bool synchronising_alone = asked.erase("--synchronising") > 0;
  std::vector<KernelCall> first, all;  // of each kernel
  for (const KernelCall& call : all_calls()) {
    if ((quick && !takes_a_moment(call.kernel)) || (!asked.empty() && !asked.contains(call.kernel)))
      continue;
    if (first.empty() || first.back().kernel != call.kernel) first.push_back(call);
    all.push_back(call);
  }
  bool all_right = true;
  if (!values_alone) {
    Synchronising table(form, page(), {Fate::undecided, Fate::unreached},
                        {Fate::equivalent, Fate::race});
    all_right = rows(table, first, form, introduction, "`verify --mutants`") && all_right;
  }
  if (!synchronising_alone) {
    Values table(form, page(), {ValueFate::undecided}, {ValueFate::equal, ValueFate::schedule});
    all_right = rows(table, all, form, of_values, "`verify --mutants`, values") && all_right;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (form == Form::text) fmt::print("{:.1f} s\n", seconds.count());
  return all_right ? 0 : 1;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::tables({argv + 1, argv + argc}); }

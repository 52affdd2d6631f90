// What becomes of undefined data, beside an evaluation in which "undefined" is a value.
//
//   fuzz_undefined [--seed N] [--count M]      500 programs when nothing is said
//
// Compared: whether, and in which line, a run finds that undefined data is used; whether the
// certificate refutes just these programs, and proves the others where no copy is left in flight;
// without arithmetic, that it proves none of them; and, of programs that are proved, the results of
// all schedules with the values. Prints what differs with the program, and ends with 1.
#include <cstdlib>
#include <string_view>

#include "analysis/certificate/certificate.h"
#include "core/lang/language.h"
#include "interp/run.h"
#include "interp/schedule/strategies.h"
#include "tests/fuzz/undefined/random_values.h"

namespace tessera::fuzz {
namespace {

struct Totals {
  std::int64_t programs = 0, uninitialised = 0, proved = 0, without_math = 0, differences = 0;
};

struct Operands {
  Tensor a{DType::f32, {1, width}}, o{DType::f32, {1, width}};
  std::vector<Binding> bindings{{{"a", &a}, {"o", &o}}};

  explicit Operands(const RandomValues& values) {
    for (int i = 0; i < width; ++i) a.set(i, values.operand[static_cast<std::size_t>(i)]);
  }
};

template <typename T>
const T& checked(const Expected<T>& result, const RandomValues& values) {
  if (result) return *result;
  fmt::print(stderr, "{}{}", values.text, render(result.diags()));
  std::exit(2);
}

class Comparison {
 public:
  Comparison(std::uint64_t seed, Totals& totals)
      : seed_(seed), totals_(totals), values_(ValueMaker(seed).make()) {}

  void run() {
    const Expected<Module> module =
        parse(std::make_shared<const Source>(Source{"values.tsr", values_.text}));
    const Expected<Program> program = instantiate(checked(module, values_), "values", {}, {});
    const Expected<Program> expanded = expand(checked(program, values_));
    const Program& runs = checked(expanded, values_);
    ++totals_.programs;
    totals_.uninitialised += values_.uninitialised != 0 ? 1 : 0;
    compare_run(runs, {.schedule = "eager"});
    compare_verdicts(runs);
  }

 private:
  void differ(const std::string& what) {
    if (++totals_.differences > 10) return;
    fmt::print("seed {}: {}\n{}\n", seed_, what, values_.text);
  }

  void compare_run(const Program& program, const RunOptions& options) {
    Operands operands(values_);
    const Expected<RunResult> result = tessera::run(program, operands.bindings, options);
    int line = 0;
    for (const Finding& finding : checked(result, values_).findings) {
      if (finding.kind == FindingKind::uninitialised_read && line == 0) line = finding.at.loc.line;
      if (finding.kind != FindingKind::uninitialised_read)
        differ(fmt::format("{}: {}: {}", options.schedule, name(finding.kind), finding.message));
    }
    if (line != values_.uninitialised)
      differ(fmt::format("{}: undefined data is used in line {}, found {}", options.schedule,
                         values_.uninitialised, line));
    for (int i = 0; i < width && line == 0 && values_.uninitialised == 0; ++i)
      if (operands.o.at(i) != values_.result[static_cast<std::size_t>(i)])
        return differ(fmt::format("{}: o[0, {}] is {}, expected {}", options.schedule, i,
                                  operands.o.at(i), values_.result[static_cast<std::size_t>(i)]));
  }

  SchedulesVerdict verdict(const Program& program, Math math) {
    Operands operands(values_);
    const Expected<Certificate> certificate =
        certify(program, operands.bindings, {.run = {.math = math}, .exhaust = 20, .schedules = 8});
    // Control depends on values that are skipped, so a finding is no verdict.
    if (math == Math::none && !certificate &&
        certificate.diags().front().code == ErrorCode::unsupported)
      return SchedulesVerdict::explored;
    return checked(certificate, values_).verdict;
  }

  void compare_verdicts(const Program& program) {
    const SchedulesVerdict verdict = this->verdict(program, Math::library);
    const bool is_used = values_.uninitialised != 0;
    if (is_used && verdict != SchedulesVerdict::refuted)
      differ(fmt::format("undefined data is used in line {}, and the program is {}",
                         values_.uninitialised, name(verdict)));
    if (!is_used && !values_.in_flight && verdict != SchedulesVerdict::proved)
      differ(fmt::format("nothing is wrong, and the program is {}", name(verdict)));
    const SchedulesVerdict without = this->verdict(program, Math::none);
    if (is_used && without == SchedulesVerdict::proved)
      differ(fmt::format("undefined data is used in line {}, and without arithmetic it is proved",
                         values_.uninitialised));
    totals_.without_math += without == SchedulesVerdict::proved ? 1 : 0;
    if (verdict != SchedulesVerdict::proved) return;
    ++totals_.proved;
    for (const std::string& schedule : sample_schedules(2)) {
      compare_run(program, {.schedule = schedule});
      compare_run(program,
                  {.schedule = schedule, .copies = {.granularity = CopyGranularity::partial}});
    }
  }

  const std::uint64_t seed_;
  Totals& totals_;
  const RandomValues values_;
};

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  using namespace tessera::fuzz;
  std::int64_t seed = 1, count = 500;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--count")) {
      fmt::print(stderr, "fuzz_undefined [--seed N] [--count M]\n");
      return 2;
    }
    (option == "--seed" ? seed : count) = std::strtoll(argv[i + 1], nullptr, 10);
  }
  Totals totals;
  for (std::int64_t i = seed; i < seed + count; ++i)
    Comparison(static_cast<std::uint64_t>(i), totals).run();
  fmt::print(
      "{} programs: {} use undefined data, {} proved, {} of them without arithmetic; {} "
      "differences\n",
      totals.programs, totals.uninitialised, totals.proved, totals.without_math,
      totals.differences);
  return totals.differences == 0 ? 0 : 1;
}

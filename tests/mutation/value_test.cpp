#include "tests/mutation/value_test.h"

#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "analysis/equality/equality.h"
#include "core/lang/language.h"
#include "core/passes/statement_rewriter.h"
#include "core/report/stop.h"
#include "core/report/try.h"
#include "interp/launch.h"
#include "interp/run.h"
#include "tests/mutation/integer_runs.h"

namespace tessera::fields {
namespace {

constexpr std::uint64_t seed = 1;  // of the draws

struct Judged {
  ValueFate fate = ValueFate::undecided;
  std::string why{};
};

// What refuses a mutant kills it; memory that is not there says nothing of it.
Expected<Judged> refused(const Diags& diags) {
  if (diags.front().code == ErrorCode::environment) return diags;
  return Judged{ValueFate::finding, diags.front().message};
}

class Judge {
 public:
  Judge(const Simulate& simulate, CertifyOptions how, KeptRun a, KeptRun b)
      : simulate_(simulate), how_(std::move(how)), a_(std::move(a)), b_(std::move(b)) {
    how_.necessity = false;
  }

  const Program& program() const { return a_.program; }

  // Why the program cannot be compared; empty: it can.
  Expected<std::string> prepare() {
    b_.program = a_.program;
    const Equality itself = TRY(compare(a_, b_, seed, Tracing::none));
    if (itself.outcome != Outcome::equal) return itself.reason;
    const RunResult plain = TRY(run(a_.program, a_.bindings(), a_.options));
    constexpr std::int64_t fewest = 10'000;
    b_.options.max_steps = fewest + 4 * plain.stats.steps;
    runs_.emplace(a_);
    return std::string();
  }

  Expected<Judged> judge(const ValueMutant& mutant) {
    b_.program = mutated(a_.program, mutant);
    if (const Diags wrong = verify(b_.program); !wrong.empty())
      return Judged{ValueFate::finding, wrong.front().message};
    const Expected<Equality> compared = compare(a_, b_, seed, Tracing::none);
    if (!compared) return refused(compared.diags());
    if (compared->outcome == Outcome::different) return Judged{ValueFate::different};
    if (compared->outcome == Outcome::equal) return of_equal(mutant);
    const bool does_not_fit =
        compared->refusal && compared->refusal->code != ErrorCode::unsupported;
    if (!compared->findings.empty() || does_not_fit)
      return Judged{ValueFate::finding, compared->reason};
    const Expected<bool> ends_otherwise = runs_->end_otherwise(b_);
    if (!ends_otherwise) return refused(ends_otherwise.diags());
    return Judged{*ends_otherwise ? ValueFate::results : ValueFate::undecided, compared->reason};
  }

 private:
  // Of a mutant that this schedule shows equal.
  Expected<Judged> of_equal(const ValueMutant& mutant) {
    StatementRewriter probe(a_.program, mutant.statement);
    probe.statement().op = probe.refusal();
    b_.program = probe.take();
    const Expected<RunResult> reached = run(b_.program, b_.bindings(), b_.options);
    if (reached && reached->findings.empty()) return Judged{ValueFate::unreached};
    CertifyOptions how = how_;
    how.run.rewrite = [&](const Program& as_it_is) { return mutated(as_it_is, mutant); };
    const Certificate certificate = TRY(certify(simulate_, how));
    if (certificate.verdict == SchedulesVerdict::proved) return Judged{ValueFate::equal};
    if (certificate.verdict == SchedulesVerdict::explored)
      return Judged{ValueFate::undecided, std::string(certificate.why_explored())};
    return Judged{ValueFate::schedule, certificate.findings.front().message};
  }

  const Simulate& simulate_;
  CertifyOptions how_;
  KeptRun a_, b_;
  std::optional<IntegerRuns> runs_;
};

}  // namespace

std::string_view name(ValueFate fate) {
  constexpr std::array<std::string_view, value_fates> names = {
      "finding", "different", "other results", "other schedule", "equal", "unreached", "undecided"};
  return names[static_cast<std::size_t>(fate)];
}

Expected<ValueTest> value_test(const Simulate& simulate, const CertifyOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  ValueTest test;
  std::optional<KeptRun> a = TRY(launch_of(simulate, options.run));
  std::optional<KeptRun> b = TRY(launch_of(simulate, options.run));
  if (!a || !b) {
    test.refusal = "it runs nothing that could be compared";
    return test;
  }
  Judge judge(simulate, options, *std::move(a), *std::move(b));
  test.refusal = TRY(judge.prepare());
  if (!test.refusal.empty()) return test;
  const Program& program = judge.program();
  for (const ValueMutant& mutant : value_mutants(program)) {
    const Stmt& stmt = program.body[mutant.statement];
    const Expected<Judged> judged = judge.judge(mutant);
    if (is_stopped(current_stop())) {
      test.is_interrupted = true;
      break;
    }
    const Judged told = TRY(judged);
    test.mutants.push_back({mutant, program.loc(stmt.place), std::string(info(stmt.op).mnemonic),
                            place(program, mutant), told.fate, told.why});
  }
  test.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return test;
}

}  // namespace tessera::fields

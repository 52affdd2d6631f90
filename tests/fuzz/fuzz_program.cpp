// Program text: parsed, formatted, instantiated, expanded, printed, run and verified, under small
// limits. How it is to be run stands in its first line "// RUN: ..." (directive.h).
#include <algorithm>
#include <array>
#include <deque>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/language.h"
#include "core/splitmix.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/profile.h"
#include "interp/cause.h"
#include "interp/certificate/certificate.h"
#include "interp/certificate/freeze_one.h"
#include "interp/certificate/mutation_test.h"
#include "interp/certificate/promises.h"
#include "interp/schedule.h"
#include "interp/timing.h"
#include "interp/trace_text.h"
#include "kernels/kernels.h"
#include "tests/fuzz/harness/directive.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"
#include "tests/fuzz/harness/mutate_program.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
constexpr std::int64_t certified_events = 6000;

std::shared_ptr<const Source> source(std::string text) {
  return std::make_shared<const Source>(Source{"fuzz.tsr", std::move(text)});
}

const std::vector<const Module*>& library() {
  static const std::vector<const Module*> all = [] {
    const Unbounded unbounded;
    const auto modules = function_library();
    REQUIRE(modules, "the library is not parsed");
    return *modules;
  }();
  return all;
}

// What has no value is given a small one.
Settings complete(const KernelInfo& kernel, Settings settings) {
  for (const ParameterInfo& parameter : kernel.parameters) {
    if (!parameter.default_text.empty() || settings.contains(parameter.name)) continue;
    if (parameter.kind == ParameterInfo::Kind::dtype) {
      if (parameter.choices.empty()) settings.emplace(parameter.name, "f32");
    } else {
      settings.emplace(parameter.name, "8");
    }
  }
  return settings;
}

// Memory that was refused may end anything.
bool is_refused(const Diags& diags) {
  return diags.front().code == ErrorCode::environment ||
         diags.front().code == ErrorCode::interrupted;
}

// Formatting changes no token: its text is read as the same program, and formatted as itself.
void check_format(const std::shared_ptr<const Source>& text, const Module& module) {
  const Expected<std::string> once = format(text);
  if (!once) return require_said(once.diags());
  const auto formatted = source(*once);
  const Expected<Module> again = parse(formatted);
  if (!again && is_refused(again.diags())) return;
  REQUIRE(again, *once + "\n" + (again ? "" : render(again.diags())));
  REQUIRE(again->kernels.size() == module.kernels.size(), *once);
  const Expected<std::string> twice = format(formatted);
  if (!twice && is_refused(twice.diags())) return;
  REQUIRE(twice && *twice == *once, *once + "-----\n" + (twice ? *twice : render(twice.diags())));
}

// A printed program is read as the same program. The text of an expanded one does not say which
// indices are kept for those who ask where something happened; it is read as a program all the
// same.
void check_print(const Program& program, const InstantiateOptions& how, bool is_expanded) {
  const std::string text = print(program);
  const Expected<Module> module = parse(source(text));
  if (!module && is_refused(module.diags())) return;
  REQUIRE(module, text + "\n" + (module ? "" : render(module.diags())));
  InstantiateOptions once = how;
  once.calls = 1;  // what several launches do stands in the text
  const Expected<Program> again =
      instantiate(*module, module->kernels.front().name, {}, library(), once);
  if (!again && is_refused(again.diags())) return;
  REQUIRE(again, text + "\n" + (again ? "" : render(again.diags())));
  REQUIRE(is_expanded || print(*again) == text, text + "-----\n" + print(*again));
}

// Operands and results of every device.
class Operands {
 public:
  Expected<bool> make(const Program& program, const Directive& d) {
    for (int device = 0; device < d.run.devices; ++device) {
      bindings_.emplace_back();
      for (const Buffer& buffer : program.buffers) {
        if (buffer.role == Role::scratch) continue;
        Shape shape = buffer.shape;
        for (std::size_t i = 0; i < buffer.order.size(); ++i)
          shape[i] = buffer.shape[static_cast<std::size_t>(buffer.order[i])];
        Expected<Tensor> tensor = Tensor::allocate(buffer.dtype, shape);
        if (!tensor) return tensor.diags();
        if (buffer.role == Role::in) fill(*tensor, buffer.name, d, device);
        tensors_.push_back(*std::move(tensor));
        bindings_.back()[buffer.name] = &tensors_.back();
      }
    }
    return true;
  }
  const std::vector<Binding>& bindings() const { return bindings_; }

 private:
  static void fill(Tensor& tensor, const std::string& name, const Directive& d, int device) {
    const auto given = d.inputs.find(name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      if (given != d.inputs.end() && !given->second.empty()) {
        tensor.set(i, given->second[static_cast<std::size_t>(i) % given->second.size()]);
      } else {
        SplitMix random(d.seed * 1000003 + static_cast<std::uint64_t>(i * 8 + device));
        tensor.set(i, static_cast<double>(random.below(9)) - (size_of(tensor.dtype()) < 8 ? 2 : 0));
      }
    }
  }

  std::deque<Tensor> tensors_;
  std::vector<Binding> bindings_;
};

// One program with its operands, run again and again.
class Runs {
 public:
  Runs(const Program& program, const Operands& operands, const Profile& profile)
      : program_(program), operands_(operands), profile_(profile) {}

  Expected<RunResult> run(const RunOptions& options) const {
    const Expected<DeviceReport> report = interpreter_device().run(
        program_, operands_.bindings(), {.profile = profile_.machine, .interpreter = &options});
    if (!report) {
      require_said(report.diags());
      return report.diags();
    }
    show(report->simulated->findings);
    return *report->simulated;
  }

  static void show(const std::vector<Finding>& findings) {
    const std::vector<CauseLink> links = causes(findings);
    REQUIRE(links.size() == findings.size(), "");
    for (std::size_t i = 0; i < findings.size(); ++i) {
      REQUIRE(!render(findings[i]).empty(), "");
      if (!links[i].is_cause()) continue;
      REQUIRE(!folded_message(findings, links, i).empty(), "");
    }
  }

 private:
  const Program& program_;
  const Operands& operands_;
  const Profile& profile_;
};

bool is_cut(const RunResult& result) {
  return result.end == RunEnd::stop || result.end == RunEnd::memory;
}

// A run is a function of program, operands and schedule; its schedule's text repeats it.
void check_replay(const Runs& runs, const RunOptions& how, const RunResult& result) {
  const Expected<Schedule> schedule = parse_schedule(result.schedule);
  REQUIRE(schedule, result.schedule);
  REQUIRE(to_string(*schedule) == result.schedule, result.schedule);
  RunOptions again = how;
  again.schedule = result.schedule;
  const Expected<RunResult> second = runs.run(again);
  if (!second) {
    REQUIRE(is_refused(second.diags()), render(second.diags()));
    return;
  }
  if (is_cut(*second) || is_cut(result)) return;
  REQUIRE(second->trace_hash == result.trace_hash && second->results == result.results,
          "the replay is another run: " + result.schedule);
  REQUIRE(second->findings.size() == result.findings.size(), "");
}

// What is proved has no finding, and one result, under another schedule.
void check_proof(const Runs& runs, RunOptions how, const Certificate& certificate,
                 std::uint64_t seed) {
  if (certificate.verdict != SchedulesVerdict::proved || is_cut(certificate.run)) return;
  how.hash_results = true;
  how.schedule = "eager";
  const Expected<RunResult> first = runs.run(how);
  // Points that signal others are proved as agents of their own. A run takes them one after the
  // other, and where each device has an order of its own, they may wait for each other.
  const bool synchronises = std::any_of(certificate.loops.begin(), certificate.loops.end(),
                                        [](const ParallelLoop& loop) { return loop.synchronises; });
  how.schedule = synchronises ? "lifo" : "random:" + std::to_string(seed);
  const Expected<RunResult> second = runs.run(how);
  if (!first || !second || is_cut(*first) || is_cut(*second)) return;
  if (first->end != RunEnd::program || second->end != RunEnd::program) return;
  REQUIRE(first->findings.empty() && second->findings.empty() && second->is_complete,
          "proved, and a schedule has a finding: " + how.schedule + "\n" +
              (second->findings.empty() ? "" : render(second->findings.front())));
  if (certificate.order.empty() && certificate.outcomes == 1 && !certificate.orders_parallel_loops)
    REQUIRE(first->results == second->results,
            "proved, and results depend on the schedule: " + how.schedule);
}

void certify_and_check(const Runs& runs, const Directive& d, const RunOptions& how,
                       std::uint64_t seed) {
  CertifyOptions options{.run = how, .partial = d.is_partial, .budget = certified_events};
  options.exhaust = 20;
  options.schedules = 3;
  options.shown = 3;
  options.necessity = d.asks_necessity;
  const Simulate simulate = [&](const RunOptions& o) { return runs.run(o); };
  const Expected<Certificate> certificate = certify(simulate, options);
  if (!certificate) return require_said(certificate.diags());
  Runs::show(certificate->findings);
  RunOptions landing = how;
  landing.landing = d.is_partial ? Landing::partial : Landing::whole;
  check_proof(runs, landing, *certificate, seed);
  if (certificate->verdict == SchedulesVerdict::refuted && (seed & 3) == 0) {
    const auto promises = stronger_promises(simulate, options, *certificate);
    if (!promises) require_said(promises.diags());
  }
  if (certificate->verdict == SchedulesVerdict::proved && d.asks_mutants) {
    const auto mutants = mutation_test(simulate, options);
    if (!mutants) require_said(mutants.diags());
  }
}

// Of each race the accesses, by their statements.
std::set<std::array<std::int32_t, 4>> places(const RaceAnalysis& analysis, const Record& record) {
  std::set<std::array<std::int32_t, 4>> all;
  for (const Race& race : analysis.races) {
    const RecordedEvent &x = record.events[static_cast<std::size_t>(race.x)],
                        &y = record.events[static_cast<std::size_t>(race.y)];
    std::array<std::int32_t, 2> a = {x.statement, static_cast<std::int32_t>(x.access)},
                                b = {y.statement, static_cast<std::int32_t>(y.access)};
    if (b < a) std::swap(a, b);
    all.insert({a[0], a[1], b[0], b[1]});
  }
  return all;
}

// The plain way of the analysis and the fast ones find the same races.
void check_analysis(const Runs& runs, RunOptions how, bool is_partial) {
  constexpr std::size_t few_events = 400;
  Certifier certifier(is_partial, certified_events);
  how.observers.push_back(&certifier);
  const Expected<RunResult> result = runs.run(how);
  if (!result || is_cut(*result)) return;
  const Record& record = certifier.record();
  if (certifier.certificate().end != RunEnd::program || record.events.size() > few_events) return;
  const auto expected = places(freeze_one(record, Reach::full), record);
  for (const Reach reach : {Reach::needed, Reach::swept, Reach::adaptive})
    REQUIRE(places(freeze_one(record, reach), record) == expected,
            "reach " + std::to_string(static_cast<int>(reach)) + " finds other races");
}

// Asks to stop at its N-th event.
class Asking : public Observer {
 public:
  Asking(Deadline& deadline, std::int64_t after) : deadline_(deadline), left_(after) {}
  void on(const Event&) override { come(); }
  void end(RunResult&) override { come(); }

 private:
  void come() {
    if (left_-- == 0) deadline_.end_now();
  }
  Deadline& deadline_;
  std::int64_t left_;
};

void run_program(const Program& program, const Directive& d, Deadline& deadline,
                 std::uint64_t seed) {
  const Expected<Profile> profile = find_profile(d.profile);
  if (!profile) return require_said(profile.diags());
  Operands operands;
  if (const Expected<bool> made = operands.make(program, d); !made)
    return require_said(made.diags());
  const Runs runs(program, operands, *profile);

  RunOptions how = d.run;
  how.stop = deadline.stop();
  Asking asking(deadline, d.stopping_after);
  if (how.checked && d.stopping_after >= 0) how.observers = {&asking};
  RunOptions watched = how;
  watched.record_schedule = watched.hash_results = true;
  std::size_t traced = 0;
  TextTrace trace([&](std::string_view line) { traced += line.size(); });
  TimingObserver timing(profile->rates);
  if (watched.checked && (seed & 4) != 0) watched.observers.push_back(&trace);
  if (watched.checked && d.is_timed) watched.observers.push_back(&timing);
  const Expected<RunResult> result = runs.run(watched);
  if (!result) return;
  watched.observers = how.observers;
  if (!result->schedule.empty() && d.failing_after < 0) check_replay(runs, watched, *result);
  certify_and_check(runs, d, how, seed);
  if (how.checked) check_analysis(runs, how, d.is_partial);
}

void check(const std::string& text) {
  library();
  const Directive d = read_directive(text);
  const std::uint64_t seed = SplitMix(text.size() * 31 + d.seed).next();
  const MemoryBudget memory(most_bytes, d.failing_after);
  Deadline deadline(std::chrono::milliseconds(1500));
  try {
    const auto file = source(text);
    const Expected<Module> module = parse(file);
    if (!module) return require_said(module.diags());
    check_format(file, *module);
    if (module->kernels.empty()) return;
    const KernelInfo* kernel = module->find(d.kernel);
    if (kernel == nullptr) kernel = &module->kernels.front();
    const Expected<Program> program =
        instantiate(*module, kernel->name, complete(*kernel, d.settings), library(), d.launch);
    if (!program) return require_said(program.diags());
    check_print(*program, d.launch, false);
    const Expected<Program> expanded = expand(*program);
    if (!expanded) return require_said(expanded.diags());
    if (const Diags diags = verify(*expanded); !diags.empty()) return require_said(diags);
    if ((seed & 8) != 0) check_print(*expanded, d.launch, true);
    run_program(*program, d, deadline, seed);
  } catch (const std::bad_alloc&) {
    REQUIRE(memory.was_refused(), "bad_alloc, and nothing was refused");
  } catch (const Interrupted&) {
    REQUIRE(deadline.is_over(), "interrupted, and nobody asked");
  }
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

#ifdef TESSERA_FUZZ
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string changed = tessera::fuzz::mutated_program(text, seed, most);
  changed.copy(reinterpret_cast<char*>(data), changed.size());
  return changed.size();
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  const std::string text =
      tessera::fuzz::spliced_programs({reinterpret_cast<const char*>(a), a_size},
                                      {reinterpret_cast<const char*>(b), b_size}, seed, most);
  text.copy(reinterpret_cast<char*>(out), text.size());
  return text.size();
}
#endif

// Program text: parsed, formatted, instantiated, expanded, printed, run and verified, under small
// limits. How it is to be run stands in its first line "// RUN: ..." (directive.h).
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/splitmix.h"
#include "core/lang/language.h"
#include "kernels/programs/kernels.h"
#include "tests/fuzz/harness/check_runs.h"
#include "tests/fuzz/harness/directive.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"
#include "tests/fuzz/harness/mutate_program.h"
#include "tests/fuzz/harness/simulated.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{64} << 20;

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

void check(const std::string& text) {
  library();
  const Directive d = read_directive(text);
  const std::uint64_t seed = SplitMix(text.size() * 31 + d.seed).next();
  const MemoryBudget memory(max_bytes, d.failing_after);
  Deadline deadline(std::chrono::milliseconds(1500));
  try {
    const auto file = source(text);
    const Expected<Module> module = parse(file);
    if (!module) return require_said(module.diags());
    check_format(file, *module);
    if (module->kernels.empty()) return;
    const KernelInfo* kernel = module->find(d.kernel);
    if (kernel == nullptr) kernel = &module->kernels.front();
    const auto instantiated = [&](const Module& of, const KernelInfo& one) {
      return instantiate(of, one.name, complete(one, d.settings), library(), d.launch);
    };
    const Expected<Program> program = instantiated(*module, *kernel);
    if (!program) return require_said(program.diags());
    check_print(*program, d.launch, false);
    const Expected<Program> expanded = expand(*program);
    if (!expanded) return require_said(expanded.diags());
    if (const Diags diags = verify(*expanded); !diags.empty()) return require_said(diags);
    if ((seed & 8) != 0) check_print(*expanded, d.launch, true);
    const auto of_text = [&](const std::string& other) -> Expected<Program> {
      const Expected<Module> edited = parse(source(other));
      if (!edited) return edited.diags();
      const KernelInfo* same = edited->find(kernel->name);
      REQUIRE(same != nullptr, "a wait that is tried takes the kernel away");
      return instantiated(*edited, *same);
    };
    check_runs({d, *module, *program, of_text, seed}, deadline);
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

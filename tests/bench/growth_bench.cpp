// Texts of n statements, each with a place that a message may show: time and instructions grow with
// n.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/lang/language.h"
#include "core/report/diag.h"

namespace tessera {
namespace {

std::shared_ptr<const Source> source_of(std::int64_t statements, const std::string& statement) {
  std::string text = "kernel k()\n{\n  x = device + 1\n";
  for (std::int64_t i = 0; i < statements; ++i) text += "  " + statement + "\n";
  return std::make_shared<const Source>(Source{"growth.tsr", text + "}\n"});
}

// The words of each statement are part of the program.
void statements(benchmark::State& state, const char* statement) {
  const std::shared_ptr<const Source> source = source_of(state.range(0), statement);
  for (auto _ : state) {
    const Expected<Module> module = parse(source);
    if (!module) return state.SkipWithError("no module");
    const Expected<Program> program = instantiate(*module, "k", {}, {});
    if (!program) return state.SkipWithError("no program");
    benchmark::DoNotOptimize(program->body.size());
  }
  state.SetComplexityN(state.range(0));
}

// One message for each line.
void places(benchmark::State& state) {
  const std::shared_ptr<const Source> source = source_of(state.range(0), "x");
  for (auto _ : state) {
    std::size_t size = 0;
    for (int line = 1; line <= state.range(0); ++line)
      size += render_place({source, line, 3, 1}, "note", "m").size();
    benchmark::DoNotOptimize(size);
  }
  state.SetComplexityN(state.range(0));
}

BENCHMARK_CAPTURE(statements, print, "print \"a\"")->Arg(1000)->Arg(2000)->Complexity();
BENCHMARK_CAPTURE(statements, assert, "assert x > 0")->Arg(1000)->Arg(2000)->Complexity();
BENCHMARK(places)->Arg(1000)->Arg(2000)->Complexity();

}  // namespace
}  // namespace tessera

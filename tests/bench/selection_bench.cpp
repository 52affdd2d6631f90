// What the chain costs a call whose configuration is known: the key is built and found in memory.
#include <benchmark/benchmark.h>

#include "kernels/operation/grouped_operation.h"

namespace tessera {
namespace {

void memory_hit(benchmark::State& state) {
  const auto groups = state.range(0);
  const Tensor lhs(DType::bf16, {groups * 16, 64}), rhs(DType::bf16, {groups, 64, 32});
  Tensor sizes(DType::i32, {groups});
  for (std::int64_t g = 0; g < groups; ++g) sizes.set(g, 16);
  GroupedMatmulCall call;
  call.interpret = true;
  const GroupedMatmulOperands operands{&lhs, &rhs, &sizes};
  GroupedConfigChain chain(std::nullopt);
  call.chain = &chain;
  CHECK(choose_config(operands, call));
  for (auto _ : state) {
    auto decision = choose_config(operands, call);
    if (decision->source != ConfigSource::Memory) state.SkipWithError("no memory hit");
    benchmark::DoNotOptimize(decision);
  }
}
BENCHMARK(memory_hit)->Arg(8)->Arg(256);

void memory_hit_of_a_key(benchmark::State& state) {
  GroupedConfigChain chain(std::nullopt);
  Selection selection;
  selection.key = {"interpreter v5e|1", "grouped_matmul@v1", "lhs=bf16[4096,512]"};
  selection.heuristics = [] { return ConfigChoice{}; };
  CHECK(chain.choose(selection));
  for (auto _ : state) {
    auto decision = chain.choose(selection);
    if (decision->source != ConfigSource::Memory) state.SkipWithError("no memory hit");
    benchmark::DoNotOptimize(decision);
  }
}
BENCHMARK(memory_hit_of_a_key);

}  // namespace
}  // namespace tessera

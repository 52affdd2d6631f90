// A random program of several pipelines with its operands, and the interpreter's results.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "core/lang/language.h"
#include "devices/profiles/profile.h"
#include "interp/launch.h"
#include "interp/run.h"
#include "kernels/programs/kernels.h"
#include "tests/fuzz/engines/random_pipelines.h"

namespace tessera::fuzz {

struct EngineCase {
  std::string text;
  Program structured;
  bool same_sizes = true;  // on all devices
  KeptRun run;             // of the expanded program; its results are not set
};

inline KeptRun copy_of(const KeptRun& run) {
  KeptRun copy{run.program, {}, run.options};
  for (const auto& device : run.operands) {
    copy.operands.emplace_back();
    for (const auto& [name, tensor] : device) copy.operands.back().emplace(name, tensor.clone());
  }
  return copy;
}

// Small integers; of `sizes` 0, 1 and 2, of which 0 is the most frequent.
inline void fill_operands(KeptRun& run, bool same_sizes, std::uint64_t seed) {
  for (std::size_t d = 0; d < run.operands.size(); ++d) {
    std::mt19937_64 sizes(seed + (same_sizes ? 0 : d)), values(seed * 3 + d);
    for (const Buffer& buffer : run.program.buffers) {
      if (buffer.role == Role::scratch) continue;
      const auto at =
          run.operands[d].try_emplace(buffer.name, Tensor(buffer.dtype, buffer.shape)).first;
      for (std::int64_t i = 0; buffer.role == Role::in && i < at->second.elements(); ++i)
        at->second.set(i, buffer.name == "sizes"
                              ? static_cast<double>(std::max<std::int64_t>(
                                    0, static_cast<std::int64_t>(sizes() % 5) - 2))
                              : static_cast<double>(values() % 17) - 8);
    }
  }
}

// A program that cannot be made is a mistake of the generator: prints it, and exits.
inline EngineCase engine_case(std::uint64_t seed, int devices = 0) {
  const RandomPipelines random = PipelineMaker(seed, devices).make();
  const auto checked = [&](auto&& made) {
    if (made) return *std::forward<decltype(made)>(made);
    fmt::print(stderr, "seed {}\n{}{}", seed, random.text, render(made.diags()));
    std::exit(2);
  };
  const Module module =
      checked(parse(std::make_shared<const Source>(Source{"engines.tsr", random.text})));
  EngineCase made{random.text,
                  checked(instantiate(module, "engines", {}, checked(function_library()))),
                  random.same_sizes,
                  {}};
  made.run.program = checked(expand(made.structured));
  made.run.options.machine.devices = random.devices;
  made.run.options.math = Math::exact;
  made.run.options.machine.profile = checked(find_profile(default_profile)).machine;
  made.run.operands.resize(static_cast<std::size_t>(random.devices));
  fill_operands(made.run, random.same_sizes, seed);
  return made;
}

// The interpreter's run; none if it ends with a finding.
inline std::optional<KeptRun> interpreted(const EngineCase& of) {
  KeptRun run = copy_of(of.run);
  run.options.schedule = "eager";
  const auto result = tessera::run(run.program, run.bindings(), run.options);
  if (!result || !result->findings.empty() || !result->is_complete) return std::nullopt;
  return run;
}

// The first element of a result that differs; empty: none does.
inline std::string difference(const KeptRun& got, const KeptRun& expected) {
  for (std::size_t d = 0; d < got.operands.size(); ++d)
    for (const Buffer& buffer : got.program.buffers) {
      if (buffer.role != Role::out) continue;
      const Tensor &a = got.operands[d].find(buffer.name)->second,
                   &b = expected.operands[d].find(buffer.name)->second;
      const std::int64_t size = size_of(buffer.dtype);
      for (std::int64_t i = 0; i < a.elements(); ++i)
        if (!std::equal(a.data() + i * size, a.data() + (i + 1) * size, b.data() + i * size))
          return fmt::format("{} of device {}: element {} is {}, expected {}", buffer.name, d, i,
                             a.at(i), b.at(i));
    }
  return "";
}

}  // namespace tessera::fuzz

// Mutants of the collectives with a fixed number of steps: if the unrolled ring has no race, the
// mutant is proved for every number of devices. All collectives if TESSERA_RINGS is set.
#include <fstream>
#include <sstream>

#include "tests/mutation/mutants.h"
#include "tests/unit/unrolled_ring_claims.h"

namespace tessera {
namespace {

using test::RingCounts;
using test::RingProgram;

// Returns the text of a shipped kernel with neighbours by device number, at place 0. The parameter
// `length` is then only the number of steps.
std::string with_own_neighbours(const std::string& kernel) {
  std::ifstream file(test::source_dir() + "/kernels/programs/" + kernel + ".tsr");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  in   ring:") || line.starts_with("  in   position:")) continue;
    const std::string table = "ring_place(ring, position)";
    if (const std::size_t at = line.find(table); at != std::string::npos)
      line.replace(at, table.size(), "neighbours()");
    text += line + "\n";
  }
  return text +
         "function neighbours() {\n  return place = 0\n"
         "         left = (device - 1) mod devices\n         right = (device + 1) mod devices\n}\n";
}

struct Collective {
  const char* kernel;
  Settings settings;
};

const std::vector<Collective>& collectives() {
  static const std::vector<Collective> all = {
      {"right_permute", {{"rows", "2"}, {"cols", "8"}, {"T", "f32"}, {"length", "1"}}},
      {"ring_all_reduce",
       {{"rows", "2"}, {"cols", "8"}, {"T", "f32"}, {"length", "3"}, {"tm", "2"}, {"tn", "8"}}},
      {"ring_reduce_scatter",
       {{"rows", "2"}, {"cols", "8"}, {"T", "f32"}, {"length", "3"}, {"tm", "1"}, {"tn", "8"}}},
      {"allgather_matmul",
       {{"rows", "2"},
        {"cols", "2"},
        {"k_shard", "2"},
        {"length", "5"},
        {"tm", "2"},
        {"tk", "2"},
        {"tn", "2"}}},
      {"allgather_matmul_rows",
       {{"rows", "2"}, {"cols", "2"}, {"k", "2"}, {"length", "4"}, {"T", "f32"}}},
      {"matmul_reduce_scatter",
       {{"rows", "8"},
        {"cols", "2"},
        {"k_shard", "2"},
        {"length", "4"},
        {"T", "f32"},
        {"U", "f32"},
        {"W", "f32"},
        {"tm", "1"},
        {"tk", "2"},
        {"tn", "2"}}},
  };
  return all;
}

TEST(UnrolledRing, quiet_mutants_of_collectives_are_proved_for_every_length) {
  const bool has_all = std::getenv("TESSERA_RINGS") != nullptr;
  RingCounts all;
  for (const Collective& collective : collectives())
    for (const int calls : {1, 2}) {
      RingCounts counts;
      Settings settings = collective.settings;
      settings["rings"] = "1";
      const RingProgram program(with_own_neighbours(collective.kernel), calls, settings);
      SCOPED_TRACE(collective.kernel);
      const int before = all.quiet;
      compare(program, all, 5, 5);
      EXPECT_EQ(all.quiet, before + 1) << collective.kernel << calls;
      const std::vector<Mutant> of_program = mutants(program.expanded());
      for (std::size_t i = 0; i < of_program.size(); ++i) {
        if (!has_all && i % 16 != 0) continue;
        SCOPED_TRACE(fmt::format("{} in line {}", name(of_program[i].mutation),
                                 program.expanded().loc(of_program[i].statement).line));
        compare(RingProgram(mutated(program.expanded(), of_program[i])), counts, 5, 6);
      }
      if (has_all) fmt::print("{}, {} calls: {}\n", collective.kernel, calls, counts.text());
      all.wrong += counts.wrong;
    }
  EXPECT_EQ(all.wrong, 0);
}

}  // namespace
}  // namespace tessera

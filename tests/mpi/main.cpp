// Runs many programs in one launch of several processes: mpirun -n 4 tessera_mpi_tests [WORDS].
//
//   cases FILE...               command lines, one a line; # begins a comment
//   call 'WORDS'                one command line
//   random SEED COUNT           random programs of tests/fuzz/larger, of 2 to 8 devices
//   pipelines SEED COUNT        random programs of tests/fuzz/engines
//   --seed N                    draws among what may be done, anew for each program
//   --delay N                   waits up to N microseconds before each task
//   --limits BYTES,POSTED,TAGS  of messages
//   --check-nodes                     compared node by node, without faults and with
//   --late PROCESS,MS           that process begins so much later than the others, and how much
//   memory
//                               it takes from there on is printed
//
// Prints what is wrong and how many programs were right; ends with 1 where one was not.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/mpi/together.h"

namespace tessera::test {
namespace {

struct Counts {
  int right = 0, wrong = 0, refused = 0, too_small = 0;
};

// A figure of /proc/self/status, in KiB.
std::int64_t memory(const std::string& figure) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    std::int64_t value = 0;
    if (word == figure && in >> value) return value;
  }
  return 0;
}

// The highest that memory was since the last call goes.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

struct Runner {
  mpi::World& world;
  mpi::Trial trial{};
  int late = -1;  // process, and by how many microseconds
  useconds_t by = 0;
  bool node_check = false;
  Counts counts{};

  void run(const std::string& name, const std::optional<Launch>& launch) {
    if (!launch) {
      ++counts.wrong;
      return;
    }
    if (trial.seed) ++*trial.seed;
    std::int64_t begin = 0;
    if (late >= 0)
      trial.before = [&] {
        forget_peak();
        begin = memory("VmRSS:");
        if (world.rank() == late) ::usleep(by);
      };
    count(node_check ? check_together(world, name, *launch, trial)
                     : run_together(world, name, *launch, trial));
    if (world.rank() == late)
      fmt::print("process {} took {} KiB more\n", late, memory("VmHWM:") - begin);
  }

  void count(Outcome outcome) {
    switch (outcome) {
      case Outcome::right:
        ++counts.right;
        break;
      case Outcome::wrong:
        ++counts.wrong;
        break;
      case Outcome::refused:
        ++counts.refused;
        break;
      case Outcome::too_small:
        ++counts.too_small;
        break;
    }
  }
};

std::vector<std::string> lines(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#') all.push_back(line);
  return all;
}

int run_words(mpi::World& world, const std::vector<std::string>& words) {
  Runner runner{world};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--seed") {
      runner.trial.seed = std::stoull(words.at(++i));
    } else if (word == "--delay") {
      runner.trial.longest_delay = std::stoll(words.at(++i));
    } else if (word == "--limits") {
      mpi::Limits& limits = runner.trial.limits;
      const std::string& text = words.at(++i);
      if (std::sscanf(text.c_str(), "%ld,%ld,%ld", &limits.message_bytes, &limits.posted,
                      &limits.tags) != 3)
        return 2;
    } else if (word == "--check-nodes") {
      runner.node_check = true;
    } else if (word == "--late") {
      unsigned milliseconds = 0;
      if (std::sscanf(words.at(++i).c_str(), "%d,%u", &runner.late, &milliseconds) != 2) return 2;
      runner.by = milliseconds * 1000;
    } else if (word == "call") {
      runner.run(words.at(i + 1), launch_of(words.at(i + 1)));
      ++i;
    } else if (word == "random" || word == "pipelines") {
      const std::uint64_t first = std::stoull(words.at(i + 1)),
                          count = std::stoull(words.at(i + 2));
      i += 2;
      for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const auto launch = word == "random" ? random_launch(seed, world.size())
                                             : pipelines_launch(seed, world.size());
        if (!launch && word == "pipelines")
          ++runner.counts.refused;
        else
          runner.run(fmt::format("{} seed {}", word, seed), launch);
      }
    } else if (word == "cases") {
      for (const std::string& line : lines(words.at(++i))) runner.run(line, launch_of(line));
    } else {
      fmt::print(stderr, "{} is no word of tessera_mpi_tests\n", word);
      return 2;
    }
  }
  const Counts& counts = runner.counts;
  if (world.rank() == 0)
    fmt::print(
        "{} right, {} wrong, {} refused, {} of fewer devices than processes; {}, {} processes\n",
        counts.right, counts.wrong, counts.refused, counts.too_small, world.library(),
        world.size());
  return counts.wrong == 0 && counts.right > 0 ? 0 : 1;
}

}  // namespace
}  // namespace tessera::test

int main(int argc, char** argv) {
  const auto world = tessera::mpi::world();
  if (!world) {
    fmt::print(stderr, "{}", tessera::render(world.diags()));
    return 3;
  }
  return tessera::test::run_words(**world, {argv + 1, argv + argc});
}

// Measures: rows of our time beside that of peers, taken in turn in the same run.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/expected.h"

namespace tessera::bench {

// What is timed; each call runs once and gives its seconds.
using Timed = std::function<Expected<double>()>;

struct Peer {
  std::string name;
  Timed run;
};

struct BenchCase {
  std::string name;
  Timed run;
  std::vector<Peer> peers;
  double work = 0;                     // of one run, for a rate
  std::string unit;                    // "GFLOP/s", "million ops/s": of `work` a second
  bool is_per_unit = false;            // the rate is seconds for one unit of work instead
  std::function<std::string()> check;  // "ok", or why the result is not right; after the timing
};

struct Times {
  double min = 0, median = 0, max = 0;
};
Times times_of(std::vector<double> seconds);

struct BenchRow {
  std::string name;
  Times times;
  std::vector<std::pair<std::string, Times>> peers;
  double rate = 0;
  std::string unit;
  std::string check = "ok";

  // Our median time over the best peer's; 0 without peers.
  double ratio() const;
};

// Runs a case at least three times and for about `seconds` in all, in turn with its peers.
BenchRow measure(const BenchCase& a_case, double seconds);

// A suite's cases are made one at a time: operands are large.
struct BenchEntry {
  std::string name;
  std::function<Expected<BenchCase>()> make;
};
std::vector<BenchEntry> interp_suite();
std::vector<BenchEntry> certificate_suite();
std::vector<BenchEntry> threads_suite();
std::vector<BenchEntry> moe_entries();  // on a GPU

}  // namespace tessera::bench

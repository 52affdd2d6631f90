// Benchmark measurements: the time of each case and of its peers, alternating within one run.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/expected.h"

namespace tessera::bench {

// Runs the timed code once and returns its time in seconds.
using Timed = std::function<Expected<double>()>;

struct Peer {
  std::string name;
  Timed run;
};

struct BenchCase {
  std::string name;
  Timed run;
  std::vector<Peer> peers;
  double work = 0;           // per run, to compute a rate
  std::string unit;          // unit of the rate: "GFLOP/s", "million ops/s"
  bool is_per_unit = false;  // the rate is seconds per unit of work instead
  // Returns "ok" or the error of the result; called after the timing. Empty: no check.
  std::function<std::string()> check;
};

// In seconds.
struct Times {
  double min = 0, median = 0, max = 0;
};
// Returns the minimum, median and maximum; zeros if there are no times.
Times times_of(std::vector<double> seconds);

struct BenchRow {
  std::string name;
  Times times;
  std::vector<std::pair<std::string, Times>> peers;
  double rate = 0;  // in `unit`; 0: not computed
  std::string unit;
  std::string check = "ok";  // result of the check, or the error of a run that failed

  // Median time divided by the median of the best peer; 0 without peers.
  double ratio() const;
};

// Runs a case and its peers alternately: an uncounted first round, then at least three rounds, for
// about `seconds` in total and at most 1000 rounds. Ends at the first run that fails: the row has
// its first error in `check` and no times. The row is also incomplete if a stop is requested.
BenchRow measure(const BenchCase& a_case, double seconds);

// Cases of a suite are created one at a time, because their operands are large.
struct BenchEntry {
  std::string name;
  std::function<Expected<BenchCase>()> make;
};
// Return the entries of one suite, in the order of the report.
std::vector<BenchEntry> interp_suite();
std::vector<BenchEntry> certificate_suite();
std::vector<BenchEntry> threads_suite();
std::vector<BenchEntry> moe_entries();  // on a GPU; without one, `make` fails

}  // namespace tessera::bench

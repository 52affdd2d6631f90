// Results of a suite as JSON, as a table and as a plot, and the parser of such JSON.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "core/report/expected.h"
#include "text/json.h"

namespace tessera::bench {

struct BenchReport {
  std::string suite, device, machine;
  std::vector<BenchRow> rows;
};

// Returns {"suite", "device", "machine", "rows"}: the output of `bench --json` without its status.
Json to_json(const BenchReport& report);
// Parses such an object. Fails if the text is not JSON, or with the missing or wrong field. `rate`
// and `unit` may be missing.
Expected<BenchReport> read_report(std::string_view text);

// Returns a heading and one line per row: time and rate of the case, and its time relative to each
// peer (below 1: faster than the peer) and to the fastest one; a failed check follows.
std::string table_of(const BenchReport& report);
// Returns an SVG of the peers' times relative to the case, with a column per row and a colour per
// peer. Above the line at 1, the case is faster; ratios above 3 are drawn at 3. Rows whose check
// failed have red names.
std::string plot_of(const BenchReport& report);

}  // namespace tessera::bench

// A measured suite as JSON, as a table and as a plot, and JSON of an earlier run read again.
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

// {"suite", "device", "machine", "rows"}: what `bench --json` prints, without its status.
Json to_json(const BenchReport& report);
// The rows of such an object; an error says which field is missing or wrong.
Expected<BenchReport> read_report(std::string_view text);

// One line a row: our time and rate, and our time over each peer's (below 1 is ahead).
std::string table_of(const BenchReport& report);
// An SVG of peers' time over ours, a column a row and a colour a peer: above the line at 1 is
// ahead.
std::string plot_of(const BenchReport& report);

}  // namespace tessera::bench

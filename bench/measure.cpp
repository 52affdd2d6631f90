#include <algorithm>
#include <utility>

#include "bench/bench.h"
#include "core/report/stop.h"

namespace tessera::bench {

Times times_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  return {seconds.front(), median, seconds.back()};
}

double BenchRow::ratio() const {
  double best = 0;
  for (const auto& [peer, its] : peers) {
    if (best == 0 || its.median < best) best = its.median;
  }
  return best > 0 ? times.median / best : 0;
}

BenchRow measure(const BenchCase& a_case, double seconds) {
  constexpr std::size_t least = 3, most = 1000;
  BenchRow row;
  row.name = a_case.name;
  row.unit = a_case.unit;
  std::vector<double> ours;
  std::vector<std::vector<double>> theirs(a_case.peers.size());
  double spent = 0;
  // The first round warms up caches and libraries and is not counted.
  for (std::size_t round = 0; round < least + 1 || (spent < seconds && round < most); ++round) {
    if (is_stopped(current_stop())) return row;  // discarded by the caller
    const auto time = [&](const Timed& run, std::vector<double>& into) {
      const Expected<double> took = run();
      if (!took) {
        row.check = took.diags().front().message;
        return false;
      }
      if (round == 0) return true;
      into.push_back(*took);
      spent += *took;
      return true;
    };
    // Every other round runs in reverse order, because the clock rate and the caches depend on the
    // position.
    const std::size_t arms = theirs.size() + 1;
    for (std::size_t i = 0; i < arms; ++i) {
      const std::size_t arm = round % 2 == 0 ? i : arms - 1 - i;
      const bool went_well =
          arm == 0 ? time(a_case.run, ours) : time(a_case.peers[arm - 1].run, theirs[arm - 1]);
      if (!went_well) return row;
    }
  }
  row.times = times_of(std::move(ours));
  for (std::size_t p = 0; p < theirs.size(); ++p) {
    row.peers.emplace_back(a_case.peers[p].name, times_of(std::move(theirs[p])));
  }
  if (a_case.work > 0)
    row.rate = a_case.is_per_unit ? row.times.median / a_case.work : a_case.work / row.times.median;
  if (a_case.check) row.check = a_case.check();
  return row;
}

}  // namespace tessera::bench

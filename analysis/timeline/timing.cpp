#include "analysis/timeline/timing.h"

#include <algorithm>

#include "analysis/timeline/timeline.h"

namespace tessera {

TimingObserver::TimingObserver(const MachineRates& rates) : rates_(rates) {}
TimingObserver::~TimingObserver() = default;

void TimingObserver::begin(const Program& program, const RunOptions& options) {
  const Topology topology{std::max(options.machine.devices, 1), std::max(options.machine.cores, 1)};
  const auto detail =
      listeners_.empty() ? TimingRecord::Detail::times : TimingRecord::Detail::drawing;
  record_ =
      std::make_unique<TimingRecord>(program, options.machine.profile, topology, rates_, detail);
  timing_ = {};
}

void TimingObserver::on(const Event& event) { record_->on(event); }

void TimingObserver::end(RunResult& result) {
  // The duration of a run that was cut short is not known.
  if (result.end == RunEnd::program) timing_ = timeline(*record_, listeners_, result.findings);
  record_.reset();
}

}  // namespace tessera

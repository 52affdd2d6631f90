#include "interp/observe/timing.h"

#include <algorithm>

#include "interp/observe/timeline.h"
#include "interp/observe/timing_record.h"

namespace tessera {

TimingObserver::TimingObserver(const MachineRates& rates) : rates_(rates) {}
TimingObserver::~TimingObserver() = default;

void TimingObserver::begin(const Program& program, const RunOptions& options) {
  const Topology topology{std::max(options.devices, 1), std::max(options.cores, 1)};
  record_ = std::make_unique<TimingRecord>(program, options.profile, topology, rates_);
  timing_ = {};
}

void TimingObserver::on(const Event& event) { record_->on(event); }

void TimingObserver::end(RunResult& result) {
  // How long the rest would have taken nobody knows.
  if (result.end == RunEnd::program) timing_ = timeline(*record_);
  record_.reset();
}

}  // namespace tessera

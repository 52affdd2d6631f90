#include "interp/observe/timeline.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "interp/observe/timing_record.h"

namespace tessera {
namespace {

using Stretch = std::pair<double, double>;

// Stretches of time, of which many follow each other without a gap.
class Busy {
 public:
  void add(double begin, double end) {
    if (end <= begin) return;
    if (!stretches_.empty() && begin == stretches_.back().second) {
      stretches_.back().second = end;
    } else {
      stretches_.emplace_back(begin, end);
    }
  }

  // The seconds in which both have a stretch.
  static double overlap(const Busy& one, const Busy& other) {
    const std::vector<Stretch> first = one.united(), second = other.united();
    double sum = 0;
    for (auto a = first.begin(), b = second.begin(); a != first.end() && b != second.end();) {
      sum += std::max(0.0, std::min(a->second, b->second) - std::max(a->first, b->first));
      a->second < b->second ? ++a : ++b;
    }
    return sum;
  }

 private:
  std::vector<Stretch> united() const {
    std::vector<Stretch> all = stretches_, result;
    std::sort(all.begin(), all.end());
    for (const Stretch& next : all) {
      if (!result.empty() && next.first <= result.back().second) {
        result.back().second = std::max(result.back().second, next.second);
      } else {
        result.push_back(next);
      }
    }
    return result;
  }
  std::vector<Stretch> stretches_;
};

// Plays a record again in the order of time.
class Timeline {
 public:
  explicit Timeline(const TimingRecord& record)
      : record_(record),
        cores_(record.cores().size()),
        devices_(static_cast<std::size_t>(record.topology().devices)),
        counts_(static_cast<std::size_t>(record.cells())),
        waiters_(static_cast<std::size_t>(record.cells())) {}

  Timing run() {
    Timing timing;
    for (const SiteId c : cores_.ids()) push(0, c);
    while (!moments_.empty()) {
      const Moment now = moments_.top();
      moments_.pop();
      timing.seconds = std::max(timing.seconds, now.at);
      now.core ? advance(now.core, now.at) : add(now.cell, now.amount, now.at);
    }
    for (const SiteId c : cores_.ids()) {
      const TimingRecord::Core& core = record_.cores()[c];
      timing.is_complete &= cores_[c].next == core.steps.size();
      const Device& own = device(c);
      DeviceTiming& told = timing.devices.emplace_back();
      told = {core.matrix, core.vector, core.control, cores_[c].waiting, own.memory, 0, 0};
      // Links send at once: the busiest one stands for all.
      for (const auto& [other, link] : own.links) told.links = std::max(told.links, link.busy);
      told.overlapped = Busy::overlap(cores_[c].works, own.moves);
    }
    return timing;
  }

 private:
  struct Moment {
    double at = 0;
    std::int64_t order = 0;  // of two at one time the one that was foreseen first
    SiteId core{};           // that goes on; none: a signal
    std::int32_t cell = -1;  // of a signal
    std::int64_t amount = 0;
    bool operator<(const Moment& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct Link {
    double free = 0, busy = 0;
  };
  struct Core {
    std::size_t next = 0;
    double since = 0;  // it waits
    double waiting = 0;
    Busy works;
  };
  // What the cores of a device share.
  struct Device {
    double memory = 0, memory_free = 0;
    std::map<std::int32_t, Link> links;  // by the device at the other end
    Busy moves;
  };

  Core& core(SiteId site) { return cores_[site]; }
  Device& device(SiteId site) {
    return devices_[static_cast<std::size_t>(record_.topology().device(site))];
  }

  void push(double at, SiteId core) { moments_.push({.at = at, .order = order_++, .core = core}); }
  void push_signal(double at, std::int32_t cell, std::int64_t amount) {
    moments_.push({.at = at, .order = order_++, .cell = cell, .amount = amount});
  }

  void add(std::int32_t cell, std::int64_t amount, double now) {
    const auto at = static_cast<std::size_t>(cell);
    counts_[at] += amount;
    if (!waiters_[at]) return;
    const SiteId waiter = std::exchange(waiters_[at], SiteId());
    core(waiter).waiting += now - core(waiter).since;
    advance(waiter, now);
  }

  // The core goes on from `now` until it works, waits or is done.
  void advance(SiteId number, double now) {
    Core& self = core(number);
    const std::vector<TimingRecord::Step>& steps = record_.cores()[number].steps;
    while (self.next < steps.size()) {
      const TimingRecord::Step& step = steps[self.next];
      const auto at = static_cast<std::size_t>(std::max(step.object, 0));
      switch (step.act) {
        case TimingRecord::Act::work:
          ++self.next;
          self.works.add(now, now + step.seconds);
          return push(now + step.seconds, number);
        case TimingRecord::Act::start:
          start(record_.copies()[at], now);
          break;
        case TimingRecord::Act::signal:
          push_signal(now + (owner(step.object) == number ? 0 : rates().link_latency), step.object,
                      step.amount);
          break;
        case TimingRecord::Act::wait:
        case TimingRecord::Act::await:
          if (counts_[at] < step.amount) {
            waiters_[at] = number;
            self.since = now;
            return;
          }
          if (step.act == TimingRecord::Act::wait) counts_[at] -= step.amount;
          break;
      }
      ++self.next;
    }
  }

  // A copy takes its turn at each memory and link that it uses, and is done when the last of them
  // is.
  void start(const TimingRecord::Copy& copy, double now) {
    const MachineProfile& profile = record_.profile();
    double end = now, begin = now;
    const auto use = [&](double& free, double bytes, double bandwidth, double& busy) {
      if (bytes <= 0 || bandwidth <= 0) return;
      begin = std::max(now, free);
      free = begin + bytes / bandwidth;
      busy += bytes / bandwidth;
      end = std::max(end, free);
    };
    Device& source = device(copy.from);
    Device& target = device(copy.to);
    const double held = source.memory_free;
    use(source.memory_free, copy.read, profile.hbm_bandwidth, source.memory);
    source.moves.add(std::max(now, held), source.memory_free);
    if (copy.is_remote && &target != &source) {
      Link& link = source.links[record_.topology().device(copy.to)];
      use(link.free, copy.moved, profile.link_bandwidth, link.busy);
      source.moves.add(begin, end);
    }
    const double before = std::max(now, target.memory_free);
    use(target.memory_free, copy.written, profile.hbm_bandwidth, target.memory);
    target.moves.add(before, target.memory_free);
    if (copy.sent >= 0) push_signal(end, copy.sent, copy.sent_amount);
    const double latency = copy.is_remote ? rates().link_latency : rates().copy_latency;
    if (copy.arrived >= 0) push_signal(end + latency, copy.arrived, copy.arrived_amount);
  }

  const MachineRates& rates() const { return record_.rates(); }
  SiteId owner(std::int32_t cell) const {
    return SiteId(cell / (record_.cells() / record_.topology().count()));
  }

  const TimingRecord& record_;
  Table<SiteId, Core> cores_;
  std::vector<Device> devices_;
  std::vector<std::int64_t> counts_;   // of the cells
  std::vector<SiteId> waiters_;        // the core that waits on the cell, or none
  std::priority_queue<Moment> moments_;
  std::int64_t order_ = 0;
};

}  // namespace

Timing timeline(const TimingRecord& record) { return Timeline(record).run(); }

}  // namespace tessera

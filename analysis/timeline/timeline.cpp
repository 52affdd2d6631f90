#include "analysis/timeline/timeline.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using Stretch = std::pair<double, double>;

// Time intervals. Many of them are adjacent.
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

  double seconds() const {
    double sum = 0;
    for (const auto& [begin, end] : united()) sum += end - begin;
    return sum;
  }
  // Seconds that are in intervals of both.
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

Roofline roofline(const TimingRecord& record, const Timing& timing) {
  Roofline result;
  const auto take = [&](double seconds, Roofline::By by) {
    if (seconds > result.seconds) result = {seconds, by};
  };
  std::vector<double> bytes(static_cast<std::size_t>(record.topology().devices));
  for (const auto& [where, traffic] : record.traffic()) {
    const Buffer& buffer = record.program().buffers[where.second];
    if (buffer.role == Role::scratch) continue;
    const auto size = static_cast<double>(elements(buffer.shape) * size_of(buffer.dtype));
    bytes[static_cast<std::size_t>(where.first)] +=
        std::min(size, traffic.read) + std::min(size, traffic.written);
  }
  for (const TimingRecord::Core& core : record.cores()) take(core.products, Roofline::By::matrix);
  if (record.profile().hbm_bandwidth > 0)
    for (const double of_device : bytes)
      take(of_device / record.profile().hbm_bandwidth, Roofline::By::hbm);
  for (const DeviceTiming& device : timing.devices) take(device.links, Roofline::By::links);
  return result;
}

// Replays a record in the order of time.
class Timeline {
 public:
  Timeline(const TimingRecord& record, std::span<TimelineListener* const> listeners)
      : record_(record),
        listeners_(listeners),
        causes_(static_cast<std::int64_t>(record.copies().size())),
        cores_(record.cores().size()),
        devices_(static_cast<std::size_t>(record.topology().devices)),
        counts_(static_cast<std::size_t>(record.cells())),
        waiters_(static_cast<std::size_t>(record.cells())) {}

  Timing run(std::span<const Finding> findings) {
    Timing timing;
    tell([&](TimelineListener& who) { who.begin(record_); });
    for (const Finding& finding : findings)
      tell([&](TimelineListener& who) { who.finding(finding); });
    for (const CoreIndex c : cores_.ids()) push(0, c);
    while (!moments_.empty()) {
      const Moment now = moments_.top();
      moments_.pop();
      timing.seconds = std::max(timing.seconds, now.at);
      now.core ? advance(now.core, now.at) : add(now);
    }
    for (const CoreIndex c : cores_.ids()) {
      const TimingRecord::Core& core = record_.cores()[c];
      timing.is_complete &= cores_[c].next == core.steps.size();
      const Device& own = device(c);
      DeviceTiming& told = timing.devices.emplace_back();
      told = {core.matrix, core.vector, core.control, cores_[c].waiting, own.memory};
      // Links send concurrently, so the busiest one counts.
      for (const auto& [other, link] : own.links) told.links = std::max(told.links, link.busy);
      told.moving = own.moves.seconds();
      told.overlapped = Busy::overlap(cores_[c].works, own.moves);
    }
    timing.is_complete &= !has_unknown_links_;
    timing.roofline = roofline(record_, timing);
    tell([&](TimelineListener& who) { who.end(timing); });
    return timing;
  }

 private:
  struct Moment {
    double at = 0;
    std::int64_t order = 0;  // at equal times, the event that was scheduled first
    CoreIndex core{};        // the core continues; none: a signal arrives
    std::int32_t cell = -1;  // signal: its cell
    TimelineListener::Arrival arrival{};
    bool operator<(const Moment& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct Link {
    double free = 0, busy = 0;
  };
  struct Core {
    std::size_t next = 0;
    double since = -1;  // begin of its wait; -1: it does not wait
    double waiting = 0;
    Busy works;
  };
  // State that the cores of a device share.
  struct Device {
    double memory = 0, memory_free = 0;
    std::map<std::int32_t, Link> links;  // by the device at the other end; -1: one port for all
    Busy moves;
  };

  template <typename What>
  void tell(const What& what) {
    for (TimelineListener* const listener : listeners_) what(*listener);
  }

  Core& core(CoreIndex core_index) { return cores_[core_index]; }
  Device& device(CoreIndex core_index) {
    return devices_[static_cast<std::size_t>(record_.topology().device(core_index))];
  }

  void push(double at, CoreIndex core) {
    moments_.push({.at = at, .order = order_++, .core = core});
  }
  void push_signal(double at, std::int32_t cell, const TimelineListener::Arrival& arrival) {
    moments_.push({.at = at, .order = order_++, .cell = cell, .arrival = arrival});
  }

  void add(const Moment& now) {
    const auto at = static_cast<std::size_t>(now.cell);
    counts_[at] += now.arrival.amount;
    tell([&](TimelineListener& who) { who.count(now.cell, counts_[at], now.arrival, now.at); });
    if (waiters_[at]) advance(std::exchange(waiters_[at], CoreIndex()), now.at);
  }

  // Ends the wait of the core's next step: the count is available.
  void pass(CoreIndex number, const TimingRecord::Step& step, double now) {
    Core& self = core(number);
    const double since = std::exchange(self.since, -1);
    if (since >= 0) self.waiting += now - since;
    tell([&](TimelineListener& who) { who.wait(number, self.next, since < 0 ? now : since, now); });
    if (step.act == TimingRecord::Act::await) return;
    const auto at = static_cast<std::size_t>(step.object);
    counts_[at] -= step.amount;
    tell([&](TimelineListener& who) { who.count(step.object, counts_[at], {}, now); });
  }

  // Runs the core from `now` until it works, waits or is done.
  void advance(CoreIndex number, double now) {
    Core& self = core(number);
    const std::vector<TimingRecord::Step>& steps = record_.cores()[number].steps;
    while (self.next < steps.size()) {
      const TimingRecord::Step& step = steps[self.next];
      const auto at = static_cast<std::size_t>(std::max(step.object, 0));
      switch (step.act) {
        case TimingRecord::Act::work:
          tell([&](TimelineListener& who) { who.work(number, self.next, now); });
          if (step.seconds == 0) break;  // only marks
          ++self.next;
          self.works.add(now, now + step.seconds);
          return push(now + step.seconds, number);
        case TimingRecord::Act::start: {
          const double end = start(step.object, now);
          tell([&](TimelineListener& who) { who.copy(number, self.next, now, end); });
          break;
        }
        case TimingRecord::Act::signal:
          tell([&](TimelineListener& who) { who.signal(number, self.next, causes_, now); });
          push_signal(now + (owner(step.object) == number ? 0 : rates().link_latency), step.object,
                      {causes_++, step.amount});
          break;
        case TimingRecord::Act::wait:
        case TimingRecord::Act::await:
          if (counts_[at] < step.amount) {
            waiters_[at] = number;
            if (self.since < 0) self.since = now;
            return;
          }
          pass(number, step, now);
          break;
      }
      ++self.next;
    }
  }

  // Starts a copy. It queues at each memory and link that it uses, and completes when the last of
  // them has moved its data. Returns the time when all data has arrived.
  double start(std::int32_t number, double now) {
    const TimingRecord::Copy& copy = record_.copies()[static_cast<std::size_t>(number)];
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
    const auto move = [&](CoreIndex core_index, double bytes) {
      Device& own = device(core_index);
      const double free = std::max(now, own.memory_free);
      use(own.memory_free, bytes, profile.hbm_bandwidth, own.memory);
      own.moves.add(free, own.memory_free);
      if (own.memory_free > free)
        tell([&](TimelineListener& who) {
          who.memory(record_.topology().device(core_index), number, free, own.memory_free);
        });
    };
    move(copy.from, copy.read);
    if (copy.is_remote && &target != &source) {
      const std::int32_t other = profile.one_port ? -1 : record_.topology().device(copy.to);
      Link& link = source.links[other];
      has_unknown_links_ |= profile.link_bandwidth <= 0;
      use(link.free, copy.moved, profile.link_bandwidth, link.busy);
      source.moves.add(begin, end);
      if (link.free > begin)
        tell([&](TimelineListener& who) {
          who.link(record_.topology().device(copy.from), other, number, begin, link.free);
        });
    }
    move(copy.to, copy.written);
    if (copy.sent >= 0) push_signal(end, copy.sent, {number, copy.sent_amount});
    const double latency = copy.is_remote ? rates().link_latency : rates().copy_latency;
    if (copy.arrived >= 0) push_signal(end + latency, copy.arrived, {number, copy.arrived_amount});
    return end + latency;
  }

  const MachineRates& rates() const { return record_.rates(); }
  CoreIndex owner(std::int32_t cell) const {
    return CoreIndex(cell / (record_.cells() / record_.topology().count()));
  }

  const TimingRecord& record_;
  std::span<TimelineListener* const> listeners_;
  std::int64_t causes_;  // number of the next signal
  Table<CoreIndex, Core> cores_;
  std::vector<Device> devices_;
  std::vector<std::int64_t> counts_;  // by cell
  std::vector<CoreIndex> waiters_;    // by cell: the waiting core, or none
  std::priority_queue<Moment> moments_;
  std::int64_t order_ = 0;
  bool has_unknown_links_ = false;  // a copy used a link without a bandwidth in the profile
};

}  // namespace

Timing timeline(const TimingRecord& record, std::span<TimelineListener* const> listeners,
                std::span<const Finding> findings) {
  return Timeline(record, listeners).run(findings);
}

}  // namespace tessera

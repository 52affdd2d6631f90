// Puts a program together: its text, and the events that each line means.
#pragma once
#include <random>

#include "tests/fuzz/schedules/protocol_net.h"

namespace tessera::fuzz {

class NetBuilder {
 public:
  NetBuilder(std::uint64_t seed, const Promises& promises) : rng_(seed), promises_(promises) {}

  // Where nothing does, x can be a point's own.
  bool others_land_in_x = true;

  void set_machine(int devices, int cores) {
    net_.devices = devices;
    net_.cores = cores;
    net_.semaphores = net_.program_cells = all_cores() * array::all * array::cells;
    for (int s = 0; s < all_cores(); ++s) net_.agents.push_back({.core = s, .thread = s});
    signalled_.resize(static_cast<std::size_t>(net_.program_cells));
  }

  int draw(int below) {
    return static_cast<int>(std::uniform_int_distribution<int>(0, below - 1)(rng_));
  }
  bool one_in(int n) { return draw(n) == 0; }
  const Promises& promises() const { return promises_; }
  int all_cores() const { return net_.all_cores(); }
  int cores() const { return net_.cores; }
  int line() const { return lines_; }
  void line(const std::string& text) {
    if (!is_replay_) net_.text += text + "\n";
    ++lines_;
  }
  // What was drawn since, once more for another core: the same lines.
  struct Mark {
    std::mt19937_64 rng;
    int lines;
  };
  Mark mark() const { return {rng_, lines_}; }
  void replay(const Mark& from) {
    rng_ = from.rng;
    lines_ = from.lines;
    is_replay_ = true;
  }
  void end_replay() { is_replay_ = false; }
  ProtocolNet& net() { return net_; }
  // What is signalled and not waited for, all in all.
  int left_in(int cell) const { return signalled_[static_cast<std::size_t>(cell)]; }

  // "1", or "1 core 0" where devices have several.
  std::string name(int core) const {
    const std::string device = std::to_string(core / cores());
    return cores() == 1 ? device : device + " core " + std::to_string(core % cores());
  }
  std::string only_on(int core) const {
    return "  if device == " + std::to_string(core / cores()) +
           " and core == " + std::to_string(core % cores()) + " {";
  }

  // The events of the line at hand by an agent.
  NetEvent access(NetAccess kind, int core, int object, int first, int size) const {
    return {.what = Do::access,
            .line = lines_,
            .access = kind,
            .core = core,
            .owner = object == object::hbm ? core - core % cores() : core,
            .object = object,
            .first = first,
            .last = first + size};
  }
  void add(int agent, NetEvent event) { events(agent).push_back(event); }
  void access(int agent, NetAccess how, int object, int first, int size) {
    add(agent, access(how, core_of_agent(agent), object, first, size));
  }
  void lifetime_of_core(int core) {
    add(core, {.what = Do::access,
               .access = NetAccess::lifetime,
               .core = core,
               .owner = core,
               .object = object::whole_core});
  }
  // A signal to another core uses the semaphore there.
  void signal(int agent, int to, int which, int cell, int amount) {
    if (to != core_of_agent(agent)) add(agent, use_of(to, which));
    add(agent, count(Do::signal, cell_of(to, which, cell), amount));
  }
  void wait(int agent, int which, int cell, int amount) {
    add(agent, count(which == array::monotone ? Do::await : Do::wait,
                     cell_of(core_of_agent(agent), which, cell), amount));
  }
  // The one that a program gets which reaches others and has none of its own.
  void barrier() {
    const int first = net_.semaphores;
    net_.semaphores += all_cores();
    for (int s = 0; s < all_cores(); ++s) {
      for (int to = 0; to < all_cores(); ++to)
        add(s, {.what = Do::signal, .semaphore = first + to, .amount = 1});
      add(s, {.what = Do::wait, .semaphore = first + s, .amount = all_cores()});
    }
  }

  // One end of a copy: where it reads or writes, and which cell it counts on; -1: none.
  struct End {
    NetEvent access{};
    int core = 0, which = array::bytes, cell = -1;
  };
  // `size` elements: read, count, write, count, by one agent or by one for each element.
  void copy(int agent, const End& from, const End& to, int size) {
    const int parts = promises_.whole ? 1 : size;
    const int core = core_of_agent(agent), device = to.core / cores();
    add(agent, {.what = Do::start,
                .line = lines_,
                .agent = static_cast<int>(net_.agents.size()),
                .agents = parts});
    for (int i = 0; i < parts; ++i) {
      NetAgent copy{.kind = NetAgent::Kind::copy, .core = core, .thread = agent};
      if (device != core / cores()) copy.lane = core * net_.devices + device;
      for (const End* end : {&from, &to}) {
        NetEvent access = end->access;
        if (!promises_.whole) access.last = (access.first += i) + 1;
        copy.events.push_back(access);
        if (end->cell < 0) continue;
        if (array::is_scoped(end->which)) copy.events.push_back(use_of(end->core, end->which));
        copy.events.push_back(
            count(Do::signal, cell_of(end->core, end->which, end->cell), 4 * size / parts));
      }
      net_.agents.push_back(std::move(copy));
    }
    net_.lands_outside |= to.core != core && to.access.object == object::vmem;
  }

  // The points of a loop; their agents are the numbers from the result on.
  int fork(int core, int points) {
    const int first = static_cast<int>(net_.agents.size()),
              number = static_cast<int>(net_.loops.size());
    net_.loops.push_back({lines_, core, first, points, net_.semaphores++});
    add(core,
        {.what = Do::start, .line = lines_, .agent = first, .agents = points, .loop = number});
    for (int i = 0; i < points; ++i)
      net_.agents.push_back(
          {.kind = NetAgent::Kind::point, .core = core, .thread = first + i, .loop = number});
    return first;
  }
  void join(int core) {
    const NetLoop& loop = net_.loops.back();
    for (int i = 0; i < loop.points; ++i)
      add(loop.first + i, {.what = Do::signal, .semaphore = loop.joined, .amount = 1});
    add(core, {.what = Do::await, .semaphore = loop.joined, .amount = loop.points});
  }

 private:
  std::vector<NetEvent>& events(int agent) {
    return net_.agents[static_cast<std::size_t>(agent)].events;
  }
  int core_of_agent(int agent) const { return net_.agents[static_cast<std::size_t>(agent)].core; }
  NetEvent use_of(int core, int which) const {
    return access(NetAccess::read, core, object::first_array + which, 0, array::cells);
  }
  NetEvent count(Do what, int cell, int amount) {
    if (what != Do::await)
      signalled_[static_cast<std::size_t>(cell)] += what == Do::signal ? amount : -amount;
    return {.what = what, .line = lines_, .semaphore = cell, .amount = amount};
  }

  std::mt19937_64 rng_;
  const Promises promises_;
  ProtocolNet net_;
  std::vector<int> signalled_;  // by cell
  int lines_ = 0;
  bool is_replay_ = false;
};

}  // namespace tessera::fuzz

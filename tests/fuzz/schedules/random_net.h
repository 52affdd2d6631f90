// Random programs of two to four cores, a few ops each, that leave nothing to chance but the order:
// accesses, signals to anybody, waits on own semaphores, copies here and to others, some through
// the hbm that the cores of a device share.
#pragma once
#include <algorithm>
#include <random>

#include "tests/fuzz/schedules/net.h"

namespace tessera::fuzz {

class NetMaker {
 public:
  NetMaker(std::uint64_t seed, const Promises& promises) : rng_(seed), promises_(promises) {}

  Net make() {
    net_.cores = draw(3) == 0 ? 2 : 1;
    net_.devices = net_.cores == 2 ? 1 + draw(2) : 2 + draw(2);
    sites_ = net_.devices * net_.cores;
    net_.semaphores = net_.tokens = sites_ * (arrays * cells + 1);
    last_in_lane_.resize(static_cast<std::size_t>(sites_ * net_.devices));
    net_.agents.resize(static_cast<std::size_t>(sites_));
    line("// Random program of " + std::to_string(net_.devices) + " devices, " +
         std::to_string(net_.cores) + " cores each.");
    line("kernel net()");
    line("  vmem x: f32[8]");
    line("  vmem p: f32[8]");
    line("  hbm  h: f32[8]");
    line("  sem c[2]: count");
    line("  sem b[2]: bytes");
    line("  sem m[2]: count monotone");
    line("{");
    for (int s = 0; s < sites_; ++s) {
      core(s).push_back(life(s));
      barrier(s);
      line("  if device == " + std::to_string(s / net_.cores) +
           " and core == " + std::to_string(s % net_.cores) + " {");
      const int ops = 1 + draw(sites_ == 4 ? 4 : 5);
      for (int i = 0; i < ops; ++i) op(s);
      line("  }");
    }
    // Somebody reaches another device in every program, so that all of them begin with the barrier.
    const int next = net_.cores;  // sites from a core to the same one of the next device
    line(net_.cores == 1 ? "  signal m[1] on (device + 1) mod devices, 1"
                         : "  signal m[1] on (device + 1) mod devices core core, 1");
    for (int s = 0; s < sites_; ++s) signal(s, (s + next) % sites_, monotone, 1, 1);
    line("}");
    for (int s = 0; s < sites_; ++s) core(s).push_back(life(s));
    return net_;
  }

 private:
  // Semaphore arrays, and objects: x, h, then the semaphore arrays.
  static constexpr int counts = 0, bytes = 1, monotone = 2, arrays = 3, cells = 2;
  static constexpr int vmem = 0, hbm = 1, first_array = 2;

  int draw(int below) {
    return static_cast<int>(std::uniform_int_distribution<int>(0, below - 1)(rng_));
  }
  void line(const std::string& text) {
    net_.text += text + "\n";
    ++lines_;
  }
  std::vector<NetEvent>& core(int s) { return net_.agents[static_cast<std::size_t>(s)].events; }
  int semaphore(int site, int array, int cell) const {
    return (site * arrays + array) * cells + cell;
  }
  // "1", or "1 core 0" where devices have several.
  std::string name(int site) const {
    const std::string device = std::to_string(site / net_.cores);
    return net_.cores == 1 ? device : device + " core " + std::to_string(site % net_.cores);
  }
  NetEvent life(int site) const {
    return {.what = Do::access, .touch = Touch::life, .site = site, .home = site, .object = -1};
  }
  NetEvent access(Touch touch, int site, int object, int first, int size) const {
    return {.what = Do::access,
            .line = lines_,
            .touch = touch,
            .site = site,
            .home = object == hbm ? site - site % net_.cores : site,
            .object = object,
            .first = first,
            .last = first + size};
  }
  static std::string slice(int object, int first, int size) {
    return (object == hbm ? "h[" : "x[") + std::to_string(first) + " +: " + std::to_string(size) +
           "]";
  }
  static std::string cell(const char* array, int i) {
    return std::string(array) + "[" + std::to_string(i) + "]";
  }

  // The one that a program gets which reaches others and has none of its own.
  void barrier(int s) {
    const int first = sites_ * arrays * cells;
    for (int to = 0; to < sites_; ++to)
      core(s).push_back({.what = Do::signal, .semaphore = first + to, .amount = 1});
    core(s).push_back({.what = Do::wait, .semaphore = first + s, .amount = sites_});
  }

  // A signal to another core uses the semaphore there.
  void signal(int s, int to, int array, int i, int amount) {
    if (to != s) core(s).push_back(access(Touch::read, to, first_array + array, 0, cells));
    core(s).push_back({.what = Do::signal,
                       .line = lines_,
                       .semaphore = semaphore(to, array, i),
                       .amount = amount});
  }

  void op(int s) {
    const int kind = draw(100);
    if (kind < 32) {
      local_access(s);
    } else if (kind < 54) {
      const int to = draw(sites_), amount = 1 + draw(2), i = draw(cells);
      const bool is_monotone = draw(4) == 0;
      line("    signal " + cell(is_monotone ? "m" : "c", i) + " on " + name(to) + ", " +
           std::to_string(amount));
      signal(s, to, is_monotone ? monotone : counts, i, amount);
    } else if (kind < 70) {
      wait(s);
    } else if (kind < 80) {
      local_copy(s);
    } else {
      remote_copy(s);
    }
  }

  void local_access(int s) {
    const int first = draw(7), size = 1 + draw(2);
    if (draw(2) == 0) {
      line("    " + slice(vmem, first, size) + " = 1");
      core(s).push_back(access(Touch::write, s, vmem, first, size));
    } else {
      line("    p[0 +: " + std::to_string(size) + "] = " + slice(vmem, first, size));
      core(s).push_back(access(Touch::read, s, vmem, first, size));
    }
  }

  void wait(int s) {
    const int kind = draw(5), i = draw(cells);
    int amount = 1 + draw(4) / 3, array = counts;
    if (kind == 0) array = monotone;
    if (kind >= 3) {
      array = bytes;
      amount = 4 * (1 + draw(4) / 3);
    }
    const char* const names[] = {"c", "b", "m"};
    line(std::string("    ") + (array == monotone ? "await " : "wait ") + cell(names[array], i) +
         ", " + std::to_string(amount));
    core(s).push_back({.what = array == monotone ? Do::await : Do::wait,
                       .line = lines_,
                       .semaphore = semaphore(s, array, i),
                       .amount = amount});
  }

  // What copies of one lane leave behind when they have landed.
  struct Landed {
    int token = -1, amount = 0;
  };

  // Of the whole copy, or of one of its elements: read, count, write, count. lane: what it lands
  // behind, and what it gives the next one when it has landed.
  void add_copy_agent(const NetEvent& read, int sent, const NetEvent& write, int arrived, int bytes,
                      const Landed& before, int token) {
    NetAgent copy;
    copy.is_copy = true;
    const auto signal = [&](int semaphore, int amount) {
      copy.events.push_back(
          {.what = Do::signal, .line = lines_, .semaphore = semaphore, .amount = amount});
    };
    copy.events.push_back(read);
    if (sent >= 0) signal(sent, bytes);
    if (before.token >= 0)
      copy.events.push_back(
          {.what = Do::await, .line = lines_, .semaphore = before.token, .amount = before.amount});
    copy.events.push_back(write);
    signal(arrived, bytes);
    if (token >= 0) signal(token, 1);
    net_.agents.push_back(std::move(copy));
  }

  // `size` elements; lane: of a copy to another device.
  void start(int s, const NetEvent& read, int sent, const NetEvent& write, int arrived, int size,
             Landed* lane) {
    const int parts = promises_.whole ? 1 : size;
    core(s).push_back({.what = Do::start,
                       .line = lines_,
                       .agent = static_cast<int>(net_.agents.size()),
                       .agents = parts});
    const bool is_ordered = promises_.fifo && lane != nullptr;
    const int token = is_ordered ? net_.semaphores++ : -1;
    const Landed before = is_ordered ? *lane : Landed{};
    for (int i = 0; i < parts; ++i) {
      NetEvent from = read, to = write;
      if (!promises_.whole) {
        from.last = (from.first += i) + 1;
        to.last = (to.first += i) + 1;
      }
      add_copy_agent(from, sent, to, arrived, 4 * size / parts, before, token);
    }
    if (is_ordered) *lane = {token, parts};
  }

  // Half the copies are from vmem to vmem.
  int memory() { return draw(10) < 7 ? vmem : hbm; }

  void local_copy(int s) {
    const int size = 1 + draw(2), from = draw(3), to = 4 + draw(3), i = draw(cells);
    const int source = memory(), target = memory();
    const bool adds = draw(4) == 0;
    line("    start " + slice(source, from, size) + " -> " + slice(target, to, size) + ", " +
         cell("b", i) + (adds ? " add" : ""));
    start(s, access(Touch::read, s, source, from, size), -1,
          access(adds ? Touch::accumulate : Touch::write, s, target, to, size),
          semaphore(s, bytes, i), size, nullptr);
  }

  void remote_copy(int s) {
    const int size = 1 + draw(2), i = draw(cells), j = draw(cells);
    const int peer = (s + 1 + draw(sites_ - 1)) % sites_;
    const int source = memory(), target = memory();
    const bool is_one = source == hbm && target == hbm && s / net_.cores == peer / net_.cores;
    const int from = draw(is_one ? 3 : 7), to = is_one ? 4 + draw(3) : draw(7);
    const bool adds = draw(4) == 0;
    line("    start " + slice(source, from, size) + " -> " + name(peer) + ": " +
         slice(target, to, size) + ", " + cell("b", i) + ", " + cell("b", j) +
         (adds ? " add" : ""));
    const int there = peer / net_.cores;
    Landed* lane = there == s / net_.cores
                       ? nullptr
                       : &last_in_lane_[static_cast<std::size_t>(s * net_.devices + there)];
    start(s, access(Touch::read, s, source, from, size), semaphore(s, bytes, i),
          access(adds ? Touch::accumulate : Touch::write, peer, target, to, size),
          semaphore(peer, bytes, j), size, lane);
  }

  std::mt19937_64 rng_;
  const Promises promises_;
  Net net_;
  std::vector<Landed> last_in_lane_;  // by site and device
  int sites_ = 0;
  int lines_ = 0;
};

inline Net random_net(std::uint64_t seed, const Promises& promises) {
  return NetMaker(seed, promises).make();
}

}  // namespace tessera::fuzz

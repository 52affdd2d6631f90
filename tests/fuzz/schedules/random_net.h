// Random programs of two or three devices, a few ops each, that leave nothing to chance but the
// order: accesses, signals to anybody, waits on own semaphores, copies here and to others.
#pragma once
#include <algorithm>
#include <random>

#include "tests/fuzz/schedules/net.h"

namespace tessera::fuzz {

class NetMaker {
 public:
  NetMaker(std::uint64_t seed, bool partial) : rng_(seed), partial_(partial) {}

  Net make() {
    net_.devices = 2 + draw(2);
    net_.semaphores = net_.devices * (arrays * cells + 1);
    net_.agents.resize(static_cast<std::size_t>(net_.devices));
    line("// Random program " + std::to_string(net_.devices) + " devices.");
    line("kernel net()");
    line("  vmem x: f32[8]");
    line("  vmem p: f32[8]");
    line("  sem c[2]: count");
    line("  sem b[2]: bytes");
    line("  sem m[2]: count monotone");
    line("{");
    for (int d = 0; d < net_.devices; ++d) {
      core(d).push_back(life(d));
      barrier(d);
      line("  if device == " + std::to_string(d) + " {");
      const int ops = 1 + draw(5);
      for (int i = 0; i < ops; ++i) op(d);
      line("  }");
    }
    // Somebody reaches another device in every program, so that all of them begin with the barrier.
    line("  signal m[1] on (device + 1) mod devices, 1");
    for (int d = 0; d < net_.devices; ++d) signal(d, (d + 1) % net_.devices, 2, 1, 1);
    line("}");
    for (int d = 0; d < net_.devices; ++d) core(d).push_back(life(d));
    return net_;
  }

 private:
  static constexpr int arrays = 3, cells = 2;  // c, b and m

  int draw(int below) {
    return static_cast<int>(std::uniform_int_distribution<int>(0, below - 1)(rng_));
  }
  void line(const std::string& text) {
    net_.text += text + "\n";
    ++lines_;
  }
  std::vector<NetEvent>& core(int d) { return net_.agents[static_cast<std::size_t>(d)].events; }
  int semaphore(int device, int array, int cell) const {
    return (device * arrays + array) * cells + cell;
  }
  NetEvent life(int device) const {
    return {.what = Do::access, .touch = Touch::life, .device = device, .object = -1};
  }
  NetEvent access(Touch touch, int device, int first, int size) const {
    return {.what = Do::access,
            .line = lines_,
            .touch = touch,
            .device = device,
            .object = 0,
            .first = first,
            .last = first + size};
  }
  static std::string slice(int first, int size) {
    return "x[" + std::to_string(first) + " +: " + std::to_string(size) + "]";
  }
  static std::string cell(const char* array, int i) {
    return std::string(array) + "[" + std::to_string(i) + "]";
  }

  // The one that a program gets which reaches other devices and has none of its own.
  void barrier(int d) {
    const int first = net_.devices * arrays * cells;
    for (int to = 0; to < net_.devices; ++to)
      core(d).push_back({.what = Do::signal, .semaphore = first + to, .amount = 1});
    core(d).push_back({.what = Do::wait, .semaphore = first + d, .amount = net_.devices});
  }

  // A signal to another device uses the semaphore there.
  void signal(int d, int to, int array, int i, int amount) {
    if (to != d) {
      core(d).push_back({.what = Do::access,
                         .line = lines_,
                         .touch = Touch::read,
                         .device = to,
                         .object = 1 + array,
                         .first = 0,
                         .last = cells});
    }
    core(d).push_back({.what = Do::signal,
                       .line = lines_,
                       .semaphore = semaphore(to, array, i),
                       .amount = amount});
  }

  void op(int d) {
    const int kind = draw(100);
    if (kind < 32) {
      local_access(d);
    } else if (kind < 54) {
      const int to = draw(net_.devices), amount = 1 + draw(2), i = draw(cells);
      const bool is_monotone = draw(4) == 0;
      line("    signal " + cell(is_monotone ? "m" : "c", i) + " on " + std::to_string(to) + ", " +
           std::to_string(amount));
      signal(d, to, is_monotone ? 2 : 0, i, amount);
    } else if (kind < 70) {
      wait(d);
    } else if (kind < 80) {
      local_copy(d);
    } else {
      remote_copy(d);
    }
  }

  void local_access(int d) {
    const int first = draw(7), size = 1 + draw(2);
    if (draw(2) == 0) {
      line("    " + slice(first, size) + " = 1");
      core(d).push_back(access(Touch::write, d, first, size));
    } else {
      line("    p[0 +: " + std::to_string(size) + "] = " + slice(first, size));
      core(d).push_back(access(Touch::read, d, first, size));
    }
  }

  void wait(int d) {
    const int kind = draw(5), i = draw(cells);
    int amount = 1 + draw(4) / 3, array = 0;
    if (kind == 0) array = 2;
    if (kind >= 3) {
      array = 1;
      amount = 4 * (1 + draw(4) / 3);
    }
    const char* const names[] = {"c", "b", "m"};
    line(std::string("    ") + (array == 2 ? "await " : "wait ") + cell(names[array], i) + ", " +
         std::to_string(amount));
    core(d).push_back({.what = array == 2 ? Do::await : Do::wait,
                       .line = lines_,
                       .semaphore = semaphore(d, array, i),
                       .amount = amount});
  }

  // One half of a copy: its access, then its signal if it has one.
  void half(NetAgent& copy, const NetEvent& touched, int semaphore, int bytes) const {
    const auto signal = [&](int amount) {
      copy.events.push_back(
          {.what = Do::signal, .line = lines_, .semaphore = semaphore, .amount = amount});
    };
    copy.events.push_back(touched);
    if (semaphore < 0) return;
    if (partial_ && bytes > 1) {
      signal(bytes - 1);
      copy.events.push_back(touched);
      signal(1);
    } else {
      signal(bytes);
    }
  }

  void start(int d, NetAgent copy) {
    copy.is_copy = true;
    core(d).push_back(
        {.what = Do::start, .line = lines_, .agent = static_cast<int>(net_.agents.size())});
    net_.agents.push_back(std::move(copy));
  }

  void local_copy(int d) {
    const int size = 1 + draw(2), from = draw(3), to = 4 + draw(3), i = draw(cells);
    const bool adds = draw(4) == 0;
    line("    start " + slice(from, size) + " -> " + slice(to, size) + ", " + cell("b", i) +
         (adds ? " add" : ""));
    NetAgent copy;
    half(copy, access(Touch::read, d, from, size), -1, 4 * size);
    half(copy, access(adds ? Touch::accumulate : Touch::write, d, to, size), semaphore(d, 1, i),
         4 * size);
    start(d, std::move(copy));
  }

  void remote_copy(int d) {
    const int size = 1 + draw(2), from = draw(7), to = draw(7), i = draw(cells), j = draw(cells);
    const int peer = (d + 1 + draw(net_.devices - 1)) % net_.devices;
    const bool adds = draw(4) == 0;
    line("    start " + slice(from, size) + " -> " + std::to_string(peer) + ": " + slice(to, size) +
         ", " + cell("b", i) + ", " + cell("b", j) + (adds ? " add" : ""));
    NetAgent copy;
    half(copy, access(Touch::read, d, from, size), semaphore(d, 1, i), 4 * size);
    half(copy, access(adds ? Touch::accumulate : Touch::write, peer, to, size),
         semaphore(peer, 1, j), 4 * size);
    start(d, std::move(copy));
  }

  std::mt19937_64 rng_;
  bool partial_;
  Net net_;
  int lines_ = 0;
};

inline Net random_net(std::uint64_t seed, bool partial) { return NetMaker(seed, partial).make(); }

}  // namespace tessera::fuzz

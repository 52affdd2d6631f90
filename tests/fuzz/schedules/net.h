// A small program of several devices, each with one core or two, as lists of events, by itself:
// nothing here knows the analysis or the interpreter. A site is one core of one device. A copy is
// agents of its own: one when it lands whole, one for each element when it streams, and these come
// in any order. Every number of bytes is 4 for an element.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::fuzz {

enum class Do : std::uint8_t { access, signal, wait, await, start };
enum class Touch : std::uint8_t { read, write, accumulate, life };

struct NetEvent {
  Do what = Do::access;
  int line = 0;  // of the text; 0: entering or leaving the kernel
  // access: elements [first, last) of `object`, reached at a site and kept at its home: the cores
  // of a device share h. The objects are listed in random_net.h; -1 is everything reached there.
  Touch touch = Touch::read;
  int site = 0, home = 0, object = 0, first = 0, last = 0;
  int semaphore = 0;  // signal, wait, await: index into Net::semaphores
  int amount = 0;
  int agent = 0, agents = 1;  // start: the copy's
};

struct NetAgent {
  std::vector<NetEvent> events;
  bool is_copy = false;
};

// Cores by site, then copies. Each semaphore is waited on by one agent or never decremented. Those
// from `tokens` on are none of the program's: they say how much of a copy has landed.
struct Net {
  int devices = 0, cores = 1;
  int semaphores = 0, tokens = 0;
  std::vector<NetAgent> agents;
  std::string text;  // the same program in the language
};

// What the machine promises of copies: that they land whole, and that what a core sends to another
// device lands in the order of its start.
struct Promises {
  bool whole = false, fifo = false;
};

// Draws programs; the same seed gives the same.
Net random_net(std::uint64_t seed, const Promises& promises);

}  // namespace tessera::fuzz

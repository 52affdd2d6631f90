// A small program of several devices, each with one core or two, as lists of events, by itself:
// nothing here knows the analysis or the interpreter. A site is one core of one device. A copy is
// an agent of its own; every number of bytes is 4 for an element.
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
  int agent = 0;  // start: the copy
};

struct NetAgent {
  std::vector<NetEvent> events;
  bool is_copy = false;
};

// Cores by site, then copies. Each semaphore is waited on by one agent or never decremented.
struct Net {
  int devices = 0, cores = 1;
  int semaphores = 0;
  std::vector<NetAgent> agents;
  std::string text;  // the same program in the language
};

// Draws programs; the same seed gives the same. `partial`: copies signal all but their last byte,
// and that one when their data has moved.
Net random_net(std::uint64_t seed, bool partial);

}  // namespace tessera::fuzz

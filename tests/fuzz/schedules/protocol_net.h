// A small program of several devices, each with one core or two, as lists of events, by itself:
// nothing here knows the analysis or the interpreter. A core is one core of one device. A copy is
// agents of its own: one when it lands whole, one for each element when it streams, and these come
// in any order. A point of a parallel loop is an agent as well, which `start` forks and a semaphore
// joins. Every number of bytes is 4 for an element.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::fuzz {

enum class Do : std::uint8_t { access, signal, wait, await, start };
enum class NetAccess : std::uint8_t { read, write, accumulate, lifetime };

// Objects that an access reaches; the semaphore arrays of a core follow. whole_site: all of them.
namespace object {
constexpr int whole_core = -1, vmem = 0, hbm = 1, first_array = 2;
}
// Semaphore arrays, each of so many cells; those of a scope exist between two events of its core.
namespace array {
constexpr int counts = 0, bytes = 1, monotone = 2, scoped_counts = 3, scoped_bytes = 4, all = 5;
constexpr int cells = 2;
constexpr bool is_scoped(int which) { return which >= scoped_counts; }
}  // namespace array

struct NetEvent {
  Do what = Do::access;
  int line = 0;  // of the text; 0: entering or leaving the kernel
  // access: elements [first, last) of `object`, accessed at a core and stored at its owner: the
  // cores of a device share h, and a point may have a copy of x that is its own.
  NetAccess access = NetAccess::read;
  int core = 0, owner = 0, object = 0, first = 0, last = 0;
  int semaphore = 0;  // signal, wait, await: index of a cell
  int amount = 0;
  int agent = 0, agents = 1;  // start: the parts of a copy, or the points of a loop
  int loop = -1;              // start: into ProtocolNet::loops
  bool ends_scope = false;    // access: counts are zero here
};

struct NetAgent {
  enum class Kind : std::uint8_t { core, point, copy } kind = Kind::core;
  std::vector<NetEvent> events;
  int core = 0;
  int thread = 0;  // the core or point that started the copy; of others their own number
  int lane = -1;   // copy to another device: which link
  int loop = -1;   // point: into ProtocolNet::loops
};

struct NetLoop {
  int line = 0, core = 0;
  int first = 0, points = 0;  // agents
  int joined = 0;             // the cell that the points signal when they end
};

// Cores by their index, then points and copies. Cells of the program come first, by core, array and
// number; those behind say that copies have landed and points have ended.
struct ProtocolNet {
  int devices = 0, cores = 1;
  int semaphores = 0, program_cells = 0;
  std::vector<NetAgent> agents;
  std::vector<NetLoop> loops;
  bool shares_scopes = false;  // a scope's semaphores are there while it is open only
  bool lands_outside = false;  // somewhere a copy to another core lands in x
  std::string text;            // the same program in the language

  int all_cores() const { return devices * cores; }
};

inline int cell_of(int core_index, int which, int cell) {
  return (core_index * array::all + which) * array::cells + cell;
}
inline int array_of(int cell) { return cell / array::cells % array::all; }
inline int core_of(int cell) { return cell / array::cells / array::all; }

// What the machine promises: of copies, that they land whole, and that what a core sends to another
// device lands in the order of its start; of scoped semaphores, that each has cells of its own all
// the time.
struct Promises {
  bool whole = false, fifo = false, own_scoped = true;
};

}  // namespace tessera::fuzz

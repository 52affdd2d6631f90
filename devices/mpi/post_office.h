// The messages of a run: when each may be posted, and which are under way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "devices/mpi/parts.h"
#include "devices/mpi/tasks.h"
#include "devices/mpi/world.h"

namespace tessera::mpi {

struct Limits {
  std::int64_t message_bytes = std::int64_t{1} << 30;  // of one message of MPI
  std::int64_t posted = 32;  // messages under way with one peer, in each direction
  std::int64_t tags = 0;     // how many there are; 0: as many as the library has
};

struct Sent {
  std::int64_t messages = 0, bytes = 0;
};

class PostOffice {
 public:
  PostOffice(World& world, graph::GraphMemory& memories, Tasks& tasks, const Limits& limits);

  // A send whose source may be read, a receive whose destination may be written.
  void bring(TaskId task);
  // Lets MPI work, and posts what may be posted then. The messages that are done, of which the last
  // call did not tell.
  std::vector<TaskId> collect();
  const Sent& sent() const { return sent_; }  // to other processes

 private:
  // Messages with one peer in one direction.
  struct Counter {
    std::set<std::int64_t> waiting;  // may be posted as far as the graph goes
    std::vector<bool> posted, done;  // by number
    std::int64_t open = 0;           // posted and not done
    std::int64_t first = 0;          // not done
  };
  struct Parcel {
    std::int64_t parts = 0;        // that are under way
    std::vector<std::byte> bytes;  // that are added when they are there
  };

  Counter& counter(const Task& task);
  bool may_post(const Counter& counter, std::int64_t number) const;
  void post_waiting(bool sends, std::size_t peer);
  void post(TaskId task);
  void finish(TaskId task);
  bool adds(const Task& task) const;

  World& world_;
  graph::GraphMemory& memories_;
  const Tasks& tasks_;
  Limits limits_;
  std::vector<Counter> sends_, receives_;  // by peer
  Table<TaskId, Parcel> parcels_;
  std::vector<TaskId> done_;
  Sent sent_;
};

}  // namespace tessera::mpi

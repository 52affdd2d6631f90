// Messages of a run: decides when each is posted, and tracks the posted ones.
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
  std::int64_t message_bytes = std::int64_t{1} << 30;  // maximum size of an MPI message
  std::int64_t posted = 32;  // maximum in flight with one peer, in each direction
  std::int64_t tags = 0;     // number of tags; 0: all tags of the library
};

struct Sent {
  std::int64_t messages = 0, bytes = 0;
};

class PostOffice {
 public:
  // World, memories and tasks must outlive this object.
  PostOffice(World& world, graph::GraphMemory& memories, Tasks& tasks, const Limits& limits);

  // Adds a message, and posts it when the limits permit: a send with a readable source, or a
  // receive with a writable destination.
  void bring(TaskId task);
  // Lets MPI work, and posts further messages. Returns the messages that have completed since the
  // last call; received data is then in the destination.
  std::vector<TaskId> collect();
  const Sent& sent() const { return sent_; }  // to other processes

 private:
  // Messages with one peer in one direction.
  struct Counter {
    std::set<std::int64_t> waiting;  // the graph allows to post them
    std::vector<bool> posted, done;  // by message number
    std::int64_t open = 0;           // posted and not done
    std::int64_t first = 0;          // first message that is not done
  };
  struct Parcel {
    std::int64_t parts = 0;        // parts in flight
    std::vector<std::byte> bytes;  // received bytes to add when complete
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

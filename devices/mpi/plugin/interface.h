// What a plug-in offers that speaks to one MPI library, in terms of C: Open MPI and MPICH share no
// binary interface, so each has a plug-in of its own, and none is needed before it is opened.
// Functions give 0, or an error that `describe` puts into words. One thread at a time.
#pragma once
#include <cstdint>

extern "C" {

// Bytes in memory: `run` of them lie together, so often as the sizes say, the innermost last.
struct TesseraMpiPiece {
  void* address;
  std::int64_t run;         // bytes
  std::int32_t dimensions;  // around the runs
  std::int64_t sizes[8];    // how often
  std::int64_t strides[8];  // bytes from one to the next
};

struct TesseraMpiWorld;  // a communicator of our own, with the messages that are under way

// The messages that processes agree by, and those of a run; they do not meet.
enum TesseraMpiChannel : std::int32_t { tessera_mpi_control, tessera_mpi_data };

struct TesseraMpiPlugin {
  std::int32_t version;  // tessera_mpi_version of the plug-in's build
  // Of a duplicate of the communicator that the address names, an MPI_Comm of the caller's, or of
  // all processes that were started together. MPI is initialised where nobody has done so.
  int (*open)(const void* communicator, TesseraMpiWorld** world);
  // Frees it, and finalizes MPI where open() has initialised it.
  void (*close)(TesseraMpiWorld* world);
  // The library's own name and version, one line.
  void (*name)(char* text, std::int64_t size);
  int (*rank)(const TesseraMpiWorld* world);
  int (*size)(const TesseraMpiWorld* world);
  std::int64_t (*largest_tag)(const TesseraMpiWorld* world);
  // Begin to move the pieces' bytes, one after the other, as one message. A send is synchronous: it
  // is complete when the receiver has the message. poll() gives `token` then.
  int (*send)(TesseraMpiWorld* world, std::int32_t channel, const TesseraMpiPiece* pieces,
              std::int64_t count, int to, int tag, std::uint64_t token);
  int (*receive)(TesseraMpiWorld* world, std::int32_t channel, const TesseraMpiPiece* pieces,
                 std::int64_t count, int from, int tag, std::uint64_t token);
  // Lets the library work; the tokens of messages that are complete, at most `room`.
  int (*poll)(TesseraMpiWorld* world, std::uint64_t* tokens, std::int64_t room,
              std::int64_t* found);
  // Ends all processes.
  void (*abort)(TesseraMpiWorld* world, int code);
  void (*describe)(int error, char* text, std::int64_t size);
};

// The one symbol of a plug-in.
const TesseraMpiPlugin* tessera_mpi_plugin();
}

inline constexpr std::int32_t tessera_mpi_version = 1;

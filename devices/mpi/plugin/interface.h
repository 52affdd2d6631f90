// C interface of the plug-in for one MPI library. Open MPI and MPICH have no common binary
// interface, so each has its own plug-in, which is loaded when it is needed. Functions return 0, or
// an error code that `describe` explains. Not thread-safe.
#pragma once
#include <cstdint>

extern "C" {

// A strided block of memory: contiguous runs of bytes, repeated in each dimension, innermost last.
struct TesseraMpiPiece {
  void* address;
  std::int64_t run;         // bytes of a contiguous run
  std::int32_t dimensions;  // number of dimensions around the runs
  std::int64_t sizes[8];    // repetitions
  std::int64_t strides[8];  // bytes from one repetition to the next
};

struct TesseraMpiWorld;  // a duplicated communicator, with its messages in flight

// Separate channels for agreement between processes (control) and for messages of a run (data).
enum TesseraMpiChannel : std::int32_t { tessera_mpi_control, tessera_mpi_data };

struct TesseraMpiPlugin {
  std::int32_t version;  // tessera_mpi_version of the plug-in's build
  // Duplicates a communicator; all its processes must call open(). communicator: address of an
  // MPI_Comm of the caller; null: all processes that were started together. Initialises MPI if it
  // is not initialised. world: output, for close(); unchanged after an error.
  int (*open)(const void* communicator, TesseraMpiWorld** world);
  // Frees the world, and finalizes MPI if open() has initialised it.
  void (*close)(TesseraMpiWorld* world);
  // Name and version of the library, one line.
  void (*name)(char* text, std::int64_t size);
  int (*rank)(const TesseraMpiWorld* world);
  int (*size)(const TesseraMpiWorld* world);
  std::int64_t (*largest_tag)(const TesseraMpiWorld* world);
  // Begin to transfer the pieces, in order, as one message; their memory must stay valid until
  // poll() returns `token`. A send is synchronous: it completes when the receiver has matched the
  // message. count: number of pieces.
  int (*send)(TesseraMpiWorld* world, std::int32_t channel, const TesseraMpiPiece* pieces,
              std::int64_t count, int to, int tag, std::uint64_t token);
  int (*receive)(TesseraMpiWorld* world, std::int32_t channel, const TesseraMpiPiece* pieces,
                 std::int64_t count, int from, int tag, std::uint64_t token);
  // Lets the library work, and fills `tokens` with the tokens of completed messages among the
  // `room` oldest messages in flight. found: output: their number.
  int (*poll)(TesseraMpiWorld* world, std::uint64_t* tokens, std::int64_t room,
              std::int64_t* found);
  // Ends all processes.
  void (*abort)(TesseraMpiWorld* world, int code);
  // Writes the text of an error code, cut to `size` bytes including the terminating null.
  void (*describe)(int error, char* text, std::int64_t size);
};

// The only exported symbol of a plug-in.
const TesseraMpiPlugin* tessera_mpi_plugin();
}

inline constexpr std::int32_t tessera_mpi_version = 1;

// The plug-in. It is compiled once against each installed MPI library.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "devices/mpi/plugin/interface.h"

struct TesseraMpiWorld {
  MPI_Comm channels[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  std::vector<MPI_Request> requests;
  std::vector<std::uint64_t> tokens;
  std::vector<int> done;
  bool has_initialised = false;
};

namespace {

#define CALL(expression)                      \
  do {                                        \
    const int called = (expression);          \
    if (called != MPI_SUCCESS) return called; \
  } while (false)

int duplicate(MPI_Comm of, MPI_Comm& made) {
  CALL(MPI_Comm_dup(of, &made));
  return MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
}

int fill(const void* communicator, TesseraMpiWorld& world) {
  int is_initialised = 0;
  CALL(MPI_Initialized(&is_initialised));
  if (is_initialised == 0) {
    int level = 0;
    CALL(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
    world.has_initialised = true;
  }
  MPI_Comm all = MPI_COMM_WORLD;
  if (communicator != nullptr) std::memcpy(&all, communicator, sizeof all);
  for (MPI_Comm& channel : world.channels) CALL(duplicate(all, channel));
  return MPI_SUCCESS;
}

int open_world(const void* communicator, TesseraMpiWorld** world) {
  auto* const made = new TesseraMpiWorld;
  const int error = fill(communicator, *made);
  if (error != MPI_SUCCESS) {
    delete made;
    return error;
  }
  *world = made;
  return MPI_SUCCESS;
}

void close_world(TesseraMpiWorld* world) {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized == 0) {
    for (MPI_Comm& channel : world->channels) MPI_Comm_free(&channel);
    if (world->has_initialised) MPI_Finalize();
  }
  delete world;
}

void library_name(char* text, std::int64_t size) {
  char whole[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(whole, &length);
  // MPICH: "MPICH Version:\t4.0.2\nMPICH Release..."; Open MPI: "Open MPI v4.1.4, package: ...".
  whole[std::strcspn(whole, ",\n")] = '\0';
  char* const colon = std::strstr(whole, " Version:\t");
  const char* const version = colon == nullptr ? "" : colon + std::strlen(" Version:\t");
  if (colon != nullptr) *colon = '\0';
  std::snprintf(text, static_cast<std::size_t>(size), "%s%s%s", whole, colon == nullptr ? "" : " ",
                version);
}

int rank_of(const TesseraMpiWorld* world) {
  int value = 0;
  MPI_Comm_rank(world->channels[0], &value);
  return value;
}

int size_of(const TesseraMpiWorld* world) {
  int value = 0;
  MPI_Comm_size(world->channels[0], &value);
  return value;
}

std::int64_t largest_tag(const TesseraMpiWorld* world) {
  void* value = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(world->channels[1], MPI_TAG_UB, &value, &is_there);
  return is_there == 0 ? 32767 : *static_cast<int*>(value);
}

// The type of a piece, not committed.
int type_of(const TesseraMpiPiece& piece, MPI_Datatype& type) {
  CALL(MPI_Type_contiguous(static_cast<int>(piece.run), MPI_BYTE, &type));
  for (int d = piece.dimensions - 1; d >= 0; --d) {
    MPI_Datatype inner = type;
    const int error = MPI_Type_create_hvector(
        static_cast<int>(piece.sizes[d]), 1, static_cast<MPI_Aint>(piece.strides[d]), inner, &type);
    MPI_Type_free(&inner);
    CALL(error);
  }
  return MPI_SUCCESS;
}

// A message: `count` elements of `type` at an address.
struct Message {
  void* address = nullptr;
  int count = 1;
  MPI_Datatype type = MPI_BYTE;
  bool is_made = false;  // `type` must be freed

  ~Message() {
    if (is_made) MPI_Type_free(&type);
  }
};

int describe_pieces(const TesseraMpiPiece* pieces, std::int64_t count, Message& message) {
  message.address = count == 0 ? nullptr : pieces[0].address;
  message.count = 0;
  if (count == 0) return MPI_SUCCESS;
  if (count == 1 && pieces[0].dimensions == 0) {
    message.count = static_cast<int>(pieces[0].run);
    return MPI_SUCCESS;
  }
  message.count = 1;
  if (count == 1) {
    CALL(type_of(pieces[0], message.type));
    message.is_made = true;
    return MPI_Type_commit(&message.type);
  }
  const auto parts = static_cast<std::size_t>(count);
  std::vector<int> lengths(parts, 1);
  std::vector<MPI_Aint> places(parts);
  std::vector<MPI_Datatype> types(parts, MPI_BYTE);
  MPI_Aint first = 0;
  CALL(MPI_Get_address(pieces[0].address, &first));
  int error = MPI_SUCCESS;
  for (std::size_t i = 0; i < parts && error == MPI_SUCCESS; ++i) {
    MPI_Aint place = 0;
    error = MPI_Get_address(pieces[i].address, &place);
    places[i] = place - first;
    if (pieces[i].dimensions == 0)
      lengths[i] = static_cast<int>(pieces[i].run);
    else if (error == MPI_SUCCESS)
      error = type_of(pieces[i], types[i]);
  }
  if (error == MPI_SUCCESS) {
    error = MPI_Type_create_struct(static_cast<int>(count), lengths.data(), places.data(),
                                   types.data(), &message.type);
    message.is_made = error == MPI_SUCCESS;
  }
  for (MPI_Datatype& type : types)
    if (type != MPI_BYTE) MPI_Type_free(&type);
  CALL(error);
  return MPI_Type_commit(&message.type);
}

void keep(TesseraMpiWorld& world, MPI_Request request, std::uint64_t token) {
  world.requests.push_back(request);
  world.tokens.push_back(token);
}

int begin_send(TesseraMpiWorld* world, std::int32_t channel, const TesseraMpiPiece* pieces,
               std::int64_t count, int to, int tag, std::uint64_t token) {
  Message message;
  CALL(describe_pieces(pieces, count, message));
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Issend(message.address, message.count, message.type, to, tag, world->channels[channel],
                  &request));
  keep(*world, request, token);
  return MPI_SUCCESS;
}

int begin_receive(TesseraMpiWorld* world, std::int32_t channel, const TesseraMpiPiece* pieces,
                  std::int64_t count, int from, int tag, std::uint64_t token) {
  Message message;
  CALL(describe_pieces(pieces, count, message));
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Irecv(message.address, message.count, message.type, from, tag, world->channels[channel],
                 &request));
  keep(*world, request, token);
  return MPI_SUCCESS;
}

int poll_all(TesseraMpiWorld* world, std::uint64_t* tokens, std::int64_t room,
             std::int64_t* found) {
  *found = 0;
  auto& requests = world->requests;
  const auto count =
      static_cast<int>(std::min<std::int64_t>(room, static_cast<std::int64_t>(requests.size())));
  if (count == 0) return MPI_SUCCESS;
  world->done.resize(static_cast<std::size_t>(count));
  int completed = 0;
  CALL(MPI_Testsome(count, requests.data(), &completed, world->done.data(), MPI_STATUSES_IGNORE));
  if (completed == MPI_UNDEFINED) completed = 0;
  for (int i = 0; i < completed; ++i)
    tokens[(*found)++] =
        world->tokens[static_cast<std::size_t>(world->done[static_cast<std::size_t>(i)])];
  if (completed == 0) return MPI_SUCCESS;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    requests[kept] = requests[i];
    world->tokens[kept++] = world->tokens[i];
  }
  requests.resize(kept);
  world->tokens.resize(kept);
  return MPI_SUCCESS;
}

void abort_all(TesseraMpiWorld* world, int code) { MPI_Abort(world->channels[0], code); }

void describe_error(int error, char* text, std::int64_t size) {
  char whole[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, whole, &length);
  std::snprintf(text, static_cast<std::size_t>(size), "%s", whole);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const TesseraMpiPlugin* tessera_mpi_plugin() {
  static const TesseraMpiPlugin plugin = {
      tessera_mpi_version, open_world, close_world,   library_name, rank_of,   size_of,
      largest_tag,         begin_send, begin_receive, poll_all,     abort_all, describe_error};
  return &plugin;
}

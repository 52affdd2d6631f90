#include "devices/mpi/world.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace tessera::mpi {
namespace {

constexpr int control_tag = 1;
constexpr std::int64_t longest_part = std::int64_t{1} << 30;  // maximum bytes of a message

TesseraMpiPiece adjacent(std::byte* bytes, std::int64_t size) { return {bytes, size, 0, {}, {}}; }

// Number of processes on this machine: as reported by the launcher, or else all processes.
std::int64_t processes_here(std::int64_t all) {
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (const char* const text = std::getenv(name)) return std::strtoll(text, nullptr, 10);
  return all;
}

}  // namespace

void Patience::wait() {
  ++turns_;
  if (turns_ > (crowded_ ? 20 : 2000))
    ::usleep(turns_ > 4000 ? 1000 : 50);
  else if (crowded_ || turns_ > 100)
    std::this_thread::yield();
}

World::World(const TesseraMpiPlugin& plugin, TesseraMpiWorld* world)
    : plugin_(plugin), world_(world), rank_(plugin.rank(world)), size_(plugin.size(world)) {
  char name[256] = "";
  plugin_.name(name, sizeof name);
  library_ = name;
  const unsigned cores = std::thread::hardware_concurrency();
  is_crowded_ = cores != 0 && processes_here(size_) > static_cast<std::int64_t>(cores);
}

Expected<std::unique_ptr<World>> World::open(const TesseraMpiPlugin& plugin,
                                             const void* communicator) {
  TesseraMpiWorld* made = nullptr;
  if (const int failed = plugin.open(communicator, &made); failed != 0) {
    char said[256] = "";
    plugin.describe(failed, said, sizeof said);
    return error(ErrorCode::environment, fmt::format("MPI cannot be initialised: {}", said));
  }
  return std::unique_ptr<World>(new World(plugin, made));
}

World::~World() { plugin_.close(world_); }

void World::check(int error, std::string_view call) {
  if (error == 0) return;
  char said[512] = "";
  plugin_.describe(error, said, sizeof said);
  abort(fmt::format("{}: {}", call, said));
}

void World::abort(std::string_view why) {
  std::fprintf(stderr, "%s\n",
               fmt::format("error: process {} of {} ended the run: {}", rank_, size_, why).c_str());
  std::fflush(stderr);
  plugin_.abort(world_, 3);
  std::_Exit(3);
}

void World::begin_transfer(bool sends, std::byte* bytes, std::int64_t size, int peer) {
  const TesseraMpiPiece piece = adjacent(bytes, size);
  if (sends)
    check(plugin_.send(world_, tessera_mpi_control, &piece, 1, peer, control_tag, 0), "MPI_Issend");
  else
    check(plugin_.receive(world_, tessera_mpi_control, &piece, 1, peer, control_tag, 0),
          "MPI_Irecv");
}

void World::wait_for(std::int64_t messages) {
  Patience patience(is_crowded_);
  for (;;) {
    messages -= static_cast<std::int64_t>(poll().size());
    if (messages == 0) return;
    patience.wait();
  }
}

void World::transfer(bool sends, std::byte* bytes, std::int64_t size, int peer) {
  for (std::int64_t at = 0; at < size; at += longest_part) {
    begin_transfer(sends, bytes + at, std::min(longest_part, size - at), peer);
    wait_for(1);
  }
}

void World::share(std::span<std::byte> bytes, int from) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (rank_ != from) return transfer(false, bytes.data(), size, from);
  for (int peer = 0; peer < size_; ++peer)
    if (peer != from) transfer(true, bytes.data(), size, peer);
}

void World::bring(std::span<std::byte> bytes, int from) {
  if (from == 0 || (rank_ != 0 && rank_ != from)) return;
  transfer(rank_ == from, bytes.data(), static_cast<std::int64_t>(bytes.size()),
           rank_ == from ? 0 : from);
}

void World::send(std::span<const TesseraMpiPiece> pieces, int to, int tag, std::uint64_t token) {
  check(plugin_.send(world_, tessera_mpi_data, pieces.data(),
                     static_cast<std::int64_t>(pieces.size()), to, tag, token),
        "MPI_Issend");
}

void World::receive(std::span<const TesseraMpiPiece> pieces, int from, int tag,
                    std::uint64_t token) {
  check(plugin_.receive(world_, tessera_mpi_data, pieces.data(),
                        static_cast<std::int64_t>(pieces.size()), from, tag, token),
        "MPI_Irecv");
}

std::span<const std::uint64_t> World::poll() {
  tokens_.resize(1024);
  std::int64_t found = 0;
  check(plugin_.poll(world_, tokens_.data(), static_cast<std::int64_t>(tokens_.size()), &found),
        "MPI_Testsome");
  return {tokens_.data(), static_cast<std::size_t>(found)};
}

}  // namespace tessera::mpi

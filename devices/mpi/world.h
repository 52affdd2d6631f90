// The processes that were started together, from the view of one of them: messages and agreement.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/expected.h"
#include "devices/mpi/library.h"
#include "devices/team.h"

namespace tessera::mpi {

// Waits with increasing pauses: wait() keeps the core at first, then yields it to others. reset():
// the next pause is the shortest one again.
class Patience {
 public:
  // crowded: World::is_crowded().
  explicit Patience(bool crowded) : crowded_(crowded) {}
  void reset() { turns_ = 0; }
  void wait();

 private:
  bool crowded_;
  int turns_ = 0;
};

// Message of a process at the end of a part of the work: its state, or its end.
struct Account {
  bool has_ended = false;
  int code = 0;        // exit code of a command that has ended
  std::string text{};  // reason of the end; else the text for the other processes
};

// Not thread-safe. An error of MPI ends all processes, with its message.
class World final : public Team {
 public:
  // Joins the processes of a communicator. communicator: address of the caller's MPI_Comm; null:
  // all processes that the launcher has started. Fails with ErrorCode::environment if MPI cannot be
  // initialised. plugin: must outlive the result.
  static Expected<std::unique_ptr<World>> open(const TesseraMpiPlugin& plugin,
                                               const void* communicator);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string end(int code, const std::string& why) override;
  std::vector<std::string> notes() const override { return notes_; }
  // Sets notes().
  void note(std::vector<std::string> of_run) { notes_ = std::move(of_run); }
  const std::string& library() const { return library_; }
  // True if this machine has fewer cores than processes.
  bool is_crowded() const { return is_crowded_; }
  std::int64_t largest_tag() const { return plugin_.largest_tag(world_); }

  // agree(), end() and share() must be called by all processes in the same order, bring() at least
  // by process 0 and `from`; all of them with no message of send() or receive() in flight.
  //
  // Returns the texts of all processes, by process. Fails with ErrorCode::environment in all
  // processes alike if one has ended.
  Expected<std::vector<std::string>> agree(std::string text);
  // share: copies the bytes of process `from` to all others. bring: to process 0 only; has no
  // effect in other processes. The sizes must be equal.
  void share(std::span<std::byte> bytes, int from);
  void bring(std::span<std::byte> bytes, int from);

  // Start to transfer the pieces as one message of a run. Their memory must stay valid until
  // poll() returns `token`. A send completes when the receiver has matched it.
  void send(std::span<const TesseraMpiPiece> pieces, int to, int tag, std::uint64_t token);
  void receive(std::span<const TesseraMpiPiece> pieces, int from, int tag, std::uint64_t token);
  // Lets MPI work, and returns the tokens of completed messages among the 1024 oldest in flight.
  // The result stays valid until the next call.
  std::span<const std::uint64_t> poll();
  Patience patience() const { return Patience(is_crowded_); }

  // Prints the reason to stderr and ends all processes with exit code 3.
  [[noreturn]] void abort(std::string_view why);

 private:
  World(const TesseraMpiPlugin& plugin, TesseraMpiWorld* world);
  std::vector<Account> exchange(const Account& own);
  std::string gathered(std::string own);
  std::string told_at_once(std::string_view own);
  void begin_transfer(bool sends, std::byte* bytes, std::int64_t size, int peer);
  void wait_for(std::int64_t messages);
  void transfer(bool sends, std::byte* bytes, std::int64_t size, int peer);
  void send_text(std::string_view text, int to);
  std::string receive_text(int from);
  void check(int error, std::string_view call);

  const TesseraMpiPlugin& plugin_;
  TesseraMpiWorld* world_;
  int rank_, size_;
  std::string library_;
  bool is_crowded_ = false;
  bool has_ended_ = false;  // agree() has failed because a process has ended
  std::vector<std::uint64_t> tokens_;
  std::vector<std::string> notes_;
};

// Returns the processes of the communicator from join() (communicator.h), or of this program's
// launcher, which the first call joins. Stays valid until leave() or the next join(). Fails with
// ErrorCode::environment after leave(), without a launcher or plug-in, or if the launcher belongs
// to another library.
Expected<World*> world();
// Fails with ErrorCode::environment and the reason if world() cannot be used. Loads the plug-in,
// but joins no processes.
Expected<void> is_ready();

}  // namespace tessera::mpi

// The processes that were started together, as one of them sees them: messages, and agreements.
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

// Waits that grow: first the core is kept, then given to others.
class Patience {
 public:
  // crowded: there are more processes than cores.
  explicit Patience(bool crowded) : crowded_(crowded) {}
  void reset() { turns_ = 0; }
  void wait();

 private:
  bool crowded_;
  int turns_ = 0;
};

// What a process tells the others at the end of a part of the work: how it stands, or that it has
// ended, and with what.
struct Account {
  bool has_ended = false;
  int code = 0;        // of a command that has ended
  std::string text{};  // why it has; else what is to be the same everywhere
};

// Of one thread. What MPI itself finds wrong ends all processes, with its message.
class World final : public Team {
 public:
  // communicator: the address of an MPI_Comm of the caller's; null: of all processes that the
  // launcher has started.
  static Expected<std::unique_ptr<World>> open(const TesseraMpiPlugin& plugin,
                                               const void* communicator);
  ~World() override;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string end(int code, const std::string& why) override;
  std::vector<std::string> notes() const override { return notes_; }
  void note(std::vector<std::string> of_run) { notes_ = std::move(of_run); }
  const std::string& library() const { return library_; }
  bool is_crowded() const { return is_crowded_; }
  std::int64_t largest_tag() const { return plugin_.largest_tag(world_); }

  // Everybody's account, by process. An error, the same for all, where one has ended.
  Expected<std::vector<std::string>> agree(std::string text);
  // The bytes of one process for all, or for process 0.
  void share(std::span<std::byte> bytes, int from);
  void bring(std::span<std::byte> bytes, int from);

  // Messages of a run. Complete tokens are told by poll().
  void send(std::span<const TesseraMpiPiece> pieces, int to, int tag, std::uint64_t token);
  void receive(std::span<const TesseraMpiPiece> pieces, int from, int tag, std::uint64_t token);
  std::span<const std::uint64_t> poll();
  Patience patience() const { return Patience(is_crowded_); }

  // Says why and ends all processes.
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
  bool has_ended_ = false;  // this command's work, and all know it
  std::vector<std::uint64_t> tokens_;
  std::vector<std::string> notes_;
};

// The processes of this program's launcher, joined with the first call; or those of the
// communicator that join() was given (communicator.h).
Expected<World*> world();
// Whether world() can be tried.
Expected<void> is_ready();

}  // namespace tessera::mpi

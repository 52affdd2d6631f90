// Observers of a long run on a thread of their own: the run goes on while they look at what it did.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interp/observe/observer.h"
#include "interp/observe/relay.h"

namespace tessera {

// For observers that ask nothing of the machine. In Event::registers they find what the op names,
// and of a pipeline what it reads of the scalars around it; in Event::loops nothing.
class RelayedObservers final : public Observer {
 public:
  // In this order, each event; they live longer.
  explicit RelayedObservers(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  bool wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                 const RunOptions& options) override;
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool judges_assertions() const override;
  bool sees_private() const override;
  bool is_full() const override { return relay_ ? is_full_.load() : is_any_full(); }
  void end(RunResult& result) override;

 private:
  bool begin_relay(const Event& event);
  bool is_any_full() const;
  void tell(const Event& event);
  void take(std::span<const std::int64_t> words);
  static void end_without_memory(RunResult& result);
  const std::vector<ValueId>& named(StmtId statement);

  const std::vector<Observer*> observers_;
  const Program* program_ = nullptr;
  std::int64_t events_ = 0;                   // that were told at once
  std::optional<Relay<std::int64_t>> relay_;  // packed events (event_words.h)
  bool has_thread_ = true;                    // there is one to be had
  std::int64_t step_ = -1;  // of the values that were kept last; and whose they are
  StmtId statement_;
  // By statement. The run's thread finds them, and the other one reads what it kept by them.
  Table<StmtId, std::optional<std::vector<ValueId>>> named_;
  std::vector<std::int64_t> registers_;  // as the thread has them
  std::atomic<bool> is_full_ = false;
};

}  // namespace tessera

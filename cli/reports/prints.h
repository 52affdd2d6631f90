// What a program's `print` and `breakpoint` tell, as it happens.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cli/reports/console.h"
#include "interp/observe/debug_sink.h"

namespace tessera::cli {

// Writes each line when it is told; with --json keeps them for the object. Of each statement the
// first ones, the others are counted.
class Prints final : public DebugSink {
 public:
  static constexpr std::int64_t most = 100;  // of one statement, unless --prints says otherwise

  explicit Prints(std::int64_t limit) : limit_(limit) {}

  bool accepts(const Program& program, StmtId statement) override;
  void receive(const Program& program, const DebugOutput& output) override;

  // Where to write, and what has to be cleared before; null: nothing is written.
  void attach(Console& console, std::function<void()> before);
  // What was left out, and which breakpoints were passed; nothing where nothing was.
  std::string notes() const;
  // "prints", "prints_left_out", "breakpoints"; what there is none of is no member.
  void add_to(Json& object) const;

 private:
  struct Count {
    Loc loc{};
    bool is_breakpoint = false;
    std::int64_t told = 0, left_out = 0;
  };

  Console* console_ = nullptr;
  std::function<void()> before_{};
  std::int64_t limit_;
  // By the place: a pipeline makes several statements of one of the source.
  std::map<std::tuple<std::string, int, int>, Count> of_;
  std::vector<DebugOutput> kept_;
};

}  // namespace tessera::cli

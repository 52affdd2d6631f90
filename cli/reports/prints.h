// Output of the ops `print` and `breakpoint` of a program, during the run.
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

// Writes each line immediately; with --json, stores the lines for the JSON object. Lines of a
// statement above the limit are only counted.
class Prints final : public DebugSink {
 public:
  static constexpr std::int64_t most = 100;  // default limit: lines per statement

  explicit Prints(std::int64_t limit) : limit_(limit) {}

  // False if the statement has reached the limit; then counts the line as omitted.
  bool accepts(const Program& program, StmtId statement) override;
  void receive(const Program& program, const DebugOutput& output) override;

  // Sets the console for the lines; without one, they are dropped. The console must outlive this
  // object. before: called before each line is written; may be empty.
  void attach(Console& console, std::function<void()> before);
  // Returns the notes on omitted lines and passed breakpoints; empty if there are none.
  std::string notes() const;
  // Adds the members "prints" (the lines, stored only with --json), "prints_left_out" (number of
  // omitted lines) and "breakpoints", unless they are empty.
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
  // By place in the source: a pipeline expands one statement of the source to several.
  std::map<std::tuple<std::string, int, int>, Count> of_;
  std::vector<DebugOutput> kept_;
};

}  // namespace tessera::cli

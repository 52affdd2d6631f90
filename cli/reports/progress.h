// One line on standard error that says how far long work is; never on standard output, and nothing
// where standard error is no terminal.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cli/reports/console.h"

namespace tessera::cli {

// Appears after two seconds and changes in place, also while nobody tells it anything: a thread of
// its own shows the last text and the time. If a console has several, the first shows the texts
// of all; it must outlive the others.
class Progress {
 public:
  explicit Progress(Console& console);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string text);
  // Whether a text would be seen; formatting it can be saved otherwise.
  bool is_due() const;
  double elapsed() const;  // seconds
  // Clears the line until something is shown again: before a report.
  void hide() { show({}); }

  // Shows what the command does now, if its console has a progress line; empty: clears the line.
  static void phase(const Console& console, std::string_view what);

 private:
  using Clock = std::chrono::steady_clock;
  void tick(const std::stop_token& ends);
  void write();

  Console& console_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;  // a text that comes earlier is not worth its formatting
  bool is_first_ = false;
  bool is_shown_ = false;
  std::string text_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread ticker_;  // the last: it uses the others
};

}  // namespace tessera::cli

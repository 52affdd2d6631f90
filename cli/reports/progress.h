// Progress line for long work, on standard error. Nothing is shown if standard error is not a
// terminal.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cli/reports/console.h"

namespace tessera::cli {

// Appears after two seconds and changes in place. A separate thread shows the last text and the
// time. If a console has several objects, the first one shows the texts of all and must outlive the
// others.
class Progress {
 public:
  explicit Progress(Console& console);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets the text that the separate thread shows next; empty: clears the line.
  void show(std::string text);
  // True if the progress line is active and the last text is at least 100 ms old; otherwise the
  // caller need not format a new one.
  bool is_due() const;
  double elapsed() const;  // seconds since the creation of this object
  // Clears the line until the next show(), for example before a report.
  void hide() { show({}); }

  // Shows the current phase, if the console has a progress line. what: empty clears the line.
  static void phase(const Console& console, std::string_view what);

 private:
  using Clock = std::chrono::steady_clock;
  void tick(const std::stop_token& ends);
  void write();

  Console& console_;
  Clock::time_point start_ = Clock::now();
  std::atomic<Clock::time_point> next_ = start_;  // earliest time for a new text
  bool is_first_ = false;
  bool is_shown_ = false;
  std::string text_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread ticker_;  // last member, because it uses the others
};

}  // namespace tessera::cli

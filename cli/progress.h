// One line on standard error that says how far long work is; never on standard output.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "cli/console.h"

namespace tessera::cli {

// On a terminal the line changes in place; elsewhere it appears after two seconds and then rarely.
class Progress {
 public:
  explicit Progress(Console& console);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view text);
  // Whether a text shown now would be seen; formatting it can be saved otherwise.
  bool is_due() const;
  double elapsed() const;  // seconds

 private:
  using Clock = std::chrono::steady_clock;
  Console& console_;
  bool is_standard_error_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  Clock::duration pause_;
};

}  // namespace tessera::cli

#include "cli/progress.h"

#include <unistd.h>

#include <iostream>

namespace tessera::cli {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A stream that is not the process's own belongs to a test: it stays free of what depends on time.
Progress::Progress(Console& console)
    : console_(console),
      is_standard_error_(&console.err == &std::cerr),
      is_terminal_(is_standard_error_ && isatty(STDERR_FILENO) == 1),
      next_(start_ + (is_terminal_ ? Clock::duration(milliseconds(300)) : seconds(2))),
      pause_(is_terminal_ ? Clock::duration(milliseconds(100)) : seconds(10)) {}

Progress::~Progress() {
  if (is_terminal_ && is_shown_) console_.err << "\r\033[K" << std::flush;
}

bool Progress::is_due() const { return is_standard_error_ && Clock::now() >= next_; }

void Progress::show(std::string_view text) {
  if (!is_due()) return;
  if (is_terminal_) {
    console_.err << "\r\033[K" << text << std::flush;
  } else {
    console_.err << text << std::endl;
  }
  is_shown_ = true;
  next_ = Clock::now() + pause_;
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace tessera::cli

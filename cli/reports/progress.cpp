#include "cli/reports/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <system_error>
#include <utility>

#include "cli/reports/printable_stream.h"

namespace tessera::cli {
namespace {

using std::chrono::milliseconds;

}  // namespace

// Progress is only shown on std::cerr: output to other streams must not depend on time, for tests.
Progress::Progress(Console& console) : console_(console) {
  if (console.progress != nullptr) return;
  console.progress = this;
  is_first_ = true;
  if (&console.err != &std::cerr || isatty(STDERR_FILENO) != 1) return;
  try {
    ticker_ = std::jthread([this](const std::stop_token& ends) { tick(ends); });
  } catch (const std::system_error&) {  // no thread can be created: progress is not shown
  }
}

Progress::~Progress() {
  if (!is_first_) return;
  hide();
  console_.progress = nullptr;
}

bool Progress::is_due() const {
  const Progress& first = is_first_ ? *this : *console_.progress;
  return first.ticker_.joinable() && Clock::now() >= first.next_.load();
}

void Progress::show(std::string text) {
  if (!is_first_) return console_.progress->show(std::move(text));
  if (!ticker_.joinable()) return;
  const std::lock_guard lock(mutex_);
  next_ = Clock::now() + milliseconds(100);
  text_ = std::move(text);
  if (is_shown_ && text_.empty()) write();
}

void Progress::phase(const Console& console, std::string_view what) {
  if (console.progress != nullptr) console.progress->show(std::string(what));
}

void Progress::tick(const std::stop_token& ends) {
  std::unique_lock lock(mutex_);
  for (auto pause = milliseconds(2000); !changed_.wait_for(lock, ends, pause, [] { return false; });
       pause = milliseconds(250)) {
    if (ends.stop_requested()) return;
    if (!text_.empty()) write();
  }
}

void Progress::write() {
  constexpr std::string_view clears_line = "\r\033[K";
  PrintableStream::raw(console_.err)->sputn(clears_line.data(), clears_line.size());
  if (!text_.empty()) console_.err << fmt::format("{}, {:.0f} s", text_, elapsed());
  console_.err << std::flush;
  is_shown_ = !text_.empty();
}

double Progress::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace tessera::cli

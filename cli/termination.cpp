#include "cli/termination.h"

#include <csignal>
#include <cstdlib>

#include "core/host/temporary_files.h"

namespace tessera::cli {
namespace {

// Signals that can be caught and that end the process by default.
constexpr int ending[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU,
                          SIGUSR1, SIGUSR2, SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL};

// The signal is not blocked and its handler is already reset, so raise() ends the process.
extern "C" void end_by(int signal) {
  remove_temporary_files();
  std::raise(signal);
}

}  // namespace

void end_without_temporary_files() {
  // After a stack overflow, the handler needs a stack of its own.
  static char stack[1 << 16];
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  if (stack_t current{}; ::sigaltstack(nullptr, &current) == 0 && (current.ss_flags & SS_DISABLE))
    ::sigaltstack(&own, nullptr);
  struct sigaction handler {};
  handler.sa_handler = end_by;
  handler.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
  for (const int signal : ending) {
    struct sigaction current {};
    if (::sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    ::sigaction(signal, &handler, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::atexit(remove_temporary_files);
}

}  // namespace tessera::cli

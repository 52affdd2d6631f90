#include "debugger/dap/byte_source.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/report/stop.h"

namespace tessera::debugger {
namespace {

class StandardInput final : public ByteSource {
 public:
  Expected<std::string> read() override {
    for (;;) {
      if (is_stopped(current_stop())) return error(ErrorCode::interrupted, "interrupted");
      // A signal interrupts poll(); read() might be restarted instead.
      pollfd waiting{STDIN_FILENO, POLLIN, 0};
      if (::poll(&waiting, 1, -1) < 0) {
        if (errno == EINTR) continue;
        return failure();
      }
      std::string bytes(std::size_t{1} << 16, '\0');
      const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) return failure();
      bytes.resize(static_cast<std::size_t>(count));
      return bytes;
    }
  }
  bool is_ready() override {
    pollfd waiting{STDIN_FILENO, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
  }

 private:
  static Diag failure() {
    return error(ErrorCode::environment,
                 fmt::format("standard input cannot be read: {}", std::strerror(errno)));
  }
};

}  // namespace

std::unique_ptr<ByteSource> standard_input_bytes() { return std::make_unique<StandardInput>(); }

}  // namespace tessera::debugger

// Messages of the Debug Adapter Protocol: JSON behind a header that tells its length in bytes.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/report/expected.h"
#include "debugger/dap/byte_source.h"
#include "text/json.h"

namespace tessera::debugger {

// The message with its header.
std::string framed(const Json& message);

class MessageReader {
 public:
  explicit MessageReader(ByteSource& source) : source_(source) {}

  // The next one, when it is there; none: there are no more. Errors: the header or the JSON is
  // malformed, the input ends inside of a message.
  Expected<std::optional<Json>> next();
  // Reads the available input without waiting. More than 32 MiB of waiting messages is malformed.
  void look();
  // Of what look() took in: whether a request of that command is among it, and that request,
  // before its turn.
  bool has(std::string_view command) const;
  std::optional<Json> take(std::string_view command);
  // No more comes, or what comes is malformed.
  bool has_ended() const { return is_at_end_ || wrong_.has_value(); }

 private:
  Expected<std::optional<Json>> parse();
  void take_in(const Expected<std::string>& bytes);

  ByteSource& source_;
  std::string bytes_;
  std::deque<Json> waiting_;
  std::size_t taken_in_ = 0;    // bytes since no message waited
  std::optional<Diags> wrong_;  // told when all that came before it was
  bool is_at_end_ = false;
};

}  // namespace tessera::debugger

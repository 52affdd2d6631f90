// Messages of the Debug Adapter Protocol: JSON after a header with its length in bytes.
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

// Returns the message as JSON, after its header.
std::string framed(const Json& message);

class MessageReader {
 public:
  // source: must outlive this object.
  explicit MessageReader(ByteSource& source) : source_(source) {}

  // Waits for the next message and returns it; nullopt at the end of the input. Fails if the header
  // or the JSON is malformed, if the input ends within a message, or like ByteSource::read().
  Expected<std::optional<Json>> next();
  // Reads the available input into pending requests, without waiting. More than 32 MiB of waiting
  // messages is malformed. next() returns the errors, after the messages before them.
  void look();
  // Pending requests with this command, among the input that look() has read: has() checks for one,
  // take() removes and returns the first one, out of order, or nullopt.
  bool has(std::string_view command) const;
  std::optional<Json> take(std::string_view command);
  // True if the input has ended or is malformed.
  bool has_ended() const { return is_at_end_ || wrong_.has_value(); }

 private:
  // Removes and returns the first message of bytes_; nullopt if it is incomplete.
  Expected<std::optional<Json>> parse();
  // Appends the complete messages to waiting_. Sets wrong_ after an error.
  void take_in(const Expected<std::string>& bytes);

  ByteSource& source_;
  std::string bytes_;
  std::deque<Json> waiting_;
  std::size_t taken_in_ = 0;    // bytes read since no message was pending
  std::optional<Diags> wrong_;  // reported after all earlier messages
  bool is_at_end_ = false;
};

}  // namespace tessera::debugger

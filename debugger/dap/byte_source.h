// Input bytes of a conversation.
#pragma once
#include <memory>
#include <string>

#include "core/report/expected.h"

namespace tessera::debugger {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Waits for more bytes and returns them; empty: end of the input. Fails with
  // ErrorCode::environment if it cannot read, or with ErrorCode::interrupted if a signal requested
  // the end.
  virtual Expected<std::string> read() = 0;
  // True if read() would not block.
  virtual bool is_ready() = 0;
};

// Returns a source of the bytes of standard input.
std::unique_ptr<ByteSource> standard_input_bytes();

}  // namespace tessera::debugger

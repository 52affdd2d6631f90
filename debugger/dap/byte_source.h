// Where bytes of a conversation come from.
#pragma once
#include <memory>
#include <string>

#include "core/report/expected.h"

namespace tessera::debugger {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Some more, when there are some; empty: there are no more. Errors: it cannot be read, or a
  // signal asked to end.
  virtual Expected<std::string> read() = 0;
  // Whether read() would not wait.
  virtual bool is_ready() = 0;
};

std::unique_ptr<ByteSource> standard_input_bytes();

}  // namespace tessera::debugger

// Lookup of source lines by number.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "core/report/diag.h"

namespace tessera {

// Returns line `number` (from 1) without its line end (LF or CRLF); none if the text has no such
// line. `source` must not be null; the line stays valid as long as its text. Takes constant time if
// at most four sources alternate on a thread. Thread-safe.
std::optional<std::string_view> source_line(const std::shared_ptr<const Source>& source,
                                            int number);

}  // namespace tessera

// Lookup of source lines by number.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "core/report/diag.h"

namespace tessera {

// Returns line `number` (from 1) without its line end; none if the text has fewer lines. Valid as
// long as the source's text. Takes constant time if few sources alternate, so that a report with
// many places searches a text only once.
std::optional<std::string_view> source_line(const std::shared_ptr<const Source>& source,
                                            int number);

}  // namespace tessera

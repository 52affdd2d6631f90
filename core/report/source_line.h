// Lines of a source by their numbers.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "core/report/diag.h"

namespace tessera {

// Returns line `number` (from 1) without its end; none if the text has fewer lines. Valid as long
// as the text of the source. Constant time while few sources alternate: a report with a place on
// each of 100,000 lines searches the text once.
std::optional<std::string_view> source_line(const std::shared_ptr<const Source>& source,
                                            int number);

}  // namespace tessera

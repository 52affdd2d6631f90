// A text of an older version of the language as one of the current version.
#pragma once
#include <memory>
#include <string>

#include "core/report/expected.h"

namespace tessera {

struct Source;

// Old words become what is written now, and the line of the version stands in front; comments and
// layout stay as they are. A call that does not give an old word's arguments one by one stays too:
// it is refused with what is written now. Fails where the text is none of the language.
Expected<std::string> upgrade(std::shared_ptr<const Source> source);

}  // namespace tessera

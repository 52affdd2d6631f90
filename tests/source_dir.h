// Where the sources lie: tests read programs, pages and #include lines there.
#pragma once
#include <string>

namespace tessera::test {

std::string source_dir();

}  // namespace tessera::test

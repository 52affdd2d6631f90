// Source folder, from which tests read programs, pages and #include lines.
#pragma once
#include <string>

namespace tessera::test {

std::string source_dir();

}  // namespace tessera::test

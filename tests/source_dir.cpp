#include "tests/source_dir.h"

namespace tessera::test {

std::string source_dir() { return TESSERA_SOURCE_DIR; }

}  // namespace tessera::test

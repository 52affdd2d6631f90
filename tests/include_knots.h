// Finds include cycles between components. A component is a header, its source, and the sources
// that extend its name and have no header. Example: machine.h, machine.cpp and machine_bind.cpp.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera::test {

// Included paths by path, both from the root.
using Includes = std::map<std::string, std::vector<std::string>>;

// Returns the components of each cycle of two or more, sorted, as paths without the extension.
std::set<std::vector<std::string>> include_knots(const Includes& includes);

}  // namespace tessera::test

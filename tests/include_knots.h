// Which components of the sources include each other in a circle. A component is a header with its
// source, and with the sources that go on with its name and have no header of their own: machine.h,
// machine.cpp and machine_bind.cpp are one.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera::test {

// By path from the root: the paths that it includes.
using Includes = std::map<std::string, std::vector<std::string>>;

// The members of each circle of two or more, sorted; components are named by their path without its
// ending.
std::set<std::vector<std::string>> include_knots(const Includes& includes);

}  // namespace tessera::test

// What every emulated kernel includes first; GCC parses it once (tests/CMakeLists.txt).
#pragma once
#include "tests/cuda/emulate/machine.h"

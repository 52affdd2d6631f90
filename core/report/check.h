// Aborts with the source location if an invariant of this project is violated. Not for user errors,
// which are Diags or findings.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: internal error: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)

// The value of an Expected, or the end of the function with its diagnostics:
//
//   const Program program = TRY(make_program(launch));
//   TRY(check_config(config));
//
// For functions that return an Expected. Kept apart from expected.h, so that programs which include
// the public headers do not get a macro of this name.
#pragma once
#include <utility>

#define TRY(expression)                          \
  ({                                             \
    auto tried = (expression);                   \
    if (!tried) return std::move(tried).diags(); \
    *std::move(tried);                           \
  })

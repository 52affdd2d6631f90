// Yields the value of an Expected, or returns its diagnostics from the function:
//
//   const Program program = TRY(make_program(launch));
//   TRY(check_config(config));
//
// Requires a function that returns an Expected. Not part of expected.h, so that programs which
// include the public headers do not get a macro of this name.
#pragma once
#include <utility>

#define TRY(expression)                          \
  ({                                             \
    auto tried = (expression);                   \
    if (!tried) return std::move(tried).diags(); \
    *std::move(tried);                           \
  })

// The syntax tree of a file: one kind of node, told apart by NodeKind.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/report/diag.h"

namespace tessera {

// What stands in `text` and in `kids` (in order) is said per kind; [x] is optional.
enum class NodeKind : std::uint8_t {
  // expressions
  integer,
  real,
  text,
  name,
  call,            // text: callee; kids: arguments
  named_argument,  // text: parameter; kids: value
  index,           // kids: base, items
  item_all,        // a whole dimension
  item_span,       // kids: start, size
  member,          // text: member; kids: base
  unary,           // text: operator; kids: operand
  binary,          // text: operator; kids: left, right
  conditional,     // kids: condition, a, b
  range,           // kids: lower, upper
  // statements
  assign,         // text: =, +=, -=, *= or /=; kids: target, value
  define,         // text: name; kids: parameters (name or loop_variable), then the value
  loop_variable,  // text: name, integer: 1 when parallel; kids: bound, [step]
  for_loop,       // kids: loop_variable, block
  if_else,        // kids: condition, block, [block]
  trace,          // integer: level; text: message; kids: block
  require,        // text: message; kids: condition
  pipeline,       // kids: loop_variables, block
  grid,           // kids: loop_variable
  window,         // text: name; kids: slice, attributes
  attribute,      // text: depth, pad, when, update; kids: [value]
  start,       // integer: 1 when it adds; kids: source, destination, semaphore, or source, device,
               // destination, sent, arrived, [core]
  copy,        // kids: source, destination
  wait,        // text: wait or await; kids: semaphore, count
  wait_for,    // kids: semaphore, slice
  signal,      // kids: semaphore, count, [device, [core]]
  operate,     // text: alloc, free, fresh, once; kids: ref
  scoped,      // kids: declaration
  expression,  // kids: call
  returns,     // kids: one expression, or define and assign entries
  block,       // kids: statements
  // declarations
  operand,     // text: name; integer: 0 in, 1 out; kids: type, name (space), [order: kids integers]
  scratch,     // text: name; integer: 1 when scoped; kids: type, name (space)
  semaphore,   // text: name; integer: bit 0 scoped, bit 1 monotone; kids: call or name (kind),
               // dimensions
  type,        // kids: name or call (dtype), dimensions
  order,       // kids: integers
  declare_if,  // kids: condition, block, [block]
  parameter,   // text: name; integer: 1 for tuning; kids: [default] or [type]
  type_parameter,  // text: name; kids: names of accepted types
  kernel,          // text: name; kids: block of type_parameters, block of parameters, block of
                   // declarations, block
  function,  // text: name; kids: block of parameters, block of declarations, block or expression
  file
};

struct Node {
  NodeKind kind{};
  Loc loc;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<Node> kids;
  int height = 1;   // of the tree, for the parser's limit; added kids raise it
  std::string doc;  // kernel, function: the comment above

  void add(Node kid) {
    height = std::max(height, kid.height + 1);
    kids.push_back(std::move(kid));
  }
};

}  // namespace tessera

// The parameter of a kernel as a list of fields. The list generates the struct in the source and
// encodes the arguments of a launch.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/program/program.h"

namespace tessera::cuda {

// Values that are only known at launch. LaunchValues (runtime/arguments.h) has a member for each.
enum class FromLaunch {
  left_map,
  right_map,
  result_map,
  result_pitch,
  arrays,
  error,
  taken,
  tiles
};

// Address of an operand or a result.
struct OperandAddress {
  BufferId buffer;
};

// Source of a field's value. Numbers are values of the program: one, or an array.
using ArgSource = std::variant<FromLaunch, OperandAddress, std::int64_t, std::vector<std::int64_t>>;

struct ArgField {
  std::string type, name;  // in CUDA C++
  ArgSource source;
  std::string comment = {};
};

// Returns "  struct Args { ... };" with one line per field.
std::string args_struct(const std::vector<ArgField>& fields);

// Appends the fields that generated functions use (KernelNames): a pointer to each buffer of
// `roles`, the offset of each scalar array in the arrays of a CTA, and `numbers` as c.
void append_program_fields(std::vector<ArgField>& fields, const Program& program,
                           const std::vector<Role>& roles,
                           const std::vector<std::int64_t>& numbers);

// Returns the total size of a CTA's scalar arrays, in elements of 8 bytes.
std::int64_t array_elements(const Program& program);

}  // namespace tessera::cuda

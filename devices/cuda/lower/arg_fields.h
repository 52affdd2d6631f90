// The parameter of a kernel as a list of fields: the same list prints the struct into the source
// and packs the bytes of a launch.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/program/program.h"

namespace tessera::cuda {

// What the launch alone knows: LaunchValues (runtime/arguments.h) has a member for each.
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

// The address of an operand or a result.
struct OperandAddress {
  BufferId buffer;
};

// Where the bytes of a field come from; numbers are those of the program: one, or an array.
using ArgSource = std::variant<FromLaunch, OperandAddress, std::int64_t, std::vector<std::int64_t>>;

struct ArgField {
  std::string type, name;  // in CUDA C++
  ArgSource source;
  std::string comment = {};
};

// "  struct Args { ... };" with a line for each field.
std::string args_struct(const std::vector<ArgField>& fields);

// Appends what generated functions name of the launch (KernelNames): a pointer to each buffer of
// `roles`, the first element of each scalar array among those of a CTA, and `numbers` as c.
void append_program_fields(std::vector<ArgField>& fields, const Program& program,
                           const std::vector<Role>& roles,
                           const std::vector<std::int64_t>& numbers);

// The scalar arrays of a CTA, all together: elements of 8 bytes.
std::int64_t array_elements(const Program& program);

}  // namespace tessera::cuda

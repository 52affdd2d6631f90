#include "devices/cuda/lower/arg_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "devices/cuda/lower/kernel_names.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {
namespace {

bool is_scalar_array(const Buffer& buffer) {
  return buffer.role == Role::scratch && buffer.space == Space::smem;
}

}  // namespace

std::string args_struct(const std::vector<ArgField>& fields) {
  std::string text = "  struct Args {\n";
  for (const ArgField& field : fields) {
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&field.source);
    text += fmt::format("    {} {}{};{}{}\n", field.type, field.name,
                        numbers ? fmt::format("[{}]", numbers->size()) : "",
                        field.comment.empty() ? "" : "  // ", field.comment);
  }
  return text + "  };\n";
}

void append_program_fields(std::vector<ArgField>& fields, const Program& program,
                           const std::vector<Role>& roles,
                           const std::vector<std::int64_t>& numbers) {
  for (const Buffer& buffer : program.buffers) {
    if (std::find(roles.begin(), roles.end(), buffer.role) == roles.end()) continue;
    fields.push_back(
        {fmt::format("{}{}*", buffer.role == Role::in ? "const " : "", storage_type(buffer.dtype)),
         field_name(program, buffer), OperandAddress{program.buffers.id_of(buffer)}, buffer.name});
  }
  std::int64_t first = 0;
  for (const Buffer& buffer : program.buffers) {
    if (!is_scalar_array(buffer)) continue;
    fields.push_back({"i64", field_name(program, buffer), first, buffer.name});
    first += elements(buffer.shape);
  }
  // C++ has no arrays without elements.
  if (!numbers.empty()) fields.push_back({"i64", "c", numbers});
}

std::int64_t array_elements(const Program& program) {
  std::int64_t all = 0;
  for (const Buffer& buffer : program.buffers)
    all += is_scalar_array(buffer) ? elements(buffer.shape) : 0;
  return all;
}

}  // namespace tessera::cuda

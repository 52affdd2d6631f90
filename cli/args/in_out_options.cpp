#include "cli/args/in_out_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/args/device_parts.h"
#include "core/report/near.h"
#include "text/numbers.h"

namespace tessera::cli {

InOutOptions::InOutOptions(const Arguments& arguments, std::string_view option,
                           const Program& program, int devices, Diags& diags)
    : option_(option) {
  std::vector<std::string_view> names;
  // Filled operands can be saved too, for use in other programs.
  for (const Buffer& buffer : program.buffers) {
    if ((buffer.role == Role::in && option != "expect") ||
        (buffer.role == Role::out && option != "in"))
      names.push_back(buffer.name);
  }
  for (const std::string& text : arguments.all(option)) read(text, program, names, devices, diags);
  fill_holes(devices);
}

// Expands a name with a hole to a file for each device that has no assignment of its own.
void InOutOptions::fill_holes(int devices) {
  std::vector<Assignment> filled;
  for (const Assignment& given : all_) {
    if (!has_device_hole(given.value) || given.device != every_device) {
      filled.push_back(given);
      continue;
    }
    for (int device = 0; device < devices; ++device) {
      const bool has_own = std::any_of(all_.begin(), all_.end(), [&](const Assignment& other) {
        return other.buffer == given.buffer && other.device == device;
      });
      if (!has_own) filled.push_back({given.buffer, device, given.value});
    }
  }
  for (Assignment& each : filled)
    if (each.device != every_device)
      each.value = with_number(each.value, device_hole, static_cast<std::size_t>(each.device));
  all_ = std::move(filled);
}

const Assignment* InOutOptions::find(const Buffer& buffer, int device) const {
  const Assignment* general = nullptr;
  for (const Assignment& assignment : all_) {
    if (assignment.buffer != buffer.name) continue;
    if (assignment.device == device) return &assignment;
    if (assignment.device == every_device) general = &assignment;
  }
  return general;
}

bool InOutOptions::is_for_one(const Buffer& buffer) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Assignment& each) {
    return each.buffer == buffer.name && each.device != every_device;
  });
}

void InOutOptions::read(const std::string& text, const Program& program,
                        const std::vector<std::string_view>& names, int devices, Diags& diags) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diags.push_back(error(fmt::format("--{}: expected NAME=FILE, found '{}'", option_, text)));
    return;
  }
  Assignment assignment{text.substr(0, equals), every_device, text.substr(equals + 1)};
  if (const std::size_t at = assignment.buffer.find('@'); at != std::string::npos) {
    const auto device = parse_integer(assignment.buffer.substr(at + 1));
    if (!device || *device < 0 || *device >= devices) {
      diags.push_back(error(fmt::format("--{} {}: there are devices 0 to {}", option_,
                                        assignment.buffer, devices - 1)));
      return;
    }
    assignment.device = static_cast<int>(*device);
    assignment.buffer.resize(at);
  }
  if (std::find(names.begin(), names.end(), assignment.buffer) == names.end()) {
    diags.push_back(error(fmt::format("{} has no {} {}{}", program.name,
                                      option_ == "in"       ? "operand"
                                      : option_ == "expect" ? "result"
                                                            : "result or operand",
                                      assignment.buffer, did_you_mean(assignment.buffer, names))));
    return;
  }
  const bool twice = std::any_of(all_.begin(), all_.end(), [&](const Assignment& other) {
    return other.buffer == assignment.buffer && other.device == assignment.device;
  });
  if (twice) diags.push_back(error(fmt::format("--{} gives {} twice", option_, assignment.buffer)));
  all_.push_back(std::move(assignment));
}

}  // namespace tessera::cli

#include "cli/args/bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/args/bound_tensor.h"
#include "cli/args/device_parts.h"
#include "cli/args/file_use.h"
#include "cli/args/fill_operand.h"
#include "cli/args/host_memory.h"
#include "cli/args/in_out_options.h"
#include "cli/args/operation_options.h"
#include "core/program/unknown_values.h"
#include "core/report/try.h"
#include "interp/memory/layout.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {
namespace {

// Output file, opened before anything is computed. A file for all devices is opened for device 0.
// The tensors of all devices are stacked in it along a leading axis.
struct Target {
  std::string file;
  std::optional<TensorOutput> output;
  bool is_stacked;
};
using Targets = std::map<std::pair<int, const Buffer*>, Target>;

Targets open_targets(const Program& program, const InOutOptions& out, int devices, Files* files,
                     Diags& diags) {
  Targets targets;
  for (int device = 0; device < devices; ++device) {
    for (const Buffer& buffer : program.buffers) {
      const Assignment* const target =
          buffer.role == Role::scratch ? nullptr : out.find(buffer, device);
      if (target == nullptr) continue;
      const bool is_stacked = target->device == every_device && devices > 1;
      if (is_stacked && out.is_for_one(buffer)) {
        diags.push_back(error(fmt::format(
            "--out {0}={1} writes one file for all {2} devices, and another --out is for a single "
            "device: use {0}@D=FILE, or a name with {{d}} for one file per device",
            buffer.name, target->value, devices)));
        return targets;
      }
      Target opened{target->value, std::nullopt, is_stacked};
      if (!is_stacked || device == 0) {
        Expected<TensorOutput> output = TensorOutput::open(target->value, files);
        if (!output) {
          diags.insert(diags.end(), output.diags().begin(), output.diags().end());
          continue;
        }
        opened.output.emplace(*std::move(output));
      }
      targets.emplace(std::pair(device, &buffer), std::move(opened));
    }
  }
  return targets;
}

// Fails if --out names a result with unknown values.
Expected<void> check_known(const Program& program, const Table<BufferId, std::string>& unknown,
                           const InOutOptions& out, int devices) {
  Diags diags;
  for (const BufferId id : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[id];
    if (unknown[id].empty() || buffer.role != Role::out) continue;
    bool is_requested = false;
    for (int device = 0; device < devices; ++device)
      is_requested = is_requested || out.find(buffer, device) != nullptr;
    if (is_requested) diags.push_back(unknown_result(buffer, "--out", unknown[id]));
  }
  if (!diags.empty()) return diags;
  return {};
}

// Fill of the operands without --in.
struct Filling {
  Fill kind;
  std::uint64_t seed;
  std::int64_t terms;  // upper bound on the terms of a sum
};

std::int64_t longest_extent(const Program& program) {
  std::int64_t longest = 1;
  for (const Buffer& buffer : program.buffers) {
    for (const std::int64_t extent : buffer.shape) longest = std::max(longest, extent);
  }
  return longest;
}

Diags check_memory(const Program& program, int devices) {
  std::vector<TensorSize> sizes;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::hbm)
      sizes.push_back({buffer.dtype, buffer.shape, devices});
  }
  return check_host_memory(sizes);
}

// True for integers in smem, such as sizes and tables: random values would be meaningless.
bool is_table(const Buffer& buffer) {
  return buffer.space == Space::smem && is_integer(buffer.dtype);
}

// index: position among the bound buffers, from 1.
Tensor filled(const Buffer& buffer, int device, std::uint64_t index, const Filling& how,
              Diags& diags) {
  if (is_table(buffer)) return zeros(buffer, diags);
  const std::uint64_t stream = (how.seed * 1024 + static_cast<std::uint64_t>(device)) * 64 + index;
  const FillRole role = index == 1 ? FillRole::lhs : FillRole::rhs;
  return filled_operand(buffer.dtype, stored_shape(buffer), how.kind, role, how.terms, stream);
}

// Files of one option. check_files() has compared the names as given; here `{d}` is replaced by the
// device numbers.
std::vector<FilePlace> places(const std::string& option, const InOutOptions& given,
                              const Files* files) {
  std::vector<FilePlace> places;
  for (const Assignment& each : given.all())
    places.push_back(file_place(option, each.value, files));
  return places;
}

}  // namespace

Options binding_options() {
  return {
      {"in", "NAME=FILE",
       "an operand: .npy, FILE.safetensors#tensor, or numbers 100,150,50; NAME@D=FILE is for "
       "device D, x{d}.npy is one file per device, and a single file may have a leading device "
       "axis",
       true, FileUse::reads},
      {"out", "NAME=FILE", "write a result or an operand to a file; for several devices as in --in",
       true, FileUse::writes},
      {"fill", "normal|uniform|integers", "data of operands not given; integers in smem are zeros"},
      {"seed", "N", "seed of the fill; default 0"},
  };
}

Diag unknown_result(const Buffer& buffer, std::string_view option, std::string_view why) {
  return error(ErrorCode::unsupported,
               fmt::format("{} {}: results of `{}` are unknown: computed by {}", option,
                           buffer.name, buffer.name, why));
}

Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices) {
  Diags diags;
  const Fill kind = fill_option(arguments, diags);
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed", diags).value_or(0));
  const InOutOptions in(arguments, "in", program, devices, diags);
  const InOutOptions out(arguments, "out", program, devices, diags);
  if (!diags.empty()) return diags;
  Files* const files = arguments.files();
  TRY(check_places(places("--in", in, files), places("--out", out, files)));
  const Filling how{kind, seed, longest_extent(program)};
  diags = check_memory(program, devices);
  if (!diags.empty()) return diags;
  Table<BufferId, std::string> unknown;
  for (const StmtId from : unknown_values(program).buffers) unknown.add(why_unknown(program, from));
  TRY(check_known(program, unknown, out, devices));
  Targets targets = open_targets(program, out, devices, files, diags);
  if (!diags.empty()) return diags;
  Bindings result;
  result.devices_ = devices;
  OperandFiles operands(devices, files);
  for (int device = 0; device < devices; ++device) {
    std::uint64_t index = 0;
    for (const Buffer& buffer : program.buffers) {
      if (buffer.role == Role::scratch) continue;
      ++index;
      Bindings::Bound bound{&buffer, device, {}};
      if (const auto target = targets.find({device, &buffer}); target != targets.end()) {
        bound.file = target->second.file;
        if (target->second.output) bound.output.emplace(*std::move(target->second.output));
        bound.is_stacked = target->second.is_stacked;
      }
      if (buffer.role == Role::out) {
        bound.tensor = zeros(buffer, diags);
        bound.unknown = unknown[program.buffers.id_of(buffer)];
      } else if (const Assignment* source = in.find(buffer, device)) {
        std::optional<Tensor> words =
            given_in_words(buffer, buffer.dtype, source->value, "in", diags);
        bound.origin = words ? "given" : source->value;
        bound.tensor = words ? *std::move(words) : operands.operand(buffer, *source, device, diags);
      } else {
        bound.origin = is_table(buffer) ? "zeros" : "filled";
        bound.tensor = filled(buffer, device, index, how, diags);
      }
      if (!diags.empty()) return diags;
      result.bound_.push_back(std::move(bound));
    }
  }
  return result;
}

std::vector<DeviceBinding> Bindings::views() {
  std::vector<DeviceBinding> views(static_cast<std::size_t>(devices_));
  for (Bound& bound : bound_) {
    views[static_cast<std::size_t>(bound.device)].emplace(bound.buffer->name, &bound.tensor);
  }
  return views;
}

Diags Bindings::save_results() {
  Diags diags;
  for (Bound& bound : bound_) {
    if (!bound.output) continue;
    if (!bound.is_stacked) {
      collect(diags, bound.output->write(bound.tensor));
      continue;
    }
    std::vector<const Tensor*> parts;
    for (const Bound& other : bound_)
      if (other.buffer == bound.buffer) parts.push_back(&other.tensor);
    collect(diags, bound.output->write(stacked(parts)));
  }
  return diags;
}

}  // namespace tessera::cli

#include "cli/args/bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "cli/args/fill_operand.h"
#include "cli/args/host_memory.h"
#include "core/report/near.h"
#include "kernels/inputs/fill.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t shown_elements = 16;  // a tensor this small is shown as it is
constexpr int every_device = -1;

// NAME=VALUE or NAME@DEVICE=VALUE.
struct Assignment {
  std::string buffer;
  int device = every_device;
  std::string value;
  bool used = false;
};

class Assignments {
 public:
  Assignments(const Arguments& arguments, std::string_view option, const Program& program,
              int devices, Diags& diags)
      : option_(option) {
    std::vector<std::string_view> names;
    // What is filled may be saved as well, to be computed with elsewhere.
    for (const Buffer& buffer : program.buffers) {
      if (buffer.role == Role::in || (buffer.role == Role::out && option == "out"))
        names.push_back(buffer.name);
    }
    for (const std::string& text : arguments.all(option))
      read(text, program, names, devices, diags);
  }

  const Assignment* find(const Buffer& buffer, int device) const {
    const Assignment* general = nullptr;
    for (const Assignment& assignment : all_) {
      if (assignment.buffer != buffer.name) continue;
      if (assignment.device == device) return &assignment;
      if (assignment.device == every_device) general = &assignment;
    }
    return general;
  }

 private:
  void read(const std::string& text, const Program& program,
            const std::vector<std::string_view>& names, int devices, Diags& diags) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      diags.push_back(error(fmt::format("--{} wants NAME=FILE, not '{}'", option_, text)));
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
      diags.push_back(error(fmt::format(
          "{} has no {} {}{}", program.name, option_ == "in" ? "operand" : "result or operand",
          assignment.buffer, did_you_mean(assignment.buffer, names))));
      return;
    }
    const bool twice = std::any_of(all_.begin(), all_.end(), [&](const Assignment& other) {
      return other.buffer == assignment.buffer && other.device == assignment.device;
    });
    if (twice)
      diags.push_back(error(fmt::format("--{} gives {} twice", option_, assignment.buffer)));
    all_.push_back(std::move(assignment));
  }

  std::string_view option_;
  std::vector<Assignment> all_;
};

// The extents as they lie in memory, outermost first: what files hold.
Shape stored_shape(const Buffer& buffer) {
  if (buffer.order.empty()) return buffer.shape;
  Shape shape;
  for (const int dim : buffer.order) shape.push_back(buffer.shape[static_cast<std::size_t>(dim)]);
  return shape;
}

Tensor zeros(const Buffer& buffer, Diags& diags) {
  Expected<Tensor> tensor = Tensor::allocate(buffer.dtype, stored_shape(buffer));
  if (tensor) return *std::move(tensor);
  diags.insert(diags.end(), tensor.diags().begin(), tensor.diags().end());
  return {};
}

// The numbers of a small operand such as group sizes, in words.
std::optional<std::vector<double>> numbers_in(const Buffer& buffer, const std::string& text) {
  if (!is_integer(buffer.dtype)) return parse_reals(text);
  const auto integers = parse_integers(text);
  if (!integers) return std::nullopt;
  return std::vector<double>(integers->begin(), integers->end());
}

std::optional<Tensor> given_in_words(const Buffer& buffer, const std::string& text, Diags& diags) {
  const auto numbers = numbers_in(buffer, text);
  if (!numbers) return std::nullopt;
  Tensor tensor = zeros(buffer, diags);
  if (!diags.empty()) return tensor;
  if (static_cast<std::int64_t>(numbers->size()) != tensor.elements()) {
    diags.push_back(error(fmt::format("operand {} has {} elements, and --in gives {}", buffer.name,
                                      tensor.elements(), numbers->size())));
    return tensor;
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const auto element = static_cast<std::int64_t>(i);
    tensor.set(element, (*numbers)[i]);
    // Floats are rounded, as their element type is.
    if (!is_integer(buffer.dtype) || tensor.at(element) == (*numbers)[i]) continue;
    diags.push_back(error(fmt::format("operand {} is of type {}, which does not hold {}",
                                      buffer.name, name(buffer.dtype), (*numbers)[i])));
    return tensor;
  }
  return tensor;
}

Tensor from_file(const Buffer& buffer, const std::string& file, Diags& diags) {
  Expected<Tensor> tensor = load_tensor(file, buffer.dtype);
  if (!tensor) {
    diags.insert(diags.end(), tensor.diags().begin(), tensor.diags().end());
    return {};
  }
  const Shape shape = stored_shape(buffer);
  if (tensor->dtype() != buffer.dtype || tensor->shape() != shape) {
    diags.push_back(error(fmt::format("operand {} is {}{}{}, and {} holds {}{}", buffer.name,
                                      name(buffer.dtype), to_string(shape),
                                      buffer.order.empty() ? "" : " as it is stored", file,
                                      name(tensor->dtype()), to_string(tensor->shape()))));
  }
  return *std::move(tensor);
}

// Where results go, opened before anything is computed.
struct Target {
  std::string file;
  TensorOutput output;
};
using Targets = std::map<std::pair<int, const Buffer*>, Target>;

Targets open_targets(const Program& program, const Assignments& out, int devices, Diags& diags) {
  Targets targets;
  for (int device = 0; device < devices; ++device) {
    for (const Buffer& buffer : program.buffers) {
      const Assignment* const target =
          buffer.role == Role::scratch ? nullptr : out.find(buffer, device);
      if (target == nullptr) continue;
      if (target->device == every_device && devices > 1) {
        diags.push_back(error(fmt::format("there are {} devices: --out {}@0={} names one of them",
                                          devices, buffer.name, target->value)));
        return targets;
      }
      Expected<TensorOutput> output = TensorOutput::open(target->value);
      if (output) {
        targets.emplace(std::pair(device, &buffer), Target{target->value, *std::move(output)});
      } else {
        diags.insert(diags.end(), output.diags().begin(), output.diags().end());
      }
    }
  }
  return targets;
}

std::string summary(const Tensor& tensor) {
  const std::int64_t count = tensor.elements();
  std::string text = fmt::format("{}{}", name(tensor.dtype()), to_string(tensor.shape()));
  if (count <= shown_elements) {
    text += " =";
    for (std::int64_t i = 0; i < count; ++i) text += fmt::format(" {:.6g}", tensor.at(i));
    return text;
  }
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = tensor.at(i);
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  return text + fmt::format(" from {:.6g} to {:.6g}, mean {:.6g}", least, most,
                            sum / static_cast<double>(count));
}

}  // namespace

Options binding_options() {
  return {
      {"in", "NAME=FILE", "an operand: .npy, FILE.safetensors#tensor, or numbers 100,150,50", true,
       FileUse::reads},
      {"out", "NAME=FILE",
       "where a result or an operand goes; NAME@D is that of device D, also for --in", true,
       FileUse::writes},
      {"fill", "normal|uniform|integers", "data of operands not given; integers in smem are zeros"},
      {"seed", "N", "of the fill; default 0"},
  };
}

Expected<Bindings> bind(const Program& program, const Arguments& arguments, int devices) {
  constexpr std::array<std::string_view, 3> fills = {"normal", "uniform", "integers"};
  Diags diags;
  const auto kind = static_cast<Fill>(arguments.choice("fill", fills, diags));
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed", diags).value_or(0));
  const Assignments in(arguments, "in", program, devices, diags);
  const Assignments out(arguments, "out", program, devices, diags);
  if (!diags.empty()) return diags;

  std::int64_t longest = 1;  // no sum of products is longer
  for (const Buffer& buffer : program.buffers) {
    for (const std::int64_t extent : buffer.shape) longest = std::max(longest, extent);
  }
  std::vector<TensorSize> sizes;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.role != Role::scratch || buffer.space == Space::hbm)
      sizes.push_back({buffer.dtype, buffer.shape, devices});
  }
  diags = check_host_memory(sizes);
  if (!diags.empty()) return diags;
  Targets targets = open_targets(program, out, devices, diags);
  if (!diags.empty()) return diags;
  Bindings result;
  result.devices_ = devices;
  for (int device = 0; device < devices; ++device) {
    std::uint64_t index = 0;
    for (const Buffer& buffer : program.buffers) {
      if (buffer.role == Role::scratch) continue;
      const std::uint64_t stream =
          (seed * 1024 + static_cast<std::uint64_t>(device)) * 64 + ++index;
      Bindings::Bound bound{&buffer, device, {}, {}, {}};
      if (const auto target = targets.find({device, &buffer}); target != targets.end()) {
        bound.file = target->second.file;
        bound.output.emplace(std::move(target->second.output));
      }
      if (buffer.role == Role::out) {
        bound.tensor = zeros(buffer, diags);
      } else if (const Assignment* source = in.find(buffer, device)) {
        std::optional<Tensor> words = given_in_words(buffer, source->value, diags);
        bound.origin = words ? "given" : source->value;
        bound.tensor = words ? *std::move(words) : from_file(buffer, source->value, diags);
      } else {
        // Sizes and tables: random ones would be nonsense.
        const bool is_table = buffer.space == Space::smem && is_integer(buffer.dtype);
        const bool is_lazy = !is_table && may_go_unread(arguments);
        const FillRole role = index == 1 ? FillRole::lhs : FillRole::rhs;
        bound.origin = is_table ? "zeros" : "filled";
        bound.tensor = is_lazy ? filled_operand(buffer.dtype, stored_shape(buffer), kind, role,
                                                longest, stream, true)
                               : zeros(buffer, diags);
        if (!diags.empty()) return diags;
        if (!is_table && !is_lazy) fill_operand(bound.tensor, kind, role, longest, stream);
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
    const Diags unsaved = bound.output->write(bound.tensor);
    diags.insert(diags.end(), unsaved.begin(), unsaved.end());
  }
  return diags;
}

std::string Bindings::operand_lines() const {
  std::string text;
  for (const Bound& bound : bound_) {
    if (bound.buffer->role != Role::in || bound.device != 0) continue;
    std::string origin = bound.origin;
    if (origin == "zeros") origin = fmt::format("zeros (--in {}=... gives it)", bound.buffer->name);
    text += fmt::format("{:<10}{} {}{}, {}\n", text.empty() ? "operands" : "", bound.buffer->name,
                        name(bound.buffer->dtype), to_string(bound.tensor.shape()), origin);
  }
  return text;
}

std::string Bindings::result_lines() const {
  std::string text;
  for (const Bound& bound : bound_) {
    if (bound.buffer->role != Role::out) continue;
    const std::string device = devices_ > 1 ? fmt::format("@{}", bound.device) : "";
    text += fmt::format("{:<10}{}{} {}\n", text.empty() ? "results" : "", bound.buffer->name,
                        device, summary(bound.tensor));
  }
  return text;
}

Json Bindings::results_json() const {
  Json results = Json::array();
  for (const Bound& bound : bound_) {
    if (bound.buffer->role != Role::out) continue;
    Json row = {{"name", bound.buffer->name},
                {"device", bound.device},
                {"dtype", name(bound.buffer->dtype)},
                {"shape", bound.tensor.shape()},
                {"summary", summary(bound.tensor)}};
    row["file"] = bound.file.empty() ? Json() : Json(bound.file);
    results.push_back(std::move(row));
  }
  return results;
}

}  // namespace tessera::cli

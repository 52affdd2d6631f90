#include "cli/operations/device_files.h"

#include <fmt/format.h>

#include <utility>

#include "cli/args/device_parts.h"
#include "cli/args/operation_options.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

constexpr std::string_view hole_of(Per per) { return per == Per::device ? device_hole : "{r}"; }

std::string plural(Per per) { return fmt::format("{}s", name(per)); }

std::string text_of(const Tensor& tensor) {
  return fmt::format("{}{}", name(tensor.dtype()), to_string(tensor.shape()));
}

Expected<Loaded> load_whole(const std::string& source, const std::string& file, Per per,
                            std::size_t count, int rank, std::optional<DType> declared,
                            DType fallback, Files* files) {
  Tensor whole = TRY(load_operand(file, declared, fallback, files));
  Loaded loaded{{}, source};
  if (count == 1 && whole.rank() == rank) {
    loaded.parts.push_back(std::move(whole));
    return loaded;
  }
  if (whole.rank() != rank + 1)
    return error(fmt::format(
        "{} holds {} with {} dimensions: a file for {} {} has {}, and the first counts them; use a "
        "name with {} for one file each",
        source, text_of(whole), whole.rank(), count, plural(per), rank + 1, hole_of(per)));
  if (whole.dim(0) != static_cast<std::int64_t>(count))
    return error(fmt::format("{} holds {}, which is for {} {}, and there are {}", source,
                             text_of(whole), whole.dim(0), plural(per), count));
  for (std::size_t i = 0; i < count; ++i) loaded.parts.push_back(part_of(whole, i));
  return loaded;
}

}  // namespace

std::string_view name(Per per) { return per == Per::device ? "device" : "ring"; }

bool has_hole(std::string_view spec) {
  return spec.find(hole_of(Per::device)) != std::string_view::npos ||
         spec.find(hole_of(Per::ring)) != std::string_view::npos;
}

Expected<std::vector<std::string>> part_files(std::string_view spec, Per per, std::size_t count) {
  const std::string_view hole = hole_of(per),
                         other = hole_of(per == Per::device ? Per::ring : Per::device);
  if (spec.find(other) != std::string_view::npos)
    return error(fmt::format("{} names one file per {}, expected one file per {}: {}", spec,
                             name(per == Per::device ? Per::ring : Per::device), name(per), hole));
  if (spec.find(hole) == std::string_view::npos) return std::vector<std::string>{std::string(spec)};
  std::vector<std::string> files;
  for (std::size_t part = 0; part < count; ++part) files.push_back(with_number(spec, hole, part));
  return files;
}

Expected<Loaded> load_parts(std::string_view option, std::string_view spec, Per per,
                            std::size_t count, int rank, std::optional<DType> declared,
                            DType fallback, Files* files) {
  const std::vector<std::string> names = TRY(part_files(spec, per, count));
  const auto source_of = [&](std::size_t part) {
    return fmt::format("--{} {}", option, names[part]);
  };
  if (spec.find(hole_of(per)) == std::string_view::npos)
    return load_whole(source_of(0), names.front(), per, count, rank, declared, fallback, files);
  Loaded loaded{{}, source_of(0)};
  for (std::size_t part = 0; part < count; ++part) {
    Expected<Tensor> tensor = load_operand(names[part], declared, fallback, files);
    if (!tensor) {
      Diags diags = tensor.diags();
      diags.front().notes.push_back(
          {{}, fmt::format("read for --{} of {} {}", option, name(per), part)});
      return diags;
    }
    if (tensor->rank() != rank)
      return error(fmt::format("{} of {} {} holds {}, and {} has {} dimensions", source_of(part),
                               name(per), part, text_of(*tensor), option, rank));
    if (part > 0 &&
        (tensor->dtype() != loaded.parts[0].dtype() || tensor->shape() != loaded.parts[0].shape()))
      return error(fmt::format("{} of {} {} holds {}, and the file of {} 0 holds {}",
                               source_of(part), name(per), part, text_of(*tensor), name(per),
                               text_of(loaded.parts[0])));
    loaded.parts.push_back(*std::move(tensor));
  }
  return loaded;
}

Expected<PartsOutput> PartsOutput::open(std::vector<std::string> names, Files* files) {
  PartsOutput result;
  result.files_ = std::move(names);
  for (const std::string& file : result.files_) {
    result.outputs_.push_back(TRY(TensorOutput::open(file, files)));
  }
  return result;
}

Expected<void> PartsOutput::write(const NamedTensors& tensors, bool stacks) {
  if (stacks) {
    std::vector<const Tensor*> parts;
    for (const auto& part : tensors.parts) parts.push_back(part.get());
    return outputs_.front().write(stacked(parts));
  }
  for (std::size_t part = 0; part < outputs_.size(); ++part)
    TRY(outputs_[part].write(*tensors.parts[part]));
  return {};
}

}  // namespace tessera::cli

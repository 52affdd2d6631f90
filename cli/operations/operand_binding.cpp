// The operands of a collective: their extents, types and values, by its kernel header.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/args/fill_operand.h"
#include "cli/args/operation_options.h"
#include "cli/operations/collective_reader.h"
#include "core/data/shape_limits.h"

namespace tessera::cli {
namespace {

// Kernel parameters and their options, if the names differ.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> option_names = {
    {{"rows", "m"},
     {"tokens", "m"},
     {"cols", "n"},
     {"width", "n"},
     {"k_shard", "k"},
     {"out_rows", "room"},
     {"top_k", "top-k"},
     {"local_groups", "local-groups"}}};

std::string_view option_of(std::string_view parameter) {
  for (const auto& [name, option] : option_names)
    if (name == parameter) return option;
  return parameter;
}

FillRole role_of(std::string_view option) {
  if (option == "lhs" || option == "tokens") return FillRole::lhs;
  return option == "rhs" ? FillRole::rhs : FillRole::existing;
}

}  // namespace

Extent& CollectiveReader::extent(std::string_view option) {
  for (Extent& extent : extents_)
    if (extent.option == option) return extent;
  constexpr std::array<std::string_view, 4> positive = {"groups", "local-groups", "top-k",
                                                        "slices"};
  const bool is_positive = std::find(positive.begin(), positive.end(), option) != positive.end();
  return extents_.emplace_back(option, optional(option, is_positive ? 1 : 0));
}

std::int64_t CollectiveReader::value(std::string_view option) {
  Extent& known = extent(option);
  if (!known.value && !has_bad_file_ && !has(option))
    complain(fmt::format("--{} is missing", option));
  if (!known.value) known.value = 0;
  return *known.value;
}

std::int64_t CollectiveReader::shared(std::string_view option) {
  const std::int64_t extent = value(option);
  if (extent % length() == 0) return extent / length();
  complain(
      fmt::format("--{} {} is not divisible by the ring length, {}", option, extent, length()));
  return 0;
}

void CollectiveReader::otherwise(std::string_view option, std::optional<std::int64_t> value) {
  if (!extent(option).value) extent(option).value = value;
}

void CollectiveReader::bind(std::string_view kernel, const std::vector<OperandRow>& operands,
                            DType type, std::string_view shared) {
  if (!type_) type_.emplace("dtype", OperationReader::type("dtype", stored_types()));
  collective.dtype = type;
  const HeaderParameters parameters = {
      [&](std::string_view parameter) {
        const bool is_share = parameter == shared || parameter == "k_shard";
        return Axis{&extent(option_of(parameter)), is_share ? length() : 1};
      },
      [&](std::string_view parameter) -> std::int64_t {
        if (parameter == "length") return length();
        if (parameter == "ranks") return static_cast<std::int64_t>(devices());
        return parameter == "transpose_rhs" && has("transpose-rhs") ? 1 : 0;
      }};
  for (const auto& [option, operand, per] : operands) {
    auto& [header, each] =
        bound_
            .emplace_back(
                option,
                Bound{header_operand(kernel, operand.empty() ? option : operand, parameters), per})
            .second;
    // Weights are f32. In files, i32 tables may have any integer type, like NumPy's default.
    const bool is_table = header.type == DType::i32;
    if (!is_table && header.type != DType::f32) header.type.reset();
    Agreed<DType> own(option, is_table ? std::nullopt : header.type);
    file(option, header.axes, header.type ? own : *type_, header.type.value_or(type), each);
  }
}

void CollectiveReader::settle() {
  const bool is_agreed = ok();
  for (const Extent& extent : extents_) value(extent.option);
  std::vector<const Extent*> seen;
  for (const auto& [option, bound] : bound_) {
    for (const Axis& axis : bound.header.axes) {
      if (!is_agreed || axis.shares == 1 ||
          std::find(seen.begin(), seen.end(), axis.extent) != seen.end())
        continue;
      seen.push_back(axis.extent);
      shared(axis.extent->option);
    }
  }
  collective.dtype = type_->value.value_or(collective.dtype);
}

void CollectiveReader::describe(std::initializer_list<std::string_view> extents) {
  for (const std::string_view option : extents) {
    std::string name(option);
    std::replace(name.begin(), name.end(), '-', '_');
    collective.shape[name] = value(option);
  }
}

void CollectiveReader::count_flops(std::initializer_list<std::string_view> extents, Per per) {
  collective.flops = saturated_product({2, static_cast<std::int64_t>(count(per))});
  for (const std::string_view option : extents)
    collective.flops = saturated_product({collective.flops, value(option)});
}

void CollectiveReader::describe_types(DType out, std::string_view more) {
  collective.types = fmt::format("{} . {} -> {}{}", name(dtype()), name(dtype()), name(out), more);
}

void CollectiveReader::file(std::string_view operand, const std::vector<Axis>& axes,
                            Agreed<DType>& type, DType fallback, Per per) {
  if (!has(operand)) return;
  const std::string_view spec = text(operand);
  if (const auto files = part_files(spec, per, count(per)); files)
    for (const std::string& file : *files)
      collective.files_read.emplace_back(fmt::format("--{}", operand), file);
  Expected<Loaded> loaded =
      load_parts(operand, spec, per, count(per), static_cast<int>(axes.size()), type.value,
                 fallback, arguments_.files());
  has_bad_file_ = has_bad_file_ || !loaded;
  if (!loaded) return take(loaded.diags());
  const Tensor& first = loaded->parts.front();
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t extent = first.dim(static_cast<int>(axis));
    if (extent > max_extent / axes[axis].shares)
      return complain(fmt::format("{} has an axis of {}", loaded->source, extent));
    axes[axis].extent->say(extent * axes[axis].shares, loaded->source, diags_);
  }
  type.say(first.dtype(), loaded->source, diags_);
  collective.values.are_of_files = true;
  loaded_.emplace(operand, std::move(loaded->parts));
}

const Collective::Tensors& CollectiveReader::keep(std::string_view operand, Tensors tensors,
                                                  Per per) {
  const Tensors& kept = collective.operands.emplace_back(std::move(tensors));
  collective.named.push_back({std::string(operand), per, &kept});
  return kept;
}

const Collective::Tensors* CollectiveReader::held(std::string_view operand, Per per) {
  const auto found = loaded_.find(operand);
  return found == loaded_.end() ? nullptr : &keep(operand, std::move(found->second), per);
}

const Collective::Tensors& CollectiveReader::fill(std::string_view option, std::int64_t terms) {
  const auto found = std::find_if(bound_.begin(), bound_.end(),
                                  [&](const auto& each) { return each.first == option; });
  CHECK(found != bound_.end());
  const auto& [header, per] = found->second;
  return fill(option, header.type.value_or(dtype()), header.shape(), terms, per);
}

const Collective::Tensors& CollectiveReader::fill(std::string_view operand, DType type,
                                                  const Shape& shape, std::int64_t terms, Per per) {
  const std::uint64_t first = stream_;
  stream_ += count(per);  // also with a file, so that other operands do not change
  if (const Tensors* const given = held(operand, per)) return *given;
  const Fill kind = fill_kind();
  const std::uint64_t from = seed() * 65536 + first;
  Tensors tensors;
  for (std::size_t part = 0; part < count(per); ++part)
    tensors.push_back(filled_operand(type, shape, kind, role_of(operand), terms, from + part + 1));
  return keep(operand, std::move(tensors), per);
}

}  // namespace tessera::cli

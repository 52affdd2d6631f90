#include "cli/operations/collective_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "cli/args/fill_operand.h"
#include "cli/args/operation_options.h"
#include "cli/args/profile_options.h"
#include "core/data/shape_limits.h"
#include "kernels/collective/rings.h"
#include "kernels/inputs/group_sizes.h"
#include "kernels/inputs/routing.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Replaces a default profile that cannot route the copies.
constexpr std::string_view any_route_profile = "v6e";

// Parses "0,2,1,3/4,5,6,7": rings of equal length.
std::optional<Tensor> parse_rings(std::string_view text, Diags& diags) {
  std::vector<std::vector<std::int64_t>> rings;
  for (const std::string& ring : split(text, '/')) {
    const auto ids = parse_integers(ring);
    if (!ids || ids->empty()) {
      diags.push_back(
          error(fmt::format("--rings: expected device ids as 0,2,1,3/4,5,6,7, found '{}'", text)));
      return std::nullopt;
    }
    if (!rings.empty() && ids->size() != rings.front().size()) {
      diags.push_back(error(fmt::format(
          "--rings: expected rings of equal length, found '{}' with {} instead of {} devices", ring,
          ids->size(), rings.front().size())));
      return std::nullopt;
    }
    rings.push_back(*ids);
  }
  Expected<Tensor> table = make_rings(rings);
  CHECK(table);
  return *std::move(table);
}

// True if the machine can route all copies: from each place of a ring to the next, or between all
// devices.
bool is_routed(const MachineProfile& machine, const Tensor& rings, Peers peers) {
  if (!machine.power_of_two_routes) return true;
  const std::int64_t devices = rings.elements(), length = rings.dim(1);
  const auto reaches = [&](std::int64_t a, std::int64_t b) {
    const auto there = static_cast<std::uint64_t>(a < b ? b - a : a - b);
    const std::uint64_t around = static_cast<std::uint64_t>(devices) - there;
    return there == 0 || std::has_single_bit(there) || std::has_single_bit(around);
  };
  if (peers == Peers::all) {
    for (std::int64_t d = 1; d < devices; ++d)
      if (!reaches(0, d)) return false;
    return true;
  }
  const std::int32_t* const ids = rings.as<std::int32_t>();
  for (std::int64_t i = 0; i < devices; ++i)
    if (!reaches(ids[i], ids[i / length * length + (i + 1) % length])) return false;
  return true;
}

}  // namespace

Options collective_options(Options own, Peers peers) {
  Options options = std::move(own);
  const Options shared = {
      {"devices", "N",
       peers == Peers::neighbours ? "how many devices; default the devices of --rings, else 4"
                                  : "how many devices; default 4"},
      {"rings", "0,2,1,3/4,5,6,7",
       "the devices of each ring, in order; default one ring of all devices"},
      {"collective-id", "N", "collective id of the kernel's barrier; default 0"},
      {"calls", "N", "run N launches in order; default 1"},
      {"fill", "normal|uniform|integers", "operand data; integers are exact under every schedule"},
      {"seed", "N", "seed of the operands; default 0"},
  };
  for (const Option& option : shared)
    if (peers == Peers::neighbours || option.name != "rings") options.push_back(option);
  return operation_options(std::move(options), false);
}

CollectiveReader::CollectiveReader(const Arguments& arguments, Peers peers)
    : OperationReader(arguments) {
  Expected<RunRequest> request = run_request(arguments_, false);
  if (!request) {
    diags_ = request.diags();
    return;
  }
  collective.request = *std::move(request);
  RunOptions& run = collective.request.options;
  Tensor& table = collective.operands.emplace_back(1).front();
  rings_ = &table;
  if (has("rings")) {
    auto rings = parse_rings(text("rings"), diags_);
    if (!rings) return;
    table = *std::move(rings);
    const std::int64_t count = table.elements();
    if (has("devices") && run.machine.devices != count)
      complain(fmt::format("--devices gives {} devices, and --rings has {}", run.machine.devices,
                           count));
    run.machine.devices = static_cast<int>(count);
  } else {
    if (!has("devices")) run.machine.devices = 4;
    table = make_rings(1, run.machine.devices);
  }
  if (!has("profile") && !is_routed(collective.request.profile.machine, table, peers)) {
    const Expected<Profile> routed = chosen_profile(arguments_, any_route_profile);
    CHECK(routed);
    collective.notes.push_back(
        fmt::format("the machine is {}: {} supports copies only between devices whose numbers "
                    "differ by a power of two",
                    any_route_profile, collective.request.profile.machine.name));
    collective.request.profile = *routed;
    run.machine.profile = routed->machine;
  }
  collective.options.collective_id = integer("collective-id", 0);
  collective.options.calls =
      static_cast<int>(arguments_.integer("calls", diags_, 1, INT32_MAX).value_or(1));
  collective.options.run.profile = collective.request.profile.machine;
  collective.options.device = std::string(collective.request.device_name());
  if (const std::vector<std::string> fill = arguments_.glance("fill"); fill.size() == 1)
    collective.values.fill = parse_fill(fill.front()).value_or(Fill::uniform);
  for (const std::string_view option : {"tiling", "tile", "buffers", "buffering"})
    collective.has_given_config |= arguments_.was_given(option);
}

std::vector<std::int64_t> CollectiveReader::group_sizes(std::int64_t groups, std::int64_t rows,
                                                        std::uint64_t stream) {
  const std::string_view given = has("group-sizes") ? text("group-sizes") : "multinomial";
  return taken(is_group_size_list(given)
                   ? parse_group_sizes(given)
                   : generate_group_sizes(given, groups, rows, seed() * 65536 + stream))
      .value_or(std::vector<std::int64_t>());
}

Tensor CollectiveReader::experts(std::int64_t tokens, std::int64_t top_k, std::int64_t groups,
                                 std::size_t device) {
  if (!ok()) return {};
  return taken(random_experts(tokens, top_k, groups, seed() * 65536 + device)).value_or(Tensor());
}

std::vector<std::vector<std::int64_t>> CollectiveReader::counts(
    std::string_view operand, const Collective::Tensors& tensors) {
  std::vector<std::vector<std::int64_t>> all;
  for (const Tensor& tensor : tensors) {
    auto& numbers = all.emplace_back();
    if (!is_integer(tensor.dtype())) {
      complain(fmt::format("--{} has type {}, and numbers of rows are integers", operand,
                           name(tensor.dtype())));
      return all;
    }
    std::int64_t room = max_extent;
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      const double number = tensor.at(i);
      if (number < 0 || number > static_cast<double>(room)) {
        complain(fmt::format("--{} has {}, which is not a number of rows", operand, number));
        return all;
      }
      numbers.push_back(static_cast<std::int64_t>(number));
      room -= numbers.back();
    }
  }
  return all;
}

Option operand_option(std::string_view operand, std::string_view meaning, Per per) {
  return {operand, per == Per::device ? "x{d}.npy|x.npy" : "x{r}.npy|x.npy", meaning, false,
          FileUse::reads};
}

}  // namespace tessera::cli

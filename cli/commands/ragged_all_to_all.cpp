// ragged-all-to-all: sends rows from every device to every device, in slices with sizes given as
// data.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/operations/collective_reader.h"
#include "kernels/collective/ragged_slices.h"
#include "kernels/inputs/group_sizes.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// Parses --traffic, for example "2,1/3,4": rows from device 0 to devices 0 and 1, then rows from
// device 1.
Traffic parse_traffic(CollectiveReader& read) {
  Traffic traffic;
  for (const std::string& row : split(read.text("traffic"), '/')) {
    const auto sizes = parse_group_sizes(row);
    if (!sizes || sizes->size() != read.devices()) {
      read.complain(
          fmt::format("--traffic: expected for each of {} devices the rows it sends to each, as "
                      "2,1/3,4, found '{}'",
                      read.devices(), read.text("traffic")));
      return {};
    }
    traffic.push_back(*sizes);
  }
  if (traffic.size() != read.devices())
    read.complain(fmt::format("--traffic has rows of {} devices, and there are {}", traffic.size(),
                              read.devices()));
  return traffic;
}

std::int64_t max_received(const Traffic& traffic) {
  std::int64_t most = 0;
  for (std::size_t j = 0; j < traffic.size(); ++j) {
    std::int64_t received = 0;
    for (const auto& from : traffic) received += from[j];
    most = std::max(most, received);
  }
  return most;
}

std::int64_t max_sent(const Traffic& sizes) {
  std::int64_t most = 0;
  for (const auto& row : sizes)
    most = std::max(most, std::accumulate(row.begin(), row.end(), std::int64_t{0}));
  return most;
}

// Returns the slice sizes of each device in the form of --sizes.
Collective::Tensors tensors_of(const Traffic& sizes) {
  Collective::Tensors tensors;
  for (const std::vector<std::int64_t>& row : sizes) {
    Tensor& tensor = tensors.emplace_back(DType::i64, Shape{static_cast<std::int64_t>(row.size())});
    std::copy(row.begin(), row.end(), tensor.as<std::int64_t>());
  }
  return tensors;
}

// Returns the number of rows in each slice: listed, from a file, or drawn. --traffic and --sizes
// also set the default of --m.
Traffic slice_sizes(CollectiveReader& read, std::int64_t slices) {
  Traffic sizes;
  const auto devices = static_cast<std::int64_t>(read.devices());
  if (read.has("traffic")) {
    for (const char* option : {"group-sizes", "slices", "sizes"})
      if (read.has(option))
        read.complain(fmt::format(
            "--traffic and --{} both give the rows that are sent: use one of them", option));
    sizes = parse_traffic(read);
    read.otherwise("m", max_sent(sizes));
  } else if (const auto* held = read.held("sizes")) {
    sizes = read.counts("sizes", *held);
    if (!read.ok()) return sizes;
    const std::int64_t most = max_sent(sizes);
    read.otherwise("m", most);
    if (most > read.value("m"))
      read.complain(fmt::format("--sizes sends {} rows, more than the {} rows of a device", most,
                                read.value("m")));
  } else {
    const std::int64_t rows = read.value("m");
    for (std::size_t d = 0; d < read.devices(); ++d)
      sizes.push_back(read.group_sizes(devices * slices, rows, d));
    if (!read.ok()) return sizes;
    for (const auto& row : sizes)
      if (static_cast<std::int64_t>(row.size()) != devices * slices)
        read.complain(fmt::format("--group-sizes lists {} slices, and {} devices have {} each",
                                  row.size(), devices, slices));
  }
  return sizes;
}

// Returns the slices of each device. Also sets the default of --room, the number of rows that a
// device can receive.
std::vector<RaggedSlices> exchange(CollectiveReader& read, std::int64_t slices) {
  const Traffic sizes = slice_sizes(read, slices);
  if (!read.ok()) return {};
  if (!read.has("sizes")) read.keep("sizes", tensors_of(sizes));
  const Traffic traffic = traffic_of(sizes);
  Extent& received = read.extent("room");
  const std::optional<std::int64_t> room = received.value;
  if (room && slices > 1)
    read.complain(
        "--room drops rows only if each device sends one slice to each device: omit "
        "--slices");
  if (!read.ok()) return {};
  received.value = room.value_or(max_received(traffic));
  received.by = "the exchange";
  return room ? dispatch_slices(traffic, room) : group_slices(sizes);
}

Collective::Tensors zeros(std::size_t devices, DType type, const Shape& shape) {
  Collective::Tensors tensors;
  for (std::size_t d = 0; d < devices; ++d) tensors.emplace_back(type, shape);
  return tensors;
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  constexpr std::string_view kernel = "ragged_all_to_all";
  CollectiveReader read(arguments, Peers::all);
  if (!read.ok()) return read.diags();
  const std::int64_t slices = read.integer("slices", 1, 1);
  Extent& sent = read.extent("slices");
  sent.value = static_cast<std::int64_t>(read.devices()) * slices;
  sent.by = "the number of devices";
  read.bind(kernel, {{"sizes", "send_sizes"}, {"lhs", "operand"}}, DType::f32);
  const std::int64_t n = read.value("n");
  if (!read.ok()) return read.diags();
  auto given = std::make_shared<const std::vector<RaggedSlices>>(exchange(read, slices));
  if (!read.ok()) return read.diags();
  read.bind(kernel, {{"existing"}}, DType::f32);
  read.settle();
  if (!read.ok()) return read.diags();
  read.describe({"m", "n", "room"});
  read.collective.types = std::string(name(read.dtype()));
  const auto& operand = read.fill("lhs", 1);
  const auto* existing = read.held("existing");
  if (existing == nullptr)
    existing = &read.keep("existing", zeros(read.devices(), read.dtype(), {read.value("room"), n}));
  const CollectiveOptions options = read.collective.options;
  return as_call(std::move(read.collective),
                 launch_ragged_all_to_all(operand, *existing, *given, options),
                 [&operand, existing, given](const Launch& done, const CheckOptions& how) {
                   return check_ragged_all_to_all(operand, *existing, *given, done, how);
                 });
}

}  // namespace

Command ragged_all_to_all_command() {
  return operation_command<prepare>(
      "ragged-all-to-all", "every device sends rows to every device; its sizes give the numbers",
      "  gmm-run ragged-all-to-all --devices 2 --traffic 2,1/3,4 --n 8 --interpret\n"
      "  gmm-run ragged-all-to-all --devices 4 --m 64 --n 32 --group-sizes zipf:1.2 --slices 2\n"
      "  gmm-run ragged-all-to-all --devices 4 --m 64 --n 32 --room 48\n",
      collective_options(
          {{"m", "N", "rows of one device"},
           {"n", "N", "columns"},
           {"traffic", "2,1/3,4", "rows that each device sends to each device"},
           {"group-sizes", "SIZES", "rows of each slice, written as for gmm; default multinomial"},
           {"slices", "N", "slices that a device sends to each device; default 1"},
           {"room", "N", "max rows that a device receives; further rows are not sent; default all"},
           {"dtype", "TYPE", "element type: f32 bf16 f16 i32 i8; default f32"},
           operand_option("sizes", "[devices * slices] of each device: rows of each slice"),
           operand_option("lhs", "[m, n] of each device"),
           operand_option("existing",
                          "[room, n] of each device: rows of the result at places where no row "
                          "arrives; default zeros")},
          Peers::all));
}

}  // namespace tessera::cli

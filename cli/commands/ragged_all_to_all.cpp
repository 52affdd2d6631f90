// ragged-all-to-all: rows from every device to every device, in slices of sizes that are data.
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

// "2,1/3,4": what device 0 sends to devices 0 and 1, then device 1.
Traffic parse_traffic(CollectiveReader& read) {
  Traffic traffic;
  for (const std::string& row : split(read.text("traffic"), '/')) {
    const auto sizes = parse_group_sizes(row);
    if (!sizes || sizes->size() != read.devices()) {
      read.complain(fmt::format(
          "--traffic wants for each of {} devices the rows it sends to each, as 2,1/3,4, not '{}'",
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

struct Exchange {
  std::int64_t rows = 0, room = 0;  // of each device: what it holds, what it can receive
  std::vector<RaggedSlices> slices;
};

std::int64_t most_received(const Traffic& traffic) {
  std::int64_t most = 0;
  for (std::size_t j = 0; j < traffic.size(); ++j) {
    std::int64_t received = 0;
    for (const auto& from : traffic) received += from[j];
    most = std::max(most, received);
  }
  return most;
}

// The sizes of each device's slices, as --sizes reads them.
Collective::Tensors tensors_of(const Traffic& sizes) {
  Collective::Tensors tensors;
  for (const std::vector<std::int64_t>& row : sizes) {
    Tensor& tensor = tensors.emplace_back(DType::i64, Shape{static_cast<std::int64_t>(row.size())});
    std::copy(row.begin(), row.end(), tensor.as<std::int64_t>());
  }
  return tensors;
}

Exchange exchange(CollectiveReader& read, Collective& collective, const Extent& given_rows) {
  Exchange result;
  const auto devices = static_cast<std::int64_t>(read.devices());
  Traffic sizes;
  const std::int64_t slices = read.integer("slices", 1, 1);
  if (read.has("traffic")) {
    for (const char* option : {"group-sizes", "slices", "sizes"})
      if (read.has(option))
        read.complain(fmt::format(
            "--traffic and --{} both give the rows that are sent: give one of them", option));
    sizes = parse_traffic(read);
    if (!read.ok()) return result;
    for (const auto& row : sizes)
      result.rows = std::max(result.rows, std::accumulate(row.begin(), row.end(), std::int64_t{0}));
    result.rows = given_rows.value.value_or(result.rows);
  } else if (const auto* held = read.held(collective, "sizes")) {
    sizes = read.counts("sizes", *held);
    if (!read.ok()) return result;
    std::int64_t most = 0;
    for (const auto& row : sizes)
      most = std::max(most, std::accumulate(row.begin(), row.end(), std::int64_t{0}));
    result.rows = given_rows.value.value_or(most);
    if (most > result.rows)
      read.complain(fmt::format("--sizes sends {} rows of {}", most, result.rows));
  } else {
    result.rows = read.value(given_rows);
    for (std::size_t d = 0; d < read.devices(); ++d)
      sizes.push_back(read.group_sizes(devices * slices, result.rows, d));
    if (!read.ok()) return result;
    for (const auto& row : sizes)
      if (static_cast<std::int64_t>(row.size()) != devices * slices)
        read.complain(fmt::format("--group-sizes lists {} slices, and {} devices have {} each",
                                  row.size(), devices, slices));
  }
  if (!read.ok()) return result;
  if (!read.has("sizes")) read.keep(collective, "sizes", tensors_of(sizes));
  const Traffic traffic = traffic_of(sizes);
  const std::optional<std::int64_t> room = read.optional("room");
  if (room && slices > 1)
    read.complain(
        "--room drops rows only where each device sends one slice to each device: leave out "
        "--slices");
  if (!read.ok()) return result;
  result.room = room.value_or(most_received(traffic));
  result.slices = room ? dispatch_slices(traffic, room) : group_slices(sizes);
  return result;
}

Collective::Tensors zeros(std::size_t devices, DType type, const Shape& shape) {
  Collective::Tensors tensors;
  for (std::size_t d = 0; d < devices; ++d) tensors.emplace_back(type, shape);
  return tensors;
}

Expected<OperationCall> prepare(const Arguments& arguments) {
  Collective collective;
  CollectiveReader read(arguments);
  read.begin(collective, Peers::all);
  if (!read.ok()) return read.diags();
  auto &rows = read.extent("m"), &columns = read.extent("n"), &received = read.extent("room");
  auto& of_rows = read.operand_type("dtype");
  CollectiveReader::Type any("sizes", std::nullopt);
  const std::int64_t sent =
      static_cast<std::int64_t>(read.devices()) * read.integer("slices", 1, 1);
  Extent slices_of_one("slices", sent);
  slices_of_one.by = "the number of devices";
  read.file(collective, "sizes", {{&slices_of_one}}, any, DType::i32);
  read.file(collective, "lhs", {{&rows}, {&columns}}, of_rows, DType::f32);
  const std::int64_t n = read.value(columns);
  if (!read.ok()) return read.diags();
  Exchange given = exchange(read, collective, rows);
  if (!read.ok()) return read.diags();
  received.value = given.room;
  received.by = "the exchange";
  read.file(collective, "existing", {{&received}, {&columns}}, of_rows, DType::f32);
  const DType type = of_rows.value.value_or(DType::f32);
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", given.rows}, {"n", n}, {"room", given.room}};
  collective.dtype = type;
  collective.types = std::string(name(type));
  const auto& operand = read.fill(collective, "lhs", type, {given.rows, n}, FillRole::lhs, 1);
  const auto* const existing = read.held(collective, "existing");
  const auto& output =
      existing != nullptr
          ? *existing
          : read.keep(collective, "existing", zeros(read.devices(), type, {given.room, n}));
  auto slices = std::make_shared<std::vector<RaggedSlices>>(std::move(given.slices));
  Expected<Launch> launch = launch_ragged_all_to_all(operand, output, *slices, collective.options);
  if (!launch) return launch.diags();
  collective.launch = *std::move(launch);
  collective.judge = [&operand, &output, slices](const Launch& done, const CheckOptions& how) {
    return check_ragged_all_to_all(operand, output, *slices, done, how);
  };
  return as_call(std::move(collective));
}

}  // namespace

Command ragged_all_to_all_command() {
  return {
      "ragged-all-to-all",
      "",
      "every device sends rows to every device, as many as its sizes say",
      "  gmm-run ragged-all-to-all --devices 2 --traffic 2,1/3,4 --n 8 --interpret\n"
      "  gmm-run ragged-all-to-all --devices 4 --m 64 --n 32 --group-sizes zipf:1.2 --slices 2\n"
      "  gmm-run ragged-all-to-all --devices 4 --m 64 --n 32 --room 48\n",
      collective_options(
          {{"m", "N", "rows of one device"},
           {"n", "N", "columns"},
           {"traffic", "2,1/3,4", "rows that each device sends to each device"},
           {"group-sizes", "SIZES", "rows of each slice, written as for gmm; default multinomial"},
           {"slices", "N", "slices that a device sends to each device; default 1"},
           {"room", "N", "rows that a device has room for; those beyond are not sent; default all"},
           {"dtype", "TYPE", "element type: f32 bf16 f16 i32 i8; default f32"},
           operand_option("sizes", "[devices * slices] of each device: rows of each slice"),
           operand_option("lhs", "[m, n] of each device"),
           operand_option("existing",
                          "[room, n] of each device: the rows of the result where none arrives; "
                          "default zeros")},
          Peers::all),
      run_operation<prepare>,
      verifiable_operation<prepare>};
}

}  // namespace tessera::cli

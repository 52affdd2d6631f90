// Validation of a ragged all-to-all. Rejects slices of a wrong type or shape, slices whose sizes
// differ between sender and receiver, and slices outside of an operand or an output.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/report/try.h"
#include "kernels/collective/ragged_all_to_all.h"

namespace tessera {
namespace {

using Slices = std::span<const RaggedSlices>;

struct Field {
  std::string_view name;
  Tensor RaggedSlices::*tensor;
};
constexpr std::array<Field, 4> fields = {{{"input_offsets", &RaggedSlices::input_offsets},
                                          {"send_sizes", &RaggedSlices::send_sizes},
                                          {"output_offsets", &RaggedSlices::output_offsets},
                                          {"recv_sizes", &RaggedSlices::recv_sizes}}};

std::int64_t entry(const Tensor& tensor, std::int64_t i) {
  return static_cast<std::int64_t>(tensor.at(i));
}

Expected<void> check_arrays(Slices slices) {
  for (const RaggedSlices& own : slices)
    for (const Field& field : fields)
      if (!is_integer((own.*field.tensor).dtype()))
        return error(ErrorCode::invalid_type,
                     fmt::format("ragged_all_to_all {} must be integer type.", field.name));
  for (const RaggedSlices& own : slices)
    for (const Field& field : fields) {
      const Shape& shape = (own.*field.tensor).shape();
      if (shape.size() == 1 && shape[0] > 0) continue;
      return error(fmt::format(
          "ragged_all_to_all {} must be rank 1 with positive dimension size, but got shape {}",
          field.name, to_string(shape)));
    }
  const auto devices = static_cast<std::int64_t>(slices.size());
  const std::int64_t count = slices[0].input_offsets.dim(0);
  if (count % devices != 0) {
    return error(fmt::format("{} slices cannot be shared equally by {} devices", count, devices));
  }
  for (std::size_t d = 0; d < slices.size(); ++d)
    for (const Field& field : fields) {
      const Tensor& tensor = slices[d].*field.tensor;
      if (tensor.dim(0) != count)
        return error(fmt::format("{} of device {} has {} slices, input_offsets of device 0 {}",
                                 field.name, d, tensor.dim(0), count));
      for (std::int64_t i = 0; i < count; ++i)
        if (entry(tensor, i) < 0)
          return error(
              fmt::format("{}[{}] of device {} is {}", field.name, i, d, entry(tensor, i)));
    }
  return {};
}

// One slice that a device sends.
struct Sent {
  std::size_t from = 0, to = 0;
  std::int64_t slice = 0;     // index at the sender
  std::int64_t received = 0;  // index at the receiver
  std::int64_t source = 0, place = 0, rows = 0;
};

std::vector<Sent> all_sent(Slices slices) {
  std::vector<Sent> all;
  const std::int64_t count = slices[0].input_offsets.dim(0);
  const std::int64_t per = count / static_cast<std::int64_t>(slices.size());
  for (std::size_t d = 0; d < slices.size(); ++d)
    for (std::int64_t i = 0; i < count; ++i)
      all.push_back({d, static_cast<std::size_t>(i / per), i,
                     static_cast<std::int64_t>(d) * per + i % per,
                     entry(slices[d].input_offsets, i), entry(slices[d].output_offsets, i),
                     entry(slices[d].send_sizes, i)});
  return all;
}

Expected<void> check_overlap(std::vector<Sent> sent) {
  std::erase_if(sent, [](const Sent& s) { return s.rows == 0; });
  std::sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) {
    return std::tie(a.to, a.place, a.from, a.slice) < std::tie(b.to, b.place, b.from, b.slice);
  });
  for (std::size_t i = 1; i < sent.size(); ++i) {
    const Sent &a = sent[i - 1], &b = sent[i];
    if (a.to != b.to || a.place + a.rows <= b.place) continue;
    return error(fmt::format(
        "slice {} of device {} and slice {} of device {} both write rows {} .. {} of device {}",
        a.slice, a.from, b.slice, b.from, b.place, std::min(a.place + a.rows, b.place + b.rows),
        b.to));
  }
  return {};
}

}  // namespace

Expected<void> check_ragged_slices(std::int64_t rows, std::int64_t out_rows, Slices slices) {
  if (slices.empty()) return error("no device has slices");
  TRY(check_arrays(slices));
  std::vector<Sent> sent = all_sent(slices);
  for (const Sent& s : sent) {
    const std::int64_t expected = entry(slices[s.to].recv_sizes, s.received);
    if (s.rows != expected) {
      return error(fmt::format(
          "device {} sends {} rows to device {} (send_sizes[{}]), which receives {} from it "
          "(recv_sizes[{}])",
          s.from, s.rows, s.to, s.slice, expected, s.received));
    }
  }
  for (const Sent& s : sent) {
    if (s.rows > 0 && s.source > rows - s.rows) {
      return error(fmt::format("slice {} of device {} is rows {} .. {} of an operand of {} rows",
                               s.slice, s.from, s.source, s.source + s.rows, rows));
    }
  }
  for (const Sent& s : sent) {
    if (s.rows > 0 && s.place > out_rows - s.rows) {
      return error(
          fmt::format("slice {} of device {} is written to rows {} .. {} of device {}, whose "
                      "output has {} rows",
                      s.slice, s.from, s.place, s.place + s.rows, s.to, out_rows));
    }
  }
  return check_overlap(std::move(sent));
}

}  // namespace tessera

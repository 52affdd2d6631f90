// right-permute, all-gather, all-reduce, reduce-scatter: rows that travel around rings of devices.
#include <fmt/format.h>

#include <array>

#include "cli/operations/collective.h"
#include "kernels/collective/ring_collectives.h"
#include "kernels/collective/rings.h"
#include "kernels/oracle/check_collective.h"

namespace tessera::cli {
namespace {

// One call on matrices of m rows and n columns, once its options are read.
struct Asked {
  Collective collective;
  std::shared_ptr<const Tensor> rings;
  const Collective::Tensors* x = nullptr;
};

Expected<Asked> asked(CollectiveReader& read, DType fallback) {
  Asked result;
  read.begin(result.collective);
  if (!read.ok()) return read.diags();
  Collective& collective = result.collective;
  auto &rows = read.extent("m"), &columns = read.extent("n");
  auto& of_rows = read.operand_type("dtype");
  read.file(collective, "lhs", {{&rows}, {&columns}}, of_rows, fallback);
  const std::int64_t m = read.value(rows), n = read.value(columns);
  const DType type = of_rows.value.value_or(fallback);
  if (!read.ok()) return read.diags();
  collective.shape = {{"m", m}, {"n", n}};
  collective.dtype = type;
  collective.types = std::string(name(type));
  result.rings = std::make_shared<Tensor>(read.rings().clone());
  result.x = &read.fill(collective, "lhs", type, {m, n}, FillRole::lhs, read.length());
  return result;
}

template <typename Options>
Options with(const Collective& collective, Options options) {
  static_cast<CollectiveOptions&>(options) = collective.options;
  return options;
}

Expected<OperationCall> ready(Asked asked, Expected<Launch> launch,
                              std::function<Verdict(const Launch&, const CheckOptions&)> judge) {
  if (!launch) return launch.diags();
  asked.collective.launch = *std::move(launch);
  asked.collective.judge = std::move(judge);
  return as_call(std::move(asked.collective));
}

Expected<OperationCall> prepare_permute(const Arguments& arguments) {
  CollectiveReader read(arguments);
  Expected<Asked> given = asked(read, DType::f32);
  if (!given) return given.diags();
  RightPermuteOptions options = with(given->collective, RightPermuteOptions{});
  options.double_barrier = !read.has("single-barrier");
  Expected<Launch> launch = launch_right_permute(*given->x, *given->rings, options);
  const auto judge = [x = given->x, rings = given->rings](const Launch& done,
                                                          const CheckOptions& how) {
    return check_permuted(*x, *rings, done, how);
  };
  return ready(*std::move(given), std::move(launch), judge);
}

Expected<OperationCall> prepare_gather(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> directions = {"2", "1"};
  CollectiveReader read(arguments);
  Expected<Asked> given = asked(read, DType::f32);
  if (!given) return given.diags();
  AllGatherOptions options = with(given->collective, AllGatherOptions{});
  options.halves = read.choice("directions", directions) == 0;
  if (!read.ok()) return read.diags();
  Expected<Launch> launch = launch_all_gather(*given->x, *given->rings, options);
  const auto judge = [x = given->x, rings = given->rings](const Launch& done,
                                                          const CheckOptions& how) {
    return check_all_gathered(*x, *rings, done, how);
  };
  return ready(*std::move(given), std::move(launch), judge);
}

Expected<OperationCall> prepare_reduce(const Arguments& arguments) {
  CollectiveReader read(arguments);
  Expected<Asked> given = asked(read, DType::f32);
  if (!given) return given.diags();
  Expected<Launch> launch =
      launch_all_reduce(*given->x, *given->rings, with(given->collective, ReduceOptions{}));
  const auto judge = [x = given->x, rings = given->rings](const Launch& done,
                                                          const CheckOptions& how) {
    return check_all_reduced(*x, *rings, done, how);
  };
  return ready(*std::move(given), std::move(launch), judge);
}

Expected<OperationCall> prepare_scatter(const Arguments& arguments) {
  CollectiveReader read(arguments);
  Expected<Asked> given = asked(read, DType::f32);
  if (!given) return given.diags();
  Expected<Launch> launch =
      launch_reduce_scatter(*given->x, *given->rings, with(given->collective, ReduceOptions{}));
  const auto judge = [x = given->x, rings = given->rings](const Launch& done,
                                                          const CheckOptions& how) {
    return check_reduce_scattered(*x, *rings, done, how);
  };
  return ready(*std::move(given), std::move(launch), judge);
}

Options options(std::string_view m, std::string_view types, Options own = {}) {
  Options all = {{"m", "N", m},
                 {"n", "N", "columns"},
                 {"dtype", "TYPE", types},
                 operand_option("lhs", "[m, n] of each device")};
  all.insert(all.end(), own.begin(), own.end());
  return collective_options(all);
}

constexpr std::string_view moved = "f32 bf16 f16 i32 i8; default f32";
constexpr std::string_view added = "f32 i32; default f32";

}  // namespace

Command right_permute_command() {
  return {"right-permute",
          "",
          "every device sends its rows to the right neighbour of its ring",
          "  gmm-run right-permute --devices 4 --m 8 --n 128 --interpret\n"
          "  gmm-run right-permute --devices 8 --m 8 --n 128 --calls 3 --slow-device 2\n"
          "  gmm-run right-permute --devices 4 --lhs 'x{d}.npy' --out y.npy\n",
          options("rows of one device", moved,
                  {{"single-barrier", "", "the barrier that is not enough for calls in a row"}}),
          run_operation<prepare_permute>,
          verifiable_operation<prepare_permute>};
}

Command all_gather_command() {
  return {"all-gather",
          "",
          "every device gets the rows of its whole ring",
          "  gmm-run all-gather --devices 4 --m 8 --n 128 --interpret\n"
          "  gmm-run all-gather --rings 0,1,2/5,4,3 --m 8 --n 128 --directions 1\n",
          options("rows of one device", moved,
                  {{"directions", "2|1", "2: halves of each block both ways; default 2"}}),
          run_operation<prepare_gather>,
          verifiable_operation<prepare_gather>};
}

Command all_reduce_command() {
  return {"all-reduce",
          "",
          "every device gets the sum of the rows of its ring",
          "  gmm-run all-reduce --devices 4 --m 8 --n 128 --interpret\n",
          options("rows of one device", added),
          run_operation<prepare_reduce>,
          verifiable_operation<prepare_reduce>};
}

Command reduce_scatter_command() {
  return {"reduce-scatter",
          "",
          "every device gets its place's block of the sum of the rows of its ring",
          "  gmm-run reduce-scatter --devices 4 --m 32 --n 128 --interpret\n",
          options("rows of one device, a block for each place", added),
          run_operation<prepare_scatter>,
          verifiable_operation<prepare_scatter>};
}

}  // namespace tessera::cli

// What --device mpi takes beside what one would write: MPI_Allgather, then one product of Eigen;
// and a ring by hand that computes while it sends. Interleaved, one run of each after the other.
//
//   mpirun -n 2 tessera_mpi_bench_LIBRARY ROWS K COLUMNS RUNS [WORDS for the kernel]
//
// ROWS of each process, f32. Prints medians over the runs of the slowest process, in milliseconds.
#include <fmt/format.h>
#include <mpi.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/mpi/communicator.h"
#include "tests/mpi/together.h"

namespace tessera::test {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Map = Eigen::Map<Matrix>;

struct Problem {
  int rank, size;
  int rows, k, columns;
  Map x, y;    // own rows, own columns
  Map ours;    // the result of the kernel
  Matrix all;  // of all processes
  Matrix out;

  int elements() const { return rows * k; }
};

void gather_then_multiply(Problem& p) {
  MPI_Allgather(p.x.data(), p.elements(), MPI_FLOAT, p.all.data(), p.elements(), MPI_FLOAT,
                MPI_COMM_WORLD);
  p.out.noalias() = p.all * p.y;
}

// The rows of a process, block by block; MPI works between them.
void multiply_block(Problem& p, int of, MPI_Request* requests) {
  const Map from(of == p.rank ? p.x.data() : p.all.data() + std::ptrdiff_t{of} * p.elements(),
                 p.rows, p.k);
  constexpr int block = 128;
  for (int row = 0; row < p.rows; row += block) {
    const int count = std::min(block, p.rows - row);
    p.out.middleRows(of * p.rows + row, count).noalias() = from.middleRows(row, count) * p.y;
    int done = 0;
    if (requests != nullptr) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
  }
}

void ring(Problem& p) {
  const int right = (p.rank + 1) % p.size, left = (p.rank + p.size - 1) % p.size;
  for (int hop = 0; hop < p.size; ++hop) {
    const int of = (p.rank + p.size - hop) % p.size, next = (of + p.size - 1) % p.size;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (hop + 1 < p.size) {
      float* const from =
          of == p.rank ? p.x.data() : p.all.data() + std::ptrdiff_t{of} * p.elements();
      MPI_Irecv(p.all.data() + std::ptrdiff_t{next} * p.elements(), p.elements(), MPI_FLOAT, left,
                0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(from, p.elements(), MPI_FLOAT, right, 0, MPI_COMM_WORLD, &requests[1]);
    }
    multiply_block(p, of, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

double slowest(const std::function<void()>& act) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  act();
  double own = MPI_Wtime() - begin, all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all * 1e3;
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

int measure(int argc, char** argv) {
  if (argc < 5) return 2;
  const int rows = std::atoi(argv[1]), k = std::atoi(argv[2]), columns = std::atoi(argv[3]),
            runs = std::atoi(argv[4]);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::string words =
      fmt::format("ag-matmul --gather m --dtype f32 --devices {} --m {} --k {} --n {}", size,
                  rows * size, k, columns);
  for (int i = 5; i < argc; ++i) words += std::string(" ") + argv[i];
  std::optional<Launch> made = launch_of(words);
  if (!made) return 2;
  KeptRun* const launch = &made->run;
  MPI_Comm communicator = MPI_COMM_WORLD;
  if (const auto joined = mpi::join(TESSERA_MPI_LIBRARY, &communicator); !joined) {
    fmt::print(stderr, "{}", render(joined.diags()));
    return 3;
  }
  // Only what is here: the others' operands are theirs.
  std::vector<DeviceBinding> bindings(static_cast<std::size_t>(size));
  auto& own = launch->operands[static_cast<std::size_t>(rank)];
  for (auto& [name, tensor] : own) bindings[static_cast<std::size_t>(rank)].emplace(name, &tensor);
  const auto executable = mpi::mpi_program(**mpi::world(), launch->program, launch->program);
  const DeviceOptions options{launch->options.machine.profile, &launch->options};
  Problem p{rank,
            size,
            rows,
            k,
            columns,
            Map(own.at("x").as<float>(), rows, k),
            Map(own.at("y").as<float>(), k, columns),
            Map(own.at("out").as<float>(), std::ptrdiff_t{size} * rows, columns),
            Matrix::Zero(std::ptrdiff_t{size} * rows, k),
            Matrix::Zero(std::ptrdiff_t{size} * rows, columns)};
  const auto kernel = [&] {
    if (!executable->run(bindings, options)) MPI_Abort(MPI_COMM_WORLD, 1);
  };
  const std::vector<std::pair<std::string, std::function<void()>>> ways = {
      {"--device mpi", kernel},
      {"MPI_Allgather, then a product", [&] { gather_then_multiply(p); }},
      {"a ring by hand", [&] { ring(p); }},
      {"its products alone",
       [&] {
         for (int of = 0; of < size; ++of) multiply_block(p, of, nullptr);
       }},
      {"MPI_Allgather alone", [&] {
         MPI_Allgather(p.x.data(), p.elements(), MPI_FLOAT, p.all.data(), p.elements(), MPI_FLOAT,
                       MPI_COMM_WORLD);
       }}};
  std::vector<std::vector<double>> times(ways.size());
  for (int run = 0; run < runs + 2; ++run)
    for (std::size_t way = 0; way < ways.size(); ++way) {
      const double time = slowest(ways[way].second);
      if (run >= 2) times[way].push_back(time);
    }
  gather_then_multiply(p);
  const float error = (p.out - p.ours).cwiseAbs().maxCoeff();
  if (rank == 0) {
    fmt::print("{} x {} of each of {} processes, {} columns, {} runs\n", rows, k, size, columns,
               runs);
    for (std::size_t way = 0; way < ways.size(); ++way)
      fmt::print("  {:30} {:8.3f} ms, least {:8.3f}\n", ways[way].first, median(times[way]),
                 *std::min_element(times[way].begin(), times[way].end()));
    const double better = std::min(median(times[1]), median(times[2]));
    fmt::print("  of the better one's time        {:8.3f}; largest difference {}\n",
               median(times[0]) / better, error);
    for (const std::string& note : (*mpi::world())->notes()) fmt::print("  {}\n", note);
  }
  mpi::leave();
  return 0;
}

}  // namespace
}  // namespace tessera::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = tessera::test::measure(argc, argv);
  MPI_Finalize();
  return code;
}

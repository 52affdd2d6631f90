// The moe suite: 25 shapes on a GPU, compared with cuBLAS in a loop over the groups, in one grouped
// call, and as a dense product with the same number of operations. Some shapes are also run with
// e4m3, compared with the dense product in bf16. Times are measured on the device, each after the
// L2 cache was overwritten.
// cache was overwritten.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bench/bench.h"
#include "bench/moe_run.h"
#include "core/report/try.h"
#include "kernels/inputs/moe_suite.h"

namespace tessera::bench {
namespace {

// Adds the products of the peer in bf16, group by group and in one call; the results of both are
// checked.
void add_grouped_peers(const std::shared_ptr<MoeRun>& run, PeerLibrary& peer, BenchCase& result) {
  const std::vector<DenseProduct> products = run->products();
  const Enqueue loop = [products, &peer]() -> Expected<void> {
    for (const DenseProduct& p : products) TRY(peer.product(p));
    return {};
  };
  const Enqueue grouped = peer.grouped(products);
  const std::string in_loop = peer.name() + "_loop", in_one = peer.name() + "_grouped";
  result.peers.push_back({in_loop, [run, loop] { return run->timed(loop); }});
  result.peers.push_back({in_one, [run, grouped] { return run->timed(grouped); }});
  result.check = [=, ours = result.check]() -> std::string {
    if (const std::string outcome = ours(); outcome != "ok") return outcome;
    if (const std::string outcome = run->check(loop); outcome != "ok")
      return in_loop + ", " + outcome;
    const std::string outcome = run->check(grouped);
    return outcome == "ok" ? "ok" : in_one + ", " + outcome;
  };
}

BenchEntry moe_entry(const MoeShape& shape, bool transposed, DType operand = DType::bf16) {
  const std::string layout = shape.product.is_tgmm() ? "tn" : transposed ? "nt" : "nn";
  const bool is_bf16 = operand == DType::bf16;
  const std::string name = fmt::format("{}_{}{}", shape.id, layout,
                                       is_bf16 ? "" : "_" + std::string(tessera::name(operand)));
  return {name, [=]() -> Expected<BenchCase> {
            const auto run = std::make_shared<MoeRun>();
            run->product = shape.product;
            run->product.transpose_rhs = transposed;
            run->product.lhs = run->product.rhs = operand;
            run->seed = shape.seed;
            TRY(run->prepare());
            BenchCase result;
            result.name = name;
            result.run = [run] { return run->timed([&] { return run->run_ours(); }); };
            result.check = [run] { return run->check([&] { return run->run_ours(); }); };
            if (PeerLibrary* const peer = run->bench->peer()) {
              if (is_bf16) add_grouped_peers(run, *peer, result);
              result.peers.push_back({peer->name() + (is_bf16 ? "_dense" : "_dense_bf16"), [run] {
                                        return run->timed([&] { return run->run_dense(); });
                                      }});
            }
            result.work = static_cast<double>(shape.flops()) * 1e-12;
            result.unit = "TFLOP/s";
            return result;
          }};
}

}  // namespace

// gmm shapes with both storage orders of the weights; shapes with large groups also with e4m3.
std::vector<BenchEntry> moe_entries() {
  constexpr std::array narrow{"S1", "S4", "S8", "S19", "S21"};
  std::vector<BenchEntry> entries;
  for (const MoeShape& shape : moe_suite()) {
    if (!shape.product.is_tgmm()) {
      entries.push_back(moe_entry(shape, false));
      entries.push_back(moe_entry(shape, true));
      if (std::find(narrow.begin(), narrow.end(), shape.id) != narrow.end())
        entries.push_back(moe_entry(shape, true, DType::e4m3));
    } else {
      entries.push_back(moe_entry(shape, false));
    }
  }
  return entries;
}

}  // namespace tessera::bench

// What the interpreter assumes of a device. Data lives in devices/profiles; this is only its shape.
#pragma once  // public
#include <cstdint>
#include <string>

namespace tessera {

struct MachineProfile {
  std::string name;
  std::string changes{};        // of its capacities, as in "semaphores 2048"; empty: none
  std::int64_t vmem_bytes = 0;  // per core; tile registers count here
  std::int64_t smem_bytes = 0;
  std::int64_t hbm_bytes = 0;
  std::int64_t semaphores = 0;  // per core, arrays counted by element
  std::int64_t barrier_ids = 0;
  // Scopes that are not open at once share semaphores. Without it each scoped one has its own, all
  // through the kernel.
  bool shares_scoped_semaphores = false;
  std::int64_t dma_granule = 1;          // bytes; what partial landing withholds
  std::int64_t lanes = 0, sublanes = 0;  // 0: not a vector machine of that kind
  std::int64_t matrix_unit = 0;          // side of the matrix unit
  bool remote_vmem = true;               // may a remote copy land in vmem (a GPU: hbm only)
  bool remote_smem = true;
  bool block_write_backs = false;    // a pipeline's block goes back whole, not only what was stored
  bool power_of_two_routes = false;  // remote copies reach only devices at power-of-two distances
  double matmul_flops = 0;           // bf16, per second
  double hbm_bandwidth = 0;          // bytes per second
  double link_bandwidth = 0;         // bytes per second, one way

  std::string text() const { return changes.empty() ? name : name + " with " + changes; }
};

}  // namespace tessera

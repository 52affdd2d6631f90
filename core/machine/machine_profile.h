// What the interpreter assumes of a device. Data lives in devices/profiles; this is only its shape.
#pragma once  // public
#include <cstdint>
#include <string>

namespace tessera {

// One machine: capacities, rules and peak rates. docs/machine.md explains the rules.
struct MachineProfile {
  std::string name;              // "v5e"; empty: no profile was chosen
  std::string changes{};         // of its capacities, as in "semaphores 2048"; empty: none
  std::int64_t vmem_bytes = 0;   // per core; tile registers count here
  std::int64_t scoped_vmem = 0;  // what the compiler gives one kernel of it unasked; 0: all of it
  std::int64_t smem_bytes = 0;   // per core
  std::int64_t hbm_bytes = 0;    // per device
  std::int64_t semaphores = 0;   // per core, arrays counted by element
  std::int64_t barrier_ids = 0;  // different collective ids of a program, at most
  // Scoped semaphores whose scopes are not open at once share memory. Else each has its own for the
  // whole kernel.
  bool shares_scoped_semaphores = false;
  // Bytes that a DMA moves at once, and may still lack when it streams.
  std::int64_t dma_granule = 1;
  // Columns and rows of a vector register, in elements of 4 bytes; 0: not a machine of that kind.
  std::int64_t lanes = 0, sublanes = 0;
  std::int64_t matrix_unit = 0;  // side of the matrix unit, in elements
  // Whether a copy from another device may land in vmem, in smem (on a GPU: in hbm only).
  bool remote_vmem = true;
  bool remote_smem = true;
  bool block_write_backs = false;    // a pipeline's block goes back whole, not only what was stored
  bool power_of_two_routes = false;  // remote copies reach only devices at power-of-two distances
  double matmul_flops = 0;           // floating-point operations per second, bf16 operands
  double hbm_bandwidth = 0;          // bytes per second
  double link_bandwidth = 0;         // bytes per second, one way
  bool one_port = false;  // a device sends to all others at that rate together, as through a switch

  // "v5e", or "v5e with semaphores 2048".
  std::string text() const { return changes.empty() ? name : name + " with " + changes; }
};

}  // namespace tessera

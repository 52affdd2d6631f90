// Assumptions of the interpreter about a device. The data of the profiles is in devices/profiles.
#pragma once  // public
#include <cstdint>
#include <string>

namespace tessera {

// One machine: capacities, rules and peak rates. docs/explain/machine.md explains the rules.
struct MachineProfile {
  std::string name;             // for example "v5e"; empty: no profile was selected
  std::string changes{};        // changed capacities, for example "semaphores 2048"; empty: none
  std::int64_t vmem_bytes = 0;  // per core, including tile registers
  // Default vmem budget of the machine's compiler for one kernel, in bytes; 0: all vmem.
  std::int64_t scoped_vmem = 0;
  std::int64_t smem_bytes = 0;   // per core
  std::int64_t hbm_bytes = 0;    // per device
  std::int64_t semaphores = 0;   // per core; each element of an array counts
  std::int64_t barrier_ids = 0;  // maximum number of collective ids in a program
  // True if scoped semaphores share memory when their scopes are not open at the same time. False:
  // each scoped semaphore has its own memory for the whole kernel.
  bool shares_scoped_semaphores = false;
  // Number of bytes that a DMA moves atomically. A streaming copy may lack this number of bytes
  // after all others were counted.
  std::int64_t dma_granule = 1;
  // Columns and rows of a vector register, in elements of 4 bytes; 0: no such registers.
  std::int64_t lanes = 0, sublanes = 0;
  std::int64_t matrix_unit = 0;  // side of the matrix unit, in elements
  // True if a copy from another device may write to vmem or smem (on a GPU: only to hbm).
  bool remote_vmem = true;
  bool remote_smem = true;
  bool block_write_backs = false;  // a pipeline writes back whole blocks, not only stored elements
  bool power_of_two_routes = false;  // remote copies reach only devices at power-of-two distances
  double matmul_flops = 0;           // floating-point operations per second, bf16 operands
  double hbm_bandwidth = 0;          // bytes per second
  double link_bandwidth = 0;         // bytes per second, one way
  bool one_port = false;  // all copies from a device share link_bandwidth, as through a switch

  // Returns name and changes: "v5e", or "v5e with semaphores 2048".
  std::string text() const { return changes.empty() ? name : name + " with " + changes; }
};

}  // namespace tessera

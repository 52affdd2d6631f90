// How fast a machine of a profile is, beside the peak rates that the profile itself gives: what a
// model of a run's time needs and no check does.
#pragma once  // public

namespace tessera {

// Rates and latencies of one machine.
struct MachineRates {
  // Matmuls on operands of these types, as multiples of MachineProfile::matmul_flops.
  double i8_speed = 1, fp8_speed = 1, f32_speed = 1;
  double vmem_bandwidth = 0;  // bytes per second, of tile ops but matmuls; 0: no limit
  double copy_latency = 0;    // seconds from a copy's start to its first byte, on one device
  double link_latency = 0;    // the same to any other device, of copies and signals; once for each
  double op_overhead = 0;     // seconds of a core for each op that touches memory or semaphores
};

}  // namespace tessera

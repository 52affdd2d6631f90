// Speed of a machine in addition to the peak rates of its profile. Used only to model the time of a
// run, not by checks.
#pragma once  // public

namespace tessera {

// Rates and latencies of one machine.
struct MachineRates {
  // Speeds of matmuls with operands of these types, as multiples of MachineProfile::matmul_flops.
  double i8_speed = 1, fp8_speed = 1, f32_speed = 1;
  double vmem_bandwidth = 0;  // bytes per second, for tile ops except matmuls; 0: no limit
  double copy_latency = 0;    // seconds from a copy's start to its first byte, within one device
  double link_latency = 0;    // the same for copies and signals to another device
  double op_overhead = 0;     // seconds of a core per op that accesses memory or semaphores
};

}  // namespace tessera

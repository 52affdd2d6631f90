// What the test calls in the library that it makes of a kernel's source: KERNEL is the kernel's
// name.
#pragma once

// `fetched`: bytes that were asked of the L2 cache.
extern "C" int run_kernel(const void* arguments, int blocks, int threads, unsigned long long seed,
                          char* problem, int problem_size, unsigned long long* fetched) {
  namespace emulate = tessera::cuda::emulate;
  using tessera::cuda::Program;
  constexpr int together = tessera::cuda::C::cluster;
  Program::Args p;
  std::memcpy(&p, arguments, sizeof p);
  emulate::Block::leave_nothing();
  try {
    for (int first = 0; first < blocks; first += together) {
      emulate::Cluster cluster;
      for (int block = first; block < first + together; ++block) {
        cluster.blocks.push_back(std::make_unique<emulate::Block>(
            cluster, block, blocks, threads, seed + static_cast<unsigned>(block)));
      }
      emulate::Block::run(cluster, [&] { KERNEL(p); });
      for (const auto& block : cluster.blocks) *fetched += block->fetched_bytes;
    }
  } catch (const std::exception& caught) {
    std::snprintf(problem, static_cast<std::size_t>(problem_size), "%s", caught.what());
    return 1;
  }
  return 0;
}

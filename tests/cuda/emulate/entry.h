// What the test calls in the library that it makes of a kernel's source: KERNEL is the kernel's
// name.
#pragma once

extern "C" int run_kernel(const void* arguments, int blocks, int threads, unsigned long long seed,
                          char* problem, int problem_size, unsigned long long* loaded_bytes) {
  using tessera::cuda::Program;
  Program::Args p;
  std::memcpy(&p, arguments, sizeof p);
  try {
    for (int block = 0; block < blocks; ++block) {
      tessera::cuda::emulate::Block running(block, blocks, threads,
                                            seed + static_cast<unsigned>(block));
      running.run([&] { KERNEL(p); });
      *loaded_bytes += running.loaded_bytes;
    }
  } catch (const std::exception& caught) {
    std::snprintf(problem, static_cast<std::size_t>(problem_size), "%s", caught.what());
    return 1;
  }
  return 0;
}

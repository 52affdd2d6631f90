#include "devices/thread_count.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tessera {
namespace {

std::atomic<int> chosen{0};

}  // namespace

void set_thread_count(int threads) { chosen = threads; }

int thread_count() {
  const int own = chosen;
  return own > 0 ? own : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace tessera

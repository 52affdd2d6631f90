#include "core/report/guarded.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "core/host/host_memory.h"
#include "core/report/expected.h"
#include "core/report/invalid_value.h"
#include "core/report/stop.h"

namespace tessera {
namespace {

Diag no_memory(std::string_view what, std::string_view doing) {
  const MemoryLimit limit = MemoryCap::use_reserve();
  return error(ErrorCode::environment,
               fmt::format("no memory for {} while {}: the process may have {} ({})", what, doing,
                           memory_text(limit.bytes), limit.by));
}

}  // namespace

Diag given_up(std::string_view doing) {
  try {
    throw;
  } catch (const NoMemory& problem) {
    return no_memory(problem.what(), doing);
  } catch (const std::bad_alloc&) {
    return no_memory("more", doing);
  } catch (const std::length_error&) {  // a container would be too large
    return no_memory("more", doing);
  } catch (const std::system_error& problem) {
    if (problem.code() != std::errc::resource_unavailable_try_again) throw;
    return error(ErrorCode::environment,
                 fmt::format("no further thread can be created while {}", doing));
  } catch (const InvalidValue& problem) {
    return error(problem.what());
  } catch (const Interrupted&) {
    return error(ErrorCode::interrupted, fmt::format("interrupted while {}", doing));
  }
}

}  // namespace tessera

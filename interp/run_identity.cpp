#include "interp/run_identity.h"

#include "core/lang/language.h"
#include "interp/machine/idle.h"
#include "interp/observe/content_hash.h"

namespace tessera {

bool IdentityObserver::wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                                 const RunOptions& options) {
  identity_ = {code_hash(print(expanded)), {}};
  RunOptions with_values = options;  // the identity must not depend on computes_values
  with_values.computes_values = true;
  const Table<BufferId, bool> idle = idle_buffers(expanded, with_values);
  for (std::size_t device = 0; device < bindings.size(); ++device) {
    for (const BufferId b : expanded.buffers.ids()) {
      const Buffer& buffer = expanded.buffers[b];
      if (buffer.role != Role::in || idle[b]) continue;
      const Tensor& tensor = *bindings[device].find(buffer.name)->second;
      identity_.inputs.push_back(
          {static_cast<int>(device), buffer.name,
           bytes_hash({tensor.data(), static_cast<std::size_t>(tensor.bytes())})});
    }
  }
  return false;
}

}  // namespace tessera

// A grouped matmul on a mesh of simulated devices, which all run the kernel on their own shards.
#pragma once  // public
#include <array>
#include <functional>

#include "kernels/operation/grouped_operation.h"

namespace tessera {

struct ShardedCall {
  // Cuts the three operands by in_specs, runs the shards, and puts the result together by
  // out_specs, with the rows of the original m. Each shard is padded on its own, so that rows stay
  // on the device that in_specs gives them to.
  std::function<Expected<Tensor>(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes)>
      run;
  std::array<const Tensor*, 3> call_args{};
};

// Errors: "mesh must be provided for shard_map execution" and the same for in_specs and out_specs,
// "in_specs length {a} != call_args length 3", specs that do not fit, a platform that no mesh is
// made of. Without a configuration the chain gives one. What `call` points to must outlive the
// result.
Expected<ShardedCall> create_sharded(const GroupedInvocation& call,
                                     GroupedConfigChain& chain = grouped_config_chain());

}  // namespace tessera

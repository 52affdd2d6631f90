// A grouped matmul on a mesh of simulated devices: each runs the kernel on its own shards.
#pragma once  // public
#include <array>
#include <functional>

#include "kernels/operation/grouped_operation.h"

namespace tessera {

// A call on shards, ready to run.
struct ShardedCall {
  // Cuts the three operands by in_specs, runs the shards, and assembles the result by out_specs,
  // without padding. Each shard is padded by itself, so that rows stay on the device that in_specs
  // assigns.
  std::function<Expected<Tensor>(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes)>
      run;
  std::array<const Tensor*, 3> call_args{};  // lhs, rhs and group_sizes, with which to call `run`
};

// Prepares a call that has mesh, in_specs and out_specs. Errors: "mesh must be provided for
// shard_map execution" and the same for in_specs and out_specs, "in_specs length {a} != call_args
// length 3", specs that do not fit, a platform that has no meshes. Without a configuration the
// chain chooses one. What `call` points to must outlive the result.
Expected<ShardedCall> create_sharded(const GroupedInvocation& call,
                                     GroupedConfigChain& chain = grouped_config_chain());

}  // namespace tessera

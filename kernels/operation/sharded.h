// A grouped matmul on a mesh of simulated devices: each runs the kernel on its own shards.
#pragma once  // public
#include <array>
#include <functional>

#include "kernels/operation/grouped_operation.h"

namespace tessera {

// What keeps the call from running on its mesh, whatever the operands are: "mesh must be provided
// for shard_map execution" and the same for in_specs and out_specs, "in_specs length {a} !=
// call_args length 3", an axis without devices, a platform that no mesh is made of.
Expected<void> check_mesh(const GroupedMatmulCall& call);
// The configuration of every shard: the call's own, else what the chain says of the whole call.
Expected<GroupedMatmulConfig> mesh_config(const GroupedInvocation& call, GroupedConfigChain& chain);

// A call on shards, ready to run.
struct ShardedCall {
  // Cuts the three operands by in_specs, runs the shards, and assembles the result by out_specs,
  // without padding. Each shard is padded by itself, so that rows stay on the device that in_specs
  // assigns.
  std::function<Expected<Tensor>(const Tensor& lhs, const Tensor& rhs, const Tensor& group_sizes)>
      run;
  std::array<const Tensor*, 3> call_args{};  // lhs, rhs and group_sizes, with which to call `run`
};

// Prepares a call that has mesh, in_specs and out_specs. Errors are those of check_mesh, and specs
// that do not fit. What `call` points to must outlive the result.
Expected<ShardedCall> create_sharded(const GroupedInvocation& call,
                                     GroupedConfigChain& chain = grouped_config_chain());

}  // namespace tessera

// A call of gmm or tgmm, checked against the reference.
#pragma once
#include "cli/args/problem.h"
#include "cli/operations/operation_call.h"

namespace tessera::cli {

// Return the call: read its request and its program, read or fill the operands, and choose the
// configuration. Fail like run_request(), filled_problem() and settle_config().
Expected<OperationCall> grouped_matmul_call(GroupedKind kind, const Arguments& arguments);
template <GroupedKind kind>
Expected<OperationCall> grouped_matmul_call(const Arguments& arguments) {
  return grouped_matmul_call(kind, arguments);
}

}  // namespace tessera::cli

// One grouped matmul as command lines of gmm and tgmm say it, checked against the reference.
#pragma once
#include "cli/args/options.h"
#include "cli/operations/operation.h"
#include "cli/operations/operation_call.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Operands are read or filled, and the configuration is chosen.
Expected<OperationCall> grouped_matmul_call(GroupedKind kind, const Arguments& arguments);

}  // namespace tessera::cli

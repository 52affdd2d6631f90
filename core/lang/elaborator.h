// From the syntax tree to the program: names are resolved, functions inlined, compile-time
// conditions decided. One class for each kind of thing that a text says; they know each other
// through this one, which is a launch of a kernel being made.
#pragma once
#include <string>
#include <vector>

#include "core/lang/argument_binder.h"
#include "core/lang/array_words.h"
#include "core/lang/assignment_lowering.h"
#include "core/lang/call_lowering.h"
#include "core/lang/declaration_lowering.h"
#include "core/lang/draft.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/functions.h"
#include "core/lang/language.h"
#include "core/lang/launches.h"
#include "core/lang/loop_lowering.h"
#include "core/lang/names.h"
#include "core/lang/parameter_binder.h"
#include "core/lang/place_lowering.h"
#include "core/lang/real_arithmetic.h"
#include "core/lang/scoped_memory.h"
#include "core/lang/statement_lowering.h"
#include "core/lang/tile_lowering.h"
#include "core/lang/tile_words.h"
#include "core/lang/transfer_lowering.h"
#include "core/lang/type_binder.h"
#include "core/lang/word_lowering.h"

namespace tessera {

class Elaborator {
 public:
  Elaborator(const std::string& name, std::vector<const Module*> modules,
             const InstantiateOptions& how)
      : draft(name),
        functions(draft, names, std::move(modules)),
        expressions(*this, how),
        launches(draft, scoped, how) {}
  Elaborator(const Elaborator&) = delete;
  Elaborator& operator=(const Elaborator&) = delete;

  // Diagnostics when the kernel or its settings are wrong. one_call: what a single launch is, for
  // several.
  Expected<Program> kernel(const ast::Kernel& kernel, const Settings& settings,
                           const Program* one_call);

  Draft draft;
  Names names{draft};
  ScopedMemory scoped{draft};
  Functions functions;
  RealArithmetic reals{draft};
  ExpressionLowering expressions;
  PlaceLowering places{*this};
  TypeBinder types{*this};
  TileLowering tiles{*this};
  TileWords tile_words{*this};
  ArrayWords arrays{*this};
  WordLowering words{*this};
  ArgumentBinder arguments{*this};
  CallLowering calls{*this};
  AssignmentLowering assignments{*this};
  LoopLowering loops{*this};
  TransferLowering transfers{*this};
  DeclarationLowering declarations{*this};
  StatementLowering statements{*this};
  ParameterBinder parameters{*this};
  Launches launches;
};

}  // namespace tessera

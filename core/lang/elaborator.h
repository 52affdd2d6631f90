// From the syntax tree to the program: names are resolved, functions inlined, compile-time
// conditions decided. One class for each kind of thing that a text says; this one, which is a
// launch of a kernel being made, has them all.
#pragma once
#include <string>
#include <vector>

#include "core/lang/argument_binder.h"
#include "core/lang/array_words.h"
#include "core/lang/assignment_lowering.h"
#include "core/lang/call_lowering.h"
#include "core/lang/debug_lowering.h"
#include "core/lang/declaration_lowering.h"
#include "core/lang/draft.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/functions.h"
#include "core/lang/language.h"
#include "core/lang/launches.h"
#include "core/lang/loop_lowering.h"
#include "core/lang/mesh_lowering.h"
#include "core/lang/names.h"
#include "core/lang/order_words.h"
#include "core/lang/parameter_binder.h"
#include "core/lang/place_lowering.h"
#include "core/lang/product_lowering.h"
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
      : draft_(name, modules),
        functions_(draft_, names_, std::move(modules)),
        expressions_(draft_, names_, functions_, reals_, places_, tiles_, products_, order_words_,
                     calls_, how),
        launches_(draft_, scoped_, how) {}
  Elaborator(const Elaborator&) = delete;
  Elaborator& operator=(const Elaborator&) = delete;

  // Diagnostics when the kernel or its settings are wrong. one_call: what a single launch is, for
  // several.
  Expected<Program> kernel(const ast::Kernel& kernel, const Settings& settings,
                           const Program* one_call);

 private:
  Draft draft_;
  Names names_{draft_};
  ScopedMemory scoped_{draft_};
  Functions functions_;
  RealArithmetic reals_{draft_};
  // Everything that asks for Expressions or Blocks is made after the class that is one. That class
  // holds references to what is made later, and uses none of them before all are there.
  ExpressionLowering expressions_;
  PlaceLowering places_{draft_, names_, expressions_};
  TypeBinder types_{draft_, names_, expressions_};
  TileLowering tiles_{draft_, expressions_, types_};
  ProductLowering products_{draft_, tiles_};
  TileWords tile_words_{draft_, expressions_, reals_, tiles_};
  OrderWords order_words_{draft_, expressions_, types_, tiles_};
  ArrayWords arrays_{draft_, names_, scoped_, expressions_, places_, tiles_};
  AssignmentLowering assignments_{draft_, expressions_, places_, tiles_, products_};
  TransferLowering transfers_{draft_, names_, expressions_, places_};
  DebugLowering debug_{draft_, expressions_, places_};
  MeshLowering mesh_{draft_, names_, expressions_};
  DeclarationLowering declarations_{draft_, names_, scoped_, types_, expressions_, mesh_};
  StatementLowering statements_{draft_,        names_,       scoped_, expressions_, reals_, arrays_,
                                declarations_, assignments_, loops_,  transfers_,   debug_};
  LoopLowering loops_{draft_, names_, scoped_, expressions_, places_, statements_};
  WordLowering words_{draft_, expressions_,  reals_, places_, tiles_,      types_,
                      loops_, declarations_, mesh_,  arrays_, tile_words_, order_words_};
  ArgumentBinder arguments_{draft_, names_, expressions_, places_, types_};
  CallLowering calls_{draft_, names_, functions_, expressions_, places_,
                      tiles_, words_, arguments_, statements_};
  ParameterBinder parameters_{draft_, names_, expressions_, reals_};
  Launches launches_;
};

}  // namespace tessera

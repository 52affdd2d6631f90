// From text to programs: parse a file once, instantiate its kernels with parameters, verify,
// expand, print.
#pragma once  // public
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera {

namespace ast {  // core/lang/ast.h
struct File;
struct Function;
struct Kernel;
}  // namespace ast

// One parameter of a kernel. Problem parameters stand before the `;`, tuning parameters after it,
// dtype parameters in square brackets; `choices` of a dtype parameter are the types it accepts.
struct ParameterInfo {
  enum class Kind { dtype, problem, tuning } kind;
  std::string name;
  std::string default_text;  // empty: must be given
  std::vector<std::string> choices;
};

// An operand or a result as it is declared; its type and its extents where they are names.
struct OperandInfo {
  std::string name;
  bool is_result = false;
  std::string dtype;                 // empty: an expression
  std::vector<std::string> extents;  // so is an empty one
  std::vector<int> order;            // of storage, outermost first; empty: as declared
};

struct KernelInfo {
  std::string name;
  std::string doc;  // the comment above it
  std::vector<ParameterInfo> parameters;
  Loc loc;
  std::vector<OperandInfo> operands = {};
};

// A parsed file. Functions of `library` modules are visible to the kernels of a file without being
// named in it.
struct Module {
  std::shared_ptr<const Source> source;
  std::shared_ptr<const ast::File> root;
  std::vector<KernelInfo> kernels;

  // By name, so that a text of many takes no longer for each; nodes of `root`.
  struct KernelNode {
    std::size_t info;  // its place in `kernels`
    const ast::Kernel* node;
  };
  std::map<std::string, KernelNode, std::less<>> kernel_nodes;
  std::map<std::string, const ast::Function*, std::less<>> functions;

  const KernelInfo* find(std::string_view kernel) const;
};

using Settings =
    std::map<std::string, std::string, std::less<>>;  // parameter name -> integer or dtype name

// What a kernel is instantiated for, beside its parameters.
struct InstantiateOptions {
  int calls = 1;               // so many launches back to back, on the same operands
  bool keeps_scratch = false;  // a launch finds scratch as the one before it left it
  int devices = 0, cores = 0;  // for extents that name them; 0: not known
};

Expected<Module> parse(std::shared_ptr<const Source> source);
// The kernel with its parameters fixed: structured form (pipelines kept), verified.
Expected<Program> instantiate(const Module& module, std::string_view kernel,
                              const Settings& settings, const std::vector<const Module*>& library,
                              const InstantiateOptions& how = {});
// Static rules that hold for structured and expanded programs alike; empty when the program is
// valid.
Diags verify(const Program& program);
struct Expansion {
  // Each point of a pipeline's parallel dimensions fetches, computes and writes back by itself,
  // with slots of its own, as when every point runs on an engine of its own.
  bool per_point = false;
};
// Every pipeline as explicit loops, slots, copies and waits: what the interpreter runs.
Expected<Program> expand(const Program& program, const Expansion& how = {});
// The program as text of the language; parsing and instantiating it gives an equal program.
std::string print(const Program& program);
// The text in the house layout: indentation, spacing, blank lines; comments kept. Idempotent.
Expected<std::string> format(std::shared_ptr<const Source> source);

}  // namespace tessera

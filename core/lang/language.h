// From text to programs: parse a file once, instantiate its kernels with parameters, verify,
// expand, print.
#pragma once  // public
#include <functional>
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

class LineMap;  // core/lang/line_map.h

// One parameter of a kernel.
struct ParameterInfo {
  // Where it stands in the text: in square brackets, before the `;` (sizes of the problem), or
  // behind it (how the kernel is cut).
  enum class Kind { dtype, problem, tuning } kind;
  std::string name;                  // as settings name it
  std::string default_text;          // as the text has it; empty: the parameter must be set
  std::vector<std::string> choices;  // dtype: names of the types it accepts; empty: all
};

// An operand or a result as it is declared; its type and its extents where they are names.
struct OperandInfo {
  std::string name;        // of the buffer
  bool is_result = false;  // else an operand
  std::string dtype;       // a type or a dtype parameter; empty: an expression
  // Names or numbers, outermost first; an empty one: an expression.
  std::vector<std::string> extents;
  std::vector<int> order;  // of storage, outermost first; empty: as declared
};

// A kernel of a file, as its head declares it.
struct KernelInfo {
  std::string name;                        // unique in its file
  std::string doc;                         // the comment above it
  std::vector<ParameterInfo> parameters;   // in the order of the text
  Loc loc;                                 // of its name
  std::vector<OperandInfo> operands = {};  // operands and results, in the order of the text
};

// A parsed file.
struct Module {
  std::shared_ptr<const Source> source;   // its text
  std::shared_ptr<const ast::File> root;  // its syntax tree
  std::shared_ptr<const LineMap> lines;   // what its `# line`s say; null where it has none
  std::vector<KernelInfo> kernels;        // in the order of the text

  // A kernel of `root`.
  struct KernelNode {
    std::size_t info;         // index into `kernels`
    const ast::Kernel* node;  // owned by `root`
  };
  // Kernels and functions by name; nodes of `root`.
  std::map<std::string, KernelNode, std::less<>> kernel_nodes;
  std::map<std::string, const ast::Function*, std::less<>> functions;

  // The kernel of that name, or null.
  const KernelInfo* find(std::string_view kernel) const;
};

// The value of each parameter by its name: an integer, a real or a dtype as text ("128", "bf16").
using Settings = std::map<std::string, std::string, std::less<>>;

// What a kernel is instantiated for, beside its parameters.
struct InstantiateOptions {
  int calls = 1;               // launches back to back, on the same operands; at least 1
  bool keeps_scratch = false;  // a launch finds scratch as the one before it left it
  int devices = 0, cores = 0;  // how many run it, for extents that name them; 0: not known
};

// The text of a file that a `# line` names, which reports show lines of; empty: not to be had.
using SourceReader = std::function<std::string(const std::string& name)>;
// The file as a module. Errors have their place in `source`. Each file that its `# line`s name is
// asked for once; without a reader none is shown.
Expected<Module> parse(std::shared_ptr<const Source> source, const SourceReader& reader = {});
// The kernel with its parameters fixed, in structured form (pipelines kept) and verified. Its text
// may call functions of its own module and of those in `library`. Errors are a kernel that is not
// there, settings that are missing, unknown or do not fit, and what verify() finds.
Expected<Program> instantiate(const Module& module, std::string_view kernel,
                              const Settings& settings, const std::vector<const Module*>& library,
                              const InstantiateOptions& how = {});
// Static rules that hold for structured and expanded programs alike; empty when the program is
// valid.
Diags verify(const Program& program);
// How expand() writes pipelines.
struct Expansion {
  // Each point of a pipeline's parallel dimensions fetches, computes and writes back by itself with
  // slots of its own, as if it ran on a core of its own. Else slots are shared in the grid's order.
  bool per_point = false;
};
// The program with each pipeline as explicit loops, slots, copies and waits: what the interpreter
// runs. Errors are pipelines that cannot be written so, with their place.
Expected<Program> expand(const Program& program, const Expansion& how = {});
// How print() writes a program.
struct Printing {
  // With a `# line` before what a `# line` of the program's text spoke of. Without, a program has
  // one text wherever it comes from.
  bool with_lines = false;
};
// The program as text of the language; parsing and instantiating it gives an equal program.
std::string print(const Program& program, const Printing& how = {});
// The text in the standard layout: indentation, spacing, blank lines; comments kept. Idempotent. An
// error when it cannot be parsed.
Expected<std::string> format(std::shared_ptr<const Source> source);

}  // namespace tessera

// Entry points of the language: parse a file, instantiate its kernels with parameters, verify,
// expand and print programs.
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

// Parameter of a kernel.
struct ParameterInfo {
  // Position in the declaration: in square brackets; before the `;` (problem sizes); or after it
  // (tuning parameters of the kernel).
  enum class Kind { dtype, problem, tuning } kind;
  std::string name;  // key in Settings
  // Source text of the default; empty: none. A dtype has the default choices[0] instead, if it has
  // choices.
  std::string default_text;
  std::vector<std::string> choices;  // dtype: names of the accepted types; empty: all
};

// Declaration of an operand or result, as far as type and extents are names.
struct OperandInfo {
  std::string name;                  // name of the buffer
  bool is_result = false;            // false: an operand
  std::string dtype;                 // as written: a type, a dtype parameter or an expression
  std::vector<std::string> extents;  // as written, outermost first
  // Storage order, outermost first; -1 for an expression. Empty: the declared order.
  std::vector<int> order;
};

// Declaration of a kernel.
struct KernelInfo {
  std::string name;                        // unique in the file
  std::string doc;                         // comment above the kernel
  std::vector<ParameterInfo> parameters;   // in source order
  Loc loc;                                 // location of the name
  std::vector<OperandInfo> operands = {};  // operands and results, in source order
};

// A parsed file.
struct Module {
  std::shared_ptr<const Source> source;   // source text
  std::shared_ptr<const ast::File> root;  // syntax tree
  // Origins from `# line` directives; null if there are none.
  std::shared_ptr<const LineMap> lines;
  std::vector<KernelInfo> kernels;  // in source order

  // Kernel of `root`.
  struct KernelNode {
    std::size_t info;         // index into `kernels`
    const ast::Kernel* node;  // owned by `root`
  };
  // Kernels and functions by name; pointers into `root`.
  std::map<std::string, KernelNode, std::less<>> kernel_nodes;
  std::map<std::string, const ast::Function*, std::less<>> functions;

  // Returns the kernel with this name; null if there is none.
  const KernelInfo* find(std::string_view kernel) const;
};

// Values of parameters by name. A value is the text of an integer, a real or a dtype ("128",
// "bf16").
using Settings = std::map<std::string, std::string, std::less<>>;

// Options of an instantiation, in addition to the parameters.
struct InstantiateOptions {
  int calls = 1;               // consecutive launches on the same operands; at least 1
  bool keeps_scratch = false;  // scratch keeps its content between launches
  int devices = 0, cores = 0;  // numbers for extents that use them; 0: unknown
};

// Returns the text of a file that a `# line` directive names, for reports that show its lines;
// empty if it is not available.
using SourceReader = std::function<std::string(const std::string& name)>;
// Parses the file and returns its definitions, or all errors in source order. Errors have locations
// in `source`, except for a text with a zero byte. A text of another language version has only that
// error. `source` must not be null; the module shares it. The reader is called once for each file
// named by a `# line` directive; without a reader, reports show no lines of these files.
Expected<Module> parse(std::shared_ptr<const Source> source, const SourceReader& reader = {});
// Returns the kernel with fixed parameters, in structured form (with pipelines) and verified. It
// can call functions of its own module and of the modules in `library`. Fails if there is no such
// kernel, if settings are missing, unknown or unsuitable, if the kernel is invalid for them, or if
// verify() reports errors.
Expected<Program> instantiate(const Module& module, std::string_view kernel,
                              const Settings& settings, const std::vector<const Module*>& library,
                              const InstantiateOptions& how = {});
// Checks static rules that apply to structured and expanded programs. Returns the errors; empty if
// the program is valid.
Diags verify(const Program& program);
// Options of expand().
struct Expansion {
  // Each point of a pipeline's parallel dimensions fetches, computes and writes back on its own,
  // with its own slots, as on a core of its own. Otherwise slots are shared in grid order.
  bool per_point = false;
};
// Returns the program with each pipeline as explicit loops, slots, copies and waits, the form that
// the interpreter runs, and with an automatic barrier if it needs one. Fails with
// ErrorCode::unsupported, and a location, if a pipeline or a view has no such form, and with the
// errors of verify() on the result. `program` must be valid (verify()).
Expected<Program> expand(const Program& program, const Expansion& how = {});
// Options of print().
struct Printing {
  // Also print `# line` directives, for declarations and statements that have an origin from such a
  // directive. Without directives, the text of a program does not depend on its origin.
  bool with_lines = false;
};
// Returns the program as text of the language. Parsing and instantiating the text gives an equal
// program.
std::string print(const Program& program, const Printing& how = {});
// Returns the text in the standard layout: indentation, spacing, blank lines. Comments are kept.
// Idempotent. Fails like parse().
Expected<std::string> format(std::shared_ptr<const Source> source);

}  // namespace tessera

// The extension module tessera._tessera: runs commands of gmm-run, given as command-line words. The
// Python API is in the package.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/args/source_file.h"
#include "cli/debug/held_debugger.h"
#include "cli/in_process.h"
#include "cli/process.h"
#include "core/data/dtype_info.h"
#include "core/lang/language.h"
#include "core/report/near.h"
#include "python/module/cache.h"
#include "python/module/files.h"
#include "python/module/lockless.h"

namespace nb = nanobind;

namespace tessera::python {
namespace {

using Words = std::vector<std::string>;

nb::tuple command(const nb::list& given, const nb::dict& texts, const nb::dict& arrays) {
  const Words words = texts_of(given);
  HeldFiles files = held_files_of(texts, arrays);
  cli::Answer answer;
  without_lock([&](Stop stop) { answer = cli::answer(words, files, stop); });
  return nb::make_tuple(answer.exit_code, answer.object, answer.out, answer.err, written_of(files));
}

// Name, form of the value and meaning of an option; true if it may be repeated; true if it reads a
// file; true if its value may be omitted.
using OptionRow = std::tuple<std::string, std::string, std::string, bool, bool, bool>;

std::vector<OptionRow> options(const nb::list& words) {
  const Expected<cli::Options> known = cli::options_of(texts_of(words));
  if (!known) throw nb::value_error(render(known.diags()).c_str());
  std::vector<OptionRow> rows;
  for (const cli::Option& option : *known)
    rows.emplace_back(option.name, option.value, option.meaning, option.repeatable,
                      option.file == cli::FileUse::reads, option.is_value_optional);
  return rows;
}

nb::dict described(const KernelInfo& kernel) {
  nb::list parameters, operands;
  for (const ParameterInfo& parameter : kernel.parameters) {
    nb::dict row;
    row["name"] = parameter.name;
    row["default"] = parameter.default_text;
    row["choices"] = nb::cast(parameter.choices);
    row["is_type"] = parameter.kind == ParameterInfo::Kind::dtype;
    parameters.append(row);
  }
  for (const OperandInfo& operand : kernel.operands) {
    nb::dict row;
    row["name"] = operand.name;
    row["is_result"] = operand.is_result;
    row["dtype"] = operand.dtype;
    row["extents"] = nb::cast(operand.extents);
    operands.append(row);
  }
  nb::dict row;
  row["name"] = kernel.name;
  row["doc"] = kernel.doc;
  row["parameters"] = parameters;
  row["operands"] = operands;
  return row;
}

// Opens a program: a name in `texts`, a file or a kernel of the library. Returns descriptions of
// its kernels, its name, its text, and the error message, which is empty on success.
std::tuple<nb::list, std::string, std::string, std::string> kernels(const nb::str& name,
                                                                    const nb::dict& texts) {
  HeldFiles held = held_files_of(texts, {});
  Files files(&held);
  const auto module = cli::open_program(text_of(name), &files);
  nb::list rows;
  if (!module) return {rows, {}, {}, render(module.diags())};
  for (const KernelInfo& kernel : (*module)->kernels) rows.append(described(kernel));
  return {rows, (*module)->source->name, (*module)->source->text, {}};
}

std::vector<std::pair<std::string, int>> dtypes() {
  std::vector<std::pair<std::string, int>> all;
  for (const DTypeInfo& row : dtype_table) all.emplace_back(row.name, row.size);
  return all;
}

std::string near(const nb::str& word, const Words& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return did_you_mean(text_of(word), candidates);
}

// Runs gmm-run as the work of the process; returns the exit code.
int run_process(const nb::list& given) {
  const Words words = texts_of(given);
  const nb::gil_scoped_release unlocked;
  return cli::run_process(words);
}

// A debugging session. command() returns (output, error message).
class Debugger {
 public:
  Debugger(const nb::list& given, const nb::dict& texts, const nb::dict& arrays)
      : held_(held_files_of(texts, arrays)) {
    const Words words = texts_of(given);
    Diags diags;
    without_lock([&](Stop stop) {
      const StopScope listens(stop);
      auto opened = cli::HeldDebugger::open(words, files_);
      if (opened)
        debugger_ = *std::move(opened);
      else
        diags = opened.diags();
    });
    if (!diags.empty()) throw nb::value_error(render(diags).c_str());
  }

  std::pair<std::string, std::string> command(const nb::str& given) {
    const std::string line = text_of(given);
    std::pair<std::string, std::string> told;
    without_lock([&](Stop stop) {
      const StopScope listens(stop);
      const Expected<std::string> done = debugger_->command(line);
      if (done)
        told.first = *done;
      else
        told.second = render(done.diags());
    });
    return told;
  }
  std::int64_t event() const { return debugger_->event(); }
  bool is_over() const { return debugger_->is_over(); }

 private:
  HeldFiles held_;  // operands, read on demand
  Files files_{&held_};
  std::unique_ptr<cli::HeldDebugger> debugger_;
};

}  // namespace
}  // namespace tessera::python

NB_MODULE(_tessera, m) {
  using namespace tessera::python;
  m.doc() = "Commands of gmm-run by their words; tessera is the package that people use.";
  m.def("command", &command, nb::arg("words"), nb::arg("texts"), nb::arg("arrays"));
  m.def("run_process", &run_process, nb::arg("words"));
  m.def("options", &options, nb::arg("words"));
  m.def("kernels", &kernels, nb::arg("name"), nb::arg("texts"));
  m.def("dtypes", &dtypes);
  m.def("did_you_mean", &near, nb::arg("word"), nb::arg("known"));
  m.def("cache_path", &cache_path, nb::arg("part"));
  m.def("read_cached", &read_cached, nb::arg("part"), nb::arg("name"));
  m.def("write_cached", &write_cached, nb::arg("part"), nb::arg("name"), nb::arg("content"));
  nb::class_<Debugger>(m, "Debugger")
      .def(nb::init<const nb::list&, const nb::dict&, const nb::dict&>(), nb::arg("words"),
           nb::arg("texts"), nb::arg("arrays"))
      .def("command", &Debugger::command, nb::arg("line"))
      .def_prop_ro("event", &Debugger::event)
      .def_prop_ro("is_over", &Debugger::is_over);
}

// Functions to build programs from text.
#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "core/report/check.h"
#include "tests/source_dir.h"

namespace tessera::test {

inline std::shared_ptr<const Source> source(std::string name, std::string text) {
  return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(source_dir() + "/" + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline Module parse_file(const std::string& path) {
  auto module = parse(source(path, read_file(path)));
  CHECK(module);
  return *std::move(module);
}

// Returns the library functions that every kernel may call.
inline const std::vector<const Module*>& library() {
  static const Module modules[] = {parse_file("kernels/programs/library.tsr"),
                                   parse_file("kernels/programs/collectives.tsr")};
  static const std::vector<const Module*> all = {&modules[0], &modules[1]};
  return all;
}

// Returns the program of the first kernel in the text.
inline Expected<Program> program(const std::string& text, const Settings& settings = {}) {
  auto module = parse(source("test.tsr", text));
  if (!module) return module.diags();
  return instantiate(*module, module->kernels.at(0).name, settings, library());
}

// Returns "line:column: message" for each diagnostic.
inline std::string messages(const Diags& diags) {
  std::string out;
  for (const Diag& d : diags)
    out += (out.empty() ? "" : "\n") + std::to_string(d.loc.line) + ":" +
           std::to_string(d.loc.column) + ": " + d.message;
  return out;
}

}  // namespace tessera::test

// fmt: formats the text of a program.
#include <fmt/format.h>

#include <ostream>
#include <string>

#include "cli/args/source_file.h"
#include "cli/command.h"
#include "core/host/output_file.h"
#include "core/lang/language.h"

namespace tessera::cli {
namespace {

int run(const Arguments& arguments, Console& console) {
  const bool only_check = arguments.has("check"), in_place = arguments.has("write");
  if (only_check && in_place) {
    return fail(console, error("--check changes no file and --write does: use one of them"));
  }
  const std::string& path = arguments.words().front();
  const Expected<std::shared_ptr<const Source>> source = read_source(path, arguments.files());
  if (!source) return fail(console, source.diags());
  const Expected<std::string> text = format(*source);
  if (!text) return fail(console, text.diags());
  const std::string refused = fmt::format("{} is not in the house layout", path);
  const bool is_formatted = *text == (*source)->text;
  if (in_place && !is_formatted) {
    if (arguments.files() != nullptr) arguments.files()->remove(path);
    const Expected<void> written = write_whole(path, *text, arguments.files());
    if (!written) return fail(console, written.diags());
  }
  const bool ok = is_formatted || !only_check;
  if (console.json) {
    Json object = {{"status", name(ok ? Status::ok : Status::bad_input)},
                   {"formatted", is_formatted || in_place}};
    if (!only_check && !in_place) object["text"] = *text;
    if (!ok) object["error"] = refused;
    print(console, object);
  } else if (!ok) {
    console.err << fmt::format("{}; gmm-run fmt --write {} changes it\n", refused, path);
  } else if (!only_check && !in_place) {
    console.out << *text;
  }
  return exit_code(ok ? Status::ok : Status::bad_input);
}

}  // namespace

Command fmt_command() {
  return {"fmt",
          "FILE.tsr",
          "format the text of a program in the house layout",
          "  gmm-run fmt my_kernel.tsr\n"
          "  gmm-run fmt --write my_kernel.tsr\n"
          "  gmm-run fmt --check my_kernel.tsr\n",
          {{"check", "", "change nothing; exit code 2 if something would change"},
           {"write", "", "rewrite the file instead of printing"}},
          run};
}

}  // namespace tessera::cli

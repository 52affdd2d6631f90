// Programs by name: a file, or a built-in kernel.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera::cli {

// Reads the text of a program: a held file, standard input for "-", or a file. Fails with
// ErrorCode::environment and the reason if the file cannot be read, and for the name of a pack.
// Standard input is read once per process; later calls return the same text. files: may be null.
Expected<std::shared_ptr<const Source>> read_source(const std::string& path, Files* files);

// Opens a program by the name of a built-in kernel, otherwise by the name of its file. A held file
// has priority over a kernel. Fails if the file cannot be read or parsed. files: may be null.
Expected<std::shared_ptr<const Module>> open_program(const std::string& file_or_kernel,
                                                     Files* files);
// Returns the kernel named by --kernel, or the only kernel of the module, which must outlive the
// result. Fails if there is no such kernel, or several without --kernel.
Expected<const KernelInfo*> choose_kernel(const Module& module, const Arguments& arguments);
// Instantiates the kernel with its parameters. It can call the functions of the library. Fails like
// instantiate().
Expected<Program> instantiate_kernel(const Module& module, const KernelInfo& kernel,
                                     const Settings& settings, const InstantiateOptions& launch);
// Reads --calls, --scratch, --devices and --cores, if the command accepts them. Fails for values
// out of range, and for --scratch without several calls. devices, cores: defaults; 0: not
// specified.
Expected<InstantiateOptions> launch_of(const Arguments& arguments, int devices, int cores);
// Instantiates the program given by FILE.tsr|KERNEL, --kernel and --set; other parameters are
// inferred from --in. Fails if a parameter has no value. Requires a word in `arguments`.
Expected<Program> named_program(const Arguments& arguments, const InstantiateOptions& launch);
// Like named_program(), launched with launch_of(). Default: one device with one core. The first
// form uses `module` instead of opening the program, and requires no word.
Expected<Program> launched_program(const Arguments& arguments, const Module& module);
Expected<Program> launched_program(const Arguments& arguments);

}  // namespace tessera::cli

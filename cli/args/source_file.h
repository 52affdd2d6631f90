// A program given by name: a file, or a kernel that the binary carries.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/options.h"
#include "core/lang/language.h"
#include "core/report/expected.h"

namespace tessera::cli {

// The text of a program; a failure says why it cannot be read, as an error of the environment.
Expected<std::shared_ptr<const Source>> read_source(const std::string& path, Files* files);

// A program by the name of its file, or of a kernel that the binary carries.
Expected<std::shared_ptr<const Module>> open_program(const std::string& file_or_kernel,
                                                     Files* files);
// The kernel that --kernel names, or the only one of the module.
Expected<const KernelInfo*> choose_kernel(const Module& module, const Arguments& arguments);
// The kernel with its parameters fixed; functions of the library are at its hand.
Expected<Program> instantiate_kernel(const Module& module, const KernelInfo& kernel,
                                     const Settings& settings, const InstantiateOptions& launch);
// What --calls, --scratch, --devices and --cores say, as far as the command takes them; without
// --devices and --cores: the numbers given here, 0 for none.
Expected<InstantiateOptions> launch_of(const Arguments& arguments, int devices, int cores);
// The program that FILE.tsr|KERNEL, --kernel and --set name, with its parameters fixed.
Expected<Program> named_program(const Arguments& arguments, const InstantiateOptions& launch);
// The same as the command launches it: on one device with one core where it does not say.
Expected<Program> launched_program(const Arguments& arguments, const Module& module);
Expected<Program> launched_program(const Arguments& arguments);

}  // namespace tessera::cli

// Certificate files: the verified command, the promises and assumptions, the verdict and its
// evidence. The hashes detect mistakes, not forgery; `check-certificate` runs the protocol again.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// Returns the words of the verified command, without `verify` and without options for files and
// reports. given: the command line, beginning with `verify`.
std::vector<std::string> kept_words(const std::vector<std::string>& given);

// Returns the promises of the machine that a verdict depends on, with the values of its profile.
Json promises_json(const RunOptions& options, CopyGranularity granularity);

// Returns the object of a certificate file. Runs the program once more to hash its inputs and its
// expanded form; fails if this run fails. words: from kept_words(); how: options of the verdict.
Expected<Json> certificate_json(const std::vector<std::string>& words, const Prepared& prepared,
                                const Certificate& certificate, const CertifyOptions& how);

// Reads a certificate file. Fails if the file cannot be read, if required members are missing or
// have other types, or if the file is of another kind or schema. Checks no hash. read: may be null.
Expected<Json> read_certificate(const std::string& path, ReadFiles* read);

}  // namespace tessera::cli

// Certificate files: the verified command, the promises and assumptions, the verdict and its
// evidence. The hashes detect mistakes, not forgery; `check-certificate` runs the protocol again.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// The words of the verified command, without `verify` and without options for files and reports.
std::vector<std::string> kept_words(const std::vector<std::string>& given);

// Promises of the machine that a verdict depends on, with the values of its profile.
Json promises_json(const RunOptions& options, CopyGranularity granularity);

Expected<Json> certificate_json(const std::vector<std::string>& words, const Prepared& prepared,
                                const Certificate& certificate, const CertifyOptions& how);

// Reads a certificate file. Fails if members are missing or have other types, or if the file has
// another schema.
Expected<Json> read_certificate(const std::string& path, ReadFiles* read);

}  // namespace tessera::cli

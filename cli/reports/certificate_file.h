// A verdict that can be kept: what was verified, what was promised and assumed, and the evidence.
// Its hashes tell mistakes, not forgery; who does not trust it has it checked, which runs the
// protocol again.
#pragma once
#include <string>
#include <vector>

#include "cli/command.h"

namespace tessera::cli {

// The words of the command that is kept: without those that say where and how to report.
std::vector<std::string> kept_words(const std::vector<std::string>& given);

// The machine's promises that a verdict rests on, and the numbers of its profile.
Json promises_json(const RunOptions& options, CopyGranularity granularity);

Expected<Json> certificate_json(const std::vector<std::string>& words, const Prepared& prepared,
                                const Certificate& certificate, const CertifyOptions& how);

// The file's content, when it has the shape of a certificate.
Expected<Json> read_certificate(const std::string& path, ReadFiles* read);

}  // namespace tessera::cli

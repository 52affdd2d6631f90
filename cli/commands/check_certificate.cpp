// check-certificate: checks whether a saved verdict is for this program and these inputs, and still
// holds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/reports/certificate_file.h"
#include "cli/reports/report.h"
#include "cli/verify_target.h"
#include "core/host/build_id.h"

namespace tessera::cli {
namespace {

// A property with different values in the certificate and in the current run.
struct Mismatch {
  std::string what, kept, now;
};

class Comparison {
 public:
  explicit Comparison(const Json& kept) : kept_(kept) {}

  void compare(std::string what, const Json* kept, const Json* now) {
    const std::string a = kept == nullptr ? "nothing" : kept->text(),
                      b = now == nullptr ? "nothing" : now->text();
    if (a != b) mismatches_.push_back({std::move(what), a, b});
  }
  // Compares two objects member by member.
  void compare_members(const std::string& what, const Json* kept, const Json* now) {
    if (kept == nullptr || now == nullptr || !is_object(*kept) || !is_object(*now))
      return compare(what, kept, now);
    for (const auto& [name, value] : kept->members())
      compare_members(fmt::format("{} {}", what, name), &value, now->find(name));
    for (const auto& [name, value] : now->members())
      if (kept->find(name) == nullptr) compare(fmt::format("{} {}", what, name), nullptr, &value);
  }
  void compare_inputs(const Json& now) {
    const Json& inputs = *kept_.find("inputs");
    const auto label = [](const Json& input) {
      const Json *device = input.find("device"), *name = input.find("name");
      return fmt::format("input {} of dev{}", name == nullptr ? "?" : name->text(),
                         device == nullptr ? "?" : device->text());
    };
    const Json::Array &old_ones = inputs.elements(), &new_ones = now.elements();
    for (const Json& input : old_ones) {
      const Json* same = nullptr;
      for (const Json& other : new_ones)
        if (label(other) == label(input)) same = other.find("hash");
      compare(label(input), input.find("hash"), same);
    }
    for (const Json& other : new_ones) {
      bool is_known = false;
      for (const Json& input : old_ones) is_known = is_known || label(input) == label(other);
      if (!is_known) compare(label(other), nullptr, other.find("hash"));
    }
  }
  const std::vector<Mismatch>& mismatches() const { return mismatches_; }

 private:
  static bool is_object(const Json& json) {
    return std::holds_alternative<Json::Object>(json.value());
  }
  const Json& kept_;
  std::vector<Mismatch> mismatches_;
};

const Json& member(const Json& json, std::string_view object, std::string_view name) {
  static const Json none;
  const Json* const outer = json.find(object);
  const Json* const inner = outer == nullptr ? nullptr : outer->find(name);
  return inner == nullptr ? none : *inner;
}

int report(Console& console, const Json& kept, const std::vector<Mismatch>& mismatches,
           const std::vector<std::string>& notes, bool quick, double seconds) {
  const Status status = mismatches.empty() ? Status::ok : Status::mismatch;
  if (console.prints_json()) {
    Json object = {{"status", name(status)}, {"verdict", *kept.find("verdict")},
                   {"rerun", !quick},        {"mismatches", Json::array()},
                   {"notes", notes},         {"wall_seconds", seconds}};
    for (const Mismatch& m : mismatches)
      object["mismatches"].push_back({{"what", m.what}, {"certificate", m.kept}, {"now", m.now}});
    print(console, object);
    if (!console.prints_text()) return exit_code(status);
  }
  std::string text = line("program", member(kept, "program", "kernel").text());
  for (const std::string& note : notes) text += line("note", note);
  for (const Mismatch& m : mismatches)
    text +=
        fmt::format("mismatch: {} is {} in the certificate, and {} now\n", m.what, m.kept, m.now);
  const std::string verdict = kept.find("verdict")->text();
  if (!mismatches.empty())
    text += line("refused", "the certificate does not match");
  else if (quick)
    text += line(
        "same",
        fmt::format("the hashes match the certificate, which has the verdict {}; nothing was run",
                    verdict));
  else
    text += line(verdict, "again: the protocol and the verdict of this run match the certificate");
  console.out << text;
  return exit_code(status);
}

// Replaces errors of the certificate's command that could quote file contents by a general error.
// Certificates can come from untrusted sources, so the contents of the files that they name must
// not be shown.
Diags without_content(const Diags& diags, const std::vector<std::string>& words) {
  const auto is_of_content = [](const Diag& diag) {
    return status_of(Diags{diag}) == Status::bad_input ||
           status_of(Diags{diag}) == Status::unsupported;
  };
  if (std::none_of(diags.begin(), diags.end(), is_of_content)) return diags;
  return {error(diags.front().code,
                fmt::format("the command of the certificate is rejected; to see why, run: {}",
                            shell_line(words)))};
}

void compare_verdicts(Comparison& comparison, const Json& kept, const Json& now,
                      bool is_other_build) {
  for (const std::string_view name : {"verdict", "why", "findings", "conditions", "assumptions"})
    comparison.compare(fmt::format("the {}", name), kept.find(name), now.find(name));
  const auto compare_evidence = [&](std::string_view name) {
    comparison.compare(fmt::format("the evidence's {}", name), &member(kept, "evidence", name),
                       &member(now, "evidence", name));
  };
  for (const std::string_view name :
       {"method", "protocol", "races", "agents", "events", "transfers", "schedules"})
    compare_evidence(name);
  // Counts of the analysis steps, which may differ between builds.
  if (is_other_build) return;
  for (const std::string_view name : {"forks", "events_replayed"}) compare_evidence(name);
}

int run(const Arguments& arguments, Console& console) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string& path = arguments.words().front();
  const Expected<Json> kept = read_certificate(path, arguments.files());
  if (!kept) return fail(console, kept.diags());
  std::vector<std::string> words = {"verify"};
  for (const Json& word : kept->find("command")->elements()) words.push_back(word.text());
  if (arguments.words().size() > 1) {  // another path for the program
    if (verified_command(words).name != "run")
      return fail(console, error(fmt::format("{} is for {}, which is not a file: omit {}", path,
                                             words[1], arguments.words()[1])));
    words[1] = arguments.words()[1];
  }
  const Expected<VerifyTarget> target = verify_target(words, arguments.files());
  if (!target) return fail(console, without_content(target.diags(), words));

  Certificate certificate;
  if (!arguments.has("quick")) {
    Expected<Certificate> again = certify(target->prepared.simulate, target->how);
    if (!again) return fail(console, without_content(again.diags(), words));
    certificate = *std::move(again);
  }
  certificate.basis.granularity = target->how.granularity;
  const Expected<Json> now = certificate_json(words, target->prepared, certificate, target->how);
  if (!now) return fail(console, without_content(now.diags(), words));

  Comparison comparison(*kept);
  comparison.compare("the program's text", &member(*kept, "program", "text"),
                     &member(*now, "program", "text"));
  comparison.compare("the expanded program", &member(*kept, "program", "expanded"),
                     &member(*now, "program", "expanded"));
  comparison.compare_inputs(*now->find("inputs"));
  comparison.compare_members("promise", kept->find("promises"), now->find("promises"));
  std::vector<std::string> notes;
  const bool is_other_build = member(*kept, "made_by", "build").text() != build_id() ||
                              member(*kept, "made_by", "version").text() != TESSERA_VERSION;
  if (is_other_build) {
    const std::string other = fmt::format("made by tessera {} of another build",
                                          member(*kept, "made_by", "version").text());
    if (arguments.has("quick"))
      comparison.compare("the build", &member(*kept, "made_by", "build"),
                         &member(*now, "made_by", "build"));
    else
      notes.push_back(other);
  }
  if (!arguments.has("quick")) compare_verdicts(comparison, *kept, *now, is_other_build);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report(console, *kept, comparison.mismatches(), notes, arguments.has("quick"), seconds);
}

}  // namespace

Command check_certificate_command() {
  return {"check-certificate",
          "CERTIFICATE [FILE.tsr]",
          "check whether a verdict saved by `verify --save` matches this program and still holds",
          "  gmm-run verify examples/right_permute.tsr --devices 4 --save right_permute.json\n"
          "  gmm-run check-certificate right_permute.json\n"
          "  gmm-run check-certificate right_permute.json --quick\n",
          {{"quick", "", "compare the hashes only, and run nothing"}},
          run};
}

}  // namespace tessera::cli

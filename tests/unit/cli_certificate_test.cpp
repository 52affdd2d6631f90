// verify --save and check-certificate: the contents of a saved verdict, and the changes that make
// it invalid.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::json;

const std::string program =
    "kernel pass(rows = 8)\n"
    "  in   a:   f32[rows, 128] hbm\n"
    "  in   n:   i32[2] smem\n"
    "  out  out: f32[rows, 128] hbm\n"
    "  sem  sent:    bytes\n"
    "  sem  arrived: bytes\n"
    "{\n"
    "  start a -> (device + 1 + n[0]) mod devices: out, sent, arrived\n"
    "  wait sent for a\n"
    "  wait arrived for out\n"
    "}\n";

class KeptCertificate : public testing::Test {
 protected:
  KeptCertificate() {
    write_bytes(program_, program);
    EXPECT_EQ(run_words({"verify", program_, "--devices", "2", "--in", "n=0,1", "--save", kept_}),
              0)
        << out_;
  }

  void change(const std::string& from, const std::string& to) {
    std::string text = read_bytes(kept_);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << "\n" << text;
    write_bytes(kept_, text.replace(at, from.size(), to));
  }
  int run_words(const std::vector<std::string>& words) {
    std::ostringstream out;
    const int exit_code = cli::run(words, out, out);
    out_ = out.str();
    return exit_code;
  }
  int check(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"check-certificate", kept_});
    return run_words(more);
  }
  bool says(const std::string& text) const { return out_.find(text) != std::string::npos; }

  TemporaryFolder folder_;
  const std::string program_ = folder_.file("pass.tsr"), kept_ = folder_.file("kept.json");
  std::string out_;
};

TEST_F(KeptCertificate, SaysWhatWasVerifiedAndOnWhatItRests) {
  const Json kept = Json::parse(read_bytes(kept_));
  EXPECT_EQ(kept.at("schema"), 2);
  EXPECT_EQ(kept.at("verdict"), "proved");
  EXPECT_EQ(kept.at("command"), Json({program_, "--devices", "2", "--in", "n=0,1"}));
  EXPECT_EQ(kept.at("promises").at("copy_granularity"), "partial");
  EXPECT_EQ(kept.at("promises").at("profile").at("name"), "v5e");
  EXPECT_EQ(kept.at("promises").at("profile").at("block_write_backs"), false);
  EXPECT_EQ(kept.at("inputs").size(), 4U);
  EXPECT_EQ(kept.at("evidence").at("races"), 0);
  EXPECT_GT(kept.at("evidence").at("events"), 0);
  EXPECT_FALSE(kept.at("made_by").at("build").get<std::string>().empty());
}

TEST_F(KeptCertificate, HoldsAgain) {
  EXPECT_EQ(check(), 0) << out_;
  EXPECT_TRUE(says("proved    again")) << out_;
  EXPECT_EQ(check({"--quick"}), 0) << out_;
  EXPECT_TRUE(says("nothing was run")) << out_;
}

TEST_F(KeptCertificate, AnotherTextIsAnotherProgram) {
  write_bytes(program_, "// a comment\n\n" + program);
  EXPECT_EQ(check({"--quick"}), 1);
  EXPECT_TRUE(says("mismatch: the program's text is ")) << out_;
  EXPECT_FALSE(says("the expanded program")) << out_;
  std::string other = program;
  other.replace(other.find("rows = 8"), 8, "rows = 16");
  write_bytes(program_, other);
  EXPECT_EQ(check(), 1);
  EXPECT_TRUE(says("mismatch: the expanded program is ")) << out_;
}

TEST_F(KeptCertificate, ItMayLieElsewhere) {
  const std::string moved = folder_.file("moved.tsr");
  write_bytes(moved, program);
  write_bytes(program_, "");
  EXPECT_EQ(check({moved}), 0) << out_;
}

TEST_F(KeptCertificate, OtherInputsAndPromisesAreNamed) {
  change("n=0,1", "n=2,1");
  EXPECT_EQ(check({"--quick"}), 1);
  EXPECT_TRUE(says("mismatch: input n of dev0 is ")) << out_;
  change("n=2,1", "n=0,1");
  change("\"semaphores\": 1024", "\"semaphores\": 77");
  EXPECT_EQ(check(), 1);
  EXPECT_TRUE(says("mismatch: promise profile semaphores is 77 in the certificate, and 1024 now"))
      << out_;
}

TEST_F(KeptCertificate, AVerdictThatDoesNotComeAgain) {
  change("\"verdict\": \"proved\"", "\"verdict\": \"refuted\"");
  EXPECT_EQ(check({"--quick"}), 0) << out_;
  EXPECT_EQ(check(), 1);
  EXPECT_TRUE(says("mismatch: the verdict is refuted in the certificate, and proved now")) << out_;
}

TEST_F(KeptCertificate, EachMemberIsCompared) {
  const Json kept = Json::parse(read_bytes(kept_));
  const auto expect_named = [&](Json edited, const std::string& name) {
    write_bytes(kept_, edited.dump(2));
    EXPECT_EQ(check(), 1) << name;
    EXPECT_TRUE(says("mismatch: the " + name + " is ")) << out_;
  };
  for (const char* name : {"conditions", "assumptions"}) {
    Json edited = kept;
    edited[name] = Json::array({"none"});
    expect_named(edited, name);
  }
  for (const auto& [name, value] : kept["evidence"].items()) {
    Json edited = kept;
    if (value.is_number())
      edited["evidence"][name] = value.get<std::int64_t>() + 1;
    else
      edited["evidence"][name] = "another";
    expect_named(edited, "evidence's " + name);
  }
}

TEST_F(KeptCertificate, ACommentIsNoPartOfTheExpandedProgram) {
  write_bytes(program_, "// Passes rows on.\n" + program);
  EXPECT_EQ(check(), 1);
  EXPECT_TRUE(says("mismatch: the program's text")) << out_;
  EXPECT_FALSE(says("the expanded program")) << out_;
}

TEST_F(KeptCertificate, WhatIsNoCertificateIsBadInput) {
  change("\"protocol\"", "\"protocols\"");
  EXPECT_EQ(check(), 2);
  EXPECT_TRUE(says("there is no `evidence.protocol`")) << out_;
  write_bytes(kept_, "[1, 2]\n");
  EXPECT_EQ(check(), 2);
  EXPECT_TRUE(says("is not a certificate")) << out_;
  EXPECT_EQ(run_words({"check-certificate", folder_.file("none.json")}), 3);
}

// A certificate may come from an untrusted source and name any file of the user.
TEST_F(KeptCertificate, FilesThatItNamesAreNotQuoted) {
  const std::string secret = folder_.file("secret");
  write_bytes(secret, "root:hash:1:2:3\nkernel k(\n");
  change("\"" + program_ + "\"", "\"" + secret + "\"");
  EXPECT_EQ(check(), 2);
  EXPECT_FALSE(says("root")) << out_;
  EXPECT_TRUE(says("the command of the certificate is rejected")) << out_;
  change("\"" + secret + "\"", "\"" + folder_.file("none.tsr") + "\"");
  EXPECT_EQ(check(), 3);
  EXPECT_TRUE(says("No such file")) << out_;
}

TEST_F(KeptCertificate, OneVerdictIsKept) {
  EXPECT_EQ(run_words({"verify", program_, "--devices", "2", "--mutants", "--save", kept_}), 2);
  EXPECT_TRUE(says("--save is for one verdict")) << out_;
  EXPECT_EQ(run_words({"verify", program_, "--save", folder_.file("no/folder.json")}), 3) << out_;
}

}  // namespace
}  // namespace tessera::cli

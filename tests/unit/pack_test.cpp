// `gmm-run pack`: a packed command gives the same report where none of its files exist, and packs
// from strangers reach no other file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "core/data/base64.h"
#include "core/data/tensor_file.h"
#include "core/host/file.h"
#include "core/host/output_file.h"
#include "tests/unit/temporary.h"

namespace tessera::cli {
namespace {

using Words = std::vector<std::string>;

struct Told {
  int code;
  std::string out, err;
};

Told told(const Words& words) {
  std::ostringstream out, err;
  const int code = run(words, out, err);
  return {code, out.str(), err.str()};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* doubled = R"(kernel doubled(n = 4)
  in  a: f32[n] hbm
  out o: f32[n] hbm
  vmem x: f32[n]
{
  copy a -> x
  x = x * 2
  copy x -> o
}
)";

// The copy into x is not waited for.
constexpr const char* racing = R"(kernel racing(n = 4)
  in  a: f32[n] hbm
  out o: f32[n] hbm
  vmem x: f32[n]
  sem s: bytes
{
  start a -> x, s
  x = 1
  copy x -> o
  wait s for x
}
)";

TEST(Base64, bytes_and_texts_correspond) {
  for (const auto& [bytes, text] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(parse_base64(text), bytes);
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(parse_base64(base64(all)), all);
  for (const char* wrong : {"Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm 9", "=Zm9"})
    EXPECT_EQ(parse_base64(wrong), std::nullopt) << wrong;
}

class Packed : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.file(name); }
  // Packs the command and removes the files that it names.
  std::string pack(const Words& words, const Words& files) {
    Words all = {"pack", file("case.pack")};
    all.insert(all.end(), words.begin(), words.end());
    const Told packed = told(all);
    EXPECT_EQ(packed.code, 0) << packed.err;
    for (const std::string& name : files) std::filesystem::remove(name);
    return file("case.pack");
  }
  void write_pack(const std::string& text) { write_bytes(file("evil.pack"), text); }
  std::string error_of(const Words& more = {}) {
    Words words = {"run", file("evil.pack")};
    words.insert(words.end(), more.begin(), more.end());
    const Told opened = told(words);
    EXPECT_GE(opened.code, 2) << opened.out;
    return opened.err;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Packed, a_run_has_the_same_values_without_its_files) {
  const std::string program = file("doubled.tsr"), in = file("a.npy"), out = file("o.npy");
  write_bytes(program, doubled);
  Tensor a(DType::f32, {4});
  for (std::int64_t i = 0; i < 4; ++i) a.set(i, static_cast<double>(i));
  ASSERT_TRUE(save_tensor(in, a));
  const std::string made =
      pack({"run", program, "--in", "a=" + in, "--out", "o=" + out}, {program, in, out});
  const Told again = told({"run", made, "--out", "o=" + out});
  ASSERT_EQ(again.code, 0) << again.err;
  const Expected<Tensor> o = load_tensor(out);
  ASSERT_TRUE(o);
  EXPECT_EQ(o->as<float>()[3], 6);
  EXPECT_TRUE(contains(told({"verify", made}).out, "proved "));
}

TEST_F(Packed, a_finding_is_replayed_by_its_schedule) {
  const std::string program = file("racing.tsr");
  write_bytes(program, racing);
  const std::string again = file("again.tsr");
  write_bytes(again, racing);
  const std::string made = pack({"verify", program}, {program});
  EXPECT_TRUE(
      told({"pack", file("j.pack"), "verify", again, "--json"}).out.starts_with("{\n  \"schema\""));
  const Told verified = told({"verify", made});
  EXPECT_EQ(verified.code, 1);
  EXPECT_TRUE(contains(verified.out, "racing.tsr:8:3: race")) << verified.out;
  const Told replayed = told({"run", made});
  EXPECT_EQ(replayed.code, 1) << replayed.err;
  EXPECT_TRUE(contains(replayed.out, "schedule  steps given, partial copies")) << replayed.out;
  EXPECT_TRUE(contains(replayed.out, "racing.tsr:8:3: race")) << replayed.out;
  EXPECT_TRUE(contains(replayed.out, fmt::format("replay: gmm-run run {} ", made))) << replayed.out;
  const Told stepped = told({"debug", made, "--batch", "--commands", "step 3"});
  EXPECT_EQ(stepped.code, 0) << stepped.err;
  EXPECT_EQ(told({"run", made, "--in", "a=a.npy"}).code, 3);  // there is no such file
  const Told late = told({"run", "--interpret", made});
  EXPECT_EQ(late.err,
            fmt::format("error: {} is a pack: write it directly after the command\n", made));
  // Words after the pack replace its options.
  EXPECT_TRUE(contains(told({"run", made, "--schedule", "lazy"}).out, "schedule  lazy"));
  EXPECT_TRUE(contains(told({"run", made, "--set", "n=8"}).out, "racing n=8"));
  const std::string set = pack({"verify", again, "--set", "n=8"}, {again});
  EXPECT_TRUE(contains(told({"run", set, "--set", "n=16"}).out, "racing n=16"));
  EXPECT_EQ(told({"pack", file("x.pack"), "run", set}).err,
            fmt::format("error: {} is a pack already\n", set));
}

TEST_F(Packed, options_of_values_are_of_run_and_the_users_files_are_not_those_of_the_pack) {
  const std::string again = file("again.tsr");
  write_bytes(again, racing);
  const std::string own = pack(
      {"run", again, "--in", "a@0=1,2,3,4", "--rtol", "1", "--expect", "o=1,1,1,1", "--interpret"},
      {});
  EXPECT_EQ(told({"verify", own}).code, 1) << told({"verify", own}).err;
  EXPECT_EQ(told({"run", own, "--expect", "o=again.tsr"}).err,
            "error: again.tsr is also a file of the pack: write ./again.tsr for yours\n");
  EXPECT_TRUE(
      contains(told({"run", own, "--in", "a=5,6,7,8", "--device", "interpreter"}).out, "racing"));
}

TEST_F(Packed, numbers_are_operands_and_shown_sources_are_not_packed) {
  const std::string program = file("doubled.tsr");
  write_bytes(program, std::string("# line 1 \"CMakeLists.txt\"\n") + doubled);
  const std::string made =
      pack({"run", program, "--in", "a=1,2,3,4", "--expect", "o=2,4,6,8"}, {program});
  EXPECT_TRUE(contains(told({"run", made}).out, "= 2 4 6 8")) << told({"run", made}).out;
  EXPECT_EQ(told({"verify", made}).code, 0) << told({"verify", made}).err;
  const Expected<std::string> text = read_whole(made, file_kinds::pack);
  ASSERT_TRUE(text);
  EXPECT_FALSE(contains(*text, "CMakeLists.txt\": {"));
}

TEST_F(Packed, an_operation_is_run_and_verified) {
  const std::string sizes = file("sizes.npy");
  Tensor rows(DType::i32, {2});
  rows.set(0, 3);
  rows.set(1, 5);
  ASSERT_TRUE(save_tensor(sizes, rows));
  const Words words = {"gmm", "--sizes", sizes,         "--k",    "8",
                       "--n", "8",       "--interpret", "--seed", "3"};
  const std::string made = pack(words, {sizes});
  EXPECT_EQ(told({"run", made}).code, 0);
  const Told verified = told({"verify", made});
  EXPECT_EQ(verified.code, 0) << verified.err;
  EXPECT_TRUE(contains(verified.out, "proved "));
}

TEST_F(Packed, what_cannot_be_packed_is_refused) {
  const std::string target = file("x.pack");
  EXPECT_EQ(told({"pack", file("x.txt"), "run", "gmm"}).err,
            fmt::format("error: expected pack FILE.pack COMMAND ..., found {}\n", file("x.txt")));
  EXPECT_EQ(told({"pack", target, "fuzz"}).err,
            "error: pack stores run, verify and operations, not fuzz\n");
  EXPECT_EQ(told({"pack", target, "run", "-"}).err,
            "error: pack cannot store standard input: give a file\n");
  const Told missing = told({"pack", target, "run", file("nosuch.tsr")});
  EXPECT_GE(missing.code, 2);
  EXPECT_FALSE(std::filesystem::exists(target));  // nothing is half written
  write_bytes(file("doubled.tsr"), doubled);
  std::filesystem::create_directory(file("other"));
  Tensor a(DType::f32, {4});
  ASSERT_TRUE(save_tensor(file("a.npy"), a));
  ASSERT_TRUE(save_tensor(file("other/a.npy"), a));
  const Told twice = told({"pack", target, "run", file("doubled.tsr"), "--in", "a=" + file("a.npy"),
                           "--expect", "o=" + file("other/a.npy"), "--interpret"});
  EXPECT_TRUE(contains(twice.err, "there are two of the name a.npy: rename one")) << twice.err;
}

TEST_F(Packed, only_programs_are_opened_from_packs) {
  write_pack("{}");
  EXPECT_EQ(told({"fmt", file("evil.pack")}).err,
            fmt::format("error: {} is opened by run, verify, debug, dap, why, graph, not by fmt\n",
                        file("evil.pack")));
}

TEST_F(Packed, hostile_packs_are_refused) {
  const auto with = [&](std::string_view command, std::string_view files = "{}") {
    write_pack(fmt::format(
        R"({{"tessera_pack": 1, "command": {}, "replay": [], "files": {}, "report": null}})",
        command, files));
    return error_of();
  };
  const std::string path = file("evil.pack");
  struct Row {
    std::string command, files, message;
  };
  for (
      const Row& row : std::vector<Row>{
          {R"(["run", "/etc/passwd"])", "{}",
           "the packed command reads /etc/passwd, which is not in the pack"},
          {R"(["run", "k.tsr"])", "{}", "the packed command reads k.tsr, which is not in the pack"},
          {R"(["run", "-"])", "{}", "the packed command reads -, which is not in the pack"},
          {R"(["run", "gmm", "--in", "lhs=/etc/x.npy"])", "{}",
           "cannot open /etc/x.npy: it is not one of the files of this command"},
          {R"(["run", "gmm", "--in", "lhs=x{d}.npy"])", "{}",
           "cannot open x0.npy: it is not one of the files of this command"},
          {R"(["run", "gmm", "--in", "lhs=-"])", "{}",
           "--in of the packed command reads standard input"},
          {R"(["gmm", "--group-sizes", "8", "--k", "8", "--n", "8", "--interpret", "--schedule", "replay:/etc/passwd"])",
           "{}", "cannot open /etc/passwd: it is not one of the files of this command"},
          {R"(["run", "gmm", "--out", "out=x.npy"])", "{}",
           "the packed command has --out, which writes a file"},
          {R"(["cache", "clear"])", "{}",
           "expected run, verify or an operation in a pack, found cache"},
          {R"(["run", "a.pack"])", R"({"a.pack": {"text": "{}"}})",
           "expected names of files without a folder, found 'a.pack'"},
          {R"(["run", "gmm"])", R"({"gmm": {"text": "{}"}})",
           "expected names of files without a folder, found 'gmm'"},
          {R"(["run", "k.tsr", "--set", "n=--help"])", R"({"k.tsr": {"text": ""}})", ""},
          {"[]", "{}", "`command` is empty"},
          {"[1]", "{}", "expected printable strings in `command`"},
          {R"(["run\u001b[2J"])", "{}", "expected printable strings in `command`"},
          {R"(["run", "gmm"])", R"({"../x": {"text": ""}})",
           "expected names of files without a folder, found '../x'"},
          {R"(["run", "gmm"])", R"({"-x": {"text": ""}})",
           "expected names of files without a folder, found '-x'"},
          {R"(["run", "gmm"])", R"({"": {"text": ""}})",
           "expected names of files without a folder, found ''"},
          {R"(["run", "gmm"])", R"({"a": {"base64": "Zg="}})",
           "expected `text` or `base64` for the file a"},
          {R"(["run", "gmm"])", R"({"a": {"text": "x", "link": "/etc/passwd"}})",
           "expected `text` or `base64` for the file a"},
          {R"(["run", "gmm"])", R"({"a": 1})", "expected `text` or `base64` for the file a"},
          {R"(["run", "gmm"])", "[]", "expected an object `files`"}}) {
    const std::string error = with(row.command, row.files);
    EXPECT_TRUE(error.starts_with("error: ") && contains(error, row.message))
        << row.command << ": " << error;
    EXPECT_EQ(error.find('\x1b'), std::string::npos);
  }
  write_pack("PK\x03\x04");
  EXPECT_TRUE(contains(error_of(), path));
  write_pack(std::string(100000, '['));
  EXPECT_TRUE(contains(error_of(), path));
  write_pack(R"({"tessera_pack": 2})");
  EXPECT_TRUE(contains(error_of(), "expected format 1 in `tessera_pack`"));
  write_pack(R"({"tessera_pack": "1"})");
  EXPECT_TRUE(contains(error_of(), "expected format 1 in `tessera_pack`"));
  std::string members;
  for (int i = 0; i < 20000; ++i) members += fmt::format("\"m{}\": 0,", i);
  write_pack("{\"report\": {" + members + "\"end\": 0}}");
  EXPECT_TRUE(contains(error_of(), "an object has more than 10000 members"));
  write_pack(
      R"({"tessera_pack": 1, "command": ["verify", "k.tsr", "--help"], "replay": [], "files": {"k.tsr": {"text": "no program"}}})");
  EXPECT_TRUE(contains(error_of(), "k.tsr:1:1: error: expected `kernel` or `function`"));
  write_pack(
      R"({"tessera_pack": 1, "command": ["verify", "k.tsr", "--set", "-h"], "replay": [], "files": {"k.tsr": {"text": "no program"}}})");
  EXPECT_TRUE(contains(error_of(), "expected no -h in a packed command"));
  write_pack(
      R"({"tessera_pack": 1, "command": ["verify", "k.tsr"], "replay": [], "report": {"a": {"why": 1}, "why": 2}, "files": {"k.tsr": {"text": "no program"}}})");
  EXPECT_TRUE(contains(error_of(), "k.tsr:1:1: error: expected `kernel` or `function`"));
  write_pack(R"({"tessera_pack": 1, "more": 1})");
  EXPECT_TRUE(contains(error_of(), "it has an unknown member `more`"));
}

}  // namespace
}  // namespace tessera::cli

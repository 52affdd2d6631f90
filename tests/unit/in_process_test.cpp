// Commands inside another program: files in memory, and reports as text and object. The state of
// the process is not changed.
#include "cli/in_process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "core/data/tensor_file.h"
#include "text/json.h"

namespace tessera::cli {
namespace {

constexpr const char* doubled =
    "kernel doubled(m, n)\n"
    "  in  a:   f32[m, n] hbm\n"
    "  out out: f32[m, n] hbm\n"
    "{\n"
    "  pipeline i in m {\n"
    "    window x = a[i +: 1, 0 +: n]\n"
    "    window o = out[i +: 1, 0 +: n]\n"
    "    o = x + x\n"
    "  }\n"
    "}\n";

// Returns a view of the values 0, 1, 2, ... in memory, with this shape and strides in elements.
HeldTensor counted(Shape shape, std::vector<std::int64_t> strides, std::int64_t first = 0) {
  const auto values = std::make_shared<std::vector<float>>(64);
  std::iota(values->begin(), values->end(), 0.0F);
  for (std::int64_t& stride : strides) stride *= 4;
  return {DType::f32,
          std::move(shape),
          std::move(strides),
          {values, reinterpret_cast<const std::byte*>(values->data() + first)}};
}

HeldFiles files_of(HeldTensor a) {
  HeldFiles files;
  files.texts.emplace("doubled.tsr", doubled);
  files.tensors.emplace("<a>", std::move(a));
  return files;
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor.at(i));
  return values;
}

TEST(InProcess, a_run_takes_arrays_and_gives_arrays) {
  HeldFiles files = files_of(counted({2, 3}, {1, 2}));
  const Answer ran = answer({"run", "doubled.tsr", "--in=a=<a>", "--out=out=<out>", "--interpret"},
                            files, nullptr);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.object).find("status")->text(), "ok");
  EXPECT_NE(ran.out.find("kernel    doubled"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "");
  ASSERT_TRUE(files.written.contains("<out>"));
  EXPECT_EQ(values_of(files.written.at("<out>")), (std::vector<double>{0, 4, 8, 2, 6, 10}));
}

TEST(InProcess, any_strides_are_read) {
  EXPECT_EQ(values_of(counted({2, 2}, {-4, -1}, 7).load()), (std::vector<double>{7, 6, 3, 2}));
  EXPECT_EQ(values_of(counted({2, 3}, {0, 2}).load()), (std::vector<double>{0, 2, 4, 0, 2, 4}));
  EXPECT_EQ(values_of(counted({3, 0}, {0, 0}).load()), std::vector<double>());
  EXPECT_EQ(values_of(counted({}, {}, 5).load()), std::vector<double>{5});
  EXPECT_FALSE(counted({2}, {1}).load().is_made());
}

TEST(InProcess, a_name_that_nobody_gave_and_another_type_are_errors) {
  HeldFiles files = files_of(counted({2, 3}, {3, 1}));
  const Answer missing = answer({"run", "doubled.tsr", "--in=a=<b>"}, files, nullptr);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("<b>: no array of that name was given"), std::string::npos)
      << missing.err;
  Files of_command(&files);
  const Expected<Tensor> other = load_tensor("<a>", DType::i32, &of_command);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.diags().front().message, "<a> holds f32, not i32");
}

TEST(InProcess, without_held_files_the_names_are_those_of_files) {
  Files none;
  EXPECT_FALSE(is_held_name("<a>", &none));
  EXPECT_FALSE(is_held_name("<a>", nullptr));
  EXPECT_FALSE(load_tensor("<a>", std::nullopt, &none));
}

TEST(InProcess, findings_are_told_in_both_forms) {
  HeldFiles files = files_of(counted({2, 3}, {3, 1}));
  files.texts["doubled.tsr"].replace(files.texts["doubled.tsr"].find("x + x"), 5, "x + y");
  const Answer ran = answer({"check", "doubled.tsr", "--set=m=2", "--set=n=3"}, files, nullptr);
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("doubled.tsr:8:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.object.find("\"status\": \"bad_input\""), std::string::npos) << ran.object;
}

TEST(InProcess, the_process_keeps_its_limits) {
  rlimit before{}, after{};
  getrlimit(RLIMIT_DATA, &before);
  HeldFiles files = files_of(counted({2, 3}, {3, 1}));
  EXPECT_EQ(answer({"run", "doubled.tsr", "--in=a=<a>"}, files, nullptr).exit_code, 0);
  getrlimit(RLIMIT_DATA, &after);
  EXPECT_EQ(before.rlim_cur, after.rlim_cur);
  const Answer capped =
      answer({"run", "doubled.tsr", "--in=a=<a>", "--max-memory=1G"}, files, nullptr);
  EXPECT_EQ(capped.exit_code, 2);
  EXPECT_NE(capped.err.find("--max-memory limits a process"), std::string::npos) << capped.err;
}

TEST(InProcess, a_stop_ends_the_work) {
  HeldFiles files = files_of(counted({2, 3}, {3, 1}));
  const std::atomic<bool> stop = true;
  const Answer ran = answer({"run", "doubled.tsr", "--in=a=<a>", "--interpret"}, files, &stop);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.object.find("\"status\": \"interrupted\""), std::string::npos) << ran.object;
}

TEST(InProcess, several_threads_run_commands) {
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&right, i] {
      HeldFiles files = files_of(counted({2, 3}, {3, 1}, i));
      answer({"run", "doubled.tsr", "--in=a=<a>", "--out=out=<out>"}, files, nullptr);
      if (files.written.contains("<out>") && files.written.at("<out>").at(0) == 2 * i) ++right;
    });
  threads.clear();
  EXPECT_EQ(right, 4);
}

TEST(InProcess, what_talks_to_people_is_refused) {
  HeldFiles files = files_of(counted({2, 3}, {3, 1}));
  const Answer ran =
      answer({"run", "doubled.tsr", "--in=a=<a>", "--debug-on-finding"}, files, nullptr);
  EXPECT_EQ(ran.exit_code, 2);
}

}  // namespace
}  // namespace tessera::cli

// Checks the column `control` of the op table against the interpreter: for each field of each op,
// the table states whether its value can change the actions of the program or stop the run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;

// A program in which the value of field f comes from operand the_f. For a slice, its contents do.
struct Sample {
  std::string mnemonic;
  std::string program;
  bool is_choice_open = false;
  int devices = 1;
  std::map<std::string, std::vector<double>> values{};  // operand values; default: 1
  double most = 1e300;                                  // maximum value to try
};

std::string operand(std::string_view field, std::string_view type) {
  return fmt::format("  in the_{}: {}\n", field, type);
}

// Returns the text of the op, with each field replaced by write(field).
template <typename Write>
std::string written(const OpInfo& row, Write write) {
  std::string text(row.text);
  if (text.empty()) {
    for (const FieldInfo& f : row.fields)
      text += fmt::format("{}{{{}}}", text.empty() ? "" : ", ", f.name);
    text = fmt::format("{}({})", row.mnemonic, text);
  }
  for (const FieldInfo& f : row.fields) {
    const std::string name = fmt::format("{{{}}}", f.name);
    if (const std::size_t at = text.find(name); at != std::string::npos)
      text.replace(at, name.size(), write(f));
  }
  return text;
}

Sample scalar_sample(const OpInfo& row) {
  std::string head = "kernel k()\n";
  for (const FieldInfo& f : row.fields) head += operand(f.name, "i32[1] smem");
  const std::string op =
      written(row, [](const FieldInfo& f) { return fmt::format("the_{}[0]", f.name); });
  if (row.result == ResultKind::Real)
    return {std::string(row.mnemonic), fmt::format("{}  out o: f32[1] hbm\n  vmem v: f32[1]\n"
                                                   "{{\n  v = {}\n  copy v -> o\n}}\n",
                                                   head, op)};
  return {std::string(row.mnemonic),
          fmt::format("{}  out o: i64[1] smem\n{{\n  o[0] = {}\n}}\n", head, op)};
}

// The type of dst differs from the sources: values that do not fit are rounded or truncated.
Sample tile_sample(const OpInfo& row) {
  const std::string_view to = row.fields[0].name;
  const Op op_of_row = make_op(row.mnemonic);
  const auto dim = reduced_dimension(op_of_row);
  const std::string shape = !dim ? "[4, 4]" : *dim == 1 ? "[4, 1]" : "[1, 4]";
  const bool makes_integers = row.mnemonic == "cast" || row.mnemonic == "truncate";
  const std::string type = makes_integers ? "i8" : "f32";
  const std::string from = computes_integers(op_of_row) ? "i32" : "f32";
  std::string head = fmt::format("kernel k()\n  out o: {}{} hbm\n  vmem v_{}: {}{}\n", type, shape,
                                 to, type, shape);
  std::string body = to == "acc" ? "  copy the_acc -> v_acc\n" : "";
  if (to == "acc") head += operand("acc", "f32[4, 4] hbm");
  for (const FieldInfo& f : row.fields.subspan(1)) {
    if (f.kind != FieldKind::Slice) continue;
    head +=
        operand(f.name, from + "[4, 4] hbm") + fmt::format("  vmem v_{}: {}[4, 4]\n", f.name, from);
    body += fmt::format("  copy the_{} -> v_{}\n", f.name, f.name);
  }
  const std::string op = written(row, [](const FieldInfo& f) {
    if (f.name == "order") return std::string("10");
    if (f.name == "step") return std::string("1");
    return f.kind == FieldKind::Int ? std::string("0") : fmt::format("v_{}", f.name);
  });
  return {std::string(row.mnemonic),
          fmt::format("{}{{\n{}  {}\n  copy v_{} -> o\n}}\n", head, body, op, to)};
}

// Samples of ops with a special form.
std::vector<Sample> special_samples() {
  const std::string one = "i32[1] smem", x = "  in x: f32[8] hbm\n  out o: f32[8] hbm\n";
  const auto kernel = [](const std::string& head, const std::string& body) {
    return fmt::format("kernel k()\n{}{{\n{}}}\n", head, body);
  };
  const std::string sem = "  sem s: count\n";
  std::vector<Sample> samples = {
      {"limit", kernel(operand("a", one) + "  out o: i64[1] smem\n", "  o[0] = the_a[0] max 2\n")},
      {"load", kernel(operand("src", one) + "  out o: i64[1] smem\n", "  o[0] = the_src[0]\n")},
      {"load_real",
       kernel(operand("src", "f32[1] smem") + "  out o: f32[1] hbm\n  vmem v: f32[1]\n",
              "  v = load_real(the_src[0])\n  copy v -> o\n")},
      {"search_right",
       kernel(operand("sorted", "i32[4] smem") + operand("a", one) + "  out o: i64[1] smem\n",
              "  o[0] = search_right(the_sorted, the_a[0])\n")},
      {"for",
       kernel(operand("lower", one) + operand("upper", one) + x,
              "  copy x -> o\n  for i in the_lower[0]..the_upper[0] { copy x -> o }\n"),
       false,
       1,
       {{"the_upper", {3}}},
       5},
      {"proceed",
       kernel(operand("condition", one) + x + "  smem n: i64[1]\n",
              "  copy x -> o\n  n[0] = 0\n  while n[0] < the_condition[0] {\n    copy x -> o\n"
              "    n[0] += 1\n  }\n"),
       false,
       1,
       {},
       5},
      {"opaque_read", kernel(operand("src", one) + x, "  opaque_read(the_src)\n  copy x -> o\n")},
      {"if", kernel(operand("condition", one) + x,
                    "  copy x -> o\n  if the_condition[0] { copy x -> o }\n")},
      {"require", kernel(operand("condition", one) + x,
                         "  copy x -> o\n  require the_condition[0], \"expected\"\n")},
      {"assert", kernel(operand("condition", one) + x,
                        "  copy x -> o\n  assert the_condition[0], \"expected\"\n")},
      {"print", kernel(operand("what", one) + x, "  print the_what[0]\n  copy x -> o\n")},
      {"breakpoint",
       kernel(operand("condition", one) + x, "  breakpoint if the_condition[0]\n  copy x -> o\n")},
      {"bounds",
       kernel(operand("start", one) + operand("size", one) + operand("limit", one) + x,
              "  copy x -> o\n  bounds(the_start[0], the_size[0], the_limit[0])\n"),
       false,
       1,
       {{"the_limit", {3}}}},
      {"start", kernel(operand("src", "f32[8] hbm") + "  out o: f32[8] hbm\n  sem d: bytes\n",
                       "  start the_src -> o, d\n  wait d for o\n")},
      {"start_remote",
       kernel(operand("src", "f32[8] hbm") + operand("device", one) + operand("core", one) +
                  "  out o: f32[8] hbm\n  sem sent: bytes\n  sem arrived: bytes\n",
              "  start the_src -> the_device[0] core the_core[0]: o, sent, arrived\n"
              "  wait sent for o\n  wait arrived for o\n"),
       false,
       1,
       {{"the_device", {0}}, {"the_core", {0}}}},
      {"write_back",
       kernel(operand("src", "f32[8] hbm") +
                  "  out o: f32[8] hbm\n  vmem v: f32[8]\n  vmem w: f32[8]\n  sem d: bytes\n",
              "  copy the_src -> w\n  fresh v\n  v = w + 1.0\n  write_back(v, o, d)\n  wait d for "
              "v\n")},
      {"signal",
       kernel(operand("device", one) + operand("core", one) + operand("count", one) + x + sem,
              "  copy x -> o\n  signal s on the_device[0] core the_core[0], the_count[0]\n"
              "  wait s, 1\n"),
       false,
       1,
       {{"the_device", {0}}, {"the_core", {0}}}},
      {"wait", kernel(operand("count", one) + x + sem,
                      "  copy x -> o\n  signal s on device, 1\n  wait s, the_count[0]\n")},
      {"await", kernel(operand("count", one) + x + "  sem s: count monotone\n",
                       "  copy x -> o\n  signal s on device, 1\n  await s, the_count[0]\n")},
      {"tile_select",
       kernel(operand("condition", "f32[4, 4] hbm") + operand("b", "f32[4, 4] hbm") +
                  "  out o: f32[4, 4] hbm\n  vmem c: f32[4, 4]\n  vmem a: f32[4, 4]\n"
                  "  vmem b: f32[4, 4]\n",
              "  copy the_condition -> c\n  copy the_b -> b\n  b = select(c, a, b)\n"
              "  copy b -> o\n"),
       true}};
  // Stores to each integer type.
  for (const char* type : {"i8", "u8", "i16", "u16", "i32", "u32", "i64"}) {
    const std::string out = fmt::format("  out o: {}[5] smem\n", type);
    samples.push_back({"store", kernel(operand("value", "i64[1] smem") + out,
                                       "  for i in 0..5 { o[i] = the_value[0] }\n")});
    samples.push_back(
        {"prefix_sum", kernel(operand("src", "i64[4] smem") + out, "  prefix_sum(o, the_src)\n")});
    samples.push_back(
        {"repeat",
         kernel(operand("values", "i64[2] smem") + operand("counts", "i64[2] smem") + out,
                "  repeat(o, the_values, the_counts)\n"),
         false,
         1,
         {{"the_values", {1, 1e12}}, {"the_counts", {5, 0}}}});
  }
  return samples;
}

std::vector<Sample> samples_of(const OpInfo& row) {
  static const std::vector<Sample> special = special_samples();
  std::vector<Sample> samples;
  for (const Sample& s : special)
    if (s.mnemonic == row.mnemonic) samples.push_back(s);
  const bool is_scalar = row.result == ResultKind::Scalar || row.result == ResultKind::Real;
  bool has_values = !row.fields.empty();
  for (const FieldInfo& f : row.fields) has_values = has_values && f.kind == FieldKind::Value;
  if (samples.empty() && is_scalar && has_values) samples.push_back(scalar_sample(row));
  if (row.math != LeftOut::none) samples.push_back(tile_sample(row));
  return samples;
}

// Returns a description of the run without values: the events in order, and how the run ends.
std::string course(const Program& program, const Sample& sample, std::string_view varied,
                   double value) {
  Operands operands(program, sample.devices);
  for (const Buffer& b : program.buffers) {
    if (b.role != Role::in) continue;
    const auto given = sample.values.find(b.name);
    for (int d = 0; d < sample.devices; ++d) {
      Tensor& tensor = operands.of(d, b.name);
      for (std::int64_t i = 0; i < tensor.elements(); ++i) {
        const bool is_given = given != sample.values.end();
        tensor.set(i, b.name == varied ? value
                      : is_given       ? given->second[static_cast<std::size_t>(i)]
                                       : 1);
      }
    }
  }
  const auto result = run(program, operands.bindings(), {.machine = {.devices = sample.devices}});
  if (!result) return "refused";
  std::string text = fmt::format("{:x} {}", result->trace_hash, result->is_complete);
  for (const Finding& f : result->findings) text += fmt::format(" {}", name(f.kind));
  return text;
}

bool varies(const Program& program, const Sample& sample, const std::string& operand) {
  const DType type = program.find_buffer(operand)->dtype;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values = {-3, 0, 1, 2, 5, 200, 2147483647};
  if (type == DType::i64) values.push_back(1e12);
  if (is_float(type)) values.insert(values.end(), {0.5, -1e30, nan});
  std::set<std::string> courses;
  for (const double value : values)
    if (!(value > sample.most)) courses.insert(course(program, sample, operand, value));
  return courses.size() > 1;
}

// `places`: fields that name a place that is not read. `structured`: ops that expand() removes.
const std::set<std::string_view> places = {"dst", "slot", "inside", "ref",
                                           "sem", "sent", "arrived"};
const std::set<std::string_view> structured = {"pipeline", "grid", "window", "view", "view_as"};

TEST(Control, EachFieldIsWhatTheTableSays) {
  for (std::size_t i = 1; i < op_table().size(); ++i) {
    const OpInfo& row = op_table()[i];
    if (structured.contains(row.mnemonic)) continue;
    std::set<std::string_view> tried, decisive;
    for (const Sample& sample : samples_of(row)) {
      SCOPED_TRACE(sample.program);
      const auto structured_form = test::program(sample.program);
      ASSERT_TRUE(structured_form) << test::messages(structured_form.diags());
      const auto program = expand(*structured_form);
      ASSERT_TRUE(program) << test::messages(program.diags());
      const auto stmt = std::find_if(program->body.begin(), program->body.end(),
                                     [&](const Stmt& s) { return s.op.index() == i; });
      ASSERT_NE(stmt, program->body.end());
      for (const FieldInfo& f : row.fields) {
        const std::string name = fmt::format("the_{}", f.name);
        if (program->find_buffer(name) == nullptr) continue;
        tried.insert(f.name);
        const bool is_decisive = varies(*program, sample, name);
        if (is_decisive) decisive.insert(f.name);
        EXPECT_EQ(is_decisive, is_control(*program, stmt->op, f, sample.is_choice_open))
            << row.mnemonic << " " << f.name;
      }
    }
    for (const FieldInfo& f : row.fields) {
      const bool is_static =
          f.control == Control::fixed || (row.mnemonic == "limit" && f.name == "bound");
      if (is_static) continue;
      const bool is_marked = f.control != Control::data;
      EXPECT_TRUE(tried.contains(f.name) || (!is_marked && places.contains(f.name)))
          << "no sample gives " << f.name << " of " << row.mnemonic;
      EXPECT_TRUE(!is_marked || decisive.contains(f.name))
          << "nothing depends on " << f.name << " of " << row.mnemonic;
    }
  }
}

// The interpreter skips the ops that --no-math skips according to the table.
TEST(Control, WhatIsLeftOutIsWhatTheTableSays) {
  const auto sum = [](const std::string& type, Math math) {
    const auto program = test::program(fmt::format(
        "kernel k()\n  in a: {0}[2, 2] hbm\n  out o: {0}[2, 2] hbm\n  vmem v: {0}[2, 2]\n"
        "  vmem w: {0}[2, 2]\n{{\n  copy a -> v\n  w = v + v\n  copy w -> o\n}}\n",
        type));
    EXPECT_TRUE(program) << (program ? "" : test::messages(program.diags()));
    if (!program) return std::vector<double>{};
    Operands operands(*program, 1);
    const auto expanded = expand(*program);
    EXPECT_TRUE(run(*expanded, operands.bindings(), {.math = math}));
    return operands.values(0, "o");
  };
  EXPECT_EQ(sum("i32", Math::none), sum("i32", Math::exact));
  EXPECT_NE(sum("f32", Math::none), sum("f32", Math::exact));
}

}  // namespace
}  // namespace tessera

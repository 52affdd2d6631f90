// Every op has a golden program: the programs in tests/ops and tests/pipeline, before and after
// expansion, contain all ops of the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/source_dir.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

TEST(Ops, EachIsUsedByAGoldenProgram) {
  std::set<std::size_t> used;
  const auto note = [&](const Program& program) {
    for (const Stmt& s : program.body) used.insert(s.op.index());
  };
  for (const char* folder : {"tests/ops", "tests/pipeline"})
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_dir() + "/" + folder)) {
      if (entry.path().extension() != ".tsr") continue;
      const Module module =
          test::parse_file(std::string(folder) + "/" + entry.path().filename().string());
      for (const KernelInfo& kernel : module.kernels) {
        auto program = instantiate(module, kernel.name, {}, test::library());
        ASSERT_TRUE(program) << render(program.diags());
        note(*program);
        auto expanded = expand(*program);
        ASSERT_TRUE(expanded) << render(expanded.diags());
        note(*expanded);
      }
    }
  for (std::size_t i = 1; i < op_table().size(); ++i)
    EXPECT_TRUE(used.contains(i)) << "no golden program uses `" << op_table()[i].mnemonic << "`";
}

// Every row has a description, and mnemonics are unique.
TEST(Ops, RowsAreComplete) {
  std::set<std::string_view> names;
  for (const OpInfo& row : op_table().subspan(1)) {
    EXPECT_TRUE(names.insert(row.mnemonic).second) << row.mnemonic;
    EXPECT_FALSE(row.meaning.empty()) << row.mnemonic;
  }
}

// Each op class has the properties that its users rely on.
TEST(Ops, ClassesFitTheirRows) {
  for (std::size_t i = 1; i < op_table().size(); ++i) {
    const OpInfo& row = op_table()[i];
    SCOPED_TRACE(std::string(row.mnemonic));
    EXPECT_EQ(class_of(i), row.op_class);
    EXPECT_NE(row.op_class, OpClass::none);
    const bool has_slice = std::any_of(row.fields.begin(), row.fields.end(),
                                       [](const auto& f) { return f.kind == FieldKind::Slice; });
    const bool is_region = row.op_class == OpClass::control || row.op_class == OpClass::region ||
                           row.mnemonic == "pipeline";
    EXPECT_EQ(row.scope != Scope::none, is_region && row.mnemonic != "proceed");
    if (row.op_class == OpClass::scalar) {
      EXPECT_TRUE(row.result == ResultKind::Scalar || row.result == ResultKind::Real);
      EXPECT_FALSE(has_slice);
    }
    if (row.op_class == OpClass::tile) {
      EXPECT_TRUE(row.fields[0].name == "dst" || row.fields[0].name == "acc" ||
                  row.mnemonic == "opaque_read");
      EXPECT_EQ(row.result, ResultKind::none);
    } else {
      EXPECT_EQ(row.math, LeftOut::none);
    }
  }
  EXPECT_EQ(class_of(op_table().size()), OpClass::none);
}

}  // namespace
}  // namespace tessera

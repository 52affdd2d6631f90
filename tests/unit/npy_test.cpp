// .npy files: files of NumPy, files written by Tessera, and files that are damaged or wrong.
#include "core/data/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>

#include "tests/unit/mutate.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

constexpr std::string_view accepted =
    "accepted are <f4 (f32), <f2 (f16), |i1 (i8), |u1 (u8), <i2 (i16), <u2 (u16), <i4 (i32), "
    "<u4 (u32), <i8 (i64), |V2 (bf16) and |V1 (e4m3, e5m2, e8m0)";

// Returns a file in NumPy's format, version 1 or later, with the given dict and bytes.
std::string npy(const std::string& dict, const std::string& data, int version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  std::string text = dict;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) file += static_cast<char>(text.size() >> (8 * i));
  return file + text + data;
}

std::string dict(const std::string& descr, const std::string& shape,
                 const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

class Npy : public testing::Test {
 protected:
  Expected<Tensor> read(const std::string& bytes, std::optional<DType> declared = std::nullopt) {
    write_bytes(path, bytes);
    return read_npy(path, declared);
  }
  // Returns the message without the path and ": ", with the error class as prefix.
  std::string failure(const std::string& bytes, std::optional<DType> declared = std::nullopt) {
    const auto tensor = read(bytes, declared);
    if (tensor) return "no error";
    const Diag& diag = tensor.diags()[0];
    EXPECT_TRUE(diag.message.starts_with(path + ": ")) << diag.message;
    const char* code = diag.code == ErrorCode::invalid_value ? "invalid: "
                       : diag.code == ErrorCode::unsupported ? "unsupported: "
                                                             : "environment: ";
    return code + diag.message.substr(std::min(path.size() + 2, diag.message.size()));
  }

  TemporaryFolder folder;
  std::string path = folder.file("x.npy");
};

TEST_F(Npy, ReadsWhatNumpyWrites) {
  const std::string written(
      "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
      "                                                          \n"
      "\x00\x00\xc0?\x00\x00\x00\xc0\x00\x00@@\x00\x00\x80@",
      144);
  const auto tensor = read(written);
  ASSERT_TRUE(tensor) << render(tensor.diags());
  EXPECT_EQ(tensor->dtype(), DType::f32);
  EXPECT_EQ(tensor->shape(), (Shape{2, 2}));
  EXPECT_EQ(tensor->at(0), 1.5);
  EXPECT_EQ(tensor->at(1), -2);
  EXPECT_EQ(tensor->at(3), 4);
  // Writing the tensor gives the same bytes.
  ASSERT_TRUE(write_npy(path, *tensor));
  EXPECT_EQ(read_bytes(path), written);
}

TEST_F(Npy, EveryTypeReturnsAsItWas) {
  for (int i = 0; i < dtype_count; ++i) {
    const DType dtype{static_cast<std::uint8_t>(i)};
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 7}, Shape{2, 0, 3}, Shape{2, 3, 4}}) {
      Tensor tensor(dtype, shape);
      for (std::int64_t b = 0; b < tensor.bytes(); ++b) tensor.data()[b] = std::byte(b * 37 + 1);
      ASSERT_TRUE(write_npy(path, tensor));
      const auto back = read_npy(path, dtype);
      ASSERT_TRUE(back) << render(back.diags());
      EXPECT_EQ(back->dtype(), dtype);
      EXPECT_EQ(back->shape(), shape);
      const auto size = static_cast<std::size_t>(tensor.bytes());
      EXPECT_EQ(std::memcmp(back->data(), tensor.data(), size), 0) << name(dtype);
      EXPECT_EQ((std::filesystem::file_size(path) - size) % 64, 0U);
    }
  }
  EXPECT_EQ(folder.files(), 1);
}

TEST_F(Npy, FortranOrderIsTransposed) {
  const auto matrix = read(npy(dict("|i1", "(2, 3)", "True"), std::string("\0\3\1\4\2\5", 6)));
  ASSERT_TRUE(matrix);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(matrix->at(i), i);
  EXPECT_TRUE(read(npy(dict("|i1", "(3, 0)", "True"), "")));
  EXPECT_EQ(read(npy(dict("|i1", "(3,)", "True"), "\1\2\3"))->at(2), 3);
}

// By definition, element (i, j, ...) is at position i + d0 * (j + d1 * ...).
TEST_F(Npy, FortranOrderOfEveryRankAndSize) {
  for (const Shape& shape :
       {Shape{70, 33}, Shape{3, 4, 5}, Shape{2, 1, 3, 2}, Shape{2, 3, 2, 3, 2}}) {
    for (const char* descr : {"|i1", "<f2", "<i4", "<i8"}) {
      const std::int64_t size = descr[2] - '0', count = elements(shape);
      std::string data(static_cast<std::size_t>(count * size), '\0');
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t value = size == 1 ? i % 100 : i;
        std::memcpy(&data[static_cast<std::size_t>(i * size)], &value,
                    static_cast<std::size_t>(size));
      }
      const auto tensor = read(npy(dict(descr, to_string(shape), "True"), data));
      ASSERT_TRUE(tensor) << render(tensor.diags());
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i, from = 0;
        for (std::size_t d = shape.size(); d-- > 0;) {
          std::int64_t stride = 1;
          for (std::size_t e = 0; e < d; ++e) stride *= shape[e];
          from += rest % shape[d] * stride;
          rest /= shape[d];
        }
        ASSERT_EQ(
            std::memcmp(tensor->data() + i * size, &data[static_cast<std::size_t>(from * size)],
                        static_cast<std::size_t>(size)),
            0)
            << descr << to_string(shape) << i;
      }
    }
  }
}

TEST_F(Npy, ReadsAllVersionsAndSpellings) {
  const std::string one("\1\0\0\0", 4);
  for (const int version : {1, 2, 3}) {
    const auto tensor = read(npy(dict("<u4", "(1,)"), one, version));
    ASSERT_TRUE(tensor) << render(tensor.diags());
    EXPECT_EQ(tensor->at(0), 1);
  }
  EXPECT_TRUE(read(npy("{\"shape\":(1),}", one))
                  .diags()[0]
                  .message.ends_with("'shape' is not a tuple of sizes"));
  EXPECT_TRUE(read(npy("{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"<i4\"}", one)));
  EXPECT_TRUE(read(npy(dict("<i4", "( 1 , 1 )"), one)));
}

TEST_F(Npy, RawBytesHaveTheDeclaredType) {
  const std::string data("\x80\x3F", 2);
  for (const char* descr : {"|V2", "<V2"}) {
    EXPECT_EQ(read(npy(dict(descr, "(1,)"), data), DType::bf16)->at(0), 1);
  }
  EXPECT_EQ(read(npy(dict("|V1", "(1,)"), "\x38"), DType::e4m3)->at(0), 1);
  EXPECT_EQ(read(npy(dict("|V1", "(1,)"), "\x3C"), DType::e5m2)->at(0), 1);
  EXPECT_EQ(read(npy(dict("<V1", "(1,)"), "\x80"), DType::e8m0)->at(0), 2);
  EXPECT_EQ(failure(npy(dict("|V2", "(1,)"), data)),
            "invalid: elements '|V2' do not name their type: declare bf16");
  EXPECT_EQ(failure(npy(dict("|V1", "(2,)"), data)),
            "invalid: elements '|V1' do not name their type: declare e4m3, e5m2 or e8m0");
  // ml_dtypes has a name for this type.
  EXPECT_EQ(read(npy(dict("<f1", "(1,)"), "\x3C"))->dtype(), DType::e5m2);
  EXPECT_EQ(failure(npy(dict("<f1", "(2,)"), data), DType::e4m3),
            "invalid: holds e5m2 ('<f1'), but e4m3 is declared");
}

TEST_F(Npy, AConflictNamesBothTypes) {
  const std::string data(4, '\0');
  EXPECT_EQ(failure(npy(dict("<f4", "(1,)"), data), DType::bf16),
            "invalid: holds f32 ('<f4'), but bf16 is declared");
  EXPECT_EQ(failure(npy(dict("<f2", "(2,)"), data), DType::bf16),
            "invalid: holds f16 ('<f2'), but bf16 is declared");
  EXPECT_EQ(failure(npy(dict("|V2", "(2,)"), data), DType::f16),
            "invalid: holds bf16 ('|V2'), but f16 is declared");
  EXPECT_EQ(failure(npy(dict("|V1", "(4,)"), data), DType::i8),
            "invalid: holds one-byte elements ('|V1'), but i8 is declared");
  EXPECT_EQ(failure(npy(dict("<i4", "(1,)"), data), DType::u32),
            "invalid: holds i32 ('<i4'), but u32 is declared");
}

TEST_F(Npy, OtherElementsAreUnsupported) {
  for (const std::string descr : {"<f8", "<u8", "|b1", "<c8", "|V3", "|O", "x"}) {
    EXPECT_EQ(failure(npy(dict(descr, "(1,)"), std::string(8, '\0')), DType::f32),
              "unsupported: elements '" + descr + "' are not supported; " + std::string(accepted));
  }
  EXPECT_EQ(failure(npy(dict(">f4", "(1,)"), std::string(4, '\0'))),
            "unsupported: '>f4' is big-endian; " + std::string(accepted));
  EXPECT_EQ(
      failure(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "0000")),
      "unsupported: structured elements are not supported");
  EXPECT_EQ(failure(npy(dict("<f4", "(0,)"), "", 4)),
            "unsupported: version 4.0 is not supported; accepted are 1.0, 2.0, 3.0");
}

TEST_F(Npy, MalformedHeaders) {
  const auto malformed = [&](const std::string& text) {
    const auto message = failure(npy(text, ""));
    const std::string_view start = "invalid: malformed header: ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(std::min(start.size(), message.size()));
  };
  EXPECT_EQ(malformed(""), "expected a dict");
  EXPECT_EQ(malformed("{'descr': '<f4'"), "expected 'key': value");
  EXPECT_EQ(malformed("{'descr' '<f4'}"), "expected 'key': value");
  EXPECT_EQ(malformed("{'descr': '<f4' 'shape': ()}"), "expected 'key': value");
  EXPECT_EQ(malformed("{'descr': ''}"), "'descr' is not a string");
  EXPECT_EQ(malformed("{'descr': 4}"), "'descr' is not a string");
  EXPECT_EQ(malformed("{'fortran_order': 1}"), "'fortran_order' is not a bool");
  for (const char* shape :
       {"3", "(3)", "(-1,)", "(1.5,)", "(1 2)", "(,)", "(99999999999999999999,)", "("}) {
    EXPECT_EQ(malformed(dict("<f4", shape)), "'shape' is not a tuple of sizes") << shape;
  }
  EXPECT_EQ(malformed("{'descr': '<f4', 'descr': '<f4'}"), "unknown or duplicate key");
  EXPECT_EQ(malformed("{'order': 1}"), "unknown or duplicate key");
  EXPECT_EQ(malformed("{'descr': '<f4'}"),
            "expected the keys 'descr', 'fortran_order' and 'shape'");
  EXPECT_EQ(malformed(dict("<f4", "()") + "x"), "text after the dict");
}

TEST_F(Npy, SizesThatLie) {
  EXPECT_EQ(failure(npy(dict("<f4", "(2, 3)"), "12345678")),
            "invalid: (2, 3) of f32 needs 24 bytes, but 8 follow the header");
  EXPECT_EQ(failure(npy(dict("<f4", "(1,)"), "12345678")),
            "invalid: (1,) of f32 needs 4 bytes, but 8 follow the header");
  EXPECT_EQ(failure(npy(dict("|i1", "(4611686018427387904,)"), "1")),
            "invalid: (4611686018427387904,) of i8 needs 4611686018427387904 bytes, but 1 follow "
            "the header");
  EXPECT_EQ(
      failure(npy(dict("<f4", "(4611686018427387904, 8)"), "1")),
      "invalid: (4611686018427387904, 8) of f32 needs too many bytes, but 1 follow the header");
  EXPECT_EQ(failure(std::string("\x93NUMPY\1\0\xFF\xFF{", 11)),
            "invalid: truncated: a header of 65535 bytes, but 1 follow");
  EXPECT_EQ(failure(std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{", 13)),
            "invalid: truncated: a header of 4294967295 bytes, but 1 follow");
  EXPECT_EQ(failure(npy(std::string(2 << 20, ' '), "", 2)),
            "invalid: a header of 2097204 bytes; at most 1048576 are accepted");
}

TEST_F(Npy, TruncatedAtEveryByte) {
  const std::string whole = npy(dict("<f4", "(3, 2)"), std::string(24, '\x3F'));
  ASSERT_TRUE(read(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto tensor = read(whole.substr(0, size));
    ASSERT_FALSE(tensor) << size;
    ASSERT_EQ(tensor.diags()[0].code, ErrorCode::invalid_value) << size;
  }
  EXPECT_EQ(failure(""), "invalid: not an .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(failure("\x93NUMPY\1"), "invalid: truncated in the header");
}

TEST_F(Npy, DamagedHeadersAreErrorsOfTheFile) {
  const std::string whole = npy(dict("<f4", "(30, 20)"), std::string(2400, '\x3F'));
  std::mt19937 random(3);
  const auto before = peak_address_space();
  for (int i = 0; i < 6'000; ++i) {
    const auto bytes = mutate(whole, 90, random);
    const auto tensor = read(bytes, i % 2 == 0 ? std::nullopt : std::optional(DType::f32));
    if (tensor) {
      ASSERT_LE(tensor->bytes(), static_cast<std::int64_t>(bytes.size()));
    } else {
      ASSERT_NE(tensor.diags()[0].code, ErrorCode::environment) << render(tensor.diags());
    }
  }
  EXPECT_LT(peak_address_space() - before, 64);
}

}  // namespace
}  // namespace tessera

// .safetensors files: files of the Python package, files written by Tessera, and headers that are
// damaged or wrong.
#include "core/data/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/mutate.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

std::string safetensors(const std::string& json, const std::string& data) {
  std::string file;
  for (std::size_t i = 0; i < 8; ++i) file += static_cast<char>(json.size() >> (8 * i));
  return file + json + data;
}

std::string entry(std::string_view name, std::string_view type, std::string_view shape,
                  std::string_view offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":{}}})", name, type, shape,
                     offsets);
}

std::string object(std::initializer_list<std::string> entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "{" : ",") + entry;
  return text + "}";
}

Tensor filled(DType dtype, const Shape& shape, int seed) {
  Tensor tensor(dtype, shape);
  for (std::int64_t b = 0; b < tensor.bytes(); ++b) tensor.data()[b] = std::byte(b * 31 + seed);
  return tensor;
}

void expect_equal(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(actual.shape(), expected.shape());
  EXPECT_EQ(std::memcmp(actual.data(), expected.data(), static_cast<std::size_t>(expected.bytes())),
            0);
}

class Safetensors : public testing::Test {
 protected:
  // Returns the message without the path and ": ", with the error class as prefix.
  std::string message_of(const Diags& diags) {
    const Diag& diag = diags.at(0);
    EXPECT_TRUE(diag.message.starts_with(path + ": ")) << diag.message;
    const char* code = diag.code == ErrorCode::invalid_value ? "invalid: "
                       : diag.code == ErrorCode::unsupported ? "unsupported: "
                                                             : "environment: ";
    return code + diag.message.substr(std::min(path.size() + 2, diag.message.size()));
  }
  std::string failure(const std::string& bytes) {
    write_bytes(path, bytes);
    const auto tensors = list_safetensors(path);
    return tensors ? "no error" : message_of(tensors.diags());
  }
  // Returns the reason why a header is malformed, for a file with four bytes of data.
  std::string malformed(const std::string& json) {
    const auto message = failure(safetensors(json, "0123"));
    const std::string_view start = "invalid: malformed header: ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(std::min(start.size(), message.size()));
  }

  TemporaryFolder folder;
  std::string path = folder.file("x.safetensors");
};

TEST_F(Safetensors, ReadsWhatThePythonPackageWrites) {
  const std::string written(
      "\x88\0\0\0\0\0\0\0"
      "{\"__metadata__\":{\"k\":\"v\"},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,"
      "8]},"
      "\"a\":{\"dtype\":\"I8\",\"shape\":[3,1],\"data_offsets\":[8,11]}}  "
      "\0\0\x80?\0\0\0@\1\2\3",
      155);
  write_bytes(path, written);
  const auto tensors = list_safetensors(path);
  ASSERT_TRUE(tensors) << render(tensors.diags());
  ASSERT_EQ(tensors->size(), 2U);
  EXPECT_EQ((*tensors)[0].name, "b");
  EXPECT_EQ((*tensors)[1].dtype, DType::i8);
  const auto a = read_safetensors(path, "a"), b = read_safetensors(path, "b", DType::f32);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->shape(), (Shape{3, 1}));
  EXPECT_EQ(a->at(2), 3);
  EXPECT_EQ(b->at(1), 2);
  // Writing the tensor gives the same bytes.
  ASSERT_TRUE(add_to_safetensors(path, {"a", &*a}));
  EXPECT_EQ(read_bytes(path), written);
}

TEST_F(Safetensors, EveryTypeReturnsAsItWas) {
  std::vector<Tensor> tensors;
  std::vector<NamedTensor> named;
  for (int i = 0; i < dtype_count; ++i) {
    const DType dtype{static_cast<std::uint8_t>(i)};
    for (const Shape& shape : {Shape{}, Shape{3, 0}, Shape{3, 5}})
      tensors.push_back(filled(dtype, shape, i));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    named.push_back({fmt::format("t{}", i), &tensors[i]});
  ASSERT_TRUE(write_safetensors(path, named));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto back = read_safetensors(path, named[i].name, tensors[i].dtype());
    ASSERT_TRUE(back) << render(back.diags());
    expect_equal(*back, tensors[i]);
  }
  const auto listed = list_safetensors(path);
  ASSERT_TRUE(listed);
  for (const TensorEntry& tensor : *listed) {
    EXPECT_EQ(tensor.begin % size_of(*tensor.dtype), 0) << tensor.name;
  }
  EXPECT_EQ(folder.files(), 1);
}

TEST_F(Safetensors, AddsAndReplacesAndKeepsTheRest) {
  const Tensor one = filled(DType::f32, {3}, 1), two = filled(DType::e5m2, {2, 2}, 2);
  const std::string json =
      object({R"("__metadata__":{"made \u00fc":"by\nhand"})", entry("f64", "F64", "[1]", "[0,8]")});
  write_bytes(path, safetensors(json, "12345678"));
  ASSERT_TRUE(add_to_safetensors(path, {"x", &two}));
  ASSERT_TRUE(add_to_safetensors(path, {"y", &two}));
  ASSERT_TRUE(add_to_safetensors(path, {"x", &one}));
  ASSERT_EQ(list_safetensors(path)->size(), 3U);
  expect_equal(*read_safetensors(path, "x"), one);
  expect_equal(*read_safetensors(path, "y"), two);
  const auto bytes = read_bytes(path);
  EXPECT_NE(bytes.find("12345678"), std::string::npos);
  EXPECT_NE(bytes.find("{\"made \xC3\xBC\":\"by\\nhand\"}"), std::string::npos);
  EXPECT_EQ(folder.files(), 1);
}

TEST_F(Safetensors, AddingMakesAFileButKeepsAnother) {
  const Tensor tensor = filled(DType::i64, {2}, 1);
  ASSERT_TRUE(add_to_safetensors(path, {"only", &tensor}));
  expect_equal(*read_safetensors(path, "only"), tensor);
  write_bytes(path, "not a tensor file, but dear to somebody");
  EXPECT_FALSE(add_to_safetensors(path, {"only", &tensor}));
  EXPECT_EQ(read_bytes(path), "not a tensor file, but dear to somebody");
}

TEST_F(Safetensors, NamesMayHoldAnyText) {
  const Tensor tensor = filled(DType::i8, {2}, 1);
  const std::string name = "a#b \"q\" \\ \n \xE2\x82\xAC";
  ASSERT_TRUE(add_to_safetensors(path, {name, &tensor}));
  expect_equal(*read_safetensors(path, name), tensor);
  const std::vector<NamedTensor> twice{{"a", &tensor}, {"a", &tensor}};
  EXPECT_EQ(message_of(write_safetensors(path, twice).diags()),
            "invalid: tensor \"a\" occurs twice");
  EXPECT_EQ(message_of(add_to_safetensors(path, {"\xFF", &tensor}).diags()),
            "invalid: the name \"\\ufffd\" is not UTF-8");
  EXPECT_EQ(message_of(add_to_safetensors(path, {"__metadata__", &tensor}).diags()),
            "invalid: the name __metadata__ is reserved");
  expect_equal(*read_safetensors(path, name), tensor);
}

TEST_F(Safetensors, WhatIsAskedMustBeThere) {
  write_bytes(path, safetensors(object({entry("w", "F8_E4M3", "[2]", "[0,2]"),
                                        entry("d", "F64", "[0]", "[2,2]")}),
                                "ab"));
  EXPECT_EQ(message_of(read_safetensors(path, "v").diags()),
            "invalid: no tensor \"v\"; there are \"w\", \"d\"");
  EXPECT_EQ(message_of(read_safetensors(path, "w", DType::e5m2).diags()),
            "invalid: tensor \"w\" holds e4m3 (F8_E4M3), but e5m2 is declared");
  EXPECT_EQ(message_of(read_safetensors(path, "d").diags()),
            "unsupported: type \"F64\" of tensor \"d\" is not supported; accepted are F32, BF16, "
            "F16, F8_E4M3, F8_E5M2, F8_E8M0, I8, U8, I16, U16, I32, U32, I64");
  write_bytes(path, safetensors("{}", ""));
  EXPECT_EQ(message_of(read_safetensors(path, "v").diags()),
            "invalid: no tensor \"v\"; there are none");
}

TEST_F(Safetensors, LengthsThatLie) {
  EXPECT_EQ(failure(""), "invalid: truncated: expected the length of the header");
  EXPECT_EQ(failure("1234567"), "invalid: truncated: expected the length of the header");
  EXPECT_EQ(failure(std::string("\3\0\0\0\0\0\0\0{}", 10)),
            "invalid: truncated: a header of 3 bytes, but 2 follow");
  EXPECT_EQ(failure(std::string(8, '\xFF') + "{}"),
            "invalid: truncated: a header of 18446744073709551615 bytes, but 2 follow");
  EXPECT_EQ(failure(std::string("\0\0\0\0\0\0\0\0", 8)),
            "invalid: malformed header: does not begin with {");
  // The file has this length: it is sparse.
  write_bytes(path, std::string("\x01\xE1\xF5\x05\0\0\0\0", 8));
  std::filesystem::resize_file(path, 200'000'000);
  EXPECT_EQ(message_of(list_safetensors(path).diags()),
            "invalid: a header of 100000001 bytes; at most 100000000 are accepted");
}

TEST_F(Safetensors, HeadersThatAreNotTheFormat) {
  EXPECT_EQ(malformed("[1]"), "does not begin with {");
  EXPECT_EQ(malformed(" {}"), "does not begin with {");
  EXPECT_EQ(malformed("{"), "not JSON at byte 2");
  EXPECT_EQ(malformed("{} x"), "not JSON at byte 4");
  EXPECT_EQ(malformed(std::string("{}\0", 3)), "not JSON at byte 3");
  EXPECT_EQ(malformed("{\"\xFF\":1}"), "not JSON at byte 3");
  EXPECT_EQ(malformed("{\"a\":1}"), "tensor \"a\": not an object");
  EXPECT_EQ(malformed("{\"a\":[]}"), "tensor \"a\": not an object");
  EXPECT_EQ(malformed("{\"a\":null}"), "tensor \"a\": not an object");
  EXPECT_EQ(malformed("{\"a\":-1}"), "a number is negative");
  EXPECT_EQ(malformed("{\"a\":{}}"), "tensor \"a\": dtype is missing");
  EXPECT_EQ(malformed("{\"a\":{\"dtype\":\"F32\"}}"), "tensor \"a\": shape is missing");
  EXPECT_EQ(malformed("{\"a\":{\"dtype\":1}}"), "tensor \"a\": dtype is not a string");
  EXPECT_EQ(malformed("{\"a\":{\"dtype\":{}}}"), "tensor \"a\": dtype is not a string");
  EXPECT_EQ(malformed("{\"a\":{\"dtype\":\"I8\",\"dtype\":\"I8\"}}"),
            "tensor \"a\": dtype occurs twice");
  EXPECT_EQ(malformed("{\"a\":{\"color\":1}}"), "tensor \"a\": unknown field \"color\"");
  for (const char* shape : {"1", "\"1\"", "[[1]]", "[\"1\"]", "[true]", "[null]", "{}"}) {
    EXPECT_EQ(malformed(object({entry("a", "I8", shape, "[0,4]")})),
              "tensor \"a\": shape and data_offsets are arrays of sizes")
        << shape;
  }
  EXPECT_EQ(malformed(object({entry("a", "I8", "[-4]", "[0,4]")})), "a number is negative");
  EXPECT_EQ(malformed(object({entry("a", "I8", "[4.0]", "[0,4]")})), "a number is not an integer");
  EXPECT_EQ(malformed(object({entry("a", "I8", "[99999999999999999999]", "[0,4]")})),
            "a number is not an integer");
  EXPECT_EQ(malformed(object({entry("a", "I8", "[9223372036854775808]", "[0,4]")})),
            "tensor \"a\": a number is too large");
  EXPECT_EQ(malformed(object({entry("a", "I8", "[4]", "[0]")})),
            "tensor \"a\": data_offsets needs two numbers");
  EXPECT_EQ(malformed(object({entry("a", "I8", "[4]", "[0,4,4]")})),
            "tensor \"a\": data_offsets has more than two numbers");
  EXPECT_EQ(malformed(object({entry("a", "I8", "[1e999]", "[0,4]")})).substr(0, 16),
            "not JSON at byte");
}

TEST_F(Safetensors, PlacesThatDoNotFit) {
  const auto one = [&](const char* type, const char* shape, const char* offsets) {
    return malformed(object({entry("a", type, shape, offsets)}));
  };
  EXPECT_EQ(one("I8", "[4]", "[4,0]"), "tensor \"a\": data_offsets [4, 0] end before they begin");
  EXPECT_EQ(one("I8", "[5]", "[0,5]"),
            "tensor \"a\": data_offsets [0, 5] exceed the 4 bytes of data");
  EXPECT_EQ(one("I8", "[3]", "[1,4]"), "tensor \"a\": data_offsets [1, 4] leave a gap from 0");
  EXPECT_EQ(one("I8", "[3]", "[0,3]"), "tensors cover 3 of the 4 bytes of data");
  EXPECT_EQ(one("F32", "[2]", "[0,4]"),
            "tensor \"a\": (2,) of \"F32\" needs 8 bytes, but data_offsets hold 4");
  EXPECT_EQ(one("F32", "[4611686018427387904,4]", "[0,4]"),
            "tensor \"a\": (4611686018427387904, 4) of \"F32\" needs too many bytes, but "
            "data_offsets hold 4");
  EXPECT_EQ(one("F99", "[4611686018427387904,4]", "[0,4]"),
            "tensor \"a\": (4611686018427387904, 4) of \"F99\" needs too many bytes, but "
            "data_offsets hold 4");
  const auto two = [&](const char* name, const char* first, const char* second) {
    return malformed(object({entry("a", "F99", "[1]", first), entry(name, "F99", "[1]", second)}));
  };
  EXPECT_EQ(two("b", "[0,3]", "[2,4]"),
            "tensor \"b\": data_offsets [2, 4] overlap another tensor's");
  EXPECT_EQ(two("b", "[0,1]", "[2,4]"), "tensor \"b\": data_offsets [2, 4] leave a gap from 1");
  EXPECT_EQ(two("b", "[0,4]", "[1,1]"),
            "tensor \"b\": data_offsets [1, 1] overlap another tensor's");
  EXPECT_EQ(two("a", "[0,2]", "[2,4]"), "tensor \"a\" occurs twice");
}

TEST_F(Safetensors, Metadata) {
  const std::string tensor = entry("a", "I8", "[4]", "[0,4]");
  const auto with = [&](const std::string& metadata) {
    return object({"\"__metadata__\":" + metadata, tensor});
  };
  EXPECT_EQ(failure(safetensors(with("{}"), "0123")), "no error");
  EXPECT_EQ(failure(safetensors(with("{\"a\":\"b\",\"\":\"\"}"), "0123")), "no error");
  EXPECT_EQ(malformed(with("1")), "__metadata__ is not an object of strings");
  EXPECT_EQ(malformed(with("{\"a\":1}")), "__metadata__ is not an object of strings");
  EXPECT_EQ(malformed(with("{\"a\":{}}")), "__metadata__ is not an object of strings");
  EXPECT_EQ(malformed(with("{\"a\":\"\",\"a\":\"\"}")), "__metadata__: \"a\" occurs twice");
  EXPECT_EQ(malformed("{\"__metadata__\":{},\"__metadata__\":{}}"), "__metadata__ occurs twice");
}

TEST_F(Safetensors, DeepNestingAndLongNamesCostNothing) {
  const auto before = peak_address_space();
  EXPECT_EQ(malformed("{\"a\":" + std::string(1'000'000, '[')), "tensor \"a\": not an object");
  EXPECT_EQ(malformed("{\"a\":{\"shape\":" + std::string(1'000'000, '[')),
            "tensor \"a\": shape and data_offsets are arrays of sizes");
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(malformed(objects), "tensor \"a\": unknown field \"a\"");
  EXPECT_EQ(malformed("{\"" + std::string(1'000'000, 'x') + "\":1}"),
            "tensor \"" + std::string(64, 'x') + "\"...: not an object");
  std::string dims = "1";
  for (int i = 0; i < 500'000; ++i) dims += ",1";
  EXPECT_EQ(malformed(object({entry("a", "I8", "[" + dims + "]", "[0,4]")})),
            "tensor \"a\": too many dimensions");
  EXPECT_LT(peak_address_space() - before, 64);
}

TEST_F(Safetensors, TruncatedAtEveryByte) {
  const Tensor tensor = filled(DType::f32, {3, 2}, 1);
  ASSERT_TRUE(add_to_safetensors(path, {"a", &tensor}));
  const std::string whole = read_bytes(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(path, whole.substr(0, size));
    const auto back = read_safetensors(path, "a");
    ASSERT_FALSE(back) << size;
    ASSERT_EQ(back.diags()[0].code, ErrorCode::invalid_value) << size;
  }
}

TEST_F(Safetensors, DamagedHeadersAreErrorsOfTheFile) {
  const std::string json =
      object({R"("__metadata__":{"k":"v"})", entry("a", "F32", "[30,20]", "[0,2400]"),
              entry("b", "BF16", "[2,5]", "[2400,2420]"), entry("c", "I8", "[]", "[2420,2421]")});
  const std::string whole = safetensors(json, std::string(2421, '\x3F'));
  write_bytes(path, whole);
  ASSERT_TRUE(read_safetensors(path, "a"));
  std::mt19937 random(5);
  const auto before = peak_address_space();
  int survivors = 0;
  for (int i = 0; i < 8'000; ++i) {
    const auto bytes = mutate(whole, 8 + json.size(), random);
    write_bytes(path, bytes);
    const auto tensors = list_safetensors(path);
    if (!tensors) {
      ASSERT_NE(tensors.diags()[0].code, ErrorCode::environment) << render(tensors.diags());
      continue;
    }
    ++survivors;
    for (const TensorEntry& tensor : *tensors) {
      const auto read = read_safetensors(path, tensor.name);
      ASSERT_EQ(static_cast<bool>(read), tensor.dtype.has_value());
      if (!read) continue;
      ASSERT_LE(read->bytes(), static_cast<std::int64_t>(bytes.size()));
    }
  }
  EXPECT_GT(survivors, 0);
  EXPECT_LT(peak_address_space() - before, 64);
}

}  // namespace
}  // namespace tessera

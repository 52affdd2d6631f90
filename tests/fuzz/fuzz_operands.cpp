// Operand files: .npy and .safetensors, what else lies in their place, and group sizes as text. The
// first byte says which, the second the type that is declared; the rest is the file.
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/convert.h"
#include "core/data/npy.h"
#include "core/data/safetensors.h"
#include "core/data/tensor_file.h"
#include "kernels/inputs/group_sizes.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"
#include "tests/fuzz/harness/scratch_folder.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{8} << 20;

constexpr std::array types = {DType::f32,  DType::f16,  DType::bf16, DType::i8,  DType::i32,
                              DType::i64,  DType::u32,  DType::u8,   DType::i16, DType::u16,
                              DType::e4m3, DType::e5m2, DType::e8m0};

std::optional<DType> declared_type(unsigned char choice) {
  if (choice % 16 >= types.size()) return std::nullopt;
  return types[choice % 16];
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0);
}

// Arrays are converted as their elements are, one by one, and what a type holds comes back from f32
// unless that is too narrow.
void check_conversions(const Tensor& tensor) {
  const std::int64_t n = std::min<std::int64_t>(tensor.elements(), 33);
  for (const DType to : types) {
    Tensor all(to, {n}), one(to, {1});
    convert(tensor.data(), tensor.dtype(), all.data(), to, n);
    const int from_bytes = size_of(tensor.dtype()), to_bytes = size_of(to);
    for (std::int64_t i = 0; i < n; ++i) {
      convert(tensor.data() + i * from_bytes, tensor.dtype(), one.data(), to, 1);
      REQUIRE(std::memcmp(one.data(), all.data() + i * to_bytes,
                          static_cast<std::size_t>(to_bytes)) == 0,
              "an element is converted otherwise by itself");
    }
    Tensor strict(to, {n});
    convert(tensor.data(), tensor.dtype(), strict.data(), to, n, Overflow::ieee);
  }
}

// What was read is written and read again as it is, in either form.
void check_tensor(const Tensor& tensor) {
  check_conversions(tensor);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(tensor.elements(), 64); ++i) {
    Tensor copy = Tensor(tensor.dtype(), {1});
    const double value = tensor.at(i);
    copy.set(0, value);
    const bool is_exact = value == value && tensor.dtype() != DType::i64;
    REQUIRE(!is_exact || copy.at(0) == value, "a value is not kept");
  }
  for (const char* name : {"again.npy", "again.safetensors#t"}) {
    const std::string path = (scratch_folder() / name).string();
    if (const auto saved = save_tensor(path, tensor); !saved) {
      require_said(saved.diags());
      continue;
    }
    const Expected<Tensor> again = load_tensor(path, tensor.dtype());
    if (!again) {
      REQUIRE(again.diags().front().code == ErrorCode::environment, render(again.diags()));
      continue;
    }
    REQUIRE(same(tensor, *again), "a tensor that was written is read as another one");
  }
}

void check_npy(std::string_view bytes, std::optional<DType> declared) {
  const Expected<Tensor> tensor = load_tensor(scratch_file("a.npy", bytes), declared);
  if (!tensor) return require_said(tensor.diags());
  check_tensor(*tensor);
}

void check_safetensors(std::string_view bytes, std::optional<DType> declared) {
  const std::string path = scratch_file("a.safetensors", bytes);
  const Expected<std::vector<TensorEntry>> list = list_safetensors(path);
  if (!list) return require_said(list.diags());
  for (const TensorEntry& entry : *list) {
    const Expected<Tensor> tensor = read_safetensors(path, entry.name, declared);
    if (!tensor) {
      require_said(tensor.diags());
      continue;
    }
    check_tensor(*tensor);
    // Beside another one all that was there stays.
    const Tensor added(DType::i32, {3});
    const NamedTensor named{"of the harness", &added};
    if (const auto joined = add_to_safetensors(path, named); !joined) {
      require_said(joined.diags());
      continue;
    }
    const Expected<Tensor> again = read_safetensors(path, entry.name, declared);
    if (!again) {
      REQUIRE(again.diags().front().code == ErrorCode::environment || entry.name == named.name,
              render(again.diags()));
      continue;
    }
    REQUIRE(entry.name == named.name || same(*tensor, *again), "a tensor changed beside another");
  }
}

// What lies where a file is read or written: nothing, a folder, a pipe, a link, more than may be.
// Reading and writing end with a diagnostic or well, and nothing waits.
void check_place(std::string_view what) {
  namespace fs = std::filesystem;
  const std::string path = (scratch_folder() / "a.npy").string();
  const char kind = what.empty() ? '0' : what[0];
  if (kind == 'd') fs::create_directory(path);
  if (kind == 'p') REQUIRE(::mkfifo(path.c_str(), 0600) == 0, path);
  if (kind == 'l') fs::create_symlink(scratch_file("b.npy", what.substr(1)), path);
  if (kind == 'o') fs::create_symlink(path, path);
  if (kind == 'm') fs::create_symlink(scratch_folder() / "not there" / "x", path);
  if (kind == 'r') scratch_file("a.npy", what.substr(1));
  for (const std::string& spec :
       {path, path + "/x.npy", path + "#t", std::string("#t"), std::string(),
        (scratch_folder() / "no folder" / "x.npy").string(), path + "/../a.safetensors#"}) {
    const Expected<Tensor> tensor = load_tensor(spec, DType::f32);
    if (!tensor) require_said(tensor.diags());
    Expected<TensorOutput> output = TensorOutput::open(spec);
    if (!output) {
      require_said(output.diags());
      continue;
    }
    const Tensor written(DType::f32, {2, 3});
    if (kind == 'r' && what.size() % 2 == 0) continue;  // nothing is written: what was there stays
    if (const auto saved = output->write(written); !saved) require_said(saved.diags());
  }
  const Expected<std::string> text = read_whole(path, {"a short file", 16});
  if (!text) require_said(text.diags());
}

void check_group_sizes(std::string_view text) {
  const std::size_t line = text.find('\n');
  const std::string_view first = text.substr(0, line);
  if (is_group_size_list(first)) {
    const auto sizes = parse_group_sizes(first);
    if (!sizes) return require_said(sizes.diags());
    for (const std::int64_t size : *sizes) REQUIRE(size >= 0, std::string(first));
    return;
  }
  for (const auto& [groups, rows] : {std::pair(1, 0), std::pair(7, 100), std::pair(16, 3)}) {
    const auto sizes = generate_group_sizes(first, groups, rows, text.size());
    if (!sizes) return require_said(sizes.diags());
    std::int64_t sum = 0;
    for (const std::int64_t size : *sizes) {
      REQUIRE(size >= 0, std::string(first));
      sum += size;
    }
    REQUIRE(sum == rows && sizes->size() == static_cast<std::size_t>(groups), std::string(first));
  }
}

void check(std::string_view bytes) {
  if (bytes.size() < 2) return;
  scratch_folder();
  const MemoryBudget memory(max_bytes);
  const Deadline deadline(std::chrono::milliseconds(1500));
  const auto declared = declared_type(static_cast<unsigned char>(bytes[1]));
  const std::string_view rest = bytes.substr(2);
  try {
    switch (bytes[0]) {
      case 'n':
        check_npy(rest, declared);
        break;
      case 'p':
        check_place(rest);
        break;
      case 's':
        check_safetensors(rest, declared);
        break;
      default:
        check_group_sizes(rest);
        break;
    }
  } catch (const std::bad_alloc&) {
    REQUIRE(memory.was_refused(), "bad_alloc, and nothing was refused");
  } catch (const Interrupted&) {
    REQUIRE(deadline.is_over(), "interrupted, and nobody asked");
  }
  empty_scratch_folder();
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}

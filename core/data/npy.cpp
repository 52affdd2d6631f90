#include "core/data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "core/data/fortran_order.h"
#include "core/data/npy_header.h"
#include "core/host/output_file.h"
#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t max_npy_header = 1 << 20;
constexpr std::size_t npy_alignment = 64;  // for the array's bytes in the file

std::span<std::byte> bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

// Position of the dict in the file.
struct Extent {
  std::int64_t offset;
  std::int64_t size;
};

Expected<Extent> find_header(const InputFile& file) {
  std::array<unsigned char, 12> start{};
  const auto available = std::min<std::int64_t>(file.size(), start.size());
  const auto bytes = std::as_writable_bytes(std::span(start));
  TRY(file.read(0, bytes.first(static_cast<std::size_t>(available))));
  if (std::memcmp(start.data(), magic.data(), magic.size()) != 0) {
    return in_file(file.path(), {error("not an .npy file: it does not begin with \\x93NUMPY")});
  }
  const int major = start[6], minor = start[7];
  const std::int64_t offset = major == 1 ? 10 : 12;
  if (available < offset) return in_file(file.path(), {error("truncated in the header")});
  if (major < 1 || major > 3 || minor != 0) {
    return in_file(file.path(),
                   {error(ErrorCode::unsupported,
                          fmt::format("version {}.{} is not supported; accepted are 1.0, 2.0, 3.0",
                                      major, minor))});
  }
  std::int64_t size = start[8] | start[9] << 8;
  if (major > 1) size |= std::int64_t{start[10]} << 16 | std::int64_t{start[11]} << 24;
  if (size > file.size() - offset) {
    return in_file(file.path(), {error(fmt::format("truncated: a header of {} bytes, but {} follow",
                                                   size, file.size() - offset))});
  }
  if (size > max_npy_header) {
    return in_file(file.path(), {error(fmt::format("a header of {} bytes; at most {} are accepted",
                                                   size, max_npy_header))});
  }
  return Extent{offset, size};
}

Expected<NpyHeader> read_header(const InputFile& file, const Extent& extent) {
  std::string dict(static_cast<std::size_t>(extent.size), '\0');
  TRY(file.read(extent.offset, bytes_of(dict)));
  auto header = parse_npy_header(dict);
  if (!header) return in_file(file.path(), header.diags());
  return header;
}

}  // namespace

Expected<NpyHeader> read_npy_header(const std::string& path, ReadFiles* read) try {
  const InputFile file = TRY(InputFile::open(path, read));
  const Extent extent = TRY(find_header(file));
  return read_header(file, extent);
} catch (...) {
  return given_up("reading a tensor file");
}

Expected<Tensor> read_npy(const std::string& path, std::optional<DType> declared,
                          ReadFiles* read) try {
  const InputFile file = TRY(InputFile::open(path, read));
  const Extent extent = TRY(find_header(file));
  const NpyHeader header = TRY(read_header(file, extent));
  const auto dtype = npy_dtype(header.descr, declared);
  if (!dtype) return in_file(path, dtype.diags());

  const std::int64_t offset = extent.offset + extent.size, available = file.size() - offset;
  const auto bytes = checked_bytes(*dtype, header.shape);
  if (bytes != available) {
    return in_file(path,
                   {error(fmt::format("{} of {} needs {} bytes, but {} follow the header",
                                      to_string(header.shape), name(*dtype),
                                      bytes ? std::to_string(*bytes) : "too many", available))});
  }
  auto tensor = Tensor::allocate(*dtype, header.shape);
  if (!tensor) return in_file(path, tensor.diags());
  TRY(file.read(offset, {tensor->data(), static_cast<std::size_t>(available)}));
  if (header.fortran_order) return from_fortran_order(*tensor);
  return tensor;
} catch (...) {
  return given_up("reading a tensor");
}

Expected<void> write_npy(const std::string& path, const Tensor& tensor, const ReadFiles* read) {
  OutputFile file = TRY(OutputFile::create(path, read));
  return write_npy(file, tensor);
}

Expected<void> write_npy(OutputFile& file, const Tensor& tensor) {
  if (tensor.shape().size() > largest_file_rank) {
    return error(fmt::format("{}: {} dimensions; at most {} are accepted", file.path(),
                             tensor.rank(), largest_file_rank));
  }
  std::string dict = print_npy_header(tensor.dtype(), tensor.shape());
  const std::size_t before = magic.size() + 4;
  dict.append(npy_alignment - (before + dict.size() + 1) % npy_alignment, ' ');
  dict += '\n';
  std::string header(magic);
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, dict.size() & 0xFF, dict.size() >> 8}) {
    header += static_cast<char>(byte);
  }
  header += dict;

  TRY(file.append(header));
  const auto size = static_cast<std::size_t>(tensor.bytes());
  TRY(file.append(std::span(tensor.data(), size)));
  return file.commit();
}

}  // namespace tessera

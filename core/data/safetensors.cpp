#include "core/data/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/host/output_file.h"
#include "core/report/guarded.h"
#include "core/report/try.h"

namespace tessera {
namespace {

constexpr std::int64_t max_safetensors_header = 100'000'000;
constexpr std::int64_t length_bytes = 8;
constexpr std::size_t safetensors_alignment = 8;  // for the data in the file

struct OpenFile {
  InputFile file;
  std::int64_t data;  // offset of the tensors' bytes
  SafetensorsHeader header;
};

Expected<OpenFile> open_safetensors(const std::string& path, ReadFiles* read) {
  InputFile file = TRY(InputFile::open(path, read));
  const std::int64_t available = file.size() - length_bytes;
  if (available < 0) return in_file(path, {error("truncated: expected the length of the header")});
  std::array<unsigned char, length_bytes> start{};
  TRY(file.read(0, std::as_writable_bytes(std::span(start))));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < start.size(); ++i) length |= std::uint64_t{start[i]} << (8 * i);
  if (length > static_cast<std::uint64_t>(available)) {
    return in_file(
        path,
        {error(fmt::format("truncated: a header of {} bytes, but {} follow", length, available))});
  }
  const auto size = static_cast<std::int64_t>(length);
  if (size > max_safetensors_header) {
    return in_file(path, {error(fmt::format("a header of {} bytes; at most {} are accepted", size,
                                            max_safetensors_header))});
  }
  std::string json(static_cast<std::size_t>(size), '\0');
  TRY(file.read(length_bytes, std::as_writable_bytes(std::span(json))));
  auto header = parse_safetensors_header(json, available - size);
  if (!header) return in_file(path, header.diags());
  return OpenFile{std::move(file), length_bytes + size, *std::move(header)};
}

std::string known_names(const std::vector<TensorEntry>& tensors) {
  constexpr std::size_t shown = 10;
  if (tensors.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(tensors.size(), shown); ++i) {
    text += (i > 0 ? ", " : "") + shown_name(tensors[i].name);
  }
  return text + (tensors.size() > shown ? fmt::format(" and {} more", tensors.size() - shown) : "");
}

Expected<DType> dtype_of(const TensorEntry& entry, std::optional<DType> declared) {
  if (!entry.dtype) {
    std::string accepted;
    for (int i = 0; i < dtype_count; ++i) {
      accepted += i > 0 ? ", " : "";
      accepted += safetensors_name(static_cast<DType>(i));
    }
    return error(ErrorCode::unsupported,
                 fmt::format("type {} of tensor {} is not supported; accepted are {}",
                             shown_name(entry.type), shown_name(entry.name), accepted));
  }
  if (declared && *declared != *entry.dtype) {
    return error(fmt::format("tensor {} holds {} ({}), but {} is declared", shown_name(entry.name),
                             name(*entry.dtype), entry.type, name(*declared)));
  }
  return *entry.dtype;
}

// Tensor to write: from memory, or copied from the file that is replaced.
struct Piece {
  TensorEntry entry;
  const Tensor* tensor = nullptr;
  std::int64_t source = 0;  // offset in the old file

  std::int64_t bytes() const { return entry.end - entry.begin; }
};

Piece piece_of(const NamedTensor& named) {
  const Tensor& tensor = *named.tensor;
  TensorEntry entry{named.name,
                    std::string(safetensors_name(tensor.dtype())),
                    tensor.dtype(),
                    tensor.shape(),
                    0,
                    tensor.bytes()};
  return {std::move(entry), &tensor, 0};
}

std::int64_t element_bytes(const Piece& piece) {
  const std::int64_t count = elements(piece.entry.shape);
  return count == 0 ? 1 : piece.bytes() / count;
}

Expected<void> copy(const InputFile& from, std::int64_t offset, std::int64_t size, OutputFile& to) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min<std::int64_t>(size, 1 << 20)));
  while (size > 0) {
    const auto part = std::span(buffer).first(static_cast<std::size_t>(
        std::min<std::int64_t>(size, static_cast<std::int64_t>(buffer.size()))));
    TRY(from.read(offset, part));
    TRY(to.append(part));
    offset += static_cast<std::int64_t>(part.size());
    size -= static_cast<std::int64_t>(part.size());
  }
  return {};
}

// Larger elements are written first, so that each tensor is aligned in the file.
Expected<void> write_pieces(OutputFile& file, std::vector<Piece> pieces, SafetensorsHeader header,
                            const InputFile* old) {
  const std::string& path = file.path();
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return element_bytes(a) > element_bytes(b);
  });
  std::int64_t place = 0;
  header.tensors.clear();
  for (Piece& piece : pieces) {
    const std::int64_t bytes = piece.bytes();
    piece.entry.begin = std::exchange(place, place + bytes);
    piece.entry.end = place;
    header.tensors.push_back(piece.entry);
  }
  auto json = print_safetensors_header(header);
  if (!json) return in_file(path, json.diags());
  json->resize(
      (json->size() + safetensors_alignment - 1) / safetensors_alignment * safetensors_alignment,
      ' ');
  if (std::cmp_greater(json->size(), max_safetensors_header)) {
    return in_file(path, {error(fmt::format("a header of {} bytes; at most {} are accepted",
                                            json->size(), max_safetensors_header))});
  }
  std::string start;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    start += static_cast<char>(json->size() >> (8 * i));
  }
  start += *json;

  TRY(file.append(start));
  for (const Piece& piece : pieces) {
    TRY(piece.tensor == nullptr
            ? copy(*old, piece.source, piece.bytes(), file)
            : file.append(std::span<const std::byte>(piece.tensor->data(),
                                                     static_cast<std::size_t>(piece.bytes()))));
  }
  return file.commit();
}

}  // namespace

Expected<std::vector<TensorEntry>> list_safetensors(const std::string& path, ReadFiles* read) try {
  OpenFile open = TRY(open_safetensors(path, read));
  return std::move(open.header.tensors);
} catch (...) {
  return given_up("reading a tensor file");
}

Expected<Tensor> read_safetensors(const std::string& path, const std::string& name,
                                  std::optional<DType> declared, ReadFiles* read) try {
  const OpenFile open = TRY(open_safetensors(path, read));
  const auto& tensors = open.header.tensors;
  const auto entry =
      std::find_if(tensors.begin(), tensors.end(), [&](const auto& e) { return e.name == name; });
  if (entry == tensors.end()) {
    return in_file(
        path,
        {error(fmt::format("no tensor {}; there are {}", shown_name(name), known_names(tensors)))});
  }
  const auto dtype = dtype_of(*entry, declared);
  if (!dtype) return in_file(path, dtype.diags());
  auto tensor = Tensor::allocate(*dtype, entry->shape);
  if (!tensor) return in_file(path, tensor.diags());
  const auto bytes = std::span(tensor->data(), static_cast<std::size_t>(tensor->bytes()));
  TRY(open.file.read(open.data + entry->begin, bytes));
  return tensor;
} catch (...) {
  return given_up("reading a tensor");
}

Expected<void> write_safetensors(const std::string& path, std::span<const NamedTensor> tensors) {
  OutputFile file = TRY(OutputFile::create(path));
  std::vector<Piece> pieces;
  for (const NamedTensor& tensor : tensors) pieces.push_back(piece_of(tensor));
  return write_pieces(file, std::move(pieces), {}, nullptr);
}

Expected<void> check_addition(const std::string& path, const std::string& name) {
  SafetensorsHeader header;
  header.tensors.push_back({name, std::string(safetensors_name(DType::i8)), DType::i8, {0}, 0, 0});
  if (const auto json = print_safetensors_header(header); !json) return in_file(path, json.diags());
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return {};
  TRY(open_safetensors(path, nullptr));
  return {};
}

Expected<void> add_to_safetensors(const std::string& path, const NamedTensor& tensor) {
  OutputFile file = TRY(OutputFile::create(path));
  return add_to_safetensors(file, tensor);
}

Expected<void> add_to_safetensors(OutputFile& file, const NamedTensor& tensor) {
  const std::string& path = file.path();
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    return write_pieces(file, {piece_of(tensor)}, {}, nullptr);
  const auto old = open_safetensors(path, nullptr);
  if (!old) return old.diags();
  std::vector<Piece> pieces;
  bool is_new = true;
  for (const TensorEntry& entry : old->header.tensors) {
    const bool is_replaced = entry.name == tensor.name;
    pieces.push_back(is_replaced ? piece_of(tensor)
                                 : Piece{entry, nullptr, old->data + entry.begin});
    if (is_replaced) is_new = false;
  }
  if (is_new) pieces.push_back(piece_of(tensor));
  return write_pieces(file, std::move(pieces), old->header, &old->file);
}

}  // namespace tessera

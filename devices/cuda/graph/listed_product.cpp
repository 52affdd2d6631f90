#include "devices/cuda/graph/listed_product.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/lang/language.h"

namespace tessera::cuda {
namespace {

// Sizes of tiles and steps that the fast kernels support for all types.
constexpr std::int64_t tile_rows = 128, tile_terms = 64;

// Memory of any rank is used as a row-major matrix with the rows of its last dimension.
constexpr const char* text = R"(
// out[rows of a tile] = lhs . rhs for the tiles of a list, or with existing = 1 that and what was there.
kernel listed_product[T: bf16 f16, U: f32 bf16 f16](lhs_rows, lhs_columns, rhs_rows, rhs_columns, out_rows, out_columns, listed, existing = 0, transpose_rhs = 0;
                                                    tm = 128, tk = 64, tn = 128, buffers = 4)
  in   lhs:  T[lhs_rows, lhs_columns] hbm
  in   rhs:  T[rhs_rows, rhs_columns] hbm
  in   list: i32[listed, 8]           smem
  if existing { in existing_out: U[out_rows, out_columns] hbm }
  out  out:  U[out_rows, out_columns] hbm
  tile acc:  f32[tm, tn]
{
  pipeline t in listed parallel, s in max(1, tiles(list[t, 7], tk)) {
    live = list[t, 7] > 0;  rows = 0 .. list[t, 6]
    window a = lhs[list[t, 0] +: tm, list[t, 1] + s * tk +: tk]                         depth buffers, pad 0, when live
    if transpose_rhs { window b = rhs[list[t, 3] +: tn, list[t, 2] + s * tk +: tk]      depth buffers, pad 0, when live }
    else             { window b = rhs[list[t, 2] + s * tk +: tk, list[t, 3] +: tn]      depth buffers, pad 0, when live }
    if existing      { window e = existing_out[list[t, 4] +: tm, list[t, 5] +: tn]      depth 1, pad 0, when last(s) }
    window o = out[list[t, 4] +: tm, list[t, 5] +: tn]
    if first(s) { acc = 0 }
    if live { if transpose_rhs { acc[rows, :] += a[rows, :] . transpose(b) } else { acc[rows, :] += a[rows, :] . b } }
    if last(s) { if existing { o[rows, :] = cast(acc[rows, :] + e[rows, :]) } else { o[rows, :] = cast(acc[rows, :]) } }
  }
}
)";

const Module& module() {
  static const Module parsed =
      *parse(std::make_shared<const Source>(Source{"<listed_product>", text}));
  return parsed;
}

const Buffer& buffer_of(const graph::TaskGraph& graph, graph::MemoryId memory) {
  return graph.program.buffers[graph.memories[memory].buffer];
}

struct Matrix {
  std::int64_t rows = 1, columns = 1;
};
Matrix matrix_of(const Buffer& buffer) {
  Matrix matrix;
  matrix.columns = buffer.shape.back();
  for (std::size_t d = 0; d + 1 < buffer.shape.size(); ++d) matrix.rows *= buffer.shape[d];
  return matrix;
}

class Lister {
 public:
  Lister(const graph::TaskGraph& graph, const TileProduct& first)
      : graph_(graph),
        first_(first),
        left_(buffer_of(graph, first.left.memory)),
        right_(buffer_of(graph, first.right.memory)),
        result_(buffer_of(graph, first.result.memory)) {}

  std::optional<ListedProduct> list(const std::vector<TileProduct>& products) {
    const auto fits = [&](std::int64_t columns) {
      return std::all_of(products.begin(), products.end(),
                         [&](const TileProduct& p) { return is_alike(p) && takes(p, columns); });
    };
    const auto width = std::find_if(std::begin(widths), std::end(widths), fits);
    if (width == std::end(widths)) return std::nullopt;
    for (const TileProduct& product : products) add(product, *width);
    Settings settings{{"T", std::string(name(left_.dtype))},
                      {"U", std::string(name(result_.dtype))},
                      {"listed", std::to_string(made_.list.size() / listed_words)},
                      {"existing", first_.existing ? "1" : "0"},
                      {"transpose_rhs", first_.transpose_right ? "1" : "0"},
                      {"tn", std::to_string(*width)}};
    const auto set = [&](const std::string& operand, const Matrix& matrix) {
      settings[operand + "_rows"] = std::to_string(matrix.rows);
      settings[operand + "_columns"] = std::to_string(matrix.columns);
    };
    set("lhs", matrix_of(left_));
    set("rhs", matrix_of(right_));
    set("out", matrix_of(result_));
    Expected<Program> program = instantiate(module(), "listed_product", settings, {});
    if (!program) return std::nullopt;
    Expected<LoweredKernel> kernel = lower(*program);
    if (!kernel) return std::nullopt;
    made_.program = *std::move(program);
    made_.kernel = *std::move(kernel);
    made_.left = first_.left.memory;
    made_.right = first_.right.memory;
    made_.result = first_.result.memory;
    if (first_.existing) made_.existing = first_.existing->memory;
    return std::move(made_);
  }

 private:
  static constexpr std::int64_t widths[] = {256, 128, 64};  // tile widths, best first

  bool is_alike(const TileProduct& p) const {
    if (p.left.columns == 0) return p.result.memory == first_.result.memory && !first_.existing;
    if (p.left.memory != first_.left.memory || p.right.memory != first_.right.memory ||
        p.result.memory != first_.result.memory || p.transpose_right != first_.transpose_right ||
        p.existing.has_value() != first_.existing.has_value())
      return false;
    // `existing` is read at the position of the stored element.
    return !p.existing ||
           (p.existing->memory == first_.existing->memory && p.existing->row == p.result.row &&
            p.existing->column == p.result.column &&
            buffer_of(graph_, p.existing->memory).shape == result_.shape &&
            buffer_of(graph_, p.existing->memory).dtype == result_.dtype);
  }

  // The contraction must consist of whole steps, and the columns of whole tiles. The last tile may
  // be partial if the rectangle ends at the last column of the memory: otherwise it would contain
  // columns that belong to other subtasks.
  bool takes(const TileProduct& p, std::int64_t columns) const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
    const FlatRectangle& r = p.result;
    if (p.left.columns % tile_terms != 0) return false;
    if (r.columns % columns != 0 && r.column + r.columns != matrix_of(result_).columns)
      return false;
    return r.row < most && p.left.row < most && p.right.row < most;
  }

  void add(const TileProduct& p, std::int64_t columns) {
    for (std::int64_t j = 0; j < p.result.columns; j += columns)
      for (std::int64_t i = 0; i < p.result.rows; i += tile_rows) {
        const std::int64_t right_row = p.transpose_right ? p.right.column : p.right.row,
                           right_column = (p.transpose_right ? p.right.row : p.right.column) + j;
        for (const std::int64_t word :
             {p.left.row + i, p.left.column, right_row, right_column, p.result.row + i,
              p.result.column + j, std::min(tile_rows, p.result.rows - i), p.left.columns})
          made_.list.push_back(static_cast<std::int32_t>(word));
      }
  }

  const graph::TaskGraph& graph_;
  const TileProduct& first_;
  const Buffer &left_, &right_, &result_;
  ListedProduct made_;
};

}  // namespace

std::optional<ListedProduct> listed_product(const graph::TaskGraph& graph,
                                            const std::vector<TileProduct>& products) {
  const auto first = std::find_if(products.begin(), products.end(),
                                  [](const TileProduct& p) { return p.left.columns > 0; });
  if (first == products.end()) return std::nullopt;
  return Lister(graph, *first).list(products);
}

}  // namespace tessera::cuda

#include "patterns/linear_algebra/cpu.hpp"
#include "patterns/linear_algebra/gpu.hpp"
#include <heddle/error.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/machine.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/core.h>

namespace heddle {

const char* name(matmul_algorithm algorithm) noexcept {
  constexpr const char* names[] = {"blas", "naive", "tiled"};
  static_assert(std::size(names) == std::size(matmul_algorithms));
  return names[static_cast<int>(algorithm)];
}

matmul_algorithm parse_matmul_algorithm(std::string_view text) {
  for (const matmul_algorithm algorithm : matmul_algorithms) {
    if (text == name(algorithm)) return algorithm;
  }
  fail(fmt::format("algorithm \"{}\": use blas, naive or tiled", text));
}

namespace impl {
namespace {

[[noreturn]] void fail_shapes(const shape& a, const shape& b, const char* reason) {
  fail(fmt::format("matmul: shapes {} and {} have no product: {}", a.text(), b.text(), reason));
}

/// The matrices of an operand of one axis or more; its data come later.
matrix_operand matrices(const shape& lengths, bool is_column) {
  const std::size_t axes = lengths.axes();
  if (axes == 1) {
    const std::size_t n = lengths[0];
    return {nullptr, is_column ? n : 1, is_column ? 1 : n, is_column ? 1 : n, 1, 1, 0, {}};
  }
  std::size_t batches = 1;
  for (std::size_t axis = 0; axis + 2 < axes; ++axis) batches *= lengths[axis];
  const std::size_t rows = lengths[axes - 2], columns = lengths[axes - 1];
  return {nullptr, rows, columns, columns, 1, batches, rows * columns, {}};
}

/// Lengths of the axes before those of a matrix.
std::vector<std::size_t> batches_of(const shape& lengths) {
  if (lengths.axes() < 3) return {};
  return {lengths.begin(), lengths.end() - 2};
}

}  // namespace

product_shape shape_of_product(const shape& a, const shape& b) {
  if (a.axes() == 0 || b.axes() == 0) fail_shapes(a, b, "both need an axis");
  product_shape of{{}, matrices(a, false), matrices(b, true)};
  if (of.a.columns != of.b.rows) fail_shapes(a, b, "the columns of the first are not the rows of the second");
  std::vector<std::size_t> lengths;
  if (a.axes() > 2 || b.axes() > 2) {
    // As NumPy: the shorter begins with axes of one, and one of one matrix goes with all of the other.
    std::vector<std::size_t> left = batches_of(a), right = batches_of(b);
    const std::size_t axes = std::max(left.size(), right.size());
    left.insert(left.begin(), axes - left.size(), 1);
    right.insert(right.begin(), axes - right.size(), 1);
    const auto is_one = [](const std::vector<std::size_t>& batches) {
      return std::all_of(batches.begin(), batches.end(), [](std::size_t length) { return length == 1; });
    };
    if (left != right && !is_one(left) && !is_one(right))
      fail_shapes(a, b, "there are other batches of the one than of the other");
    lengths = is_one(left) ? right : left;
  }
  if (a.axes() > 1) lengths.push_back(of.a.rows);
  if (b.axes() > 1) lengths.push_back(of.b.columns);
  of.whole = shape(lengths);
  return of;
}

void fail_output_shape(const shape& have, const shape& product) {
  fail(fmt::format("the output has shape {}, where the product has {}", have.text(), product.text()));
}

void fail_product(const matrix_operand& a, const matrix_operand& b) {
  const auto lengths = [](const matrix_operand& m) {
    return m.batches == 1 ? shape{m.rows, m.columns} : shape{m.batches, m.rows, m.columns};
  };
  fail_shapes(lengths(a), lengths(b), "they do not fit");
}

namespace {

/// All that lies between the first element of a matrix, or of a batch, and its last, in elements.
std::size_t span_of(const matrix_operand& m) {
  if (m.rows == 0 || m.columns == 0 || m.batches == 0) return 0;
  return (m.batches - 1) * m.batch_stride + (m.rows - 1) * m.row_stride + (m.columns - 1) * m.column_stride +
         1;
}

}  // namespace

void check_apart(const matrix_operand& m, std::size_t element_bytes, const void* c, std::size_t bytes,
                 const target& c_where) {
  check_apart(m.data, span_of(m) * element_bytes, m.where, c, bytes, c_where);
}

target matmul_target(const target& requested, const matrix_operand& a, const matrix_operand& b,
                     std::size_t element_bytes) {
  // A product of sides n takes as long as n/50 passes over its matrices, on a core or on a GPU.
  const std::size_t batches = std::max(a.batches, b.batches);
  const std::size_t elements = batches * (a.rows * a.columns + b.rows * b.columns);
  const std::size_t passes = 1 + std::min({a.rows, a.columns, b.columns}) / 50;
  return resolve(requested, {elements * element_bytes * passes, batches * a.rows * b.columns * element_bytes,
                             a.where, true});
}

namespace {

/// An operand where code on `where` can read it: as it is, or a copy of all that lies between its first
/// element and its last.
class staged_operand {
 public:
  staged_operand(const matrix_operand& m, std::size_t element_bytes, const target& where)
      : operand_(m), from_(m.where), where_(where) {
    if (same_memory(m.where, where)) {
      order(m.where, where);
      return;
    }
    copy_ = memory(span_of(m) * element_bytes, where);
    copy(copy_.data(), where, m.data, m.where, copy_.bytes());
    operand_.data = copy_.data();
    operand_.where = from_ = where;
  }
  ~staged_operand() { order_or_wait(where_, from_); }
  staged_operand(const staged_operand&) = delete;
  staged_operand& operator=(const staged_operand&) = delete;

  const matrix_operand& operand() const noexcept { return operand_; }

 private:
  matrix_operand operand_;
  target from_, where_;
  memory copy_;
};

}  // namespace

void library_matmul(matrix_type type, const matrix_operand& a, const matrix_operand& b, void* c,
                    const target& where, matmul_algorithm algorithm) {
  const std::size_t batches = a.batches == 1 ? b.batches : a.batches;
  if (batches == 0 || a.rows == 0 || b.columns == 0) return;
  const std::size_t bytes = element_bytes_of(type);
  const staged_operand left(a, bytes, where), right(b, bytes, where);
  if (where.is_gpu()) return gpu::matmul(type, left.operand(), right.operand(), batches, c, where, algorithm);
  cpu::matmul(where.threads(), type, left.operand(), right.operand(), batches, c, algorithm);
}

}  // namespace impl
}  // namespace heddle

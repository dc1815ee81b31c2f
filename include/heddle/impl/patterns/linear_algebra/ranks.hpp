#pragma once

#include <heddle/array.hpp>
#include <heddle/distributed_array.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/distributed/transport.hpp>
#include <heddle/impl/patterns/linear_algebra/front.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/ranks.hpp>
#include <heddle/shape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::impl {

/// Throws: batches of distributed operands do not match.
[[noreturn]] void fail_matmul_axes(const shape& a, const shape& b);
/// Throws: the product of two arrays of one axis has no rows to distribute.
[[noreturn]] void fail_matmul_vectors(const shape& a, const shape& b);

/// Whole columns of a matrix whose rows are distributed, one panel after another: the next is received while
/// one is used.
template <class T>
class column_panels {
 public:
  /// Panels of so many columns of b, which has `columns`.
  column_panels(const ranks& all, const distributed_array<T>& b, std::size_t columns, std::size_t width)
      : all_(all), b_(b), columns_(columns), width_(width) {
    for (array<T>& panel : panels_) panel = array<T>(b.shape()[0] * std::min(width, columns), all.where());
    start(0);
  }
  ~column_panels() = default;
  column_panels(const column_panels&) = delete;
  column_panels& operator=(const column_panels&) = delete;

  /// The panel of columns first … first + count − 1, and the next one starts. In rising order, each once.
  matrix_view<T> take(std::size_t first, std::size_t count) {
    coming_->wait();
    coming_.reset();
    const array<T>& panel = panels_[first / width_ % 2];
    start(first + width_);
    return {panel.data(), b_.shape()[0], count, count, 1, 1, 0, all_.where()};
  }

 private:
  void start(std::size_t first) {
    if (first >= columns_) return;
    const auto me = static_cast<std::size_t>(all_.rank());
    const std::size_t row_bytes = std::min(width_, columns_ - first) * sizeof(T);
    auto* const panel = reinterpret_cast<std::byte*>(panels_[first / width_ % 2].data());
    std::byte* const own = panel + b_.first_row() * row_bytes;
    copy_rows(own, row_bytes, b_.local().data() + first, columns_ * sizeof(T), row_bytes, b_.rows(),
              all_.where());
    std::vector<outgoing> sends;
    std::vector<incoming> receives;
    for (std::size_t r = 0; r + 1 < b_.begins().size(); ++r) {
      const std::size_t rows = b_.begins()[r + 1] - b_.begins()[r];
      if (r == me) continue;
      const int rank = static_cast<int>(r);
      if (b_.rows() > 0) sends.push_back({rank, own, b_.rows() * row_bytes});
      if (rows > 0) receives.push_back({rank, panel + b_.begins()[r] * row_bytes, rows * row_bytes});
    }
    coming_ = all_.between().start(sends, receives, all_.where());
  }

  const ranks& all_;
  const distributed_array<T>& b_;
  std::size_t columns_, width_;
  std::array<array<T>, 2> panels_;
  std::unique_ptr<exchange> coming_;
};

/// a·b, of which the rows of both are distributed. Every rank receives all of b, in panels of columns that
/// have as many elements as its block, and multiplies its rows of a by each: each sum is computed whole, in
/// the order of one machine.
template <class T>
distributed_array<T> matmul_by_panels(const ranks& all, const distributed_array<T>& a,
                                      const distributed_array<T>& b, const shape& lengths,
                                      matmul_algorithm algorithm) {
  distributed_array<T> product(all, lengths, a.begins());
  const std::size_t columns = row_elements(lengths), rows = a.rows();
  if (columns == 0) return product;
  // Narrower panels would keep a core or a GPU less busy.
  const std::size_t share = columns / static_cast<std::size_t>(all.size()) + 1;
  const std::size_t width = std::min(columns, std::max<std::size_t>((share + 63) / 64 * 64, 64));
  column_panels<T> panels(all, b, columns, width);
  array<T> part(width < columns ? rows * width : 0, all.where());
  const array_view<T> own = product.local().reshaped({rows, columns});
  const matrix_view<T> left = view_of_matrix(a.local());
  for (std::size_t first = 0; first < columns; first += width) {
    const std::size_t count = std::min(width, columns - first);
    const matrix_view<T> panel = panels.take(first, count);
    if (width == columns) {
      matmul_into(all.where(), own, left, panel, algorithm);
    } else {
      const array_view<T> here = part.slice(0, rows * count).reshaped({rows, count});
      matmul_into(all.where(), here, left, panel, algorithm);
      copy_rows(own.data() + first, columns * sizeof(T), here.data(), count * sizeof(T), count * sizeof(T),
                rows, all.where());
    }
  }
  return product;
}

template <class T, class X>
array_view<const T> view_of_whole(const X& x) {
  const auto in = input(x);
  return {in.data, shape_of(x), in.where};
}

/// The part of an operand that every rank has for batches first … last − 1 of another of `lengths`.
template <class T>
array_view<const T> batches_of(const array_view<const T>& x, const shape& lengths, std::size_t first,
                               std::size_t last) {
  const bool is_batch =
      x.shape().axes() > 2 && x.shape().axes() == lengths.axes() && x.shape()[0] == lengths[0];
  return is_batch ? x.slice(first, last) : x;
}

/// a·b, of which every rank has a, a row, and b: each has its share of the columns of the product, or of the
/// batches.
template <class T>
distributed_array<T> matmul_of_row(const ranks& all, const array_view<const T>& a,
                                   const array_view<const T>& b, matmul_algorithm algorithm) {
  const shape lengths = matmul_shape(a.shape(), b.shape());
  if (lengths.axes() == 0) fail_matmul_vectors(a.shape(), b.shape());
  distributed_array<T> product(all, lengths);
  const std::size_t first = product.first_row(), last = first + product.rows();
  if (b.shape().axes() > 2) {
    matmul_into(all.where(), product.local(), a, b.slice(first, last), algorithm);
  } else {
    matmul_into(all.where(), product.local().reshaped({1, last - first}), a.reshaped({1, a.size()}),
                view_of_matrix(b).part(0, b.shape()[0], first, last), algorithm);
  }
  return product;
}

/// a·b, of which a is distributed, and every rank has b.
template <class T>
distributed_array<T> matmul_by_whole(const ranks& all, const distributed_array<T>& a,
                                     const array_view<const T>& b, matmul_algorithm algorithm) {
  if (a.shape().axes() == 1) {
    const array<T> row = a.gather(all.where());
    return matmul_of_row(all, row.view(), b, algorithm);
  }
  const shape lengths = matmul_shape(a.shape(), b.shape());
  if (lengths[0] != a.shape()[0] || (a.shape().axes() == 2 && b.shape().axes() > 2))
    fail_matmul_axes(a.shape(), b.shape());
  const std::size_t first = a.first_row();
  return {all, lengths, a.begins(),
          matmul(all.where(), a.local(), batches_of(b, a.shape(), first, first + a.rows()), algorithm)};
}

/// a·b, of which every rank has a, and b is distributed. Each rank gets whole columns of b, its share of
/// them, and gives the rows of the product back; where there are fewer columns than ranks each gets all of b,
/// and has its share of the rows of a.
template <class T>
distributed_array<T> matmul_of_whole(const ranks& all, const array_view<const T>& a,
                                     const distributed_array<T>& b, matmul_algorithm algorithm) {
  const shape lengths = matmul_shape(a.shape(), b.shape());
  if (lengths.axes() == 0) fail_matmul_vectors(a.shape(), b.shape());
  if (b.shape().axes() > 2) {
    if (lengths[0] != b.shape()[0]) fail_matmul_axes(a.shape(), b.shape());
    const std::size_t first = b.first_row();
    return {all, lengths, b.begins(),
            matmul(all.where(), batches_of(a, b.shape(), first, first + b.rows()), b.local(), algorithm)};
  }
  if (a.shape().axes() > 2) fail_matmul_axes(a.shape(), b.shape());
  const bool is_row = a.shape().axes() == 1;
  if (b.shape().axes() == 1 || are_few_columns(all, b.shape())) {
    const array<T> whole = b.gather(all.where());
    if (is_row) return matmul_of_row(all, a, whole.view(), algorithm);
    distributed_array<T> product(all, lengths);
    const std::size_t first = product.first_row();
    matmul_into(all.where(), product.local(), a.slice(first, first + product.rows()), whole, algorithm);
    return product;
  }
  distributed_array<T> product(all, lengths);
  const std::vector<std::size_t> columns =
      is_row ? product.begins() : even_blocks(shape{b.shape()[1]}, all.size());
  const auto me = static_cast<std::size_t>(all.rank());
  array<T> share({b.shape()[0], columns[me + 1] - columns[me]}, all.where());
  columns_of_rank(all, to_read(all, b), columns, share.data());
  if (is_row) {
    matmul_into(all.where(), product.local(), a, share, algorithm);
  } else {
    const array<T> whole_columns = matmul(all.where(), a, share, algorithm);
    rows_of_rank(all, whole_columns.data(), columns, to_fill(all, product));
  }
  return product;
}

/// a·b, of which both are distributed.
template <class T>
distributed_array<T> matmul_of_spread(const ranks& all, const distributed_array<T>& a,
                                      const distributed_array<T>& b, matmul_algorithm algorithm) {
  if (a.shape().axes() == 1) {
    const array<T> row = a.gather(all.where());
    return matmul_of_whole(all, row.view(), b, algorithm);
  }
  const shape lengths = matmul_shape(a.shape(), b.shape());
  if (a.shape().axes() == 2 && b.shape().axes() <= 2) return matmul_by_panels(all, a, b, lengths, algorithm);
  if (a.shape().axes() != b.shape().axes() || a.shape()[0] != b.shape()[0])
    fail_matmul_axes(a.shape(), b.shape());
  const distributed_array<T> beside = b.redistributed(a.begins());
  return {all, lengths, a.begins(), matmul(all.where(), a.local(), beside.local(), algorithm)};
}

}  // namespace heddle::impl

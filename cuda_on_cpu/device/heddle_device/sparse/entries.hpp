#pragma once

/// Of cuSPARSE: the entries of matrices in all formats, and elements of dense ones.

#include "numbers.hpp"

namespace heddle_device::sparse {

inline void* moved(void* from, long long elements, size_t bytes) {
  return from == nullptr ? nullptr : static_cast<char*>(from) + elements * static_cast<long long>(bytes);
}
/// Matrix number i of those that a descriptor has one after another; of one that is for all of them, that
/// one.
inline cusparseSpMatDescr number_of(cusparseSpMatDescr m, int i) {
  if (m.count <= 1) return m;
  m.offsets = moved(m.offsets, i * m.offsets_step, bytes_of(m.offset_type));
  m.indices = moved(m.indices, i * m.indices_step, bytes_of(m.index_type));
  m.values = moved(m.values, i * m.values_step, bytes_of(m.value_type));
  return m;
}
inline cusparseDnMatDescr number_of(cusparseDnMatDescr m, int i) {
  if (m.count > 1) m.values = moved(m.values, i * m.step, bytes_of(m.value_type));
  return m;
}

inline number get(const cusparseDnMatDescr& m, long long row, long long column) {
  return get(m.values, m.value_type,
             m.order == CUSPARSE_ORDER_COL ? row + column * m.pitch : row * m.pitch + column);
}
inline number get(const cusparseDnMatDescr& m, cusparseOperation_t op, long long row, long long column) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? get(m, row, column) : with(op, get(m, column, row));
}
inline void put(const cusparseDnMatDescr& m, long long row, long long column, const number& value) {
  put(m.values, m.value_type, m.order == CUSPARSE_ORDER_COL ? row + column * m.pitch : row * m.pitch + column,
      value);
}
inline long long rows_of(const cusparseDnMatDescr& m, cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m.rows : m.columns;
}
inline long long columns_of(const cusparseDnMatDescr& m, cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m.columns : m.rows;
}
inline long long rows_of(const cusparseSpMatDescr& m, cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m.rows : m.columns;
}
inline long long columns_of(const cusparseSpMatDescr& m, cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m.columns : m.rows;
}

inline long long entries_of(const cusparseSpMatDescr& m) {
  return m.entries * m.block_rows * m.block_columns;
}

/// Calls f(row, column, place of the value) for each entry, in the order in which they are stored.
template <class F>
void for_entries(const cusparseSpMatDescr& m, const F& f) {
  if (m.format == CUSPARSE_FORMAT_COO) {
    for (long long i = 0; i < m.entries; ++i)
      f(index(m.offsets, m.offset_type, i) - m.base, index(m.indices, m.index_type, i) - m.base, i);
    return;
  }
  const bool is_by_columns = m.format == CUSPARSE_FORMAT_CSC;
  const long long lines = is_by_columns ? m.columns : m.rows / m.block_rows;
  for (long long line = 0; line < lines; ++line) {
    const long long begin = index(m.offsets, m.offset_type, line) - m.base,
                    end = index(m.offsets, m.offset_type, line + 1) - m.base;
    for (long long i = begin; i < end; ++i) {
      const long long across = index(m.indices, m.index_type, i) - m.base;
      if (m.format != CUSPARSE_FORMAT_BSR) {
        is_by_columns ? f(across, line, i) : f(line, across, i);
        continue;
      }
      for (long long r = 0; r < m.block_rows; ++r) {
        for (long long c = 0; c < m.block_columns; ++c) {
          const long long inside =
              m.block_order == CUSPARSE_ORDER_ROW ? r * m.block_columns + c : r + c * m.block_rows;
          f(line * m.block_rows + r, across * m.block_columns + c,
            i * m.block_rows * m.block_columns + inside);
        }
      }
    }
  }
}
/// The same of op(m).
template <class F>
void for_entries(const cusparseSpMatDescr& m, cusparseOperation_t op, const F& f) {
  for_entries(m, [&](long long row, long long column, long long at) {
    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) {
      f(row, column, at);
    } else {
      f(column, row, at);
    }
  });
}

/// Tells of an access by an index that a matrix should not have.
inline void touch(const void* values, cudaDataType type, long long i) {
  library_reads(static_cast<const char*>(values) + i * static_cast<long long>(bytes_of(type)),
                bytes_of(type));
}

/// Sums of complex numbers, which are not watched.
class sums {
 public:
  explicit sums(long long n) : re_(n), im_(n) {}
  bool has(long long i) const { return re_.has(i); }
  void add(long long i, const number& z) {
    re_.add(i, z.real());
    im_.add(i, z.imag());
  }
  void clear(long long i) {
    re_.set(i, 0);
    im_.set(i, 0);
  }
  number get(long long i) const { return {re_.get(i), im_.get(i)}; }

 private:
  library_numbers<double> re_, im_;
};

/// The entries of op(m) by rows, and in each row as they are stored.
class rows_of_entries {
 public:
  rows_of_entries(const cusparseSpMatDescr& m, cusparseOperation_t op)
      : rows_(rows_of(m, op)), begin_(rows_ + 1), columns_(entries_of(m)), places_(entries_of(m)) {
    for_entries(m, op, [&](long long row, long long, long long) {
      if (row >= 0 && row < rows_) begin_.add(row + 1, 1);
    });
    for (long long r = 0; r < rows_; ++r) begin_.add(r + 1, begin_.get(r));
    library_numbers<long long> next(rows_);
    for (long long r = 0; r < rows_; ++r) next.set(r, begin_.get(r));
    for_entries(m, op, [&](long long row, long long column, long long at) {
      if (row < 0 || row >= rows_ || !columns_.has(next.get(row))) return;
      columns_.set(next.get(row), column);
      places_.set(next.get(row), at);
      next.add(row, 1);
    });
  }
  long long rows() const { return rows_; }
  long long begin(long long row) const { return begin_.get(row); }
  long long column(long long i) const { return columns_.get(i); }
  long long place(long long i) const { return places_.get(i); }

 private:
  long long rows_;
  library_numbers<long long> begin_, columns_, places_;
};

}  // namespace heddle_device::sparse

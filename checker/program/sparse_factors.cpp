#include "checker/program/sparse_factors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <new>
#include <vector>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <Eigen/SparseQR>

namespace heddle::checker {
namespace {

using heddle_device::sparse_factoring, heddle_device::sparse_matrix, heddle_device::sparse_method,
    heddle_device::sparse_order;

template <class T, int Order = Eigen::ColMajor>
using matrix = Eigen::SparseMatrix<T, Order, long long>;
template <class T>
using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
// The first small pivot is that of the order in which cuSOLVER was given the columns.
using as_they_are = Eigen::NaturalOrdering<long long>;
using rows_taken = Eigen::Array<bool, Eigen::Dynamic, 1>;

/// f(row, column, k) of the entries within the matrix.
template <class F>
void for_each_entry(const sparse_matrix& a, const F& f) {
  for (long long i = 0; i < a.rows; ++i)
    for (long long k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (a.indices[k] >= 0 && a.indices[k] < a.columns) f(i, a.indices[k], k);
}

/// Entries of the same place are added up.
template <class T, int Order = Eigen::ColMajor>
matrix<T, Order> matrix_of(const sparse_matrix& a) {
  const T* const values = reinterpret_cast<const T*>(a.values);
  std::vector<Eigen::Triplet<T, long long>> entries;
  for_each_entry(a, [&](long long i, long long j, long long k) { entries.emplace_back(i, j, values[k]); });
  matrix<T, Order> made(a.rows, a.columns);
  made.setFromTriplets(entries.begin(), entries.end());
  return made;
}

/// Factors of a matrix without rows or columns, and what those of others have in common.
template <class T>
class factors_in : public sparse_factors {
 public:
  explicit factors_in(const sparse_matrix& a) : rows_(a.rows), columns_(a.columns) {}

  long long first_small_pivot(double tolerance) const override {
    const auto found =
        std::find_if(pivots_.begin(), pivots_.end(), [&](double x) { return !(x > tolerance); });
    const long long at = found - pivots_.begin();
    return at < columns_ ? at : -1;
  }
  long long boosted() const override { return boosted_; }
  void pivots(double* to) const override {
    std::fill(std::copy(pivots_.begin(), pivots_.end(), to), to + columns_, 0.0);
  }
  void solve(const double* right, double* solution) const override {
    const Eigen::Map<const vector<T>> b(reinterpret_cast<const T*>(right), rows_);
    Eigen::Map<vector<T>> x(reinterpret_cast<T*>(solution), columns_);
    if (are_whole())
      x = solved(b);
    else
      x.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  long long entries_of(bool) const override { return 0; }
  void extract(bool, long long*, long long*, double*, long long*) const override {}

 protected:
  virtual vector<T> solved(const vector<T>& b) const { return b; }
  bool are_whole() const { return static_cast<long long>(pivots_.size()) == columns_; }

  long long rows_, columns_;
  std::vector<double> pivots_;  // sizes of so many as were found
  long long boosted_ = 0;
};

/// L L^H as L D L^H, whose D says which pivot is not positive.
template <class T>
class cholesky final : public factors_in<T> {
 public:
  explicit cholesky(const sparse_matrix& a) : factors_in<T>(a), solver_(matrix_of<T>(a)) {
    const vector<T> d = solver_.vectorD();
    for (const T& each : d) {
      if (!(std::real(each) > 0)) return;
      this->pivots_.push_back(std::sqrt(std::real(each)));
    }
  }

 private:
  vector<T> solved(const vector<T>& b) const override { return solver_.solve(b); }

  Eigen::SimplicialLDLT<matrix<T>, Eigen::Lower, as_they_are> solver_;
};

/// P A = L U. The diagonal's element is the pivot where it is not smaller than the threshold times the
/// largest one.
template <class T>
class lu final : public factors_in<T> {
 public:
  lu(const sparse_matrix& a, double threshold) : factors_in<T>(a) {
    solver_.setPivotThreshold(threshold);
    solver_.compute(matrix_of<T>(a));
    const long long done = solver_.columns_done();
    for (long long j = 0; j < done; ++j) this->pivots_.push_back(std::abs(solver_.pivot(j)));
  }

  long long entries_of(bool is_upper) const override { return factor(is_upper).nonZeros(); }
  void extract(bool is_upper, long long* offsets, long long* indices, double* values,
               long long* rows) const override {
    const matrix<T, Eigen::RowMajor> of = factor(is_upper);
    std::copy_n(of.outerIndexPtr(), this->columns_ + 1, offsets);
    std::copy_n(of.innerIndexPtr(), of.nonZeros(), indices);
    std::copy_n(of.valuePtr(), of.nonZeros(), reinterpret_cast<T*>(values));
    for (long long i = 0; i < this->columns_; ++i) rows[solver_.rowsPermutation().indices()(i)] = i;
  }

 private:
  struct eigen_lu : Eigen::SparseLU<matrix<T>, as_they_are> {
    /// Columns before the first one that has nothing for a pivot.
    long long columns_done() const {
      if (this->m_lastError.starts_with("UNABLE")) throw std::bad_alloc();
      return this->m_perm_r.indices().maxCoeff() + (this->m_lastError.empty() ? 1 : 0);
    }
    /// Also where the matrix is singular, and nothing public is there.
    T pivot(long long j) const {
      return this->m_glu.lusup(this->m_glu.xlusup(j) + j - this->m_glu.xsup(this->m_glu.supno(j)));
    }
  };

  vector<T> solved(const vector<T>& b) const override { return solver_.solve(b); }
  /// L without its diagonal of ones, or U, of which Eigen has part with L.
  matrix<T, Eigen::RowMajor> factor(bool is_upper) const {
    std::vector<Eigen::Triplet<T, long long>> entries;
    const auto add = [&](auto each) {
      for (; each; ++each)
        if ((each.row() <= each.col()) == is_upper)
          entries.emplace_back(each.row(), each.col(), each.value());
    };
    for (long long j = 0; this->are_whole() && j < this->columns_; ++j) {
      const auto& lower = solver_.matrixL().m_mapL;
      const auto& upper = solver_.matrixU().m_mapU;
      add(typename std::decay_t<decltype(lower)>::InnerIterator(lower, j));
      add(typename std::decay_t<decltype(upper)>::InnerIterator(upper, j));
    }
    matrix<T, Eigen::RowMajor> made(this->columns_, this->columns_);
    made.setFromTriplets(entries.begin(), entries.end());
    return made;
  }

  eigen_lu solver_;
};

template <class T>
class qr final : public factors_in<T> {
 public:
  explicit qr(const sparse_matrix& a) : factors_in<T>(a) {
    solver_.setPivotThreshold(0);  // Eigen moves columns with smaller pivots, so only those of NaN
    solver_.compute(matrix_of<T>(a));
    const matrix<T, Eigen::RowMajor> r = solver_.matrixR();
    for (long long j = 0; j < solver_.rank() && solver_.colsPermutation().indices()(j) == j; ++j)
      this->pivots_.push_back(std::abs(r.coeff(j, j)));
  }

 private:
  vector<T> solved(const vector<T>& b) const override { return solver_.solve(b); }

  Eigen::SparseQR<matrix<T>, as_they_are> solver_;
};

/// L U in the entries that the matrix has, without exchanges: Eigen has no factors of a given pattern.
template <class T>
class lu_in_place final : public factors_in<T> {
 public:
  lu_in_place(const sparse_matrix& a, double zero, double boost)
      : factors_in<T>(a), both_(matrix_of<T, Eigen::RowMajor>(a)) {
    using iterator = typename matrix<T, Eigen::RowMajor>::InnerIterator;
    std::vector<T*> in_row(static_cast<std::size_t>(this->columns_));
    const auto place = [&](const iterator& of) -> T*& { return in_row[static_cast<std::size_t>(of.col())]; };
    for (long long i = 0; i < this->columns_; ++i) {
      T& pivot = both_.coeffRef(i, i);
      for (iterator e(both_, i); e; ++e) place(e) = &e.valueRef();
      for (iterator e(both_, i); e.col() < i; ++e) {
        e.valueRef() /= both_.coeff(e.col(), e.col());
        for (iterator of(both_, e.col()); of; ++of)
          if (of.col() > e.col() && place(of) != nullptr) *place(of) -= e.value() * of.value();
      }
      if (std::abs(pivot) < zero && boost > 0) {
        pivot = boost;
        ++this->boosted_;
      }
      this->pivots_.push_back(std::abs(pivot));
      for (iterator e(both_, i); e; ++e) place(e) = nullptr;
    }
  }

 private:
  vector<T> solved(const vector<T>& b) const override {
    const vector<T> y = both_.template triangularView<Eigen::UnitLower>().solve(b);
    return both_.template triangularView<Eigen::Upper>().solve(y);
  }

  matrix<T, Eigen::RowMajor> both_;
};

template <class T>
std::unique_ptr<sparse_factors> factors_of_type(const sparse_matrix& a, const sparse_factoring& how) {
  if (a.rows == 0 || a.columns == 0) return std::make_unique<factors_in<T>>(a);
  switch (how.method) {
    case sparse_method::cholesky:
      return std::make_unique<cholesky<T>>(a);
    case sparse_method::lu:
      return std::make_unique<lu<T>>(a, how.threshold);
    case sparse_method::qr:
      return std::make_unique<qr<T>>(a);
    case sparse_method::lu_in_place:
      return std::make_unique<lu_in_place<T>>(a, how.zero, how.boost);
  }
  return nullptr;
}

/// Entries of the matrix and of its transpose.
matrix<double> graph_of(const sparse_matrix& a) {
  std::vector<Eigen::Triplet<double, long long>> entries;
  for_each_entry(a, [&](long long i, long long j, long long) {
    entries.emplace_back(i, j, 1);
    entries.emplace_back(j, i, 1);
  });
  matrix<double> made(a.rows, a.rows);
  made.setFromTriplets(entries.begin(), entries.end());
  return made;
}

/// The part of a graph that a row is in: breadth first, neighbours of low degree first.
std::vector<long long> breadth_first(const matrix<double>& graph, long long from, rows_taken& is_taken) {
  std::vector<long long> order{from};
  is_taken(from) = true;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const auto begin = static_cast<std::ptrdiff_t>(order.size());
    for (matrix<double>::InnerIterator e(graph, order[next]); e; ++e) {
      if (!is_taken(e.row())) order.push_back(e.row());
      is_taken(e.row()) = true;
    }
    std::ranges::stable_sort(order.begin() + begin, order.end(), {},
                             [&](long long row) { return graph.col(row).nonZeros(); });
  }
  return order;
}

/// Reverse Cuthill and McKee (1969), which Eigen has not. Each part begins far out: where a walk from where a
/// walk from any row ends, ends.
std::vector<long long> small_bandwidth(const matrix<double>& graph) {
  std::vector<long long> result;
  rows_taken is_taken = rows_taken::Constant(graph.cols(), false);
  for (long long first = 0; first < graph.cols(); ++first) {
    if (is_taken(first)) continue;
    rows_taken once = is_taken, twice = is_taken;
    const long long end = breadth_first(graph, breadth_first(graph, first, once).back(), twice).back();
    std::ranges::copy(breadth_first(graph, end, is_taken), std::back_inserter(result));
  }
  std::ranges::reverse(result);
  return result;
}

}  // namespace

std::unique_ptr<sparse_factors> factors_of(const sparse_matrix& a, const sparse_factoring& how) {
  return a.is_complex ? factors_of_type<std::complex<double>>(a, how) : factors_of_type<double>(a, how);
}

void order_for_factors(const sparse_matrix& a, sparse_order how, long long* permutation) {
  if (a.rows == 0) return;
  const matrix<double> graph = graph_of(a);
  if (how == sparse_order::small_bandwidth) {
    std::ranges::copy(small_bandwidth(graph), permutation);
  } else {
    Eigen::AMDOrdering<long long>::PermutationType order;
    Eigen::AMDOrdering<long long>()(graph, order);
    std::copy_n(order.indices().data(), a.rows, permutation);
  }
}

}  // namespace heddle::checker

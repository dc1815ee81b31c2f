#include "sparse_factors.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <queue>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::checker {
namespace {

using heddle_device::sparse_factoring, heddle_device::sparse_matrix, heddle_device::sparse_method,
    heddle_device::sparse_order;

template <class T>
struct entry {
  long long at;
  T value;
};
template <class T>
using sparse_line = std::vector<entry<T>>;

double conjugate(double x) {
  return x;
}
std::complex<double> conjugate(const std::complex<double>& z) {
  return std::conj(z);
}

/// The rows of a matrix, or its columns, in order; equal places are added up, and those outside left out.
template <class T>
std::vector<sparse_line<T>> lines_of(const sparse_matrix& a, bool by_columns = false) {
  std::vector<sparse_line<T>> lines(static_cast<std::size_t>(by_columns ? a.columns : a.rows));
  for (long long i = 0; i < a.rows; ++i) {
    for (long long k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const long long j = a.indices[k];
      if (j < 0 || j >= a.columns) continue;
      T value;
      if constexpr (std::is_same_v<T, double>) {
        value = a.values[k];
      } else {
        value = {a.values[2 * k], a.values[2 * k + 1]};
      }
      lines[static_cast<std::size_t>(by_columns ? j : i)].push_back({by_columns ? i : j, value});
    }
  }
  for (sparse_line<T>& line : lines) {
    std::stable_sort(line.begin(), line.end(),
                     [](const entry<T>& x, const entry<T>& y) { return x.at < y.at; });
    std::size_t kept = 0;
    for (const entry<T>& e : line) {
      if (kept > 0 && line[kept - 1].at == e.at) {
        line[kept - 1].value += e.value;
      } else {
        line[kept++] = e;
      }
    }
    line.resize(kept);
  }
  return lines;
}

template <class T>
class factors_in : public sparse_factors {
 public:
  explicit factors_in(const sparse_matrix& a)
      : rows_(static_cast<std::size_t>(a.rows)), columns_(static_cast<std::size_t>(a.columns)) {}

  long long first_small_pivot(double tolerance) const override {
    for (std::size_t j = 0; j < pivots_.size(); ++j)
      if (!(std::abs(pivots_[j]) > tolerance)) return static_cast<long long>(j);
    return pivots_.size() < columns_ ? static_cast<long long>(pivots_.size()) : -1;
  }
  long long boosted() const override { return boosted_; }
  void solve(const double* right, double* solution) const override {
    std::vector<T> b(rows_), x;
    for (std::size_t i = 0; i < rows_; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        b[i] = right[i];
      } else {
        b[i] = {right[2 * i], right[2 * i + 1]};
      }
    }
    x = solved(std::move(b));
    for (std::size_t i = 0; i < columns_; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        solution[i] = x[i];
      } else {
        solution[2 * i] = x[i].real();
        solution[2 * i + 1] = x[i].imag();
      }
    }
  }
  void pivots(double* to) const override {
    for (std::size_t j = 0; j < columns_; ++j) to[j] = j < pivots_.size() ? std::abs(pivots_[j]) : 0;
  }
  long long entries_of(bool) const override { return 0; }
  void extract(bool, long long*, long long*, double*, long long*) const override {}

 protected:
  virtual std::vector<T> solved(std::vector<T> b) const = 0;

  std::size_t rows_, columns_;
  std::vector<T> pivots_;  // so many as were found
  long long boosted_ = 0;
};

/// L L^H, a row at a time (T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, 4.7).
template <class T>
class cholesky final : public factors_in<T> {
 public:
  explicit cholesky(const sparse_matrix& a) : factors_in<T>(a), below_(this->columns_) {
    const std::vector<sparse_line<T>> rows = lines_of<T>(a);
    constexpr auto none = static_cast<std::size_t>(-1);
    const std::size_t n = this->columns_;
    std::vector<std::size_t> parent(n, none), seen(n, none), reached;
    std::vector<T> x(n);
    for (std::size_t k = 0; k < n; ++k) {
      seen[k] = k;
      reached.clear();
      double diagonal = 0;
      for (const entry<T>& e : rows[k]) {
        const auto i = static_cast<std::size_t>(e.at);
        if (i == k) diagonal = std::real(e.value);
        if (i >= k) continue;
        x[i] = conjugate(e.value);
        // The elimination tree from i up to k tells what else is not zero.
        for (std::size_t at = i; seen[at] != k; at = parent[at]) {
          if (parent[at] == none) parent[at] = k;
          seen[at] = k;
          reached.push_back(at);
        }
      }
      std::sort(reached.begin(), reached.end());
      for (const std::size_t i : reached) {
        const T y = x[i] / this->pivots_[i];
        x[i] = T();
        for (const entry<T>& e : below_[i]) x[static_cast<std::size_t>(e.at)] -= e.value * y;
        diagonal -= std::norm(y);
        below_[i].push_back({static_cast<long long>(k), conjugate(y)});
      }
      if (!(diagonal > 0)) return;
      this->pivots_.push_back(std::sqrt(diagonal));
    }
  }

 private:
  std::vector<T> solved(std::vector<T> b) const override {
    const std::size_t n = this->pivots_.size();
    for (std::size_t j = 0; j < n; ++j) {
      b[j] /= this->pivots_[j];
      for (const entry<T>& e : below_[j]) b[static_cast<std::size_t>(e.at)] -= e.value * b[j];
    }
    for (std::size_t j = n; j-- > 0;) {
      for (const entry<T>& e : below_[j]) b[j] -= conjugate(e.value) * b[static_cast<std::size_t>(e.at)];
      b[j] /= this->pivots_[j];
    }
    return b;
  }

  std::vector<sparse_line<T>> below_;  // the columns below the diagonal
};

/// P A = L U, a column at a time (J. R. Gilbert and T. Peierls, SIAM J. Sci. Stat. Comput. 9, 1988). The
/// diagonal's element is the pivot where it is not smaller than the threshold times the largest one.
template <class T>
class lu final : public factors_in<T> {
 public:
  lu(const sparse_matrix& a, double threshold)
      : factors_in<T>(a), lower_(this->columns_), upper_(this->columns_), row_of_(this->columns_) {
    const std::vector<sparse_line<T>> columns = lines_of<T>(a, true);
    const std::size_t n = this->columns_;
    constexpr long long none = -1;
    step_of_.assign(n, none);
    std::vector<T> x(n);
    std::vector<std::size_t> marked(n, n), pattern;
    std::priority_queue<long long, std::vector<long long>, std::greater<>> steps;
    for (std::size_t k = 0; k < n; ++k) {
      pattern.clear();
      const auto mark = [&](long long row) {
        const auto r = static_cast<std::size_t>(row);
        if (marked[r] == k) return;
        marked[r] = k;
        pattern.push_back(r);
        if (step_of_[r] != none) steps.push(step_of_[r]);
      };
      for (const entry<T>& e : columns[k]) {
        mark(e.at);
        x[static_cast<std::size_t>(e.at)] = e.value;
      }
      while (!steps.empty()) {
        const long long j = steps.top();
        steps.pop();
        const T u = x[row_of_[static_cast<std::size_t>(j)]];
        upper_[k].push_back({j, u});
        for (const entry<T>& e : lower_[static_cast<std::size_t>(j)]) {
          mark(e.at);
          x[static_cast<std::size_t>(e.at)] -= e.value * u;
        }
      }
      std::size_t best = n;
      for (const std::size_t r : pattern)
        if (step_of_[r] == none && (best == n || std::abs(x[r]) > std::abs(x[best]))) best = r;
      // A column without an element for a pivot: any row will do, and the matrix is singular.
      if (best == n)
        best = static_cast<std::size_t>(std::find(step_of_.begin(), step_of_.end(), none) - step_of_.begin());
      if (marked[k] == k && step_of_[k] == none && std::abs(x[k]) >= threshold * std::abs(x[best])) best = k;
      const T pivot = x[best];
      row_of_[k] = best;
      step_of_[best] = static_cast<long long>(k);
      this->pivots_.push_back(pivot);
      for (const std::size_t r : pattern) {
        if (step_of_[r] == none && pivot != T())
          lower_[k].push_back({static_cast<long long>(r), x[r] / pivot});
        x[r] = T();
      }
    }
  }

  long long entries_of(bool is_upper) const override {
    long long count = is_upper ? static_cast<long long>(this->columns_) : 0;
    for (const sparse_line<T>& line : is_upper ? upper_ : lower_)
      count += static_cast<long long>(line.size());
    return count;
  }
  void extract(bool is_upper, long long* offsets, long long* indices, double* values,
               long long* rows) const override {
    const std::size_t n = this->columns_;
    std::vector<sparse_line<T>> lines(n);
    for (std::size_t k = 0; k < n; ++k) {
      rows[k] = static_cast<long long>(row_of_[k]);
      const auto column = static_cast<long long>(k);
      for (const entry<T>& e : is_upper ? upper_[k] : lower_[k]) {
        const long long row = is_upper ? e.at : step_of_[static_cast<std::size_t>(e.at)];
        lines[static_cast<std::size_t>(row)].push_back({column, e.value});
      }
      if (is_upper) lines[k].push_back({column, this->pivots_[k]});
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      offsets[i] = static_cast<long long>(at);
      for (const entry<T>& e : lines[i]) {
        indices[at] = e.at;
        if constexpr (std::is_same_v<T, double>) {
          values[at] = e.value;
        } else {
          values[2 * at] = e.value.real();
          values[2 * at + 1] = e.value.imag();
        }
        ++at;
      }
    }
    offsets[n] = static_cast<long long>(at);
  }

 private:
  std::vector<T> solved(std::vector<T> b) const override {
    const std::size_t n = this->columns_;
    std::vector<T> y(n);
    for (std::size_t k = 0; k < n; ++k) {
      y[k] = b[row_of_[k]];
      for (const entry<T>& e : lower_[k]) b[static_cast<std::size_t>(e.at)] -= e.value * y[k];
    }
    for (std::size_t k = n; k-- > 0;) {
      y[k] /= this->pivots_[k];
      for (const entry<T>& e : upper_[k]) y[static_cast<std::size_t>(e.at)] -= e.value * y[k];
    }
    return y;
  }

  std::vector<sparse_line<T>> lower_, upper_;  // columns without the diagonal, of L by rows of A
  std::vector<std::size_t> row_of_;            // by step
  std::vector<long long> step_of_;             // by row
};

/// Q R, a row at a time by rotations (A. George and M. T. Heath, Linear Algebra Appl. 34, 1980).
template <class T>
class qr final : public factors_in<T> {
 public:
  explicit qr(const sparse_matrix& a) : factors_in<T>(a), upper_(this->columns_), rotations_(this->rows_) {
    std::vector<sparse_line<T>> rows = lines_of<T>(a);
    sparse_line<T> rotated, rest;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sparse_line<T> row = std::move(rows[i]);
      while (!row.empty()) {
        const auto j = static_cast<std::size_t>(row.front().at);
        sparse_line<T>& of = upper_[j];
        const T f = of.empty() ? T() : of.front().value, g = row.front().value;
        const double size = std::hypot(std::abs(f), std::abs(g));
        if (size == 0 && !of.empty()) {
          row.erase(row.begin());
          continue;
        }
        const rotation r = of.empty() ? rotation{j, T(), T(1)} : rotation{j, f / size, g / size};
        rotations_[i].push_back(r);
        rotated.clear();
        rest.clear();
        for (std::size_t x = 0, y = 0; x < of.size() || y < row.size();) {
          const bool first = y == row.size() || (x < of.size() && of[x].at <= row[y].at);
          const bool second = x == of.size() || (y < row.size() && row[y].at <= of[x].at);
          const long long at = first ? of[x].at : row[y].at;
          const T p = first ? of[x++].value : T(), q = second ? row[y++].value : T();
          rotated.push_back({at, conjugate(r.a) * p + conjugate(r.b) * q});
          if (static_cast<std::size_t>(at) != j && !of.empty()) rest.push_back({at, r.a * q - r.b * p});
        }
        of.swap(rotated);
        row.swap(rest);
      }
    }
    for (std::size_t j = 0; j < this->columns_; ++j)
      this->pivots_.push_back(upper_[j].empty() ? T() : upper_[j].front().value);
  }

 private:
  struct rotation {
    std::size_t row;
    T a, b;
  };

  std::vector<T> solved(std::vector<T> b) const override {
    std::vector<T> y(this->columns_);
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (const rotation& r : rotations_[i]) {
        const T before = y[r.row];
        y[r.row] = conjugate(r.a) * before + conjugate(r.b) * b[i];
        b[i] = r.a * b[i] - r.b * before;
      }
    }
    for (std::size_t j = this->columns_; j-- > 0;) {
      for (const entry<T>& e : upper_[j])
        if (static_cast<std::size_t>(e.at) != j) y[j] -= e.value * y[static_cast<std::size_t>(e.at)];
      y[j] /= this->pivots_[j];
    }
    return y;
  }

  std::vector<sparse_line<T>> upper_;
  std::vector<std::vector<rotation>> rotations_;  // of each row of A
};

/// L U in the entries that the matrix has, without exchanges.
template <class T>
class lu_in_place final : public factors_in<T> {
 public:
  lu_in_place(const sparse_matrix& a, double zero, double boost)
      : factors_in<T>(a), rows_of_entries_(lines_of<T>(a)) {
    const std::size_t n = this->columns_;
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> place(n, none);
    for (std::size_t i = 0; i < n; ++i) {
      sparse_line<T>& row = rows_of_entries_[i];
      for (std::size_t k = 0; k < row.size(); ++k) place[static_cast<std::size_t>(row[k].at)] = k;
      T pivot = T();
      for (entry<T>& e : row) {
        const auto j = static_cast<std::size_t>(e.at);
        if (j == i) pivot = e.value;
        if (j >= i) break;
        e.value /= this->pivots_[j];
        for (const entry<T>& of : rows_of_entries_[j]) {
          const std::size_t to = place[static_cast<std::size_t>(of.at)];
          if (static_cast<std::size_t>(of.at) > j && to != none) row[to].value -= e.value * of.value;
        }
      }
      if (zero > 0 && std::abs(pivot) < zero && boost > 0) {
        pivot = boost;
        ++this->boosted_;
      }
      this->pivots_.push_back(pivot);
      for (const entry<T>& e : row) place[static_cast<std::size_t>(e.at)] = none;
    }
  }

 private:
  std::vector<T> solved(std::vector<T> b) const override {
    const std::size_t n = this->columns_;
    for (std::size_t i = 0; i < n; ++i)
      for (const entry<T>& e : rows_of_entries_[i])
        if (static_cast<std::size_t>(e.at) < i) b[i] -= e.value * b[static_cast<std::size_t>(e.at)];
    for (std::size_t i = n; i-- > 0;) {
      for (const entry<T>& e : rows_of_entries_[i])
        if (static_cast<std::size_t>(e.at) > i) b[i] -= e.value * b[static_cast<std::size_t>(e.at)];
      b[i] /= this->pivots_[i];
    }
    return b;
  }

  std::vector<sparse_line<T>> rows_of_entries_;
};

template <class T>
std::unique_ptr<sparse_factors> factors_of_type(const sparse_matrix& a, const sparse_factoring& how) {
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

using graph_of_rows = std::vector<std::vector<std::size_t>>;

/// The rows that share an entry of the matrix or its transpose, without their own.
graph_of_rows neighbours_of(const sparse_matrix& a) {
  graph_of_rows result(static_cast<std::size_t>(a.rows));
  for (long long i = 0; i < a.rows; ++i) {
    for (long long k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
      const long long j = a.indices[k];
      if (j < 0 || j >= a.rows || j == i) continue;
      result[static_cast<std::size_t>(i)].push_back(static_cast<std::size_t>(j));
      result[static_cast<std::size_t>(j)].push_back(static_cast<std::size_t>(i));
    }
  }
  for (std::vector<std::size_t>& each : result) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
  }
  return result;
}

/// Breadth first from a row, neighbours of low degree first; those that `is_taken` names are left out.
std::vector<std::size_t> breadth_first(const graph_of_rows& graph, std::size_t from,
                                       std::vector<bool>& is_taken, std::vector<std::size_t>& depth) {
  std::vector<std::size_t> order{from};
  is_taken[from] = true;
  depth[from] = 0;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const std::size_t at = order[next], begin = order.size();
    for (const std::size_t other : graph[at]) {
      if (is_taken[other]) continue;
      is_taken[other] = true;
      depth[other] = depth[at] + 1;
      order.push_back(other);
    }
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(),
                     [&](std::size_t x, std::size_t y) { return graph[x].size() < graph[y].size(); });
  }
  return order;
}

/// Reverse Cuthill and McKee, from an end of each part (George and Liu, ACM Trans. Math. Softw. 5, 1979).
std::vector<std::size_t> small_bandwidth(const graph_of_rows& graph) {
  std::vector<std::size_t> result, depth(graph.size());
  std::vector<bool> is_taken(graph.size());
  for (std::size_t first = 0; first < graph.size(); ++first) {
    if (is_taken[first]) continue;
    std::size_t begin = first, deepest = 0;
    for (bool goes_on = true; goes_on;) {
      std::vector<bool> own = is_taken;
      const std::vector<std::size_t> part = breadth_first(graph, begin, own, depth);
      const std::size_t last = depth[part.back()];
      goes_on = last > deepest;
      if (!goes_on) break;
      deepest = last;
      std::size_t end = part.back();
      for (const std::size_t at : part)
        if (depth[at] == last && graph[at].size() < graph[end].size()) end = at;
      begin = end;
    }
    const std::vector<std::size_t> part = breadth_first(graph, begin, is_taken, depth);
    result.insert(result.end(), part.begin(), part.end());
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Always the row with the fewest neighbours among those that are left (Tinney and Walker, Proc. IEEE 55,
/// 1967).
std::vector<std::size_t> minimum_degree(const graph_of_rows& graph) {
  std::vector<std::set<std::size_t>> left(graph.size());
  std::set<std::pair<std::size_t, std::size_t>> by_degree;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    left[i].insert(graph[i].begin(), graph[i].end());
    by_degree.emplace(left[i].size(), i);
  }
  std::vector<std::size_t> result;
  while (!by_degree.empty()) {
    const std::size_t chosen = by_degree.begin()->second;
    by_degree.erase(by_degree.begin());
    result.push_back(chosen);
    for (const std::size_t i : left[chosen]) {
      by_degree.erase({left[i].size(), i});
      left[i].erase(chosen);
      for (const std::size_t j : left[chosen])
        if (j != i) left[i].insert(j);
      by_degree.emplace(left[i].size(), i);
    }
    left[chosen].clear();
  }
  return result;
}

/// Halves with what separates them behind them, again and again (A. George, SIAM J. Numer. Anal. 10, 1973);
/// the middle of the levels from an end separates.
class dissection {
 public:
  explicit dissection(const graph_of_rows& graph)
      : graph_(graph), is_taken_(graph.size(), true), depth_(graph.size()) {
    std::vector<std::size_t> all(graph.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    divide(all);
  }
  std::vector<std::size_t> result;

 private:
  static constexpr std::size_t undivided = 16;

  void divide(const std::vector<std::size_t>& part) {
    for (const std::size_t i : part) is_taken_[i] = false;
    std::vector<std::vector<std::size_t>> connected;
    for (const std::size_t i : part) {
      if (is_taken_[i]) continue;
      const std::vector<std::size_t> once = breadth_first(graph_, i, is_taken_, depth_);
      for (const std::size_t j : once) is_taken_[j] = false;
      connected.push_back(breadth_first(graph_, once.back(), is_taken_, depth_));
    }
    for (const std::vector<std::size_t>& each : connected) divide_connected(each);
  }
  void divide_connected(const std::vector<std::size_t>& by_depth) {
    const std::size_t middle = depth_[by_depth[by_depth.size() / 2]];
    std::vector<std::size_t> near, between, far;
    for (const std::size_t i : by_depth)
      (depth_[i] < middle ? near : depth_[i] == middle ? between : far).push_back(i);
    if (by_depth.size() <= undivided || near.empty() || far.empty()) {
      result.insert(result.end(), by_depth.begin(), by_depth.end());
      return;
    }
    divide(near);
    divide(far);
    result.insert(result.end(), between.begin(), between.end());
  }

  const graph_of_rows& graph_;
  std::vector<bool> is_taken_;
  std::vector<std::size_t> depth_;
};

std::vector<std::size_t> ordered(const graph_of_rows& graph, sparse_order how) {
  switch (how) {
    case sparse_order::small_bandwidth:
      return small_bandwidth(graph);
    case sparse_order::minimum_degree:
      return minimum_degree(graph);
    case sparse_order::nested_dissection:
      return dissection(graph).result;
  }
  return {};
}

}  // namespace

std::unique_ptr<sparse_factors> factors_of(const sparse_matrix& a, const sparse_factoring& how) {
  return a.is_complex ? factors_of_type<std::complex<double>>(a, how) : factors_of_type<double>(a, how);
}

void order_for_factors(const sparse_matrix& a, sparse_order how, long long* permutation) {
  const std::vector<std::size_t> order = ordered(neighbours_of(a), how);
  for (std::size_t i = 0; i < order.size(); ++i) permutation[i] = static_cast<long long>(order[i]);
}

}  // namespace heddle::checker

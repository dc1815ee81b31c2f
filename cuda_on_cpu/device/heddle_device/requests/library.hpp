#pragma once

/// What replacements of CUDA's libraries ask of what runs a program, and what they have calculated outside of
/// the program. Whoever asks tells by itself what memory that reads and writes.

namespace heddle_device {

enum class transform_precision : u8 { f16, bf16, f32, f64 };
enum class transform_kind : u8 { complex_to_complex, real_to_complex, complex_to_real };

/// Where the elements of one side are, counted in elements of that side: element (i, j, k) of transform t
/// at t·distance + ((i·embedding[1] + j)·embedding[2] + k)·stride.
struct transform_layout {
  u64 lengths[3];
  u64 embedding[3];
  u64 stride, distance;
};

/// Discrete Fourier transforms of up to three axes, unscaled. The real ones go along the last axis, of which
/// the complex side has lengths[2] / 2 + 1 elements.
struct transform_request {
  transform_kind kind;
  transform_precision precision;
  bool is_inverse;        ///< of complex elements
  bool overwrites_input;  ///< what lies between the axes is left there
  u64 lengths[3];         ///< 1 for axes that it does not have, the first ones
  u64 count;
  const void* from;
  void* to;
  transform_layout from_layout, to_layout;
};

/// Row i has the entries from offsets[i] to offsets[i + 1] - 1; complex values have two numbers each.
struct sparse_matrix {
  bool is_complex;
  long long rows, columns;
  const long long* offsets;
  const long long* indices;
  const double* values;
};
enum class sparse_method : u8 { cholesky, lu, qr, lu_in_place };
struct sparse_factoring {
  sparse_method method;
  double threshold = 1;  ///< of lu: from 0 to 1, how much the diagonal is preferred
  double zero = 0,
         boost = 0;  ///< of lu_in_place: smaller pivots than `zero` become `boost`, if that is not 0
};
enum class sparse_order : u8 { small_bandwidth, minimum_degree };

/// What a sparse matrix was factored into.
class sparse_factors {
 public:
  /// The first pivot that is not larger, or -1.
  virtual long long first_small_pivot(double tolerance) const = 0;
  /// How many pivots were replaced.
  virtual long long boosted() const = 0;
  /// The pivots' sizes.
  virtual void pivots(double* to) const = 0;
  /// Least squares, for qr of more rows than columns.
  virtual void solve(const double* right, double* solution) const = 0;
  /// Of lu without pivots of zero: L without its diagonal of ones, or U, by rows, and the matrix's row of
  /// each of its own.
  virtual long long entries_of(bool is_upper) const = 0;
  virtual void extract(bool is_upper, long long* offsets, long long* indices, double* values,
                       long long* rows) const = 0;

 protected:
  ~sparse_factors() = default;
};

class library_runtime {
 public:
  virtual void transform(const transform_request& what) = 0;
  /// Memory beside the program's, filled with zeros, for code that is not watched.
  virtual void* lend(u64 bytes) = 0;
  virtual void take_back(void* lent) = 0;
  /// Puts numbers in the order of their keys, and equal keys as they are.
  virtual void sort(const u64* keys, u64* numbers, u64 count) = 0;
  virtual sparse_factors* factor(const sparse_matrix& a, const sparse_factoring& how) = 0;
  virtual void release(sparse_factors* factors) = 0;
  /// An order of rows and columns for fewer entries in factors, of a matrix or with its transpose.
  virtual void order(const sparse_matrix& pattern, sparse_order how, long long* permutation) = 0;
  /// Ends the program, since something is not supported.
  [[noreturn]] virtual void refuse(const char* what) = 0;

 protected:
  ~library_runtime() = default;
};

}  // namespace heddle_device

#pragma once

/// What stand-ins for CUDA's libraries ask of what runs a program, and what they have calculated outside of
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

class library_runtime {
 public:
  virtual void transform(const transform_request& what) = 0;
  /// Memory beside the program's, filled with zeros, for code that is not watched.
  virtual void* lend(u64 bytes) = 0;
  virtual void take_back(void* lent) = 0;
  /// Puts numbers in the order of their keys, and equal keys as they are.
  virtual void sort(const u64* keys, u64* numbers, u64 count) = 0;
  /// Ends the program, since something is not supported.
  [[noreturn]] virtual void refuse(const char* what) = 0;

 protected:
  ~library_runtime() = default;
};

}  // namespace heddle_device

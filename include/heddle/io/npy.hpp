#pragma once

#include <heddle/any_array.hpp>
#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/io/npy.hpp>
#include <heddle/shape.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace heddle {

/// An array in NumPy's .npy format (versions 1.0 to 3.0), open for reading. The file is mapped into memory,
/// not loaded, so it may be larger than memory; it must not be shortened while it is open. What cannot be
/// mapped, such as a pipe, is read to its end first.
///
/// All types of `dtype`, both byte orders and both memory orders are read. As in NumPy, only the first of
/// several arrays that were saved to one file is read. A malformed file is a heddle::error of one line with
/// the path, the byte where reading stopped and what is wrong there.
class npy_file {
 public:
  explicit npy_file(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  heddle::dtype dtype() const noexcept { return dtype_; }
  const heddle::shape& shape() const noexcept { return shape_; }
  /// The number of elements.
  std::size_t size() const noexcept { return size_; }
  bool fortran_order() const noexcept { return fortran_order_; }
  /// Whether the file's byte order is not this machine's.
  bool byte_swapped() const noexcept { return byte_swapped_; }

  /// The elements as they are in the file.
  const void* data() const noexcept { return file_.get() + data_offset_; }

  /// Whether `data` can be used in place: C order, this machine's byte order, aligned for the type. Never for
  /// bool, because a file may hold bytes other than 0 and 1, which `read` takes as true.
  bool is_native() const noexcept;

  /// The elements in place, or null when the file holds another type or is not native.
  template <class T>
    requires has_dtype<T>
  const T* native() const noexcept {
    return dtype_of<T> == dtype_ && is_native() ? static_cast<const T*>(data()) : nullptr;
  }

  /// Writes elements first … first+count−1, in the array's C order, to `out` as elements of type `as`, for
  /// which `out` must be aligned. They are converted as NumPy's astype does: integers modulo 2^bits, real
  /// numbers to integers by dropping the fraction, complex numbers to real ones by dropping the imaginary
  /// part, anything to bool by comparing with 0. A real number beyond an integer type's range, which NumPy
  /// leaves open, becomes the nearest integer of the type, and NaN becomes 0. A file in Fortran order is read
  /// fastest in few large pieces.
  void read(std::size_t first, std::size_t count, heddle::dtype as, void* out) const;

  /// All elements as an array on the CPU, converted to T.
  template <class T>
    requires has_dtype<T>
  array<T> read_as() const {
    const operation naming("read_npy", size_, impl::type_name<T>());
    array<T> result(shape_);
    read(0, size_, dtype_of<T>, result.data());
    return result;
  }
  /// The same with a type known at run time, on `where`, which must not be `auto`.
  any_array read_as(heddle::dtype as, const target& where = {}) const;

 private:
  struct unmap {
    std::size_t bytes;
    void operator()(const unsigned char* begin) const noexcept;
  };

  std::string path_;
  std::unique_ptr<const unsigned char, unmap> file_;
  std::size_t data_offset_ = 0;
  heddle::dtype dtype_ = heddle::dtype::boolean;
  heddle::shape shape_;
  std::size_t size_ = 0;
  bool fortran_order_ = false;
  bool byte_swapped_ = false;
  bool c_contiguous_ = true;  // in C order, or of a shape for which both orders are the same
};

/// The header of a .npy file in C order and this machine's byte order, for a program that writes the elements
/// itself, a piece at a time.
std::string npy_header(dtype type, const shape& lengths);

/// The array in a .npy file, on the CPU. The file must hold elements of type T, in either byte order and
/// either memory order; `npy_file(path).read_as<T>()` converts from another type.
///
///     hd::array<float> x = hd::read_npy<float>("samples.npy");
template <class T>
  requires has_dtype<T>
array<T> read_npy(const std::string& path) {
  const npy_file file(path);
  if (file.dtype() != dtype_of<T>) impl::fail_npy_type(file, dtype_of<T>);
  return file.read_as<T>();
}
/// The array in a .npy file with the type that the file has, on `where`.
///
///     const hd::any_array x = hd::read_npy("samples.npy");
any_array read_npy(const std::string& path, const target& where = {});

/// Writes an array to a .npy file that NumPy reads: version 1.0, C order, this machine's byte order. Elements
/// on a GPU are copied to the CPU first. A file at `path` is replaced only once the new one is complete.
template <array_like X>
  requires has_dtype<element_of<X>>
void write_npy(const std::string& path, const X& x) {
  const impl::staged_input<element_of<X>> elements(impl::input(x), target());
  impl::write_npy(path, dtype_of<element_of<X>>, impl::shape_of(x), elements.data());
}
void write_npy(const std::string& path, const any_const_view& x);

}  // namespace heddle

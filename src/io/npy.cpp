#include "array/converter.hpp"
#include "io/descriptor.hpp"
#include "io/npy_header.hpp"
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/operators.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

std::string array_text(const shape& lengths, dtype type) {
  return fmt::format("shape {}, {}", impl::excerpt(lengths.text()), name(type));
}

// ------------------------------------------------------------------------------------------------ the bytes

[[noreturn]] void fail_system(const std::string& path, const char* action) {
  fail(fmt::format("{}: cannot {}: {}", path, action, std::generic_category().message(errno)));
}

// ------------------------------------------------------------------------------------------------ conversion

template <class U>
void swap_bytes(unsigned char* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    U value;
    std::memcpy(&value, data + i * sizeof(U), sizeof(U));
    if constexpr (sizeof(U) == 2) {
      value = __builtin_bswap16(value);
    } else if constexpr (sizeof(U) == 4) {
      value = __builtin_bswap32(value);
    } else {
      value = __builtin_bswap64(value);
    }
    std::memcpy(data + i * sizeof(U), &value, sizeof(U));
  }
}

/// Turns the byte order of elements of several bytes round; of complex elements, of each part.
void swap_bytes(unsigned char* data, std::size_t count, dtype type) {
  const std::size_t parts = type >= dtype::complex64 ? 2 : 1;
  switch (size_of(type) / parts) {
    case 2:
      return swap_bytes<std::uint16_t>(data, count * parts);
    case 4:
      return swap_bytes<std::uint32_t>(data, count * parts);
    default:
      return swap_bytes<std::uint64_t>(data, count * parts);
  }
}

std::size_t alignment_of(dtype type) {
  return with_type(type, []<class T>(T) { return alignof(T); });
}

bool is_aligned(const void* data, dtype type) {
  return reinterpret_cast<std::uintptr_t>(data) % alignment_of(type) == 0;
}

/// Elements pass through a buffer of this many, which the L1 cache holds, when they cannot be
/// converted from where they are.
constexpr std::size_t staged_elements = impl::threshold.staged_elements;

/// How elements of the file become elements of the caller.
struct conversion {
  dtype from;
  bool byte_swapped;
  impl::converter convert;
  std::size_t from_bytes, to_bytes;
  unsigned char* out;

  /// Elements that are aligned and may be changed become elements first … of the output.
  void deliver(unsigned char* elements, std::size_t first, std::size_t count) const {
    if (byte_swapped) swap_bytes(elements, count, from);
    convert(elements, out + first * to_bytes, count);
  }
};

// ------------------------------------------------------------------------------------------------ Fortran
// order

/// Sizes of so many bits leave room for fewer axes longer than 1.
constexpr std::size_t most_axes = std::numeric_limits<std::size_t>::digits;
using indices = std::array<std::size_t, most_axes>;

/// Reads an array in Fortran order out in C order. Either the reads or the writes of a plain loop would touch
/// a cache line for each element, so the array is halved along its longest axis until a piece fits the cache,
/// and each piece is transposed there.
///
/// E is an unsigned integer, or a pair of them, as wide as an element.
template <class E>
class fortran_reader {
 public:
  fortran_reader(const shape& lengths, const void* data, const conversion& to)
      : data_(static_cast<const unsigned char*>(data)), to_(to) {
    for (const std::size_t length : lengths) {
      if (length != 1) extent_[axes_++] = length;
    }
    std::size_t stride = 1;
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      file_stride_[axis] = stride;
      stride *= extent_[axis];
    }
    stride = 1;
    for (std::size_t axis = axes_; axis-- > 0;) {
      c_stride_[axis] = stride;
      stride *= extent_[axis];
    }
  }

  /// Elements first … last−1 of C order.
  void read(std::size_t first, std::size_t last) {
    first_ = first;
    read(0, first, last, 0, 0);
  }

 private:
  // Elements first … last−1 of the sub-array of axes `axis` and on that begins at `file` in the file and at
  // `c` in C order: the rest of a first entry, whole entries, and the beginning of a last one.
  void read(std::size_t axis, std::size_t first, std::size_t last, std::size_t file, std::size_t c) {
    const std::size_t entry = c_stride_[axis];
    std::size_t i = first / entry;
    if (first % entry != 0) {
      const std::size_t end = std::min(last - i * entry, entry);
      read(axis + 1, first % entry, end, file + i * file_stride_[axis], c + i * entry);
      ++i;
    }
    const std::size_t whole_end = last / entry;
    if (i < whole_end) {
      indices box;
      box.fill(1);
      box[axis] = whole_end - i;
      for (std::size_t inner = axis + 1; inner < axes_; ++inner) box[inner] = extent_[inner];
      split(box, file + i * file_stride_[axis], c + i * entry);
    }
    if (i <= whole_end && last % entry != 0) {
      read(axis + 1, 0, last % entry, file + whole_end * file_stride_[axis], c + whole_end * entry);
    }
  }

  void split(indices box, std::size_t file, std::size_t c) {
    const auto longest = std::max_element(box.begin(), box.begin() + axes_) - box.begin();
    std::size_t elements = 1;
    for (std::size_t axis = 0; axis < axes_; ++axis) elements *= box[axis];
    if (elements <= staged_elements) return transpose(box, file, c);
    const std::size_t half = box[longest] / 2;
    const std::size_t rest = box[longest] - half;
    box[longest] = half;
    split(box, file, c);
    box[longest] = rest;
    split(box, file + half * file_stride_[longest], c + half * c_stride_[longest]);
  }

  void transpose(const indices& box, std::size_t file, std::size_t c) {
    indices stage_stride;
    std::size_t elements = 1;
    for (std::size_t axis = axes_; axis-- > 0;) {
      stage_stride[axis] = elements;
      elements *= box[axis];
    }

    // In, along the file's contiguous axis.
    indices at{};
    for (std::size_t stage = 0;;) {
      for (std::size_t i = 0; i < box[0]; ++i) {
        std::memcpy(stage_ + (stage + i * stage_stride[0]) * sizeof(E), data_ + (file + i) * sizeof(E),
                    sizeof(E));
      }
      std::size_t axis = 1;
      for (; axis < axes_; ++axis) {
        file += file_stride_[axis];
        stage += stage_stride[axis];
        if (++at[axis] < box[axis]) break;
        file -= file_stride_[axis] * box[axis];
        stage -= stage_stride[axis] * box[axis];
        at[axis] = 0;
      }
      if (axis == axes_) break;
    }

    // Out, in runs that are contiguous in C order: the last axes that the piece spans whole, and one more.
    std::size_t outer = axes_ - 1;
    while (outer > 0 && box[outer] == extent_[outer]) --outer;
    const std::size_t run = stage_stride[outer] * box[outer];
    at = {};
    for (std::size_t stage = 0; stage < elements; stage += run) {
      to_.deliver(stage_ + stage * sizeof(E), c - first_, run);
      for (std::size_t axis = outer; axis-- > 0;) {
        c += c_stride_[axis];
        if (++at[axis] < box[axis]) break;
        c -= c_stride_[axis] * box[axis];
        at[axis] = 0;
      }
    }
  }

  const unsigned char* data_;
  const conversion& to_;
  std::size_t axes_ = 0;
  std::size_t first_ = 0;
  indices extent_{}, file_stride_{}, c_stride_{};
  static_assert(sizeof(E) <= largest_element_bytes);
  alignas(largest_element_bytes) unsigned char stage_[staged_elements * sizeof(E)];
};

template <class E>
void read_fortran(const npy_file& file, std::size_t first, std::size_t count, const conversion& to) {
  fortran_reader<E>(file.shape(), file.data(), to).read(first, first + count);
}

}  // namespace

// ------------------------------------------------------------------------------------------------ npy_file

void npy_file::unmap::operator()(const unsigned char* begin) const noexcept {
  ::munmap(const_cast<unsigned char*>(begin), bytes);
}

npy_file::npy_file(const std::string& path) : path_(shown_path(path)) {
  const impl::descriptor file(open_for_reading(path));
  struct stat status;
  if (file < 0) fail_system(path_, "open");
  if (::fstat(file, &status) != 0) fail_system(path_, "read");
  std::size_t bytes = 0;
  // Bytes of a stream that were read earlier are not part of the array.
  if (S_ISREG(status.st_mode) && ::lseek(file, 0, SEEK_CUR) == 0) {
    bytes = static_cast<std::size_t>(status.st_size);
    if (bytes > 0) {
      void* begin = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
      if (begin == MAP_FAILED) fail_system(path_, "map");
      file_ = {static_cast<const unsigned char*>(begin), unmap{bytes}};
    }
  } else {
    // A mapping that grows as the bytes come, so that it is freed as the mapping of a file is.
    for (std::size_t room = std::size_t{1} << 20;; room *= 2) {
      const unsigned char* old = file_.get();
      void* begin = old == nullptr
                        ? ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                        : ::mremap(const_cast<unsigned char*>(old), room / 2, room, MREMAP_MAYMOVE);
      if (begin == MAP_FAILED) fail_system(path_, "read");
      file_.release();  // NOLINT(bugprone-unused-return-value): mremap has moved its mapping
      file_ = {static_cast<const unsigned char*>(begin), unmap{room}};
      ssize_t moved = 1;
      while (bytes < room && moved != 0) {
        moved = ::read(file, static_cast<unsigned char*>(begin) + bytes, room - bytes);
        if (moved < 0 && errno != EINTR) fail_system(path_, "read");
        if (moved > 0) bytes += static_cast<std::size_t>(moved);
      }
      const std::string_view beginning(static_cast<const char*>(begin),
                                       std::min(bytes, impl::npy_magic.size()));
      if (moved == 0 || beginning != impl::npy_magic.substr(0, beginning.size())) break;
    }
  }

  impl::npy_layout header = impl::read_npy_header(path_, {reinterpret_cast<const char*>(file_.get()), bytes});
  data_offset_ = header.data_offset;
  dtype_ = header.type;
  shape_ = std::move(header.lengths);
  fortran_order_ = header.fortran_order;
  byte_swapped_ = header.byte_swapped;

  const std::string what = array_text(shape_, dtype_);
  std::size_t data_bytes = 0;
  bool too_large = false;
  size_ = std::find(shape_.begin(), shape_.end(), std::size_t{0}) == shape_.end() ? 1 : 0;
  for (const std::size_t length : shape_) {
    if (size_ > 0) too_large |= __builtin_mul_overflow(size_, length, &size_);
  }
  if (too_large || __builtin_mul_overflow(size_, size_of(dtype_), &data_bytes)) {
    impl::fail_at_byte(path_, header.shape_at,
                       fmt::format("the size of the array ({}) does not fit 64 bits", what));
  }
  const std::size_t present = bytes - data_offset_;
  if (present < data_bytes) {
    impl::fail_at_byte(path_, data_offset_,
                       fmt::format("the data ends after {} of {} bytes ({}): the file is truncated", present,
                                   data_bytes, what));
  }
  const std::string_view after(reinterpret_cast<const char*>(file_.get()) + data_offset_ + data_bytes,
                               present - data_bytes);
  if (!after.empty() && !after.starts_with(impl::npy_magic)) {
    impl::fail_at_byte(
        path_, data_offset_ + data_bytes,
        fmt::format("{} the {} of the array ({}): the header does not describe the data",
                    after.size() == 1 ? "1 byte follows" : fmt::format("{} bytes follow", after.size()),
                    data_bytes, what));
  }

  const auto long_axes =
      std::count_if(shape_.begin(), shape_.end(), [](std::size_t length) { return length != 1; });
  c_contiguous_ = !fortran_order_ || long_axes <= 1 || size_ == 0;
  // Only advice: a kernel that refuses it reads all the same.
  if (c_contiguous_)
    ::madvise(const_cast<unsigned char*>(file_.get()), file_.get_deleter().bytes, MADV_SEQUENTIAL);
}

bool npy_file::is_native() const noexcept {
  return dtype_ != heddle::dtype::boolean && c_contiguous_ && !byte_swapped_ && is_aligned(data(), dtype_);
}

void npy_file::read(std::size_t first, std::size_t count, heddle::dtype as, void* out) const {
  if (first > size_ || count > size_ - first) {
    fail(fmt::format("{}: cannot read {} elements from element {} on: there are {}", path_, count, first,
                     size_));
  }
  if (count == 0) return;
  const conversion to{dtype_,          byte_swapped_, impl::converter_between(dtype_, as),
                      size_of(dtype_), size_of(as),   static_cast<unsigned char*>(out)};
  if (!c_contiguous_) {
    switch (to.from_bytes) {
      case 1:
        return read_fortran<std::uint8_t>(*this, first, count, to);
      case 2:
        return read_fortran<std::uint16_t>(*this, first, count, to);
      case 4:
        return read_fortran<std::uint32_t>(*this, first, count, to);
      case 8:
        return read_fortran<std::uint64_t>(*this, first, count, to);
      default:
        static_assert(sizeof(std::array<std::uint64_t, 2>) == largest_element_bytes);
        return read_fortran<std::array<std::uint64_t, 2>>(*this, first, count, to);
    }
  }
  const auto* from = static_cast<const unsigned char*>(data()) + first * to.from_bytes;
  if (!byte_swapped_ && is_aligned(from, dtype_)) return to.convert(from, out, count);
  alignas(largest_element_bytes) unsigned char stage[staged_elements * largest_element_bytes];
  for (std::size_t done = 0; done < count; done += staged_elements) {
    const std::size_t now = std::min(count - done, staged_elements);
    std::memcpy(stage, from + done * to.from_bytes, now * to.from_bytes);
    to.deliver(stage, done, now);
  }
}

// ------------------------------------------------------------------------------------------------ writing

void impl::fail_npy_type(const npy_file& file, dtype wanted) {
  fail(fmt::format("{}: holds {}, not {} (npy_file(path).read_as<T>() converts)", file.path(),
                   name(file.dtype()), name(wanted)));
}

void impl::write_npy(const std::string& path, dtype type, const shape& lengths, const void* data) {
  const std::string header = npy_header(type, lengths);
  atomic_file file(path);
  file.require_room(static_cast<double>(header.size() + lengths.elements() * size_of(type)));
  file.write(header.data(), header.size());
  file.write(data, lengths.elements() * size_of(type));
  file.commit();
}

}  // namespace heddle

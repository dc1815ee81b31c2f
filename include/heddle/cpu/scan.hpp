#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/cpu/threads.hpp>
#include <heddle/grouping.hpp>

#include <cstddef>

/// Scan on the CPU. Segments are cut into strips of 128 elements; a strip is scanned by itself from left to
/// right, and what stands before it is put in front of each element. The totals of strips are combined as a
/// scan of their own, cut into strips again: rounding errors grow with the logarithm of n, and the bits
/// depend on n alone.
namespace heddle::cpu {

inline constexpr std::size_t scan_strip = 128;

/// What stands before the next strip, given the totals of the strips so far.
template <class T, class Op>
class running_prefix {
 public:
  /// With an initial value the prefix of the first strip is that value.
  running_prefix(const Op& op, const T* init) : op_(op), init_(init) {}

  bool exists() const { return init_ != nullptr || levels_ > 0; }

  /// Only where it exists.
  T value() const {
    int level = levels_ - 1;
    while (level >= 0 && filled_[level] == 0) --level;
    T sum = init_ != nullptr ? *init_ : total_[level--];
    for (; level >= 0; --level) {
      if (filled_[level] != 0) sum = op_(sum, total_[level]);
    }
    return sum;
  }

  void append(T total) {
    for (int level = 0;; ++level) {
      total_[level] = filled_[level] == 0 ? total : op_(total_[level], total);
      if (level == levels_) ++levels_;
      if (++filled_[level] < scan_strip) return;
      filled_[level] = 0;
      total = total_[level];
    }
  }

 private:
  static constexpr int most_levels = 9;  // 128^(9+1) elements are more than 64 bits can count
  const Op& op_;
  const T* init_;
  int levels_ = 0;
  std::size_t filled_[most_levels + 1] = {};
  grouping::uninitialized<T, most_levels + 1> total_;
};

/// Strips whose totals are formed side by side. In one strip each combination waits for the one before it;
/// eight of them keep a processor busy.
inline constexpr std::size_t strips_at_once = 8;
inline constexpr std::size_t scan_group = strips_at_once * scan_strip;

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Combines each strip of a group, which is load(first), load(first + stride), … up to `count` of them; the
/// total of strip s goes to totals[s·totals_stride].
template <class T, class Op, class Load>
inline void total_group(const Load& load, std::size_t first, std::size_t count, std::size_t stride,
                        const Op& op, T* totals, std::size_t totals_stride) {
  if (count == scan_group) {
    const std::size_t strip = scan_strip * stride;
    grouping::uninitialized<T, strips_at_once> total;
    for (std::size_t s = 0; s < strips_at_once; ++s) total[s] = load(first + s * strip);
    for (std::size_t k = 1, i = first + stride; k < scan_strip; ++k, i += stride) {
      for (std::size_t s = 0; s < strips_at_once; ++s) total[s] = op(total[s], load(i + s * strip));
    }
    for (std::size_t s = 0; s < strips_at_once; ++s) totals[s * totals_stride] = total[s];
    return;
  }
  for (std::size_t begin = 0; begin < count; begin += scan_strip, totals += totals_stride) {
    const std::size_t end = begin + scan_strip < count ? begin + scan_strip : count;
    T total = load(first + begin * stride);
    for (std::size_t k = begin + 1; k < end; ++k) total = op(total, load(first + k * stride));
    *totals = total;
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans load(i), i = first, first + stride, … (`count` of them) into out[i], with *prefix before the first
/// unless it is null, and returns what the elements combine to, less the prefix. An exclusive scan without
/// prefix leaves the first output alone.
template <bool Exclusive, class T, class Op, class Load>
inline T scan_strip_of(const Load& load, std::size_t first, std::size_t count, std::size_t stride,
                       const T* prefix, const Op& op, T* out) {
  T local = load(first);
  if constexpr (Exclusive) {
    if (prefix != nullptr) out[first] = *prefix;
    for (std::size_t k = 1, i = first + stride; k < count; ++k, i += stride) {
      const T x = load(i);  // before out[i], which may be the same element
      out[i] = prefix != nullptr ? op(*prefix, local) : local;
      local = op(local, x);
    }
  } else {
    out[first] = prefix != nullptr ? op(*prefix, local) : local;
    for (std::size_t k = 1, i = first + stride; k < count; ++k, i += stride) {
      local = op(local, load(i));
      out[i] = prefix != nullptr ? op(*prefix, local) : local;
    }
  }
  return local;
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans each of `all` segments of load(0), load(1), … into `out`, which load may read from at the same
/// index. Combines about twice an element: a strip of its own, and its prefix. On one thread each input is
/// read once, on more twice.
template <bool Exclusive, class T, class Op, class Load>
inline void scan(int threads, const Load& load, const Op& op, segments all, const T* init, T* out) {
  const grouping::tiling strips{all, scan_strip, 1};
  const std::size_t parts = strips.parts();
  auto start_of = [&](std::size_t segment) {
    return segment / all.inner * all.length * all.inner + segment % all.inner;
  };
  auto strip_length = [&](std::size_t part) {
    return part + 1 < parts ? scan_strip : all.length - part * scan_strip;
  };
  auto whole_segments = [&](std::size_t first, std::size_t last) {
    for (std::size_t segment = first; segment < last; ++segment) {
      running_prefix<T, Op> before(op, init);
      std::size_t at = start_of(segment);
      for (std::size_t part = 0; part < parts; ++part, at += scan_strip * all.inner) {
        if (before.exists()) {
          const T prefix = before.value();
          before.append(
              scan_strip_of<Exclusive, T>(load, at, strip_length(part), all.inner, &prefix, op, out));
        } else {
          before.append(
              scan_strip_of<Exclusive, T>(load, at, strip_length(part), all.inner, nullptr, op, out));
        }
      }
    }
  };
  constexpr std::size_t grain = 1 << 14;
  if (threads <= 1 || all.count() >= static_cast<std::size_t>(threads) * 4 || all.elements() < 2 * grain) {
    return for_slices(threads, all.count(), grain / (all.length + 1) + 1, whole_segments);
  }
  const std::size_t pieces = strips.pieces();
  const detail::memory held(pieces * sizeof(T), target());
  T* const totals = static_cast<T*>(held.data());
  const grouping::tiling groups{all, scan_group, 1};
  for_slices(threads, groups.pieces(), grain / scan_group, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      const grouping::piece piece = groups[p];
      const std::size_t segment =
          piece.result / all.inner / groups.parts() * all.inner + piece.result % all.inner;
      const std::size_t first_total =
          (segment / all.inner * parts + piece.segment_part * strips_at_once) * all.inner +
          segment % all.inner;
      total_group(load, piece.first, piece.count, piece.stride, op, totals + first_total, all.inner);
    }
  });
  // Totals become prefixes in place; a segment that begins with neither prefix nor initial value keeps none.
  for (std::size_t segment = 0; segment < all.count(); ++segment) {
    running_prefix<T, Op> before(op, init);
    T* at = totals + segment / all.inner * parts * all.inner + segment % all.inner;
    for (std::size_t part = 0; part < parts; ++part, at += all.inner) {
      const T total = *at;
      if (before.exists()) *at = before.value();
      before.append(total);
    }
  }
  for_slices(threads, pieces, grain / scan_strip, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      const grouping::piece piece = strips[p];
      const bool begins = piece.segment_part == 0 && init == nullptr;
      scan_strip_of<Exclusive, T>(load, piece.first, piece.count, piece.stride,
                                  begins ? nullptr : totals + piece.result, op, out);
    }
  });
}

}  // namespace heddle::cpu

#pragma once

/// Of CUB: calls for the whole device that select elements, count them, or compare neighbours.

#include "device.hpp"

namespace cub {

namespace heddle {

template <class In, class By, class Out, class Count, class P>
cudaError_t select(const char* what, In from, By by, Out to, Count count, std::ptrdiff_t n, P keeps,
                   bool has_others, cudaStream_t stream) {
  return once(what, stream,
              [in = unwrapped(from), flags = unwrapped(by), out = unwrapped(to), made = unwrapped(count), n,
               keeps, has_others]() mutable {
                std::ptrdiff_t kept = 0, left = 0;
                for (std::ptrdiff_t i = 0; i < n; ++i) {
                  const value<In> now = in[i];
                  if (keeps(flags, i)) {
                    out[kept++] = now;
                  } else if (has_others) {
                    // Those that are left come from the end on, in reverse.
                    out[n - 1 - left++] = now;
                  }
                }
                *made = kept;
              });
}
template <class P>
struct by_predicate {
  P p;
  template <class By>
  bool operator()(By& by, std::ptrdiff_t i) {
    return p(by[i]);
  }
};
struct by_flag {
  template <class By>
  bool operator()(By& by, std::ptrdiff_t i) {
    return static_cast<bool>(by[i]);
  }
};
struct by_change {
  template <class By>
  bool operator()(By& by, std::ptrdiff_t i) {
    return i == 0 || !(by[i - 1] == by[i]);
  }
};

}  // namespace heddle

struct DeviceSelect {
  template <class In, class Out, class Count, class N, class P>
  static cudaError_t If(HEDDLE_WORK, In from, Out to, Count count, N n, P p, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::select("cub::DeviceSelect::If", from, from, to, count, n, heddle::by_predicate<P>{p},
                          false, stream);
  }
  template <class In, class Flags, class Out, class Count, class N>
  static cudaError_t Flagged(HEDDLE_WORK, In from, Flags flags, Out to, Count count, N n,
                             cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::select("cub::DeviceSelect::Flagged", from, flags, to, count, n, heddle::by_flag(), false,
                          stream);
  }
  template <class In, class Out, class Count, class N>
  static cudaError_t Unique(HEDDLE_WORK, In from, Out to, Count count, N n, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::select("cub::DeviceSelect::Unique", from, from, to, count, n, heddle::by_change(), false,
                          stream);
  }
};
struct DevicePartition {
  template <class In, class Out, class Count, class N, class P>
  static cudaError_t If(HEDDLE_WORK, In from, Out to, Count count, N n, P p, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::select("cub::DevicePartition::If", from, from, to, count, n, heddle::by_predicate<P>{p},
                          true, stream);
  }
  template <class In, class Flags, class Out, class Count, class N>
  static cudaError_t Flagged(HEDDLE_WORK, In from, Flags flags, Out to, Count count, N n,
                             cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::select("cub::DevicePartition::Flagged", from, flags, to, count, n, heddle::by_flag(), true,
                          stream);
  }
};

struct DeviceRunLengthEncode {
  template <class In, class Out, class Lengths, class Count, class N>
  static cudaError_t Encode(HEDDLE_WORK, In from, Out to, Lengths lengths, Count count, N n,
                            cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::once("cub::DeviceRunLengthEncode", stream,
                        [in = heddle::unwrapped(from), out = heddle::unwrapped(to),
                         of = heddle::unwrapped(lengths), made = heddle::unwrapped(count), n]() mutable {
                          std::ptrdiff_t k = 0;
                          for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(n); ++k) {
                            const std::ptrdiff_t first = i;
                            const heddle::value<In> now = in[i];
                            while (i < static_cast<std::ptrdiff_t>(n) && in[i] == now) ++i;
                            out[k] = now;
                            of[k] = i - first;
                          }
                          *made = k;
                        });
  }
};

struct DeviceHistogram {
  template <class In, class Counter, class Level, class N>
  static cudaError_t HistogramEven(HEDDLE_WORK, In from, Counter* bins, int levels, Level lower, Level upper,
                                   N n, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return counted(from, bins, levels, static_cast<std::ptrdiff_t>(n), stream,
                   [levels, lower, upper](const auto& x) {
                     if (!(x >= lower && x < upper)) return std::ptrdiff_t{-1};
                     if constexpr (std::is_integral_v<Level>) {
                       return static_cast<std::ptrdiff_t>(
                           (static_cast<long long>(x) - static_cast<long long>(lower)) * (levels - 1) /
                           (static_cast<long long>(upper) - static_cast<long long>(lower)));
                     } else {
                       return static_cast<std::ptrdiff_t>((x - lower) *
                                                          (static_cast<Level>(levels - 1) / (upper - lower)));
                     }
                   });
  }
  template <class In, class Counter, class Level, class N>
  static cudaError_t HistogramRange(HEDDLE_WORK, In from, Counter* bins, int levels, const Level* borders,
                                    N n, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return counted(from, bins, levels, static_cast<std::ptrdiff_t>(n), stream,
                   [levels, borders](const auto& x) {
                     const std::ptrdiff_t at =
                         heddle::border(borders, levels, [&](const Level& b) { return !(x < b); }) - 1;
                     return at < levels - 1 ? at : std::ptrdiff_t{-1};
                   });
  }

 private:
  template <class In, class Counter, class F>
  static cudaError_t counted(In from, Counter* bins, int levels, std::ptrdiff_t n, cudaStream_t stream,
                             F bin_of) {
    return heddle::once("cub::DeviceHistogram", stream,
                        [in = heddle::unwrapped(from), bins, levels, n, bin_of]() mutable {
                          for (int b = 0; b < levels - 1; ++b) bins[b] = 0;
                          for (std::ptrdiff_t i = 0; i < n; ++i) {
                            const std::ptrdiff_t bin = bin_of(in[i]);
                            if (bin >= 0) ++bins[bin];
                          }
                        });
  }
};

struct DeviceFor {
  template <class N, class F>
  static cudaError_t Bulk(HEDDLE_WORK, N n, F f, cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return Bulk(n, f, stream);
  }
  template <class N, class F>
  static cudaError_t Bulk(N n, F f, cudaStream_t stream = nullptr) {
    return heddle::each("cub::DeviceFor::Bulk", static_cast<std::ptrdiff_t>(n), stream,
                        [f](std::ptrdiff_t i) mutable { f(static_cast<N>(i)); });
  }
  template <class It, class N, class F>
  static cudaError_t ForEachN(It first, N n, F f, cudaStream_t stream = nullptr) {
    return heddle::each("cub::DeviceFor::ForEachN", static_cast<std::ptrdiff_t>(n), stream,
                        [of = heddle::unwrapped(first), f](std::ptrdiff_t i) mutable { f(of[i]); });
  }
  template <class It, class F>
  static cudaError_t ForEach(It first, It last, F f, cudaStream_t stream = nullptr) {
    return ForEachN(first, last - first, f, stream);
  }
};

struct DeviceAdjacentDifference {
  template <class In, class Out, class N, class F = cub::Difference>
  static cudaError_t SubtractLeftCopy(HEDDLE_WORK, In from, Out to, N n, F f = {},
                                      cudaStream_t stream = nullptr) {
    HEDDLE_ASKS;
    return heddle::each(
        "cub::DeviceAdjacentDifference", static_cast<std::ptrdiff_t>(n), stream,
        [in = heddle::unwrapped(from), out = heddle::unwrapped(to), f](std::ptrdiff_t i) mutable {
          if (i == 0) {
            out[i] = in[i];
          } else {
            out[i] = f(in[i], in[i - 1]);
          }
        });
  }
};
#undef HEDDLE_WORK
#undef HEDDLE_ASKS

}  // namespace cub

#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/function_ref.hpp>
#include <heddle/impl/elementwise.hpp>
#include <heddle/impl/order.hpp>

#include <cstddef>
#include <type_traits>

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

/// Scan on the CPU. What an inclusive scan combines, and in which order, follows from an element's place in
/// its segment and its type alone; an exclusive scan is the inclusive one shifted by one place, bit for bit.
///
/// A segment is cut into runs of 16 elements, or 4 floating-point numbers, and 16 runs make a tile. A run is
/// scanned by itself from left to right. Its prefix in the tile combines the totals of up to four groups of
/// 8, 4, 2 and 1 runs: a group's total combines its two halves, and the groups combine from right to left.
/// The prefix of a tile combines from left to right the initial value, …, groups of 16² tiles, groups of 16
/// tiles, and tiles; a group's total combines its 16 parts from left to right. op(prefix of the tile, prefix
/// in the tile) is combined with each element of the run's own scan. That is about 2.1 combinations an
/// element, or 2.5 for runs of 4. A rounding error passes through at most 16 of them at each level, so errors
/// grow with the logarithm of n.
namespace heddle::cpu {

/// Elements in a run and in a tile.
template <class T>
inline constexpr std::size_t scan_run_length = std::is_floating_point_v<T> ? 4 : 16;
template <class T>
inline constexpr std::size_t scan_tile = 16 * scan_run_length<T>;

/// A scan of one element type by one operator, in steps. A state is what is known before an element whose
/// place is a multiple of a tile; it can be copied byte by byte and begins with the last output of the
/// inclusive scan.
struct scan_steps {
  std::size_t element_bytes, state_bytes;
  std::size_t run_length;    ///< a multiple of it where the grouping makes no difference
  bool writes_non_temporal;  ///< whether `scan` does so where it is asked to

  std::size_t tile() const { return 16 * run_length; }
  /// Threads take whole groups of 16 tiles, and pieces of a stream are whole groups.
  std::size_t unit() const { return 16 * tile(); }

  /// The state before the first element; `init` may be null, but not for an exclusive scan.
  function_ref<void(const void* init, void* state)> start;
  /// Combines `count` elements from a multiple of a tile on, none of them beyond the end of a unit, and
  /// puts *total before them unless they open the unit.
  function_ref<void(const void* x, std::size_t count, bool opens, void* total)> reduce_serially;
  /// Advances a state by units, given their totals.
  function_ref<void(void* state, const void* totals, std::size_t units)> append;
  /// Scans the next `count` elements into `out`, which may be x, and advances the state. Past the cache only
  /// where `out` begins a line; other threads see it after store_fence.
  function_ref<void(const void* x, std::size_t count, bool exclusive, bool non_temporal, void* state,
                    void* out)>
      scan;
  /// out[i] = op(a[i], b[i]); `out` may be a or b.
  function_ref<void(const void* a, const void* b, std::size_t count, void* out)> combine;
  /// out[i] = x[i], as the operator sees it.
  function_ref<void(const void* x, std::size_t count, void* out)> load;
};

/// Scans each of `all` segments of x into `out`, which may be x. Reads and writes memory once.
void scan_segments(int threads, const scan_steps& steps, segments all, const void* x, const void* init,
                   bool exclusive, void* out);

/// Scans the next `count` elements of one segment and advances the state. If more will follow, `count` is a
/// multiple of a unit.
void scan_piece(int threads, const scan_steps& steps, const void* x, std::size_t count, bool exclusive,
                void* state, void* out);

// What follows is compiled once for each instruction set: the namespace keeps the versions apart.
inline namespace HEDDLE_ISA {

/// The prefix of the next tile, given the totals of the tiles so far.
template <class T>
class scan_state {
 public:
  template <class Op>
  void start(const Op&, const T* init) {
    // All of it: compilers warn of reads that never happen.
    __builtin_memset(static_cast<void*>(this), 0, sizeof *this);
    levels_ = 1;
    has_init_ = has_upper_ = init != nullptr;
    if (init != nullptr) previous[0] = init_[0] = upper_[0] = *init;
  }

  bool exists() const { return has_upper_ || filled_[0] != 0; }

  /// Only where it exists.
  template <class Op>
  inline __attribute__((always_inline)) T value(const Op& op) const {
    if (filled_[0] == 0) return upper_[0];
    return has_upper_ ? op(upper_[0], total_[0]) : total_[0];
  }

  /// Level 0 takes tiles, level 1 units.
  template <class Op>
  inline __attribute__((always_inline)) void append(const Op& op, const T& total, std::size_t level = 0) {
    if (level == 0) {
      total_[0] = filled_[0] == 0 ? total : op(total_[0], total);
      if (++filled_[0] < 16) return;
      filled_[0] = 0;
      carry(op, T(total_[0]), 1);
    } else {
      carry(op, T(total), level);
    }
  }

  /// The tiles that the open group lacks, its total so far, and its prefix, where there is one.
  std::size_t tiles_left() const { return 16u - filled_[0]; }
  T group(const T& none) const { return filled_[0] == 0 ? none : total_[0]; }
  T upper() const { return upper_[0]; }
  template <class Op>
  void append_to_group(const Op& op, std::size_t tiles, const T& total) {
    total_[0] = total;
    filled_[0] = static_cast<unsigned char>(filled_[0] + tiles);
    if (filled_[0] < 16) return;
    filled_[0] = 0;
    carry(op, T(total), 1);
  }

  order::uninitialized<T, 1> previous;  ///< the last output of the inclusive scan

 private:
  template <class Op>
  void carry(const Op& op, T total, std::size_t level) {
    for (;; ++level) {
      for (; level >= levels_; ++levels_) filled_[levels_] = 0;
      total_[level] = filled_[level] == 0 ? total : op(total_[level], total);
      if (++filled_[level] < 16) break;
      filled_[level] = 0;
      total = total_[level];
    }
    has_upper_ = has_init_;
    if (has_init_) upper_[0] = init_[0];
    for (level = levels_ - 1; level > 0; --level) {
      if (filled_[level] == 0) continue;
      upper_[0] = has_upper_ ? op(upper_[0], total_[level]) : total_[level];
      has_upper_ = true;
    }
  }

  static constexpr int most_levels = 15;  // 16^(15+2) elements are more than 64 bits can count
  std::size_t levels_;
  bool has_init_, has_upper_;
  unsigned char filled_[most_levels];
  order::uninitialized<T, 1> init_, upper_;
  order::uninitialized<T, most_levels> total_;
};

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Adds the total of run `run` to the totals of the last 1, 2, 4 and 8 runs of a tile so far.
template <class T, class Op>
inline __attribute__((always_inline)) void append_run(const Op& op, std::size_t run, T total, T* groups) {
  int level = 0;
  for (; (run >> level & 1) != 0 && level < 4; ++level) total = op(groups[level], total);
  groups[level] = total;
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// What `runs` > 0 runs of a tile combine to.
template <class T, class Op>
inline __attribute__((always_inline)) T combine_runs(const Op& op, std::size_t runs, const T* groups) {
  int level = __builtin_ctzll(runs);
  T sum = groups[level];
  for (++level; runs >> level != 0; ++level) {
    if ((runs >> level & 1) != 0) sum = op(groups[level], sum);
  }
  return sum;
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Combines the elements load(0) … load(count−1) of a tile.
template <class T, class Op, class Load>
inline T reduce_scan_tile(const Load& load, std::size_t count, const Op& op) {
  constexpr std::size_t run_length = cpu::scan_run_length<T>;
  order::uninitialized<T, 5> groups;
  std::size_t run = 0;
  // In a run each combination waits for the one before it: four runs at once keep a processor busy.
  constexpr std::size_t at_once = 4;
  for (; (run + at_once) * run_length <= count; run += at_once) {
    const std::size_t first = run * run_length;
    order::uninitialized<T, at_once> sum;
    for (std::size_t s = 0; s < at_once; ++s) sum[s] = load(first + s * run_length);
    for (std::size_t k = 1; k < run_length; ++k) {
      for (std::size_t s = 0; s < at_once; ++s) sum[s] = op(sum[s], load(first + s * run_length + k));
    }
    for (std::size_t s = 0; s < at_once; ++s) append_run(op, run + s, sum[s], &groups[0]);
  }
  for (; run * run_length < count; ++run) {
    const std::size_t first = run * run_length;
    const std::size_t last = first + run_length < count ? first + run_length : count;
    T sum = load(first);
    for (std::size_t i = first + 1; i < last; ++i) sum = op(sum, load(i));
    append_run(op, run, sum, &groups[0]);
  }
  return combine_runs(op, run, &groups[0]);
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans the elements load(0) … load(count−1) of a tile into `out`, with *before in front of them unless it
/// is null, and returns what they combine to without it. An exclusive scan begins with *previous, which
/// becomes the last output of the inclusive one.
template <bool Exclusive, class T, class Op, class Load>
inline T scan_tile_of(const Load& load, std::size_t count, const Op& op, const T* before, T* previous,
                      T* out) {
  constexpr std::size_t run_length = cpu::scan_run_length<T>;
  order::uninitialized<T, 5> groups;
  std::size_t run = 0;
  auto prefix_of = [&](std::size_t s, T& prefix) {
    if (s == 0) {
      if (before != nullptr) prefix = *before;
      return before != nullptr;
    }
    const T in_tile = combine_runs(op, s, &groups[0]);
    prefix = before != nullptr ? op(*before, in_tile) : in_tile;
    return true;
  };
  if constexpr (run_length == 4) {
    if (count == 64) {
      // Element k of every run side by side, as registers hold them.
      T local[4][16], runs[16], prefix[16];
      for (std::size_t s = 0; s < 16; ++s) {
        local[0][s] = load(4 * s);
        local[1][s] = op(local[0][s], load(4 * s + 1));
        local[2][s] = op(local[1][s], load(4 * s + 2));
        local[3][s] = op(local[2][s], load(4 * s + 3));
      }
      for (std::size_t s = 0; s < 16; ++s) runs[s] = local[3][s];
      for (std::size_t half = 1; half < 16; half *= 2) {
        for (std::size_t s = 0; s < 16; ++s) {
          if ((s & half) != 0) runs[s] = op(runs[(s & ~(half - 1)) - 1], runs[s]);
        }
      }
      if (before != nullptr) {
        const T first = *before;
        prefix[0] = first;
        for (std::size_t s = 1; s < 16; ++s) prefix[s] = op(first, runs[s - 1]);
        for (std::size_t s = 0; s < 16; ++s) {
          for (std::size_t k = 0; k < 4; ++k) local[k][s] = op(prefix[s], local[k][s]);
        }
      } else {
        for (std::size_t s = 1; s < 16; ++s) {
          for (std::size_t k = 0; k < 4; ++k) local[k][s] = op(runs[s - 1], local[k][s]);
        }
      }
      if constexpr (Exclusive) {
        out[0] = *previous;
        *previous = local[3][15];
        ++out;
      }
      for (std::size_t s = 0; s < 16 - Exclusive; ++s) {
        for (std::size_t k = 0; k < 4; ++k) out[4 * s + k] = local[k][s];
      }
      for (std::size_t k = 0; k < 3 && Exclusive; ++k) out[60 + k] = local[k][15];
      return runs[15];
    }
  } else if constexpr (sizeof(T) <= 16) {
    // Runs side by side, because in one each combination waits for the one before it; then their prefixes.
    constexpr std::size_t at_once = 8;
    for (; (run + at_once) * run_length <= count; run += at_once) {
      const std::size_t first = run * run_length;
      order::uninitialized<T, at_once * run_length> local;
      order::uninitialized<T, at_once> sum;
      for (std::size_t s = 0; s < at_once; ++s) local[s * run_length] = sum[s] = load(first + s * run_length);
      for (std::size_t k = 1; k < run_length; ++k) {
        for (std::size_t s = 0; s < at_once; ++s) {
          local[s * run_length + k] = sum[s] = op(sum[s], load(first + s * run_length + k));
        }
      }
      for (std::size_t s = 0; s < at_once; ++s) {
        T prefix = sum[s];
        const bool exists = prefix_of(run + s, prefix);
        for (std::size_t k = 0; k < run_length; ++k) {
          const T in_run = local[s * run_length + k];
          const T result = exists ? op(prefix, in_run) : in_run;
          if constexpr (Exclusive) {
            out[first + s * run_length + k] = *previous;
            *previous = result;
          } else {
            out[first + s * run_length + k] = result;
          }
        }
        append_run(op, run + s, sum[s], &groups[0]);
      }
    }
  }
  for (; run * run_length < count; ++run) {
    const std::size_t first = run * run_length;
    const std::size_t last = first + run_length < count ? first + run_length : count;
    T sum = load(first), prefix = sum;
    const bool exists = prefix_of(run, prefix);
    for (std::size_t i = first;;) {
      const T result = exists ? op(prefix, sum) : sum;
      if constexpr (Exclusive) {
        out[i] = *previous;
        *previous = result;
      } else {
        out[i] = result;
      }
      if (++i == last) break;
      sum = op(sum, load(i));
    }
    append_run(op, run, sum, &groups[0]);
  }
  return combine_runs(op, run, &groups[0]);
}

/// The most elements that `scan_few` takes. In runs it is four runs, the tree of whose totals is a chain.
/// Minima and maxima of floating-point numbers, which pass on NaN, cost more an element.
template <class T, bool AnyGrouping>
inline constexpr std::size_t fewest = !AnyGrouping                  ? 4 * scan_run_length<T>
                                      : std::is_floating_point_v<T> ? 8
                                                                    : 24;

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans few elements where the call of a library would take longer than the work: in runs, unless the bits
/// are the same in any grouping.
template <bool Exclusive, bool AnyGrouping, class T, class Op>
inline void scan_few(const T* x, std::size_t count, const Op& op, const T* init, T* out) {
  const impl::element_at<T, Op> load{x};
  if (count == 0) return;
  if constexpr (AnyGrouping) {
    std::size_t i = 0;
    T sum = init != nullptr ? *init : load(0);
    if (!Exclusive && init == nullptr) out[i++] = sum;
    for (; i < count; ++i) {
      const T next = op(sum, load(i));
      out[i] = Exclusive ? sum : next;
      sum = next;
    }
    return;
  }
  constexpr std::size_t run_length = scan_run_length<T>;
  // What the runs so far combine to, and the prefix of the next.
  T total = load(0), before = init != nullptr ? *init : total, previous = before;
  bool exists = init != nullptr;
  const auto put = [&](std::size_t i, T sum) __attribute__((always_inline)) {
    if (exists) sum = op(before, sum);
    out[i] = Exclusive ? previous : sum;
    previous = sum;
  };
  for (std::size_t first = 0;; first += run_length) {
    const std::size_t left = count - first;
    if (left < run_length) {
      T sum = load(first);
      for (std::size_t k = 1;; ++k) {
        const T next = k < left ? load(first + k) : sum;
        put(first + k - 1, sum);
        if (k == left) return;
        sum = op(sum, next);
      }
    }
    // Read as a whole before any of it is written, which is faster.
    order::uninitialized<T, run_length> local;
    local[0] = load(first);
    HD_UNROLL
    for (std::size_t k = 1; k < run_length; ++k) local[k] = op(local[k - 1], load(first + k));
    HD_UNROLL
    for (std::size_t k = 0; k < run_length; ++k) put(first + k, local[k]);
    if (left == run_length) return;
    total = first == 0 ? local[run_length - 1] : op(total, local[run_length - 1]);
    before = init != nullptr ? op(*init, total) : total;
    exists = true;
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <bool Exclusive, class T, class Op>
inline void scan_elements(const T* x, std::size_t count, const Op& op, scan_state<T>& state, T* out) {
  constexpr std::size_t tile_elements = cpu::scan_tile<T>;
  for (std::size_t first = 0; first < count; first += tile_elements) {
    const std::size_t in_tile = count - first < tile_elements ? count - first : tile_elements;
    order::uninitialized<T, 1> before;
    const bool exists = state.exists();
    if (exists) before[0] = state.value(op);
    state.append(op,
                 scan_tile_of<Exclusive, T>(impl::element_at<T, Op>{x + first}, in_tile, op,
                                            exists ? &before[0] : nullptr, &state.previous[0], out + first));
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// The steps of a scan by any operator on elements of any type.
template <class T, class Op>
class steps_by_operator {
 public:
  explicit steps_by_operator(const Op& op) : op_(op) {}

  scan_steps steps() const {
    return {sizeof(T),
            sizeof(scan_state<T>),
            scan_run_length<T>,
            false,
            start_,
            reduce_,
            append_,
            scan_,
            combine_,
            load_};
  }

 private:
  struct step {
    const Op& op;
  };
  struct start_step : step {
    void operator()(const void* init, void* state) const {
      static_cast<scan_state<T>*>(state)->start(step::op, static_cast<const T*>(init));
    }
  };
  struct reduce_step : step {
    void operator()(const void* from, std::size_t count, bool opens, void* to) const {
      const T* const x = static_cast<const T*>(from);
      T* const total = static_cast<T*>(to);
      constexpr std::size_t tile_elements = cpu::scan_tile<T>;
      for (std::size_t first = 0; first < count; first += tile_elements) {
        const std::size_t in_tile = count - first < tile_elements ? count - first : tile_elements;
        const T sum = reduce_scan_tile<T>(impl::element_at<T, Op>{x + first}, in_tile, step::op);
        *total = opens ? sum : step::op(*total, sum);
        opens = false;
      }
    }
  };
  struct append_step : step {
    void operator()(void* state, const void* totals, std::size_t units) const {
      for (std::size_t u = 0; u < units; ++u) {
        static_cast<scan_state<T>*>(state)->append(step::op, static_cast<const T*>(totals)[u], 1);
      }
    }
  };
  struct scan_step : step {
    void operator()(const void* x, std::size_t count, bool exclusive, bool, void* state, void* out) const {
      scan_state<T>& s = *static_cast<scan_state<T>*>(state);
      if (exclusive) {
        scan_elements<true>(static_cast<const T*>(x), count, step::op, s, static_cast<T*>(out));
      } else {
        scan_elements<false>(static_cast<const T*>(x), count, step::op, s, static_cast<T*>(out));
      }
    }
  };
  struct combine_step : step {
    void operator()(const void* a, const void* b, std::size_t count, void* out) const {
      for (std::size_t i = 0; i < count; ++i) {
        static_cast<T*>(out)[i] = step::op(static_cast<const T*>(a)[i], static_cast<const T*>(b)[i]);
      }
    }
  };
  struct load_step : step {
    void operator()(const void* x, std::size_t count, void* out) const {
      const impl::element_at<T, Op> load{static_cast<const T*>(x)};
      for (std::size_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = load(i);
    }
  };

  const Op& op_;
  start_step start_{{op_}};
  reduce_step reduce_{{op_}};
  append_step append_{{op_}};
  scan_step scan_{{op_}};
  combine_step combine_{{op_}};
  load_step load_{{op_}};
};

/// Scans each of `all` segments of x into `out`, which may be x.
template <bool Exclusive, class T, class Op>
inline void scan(int threads, const T* x, const Op& op, segments all, const T* init, T* out) {
  const steps_by_operator<T, Op> by(op);
  scan_segments(threads, by.steps(), all, x, init, Exclusive, out);
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu

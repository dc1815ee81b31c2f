#pragma once

#include <heddle/array.hpp>
#include <heddle/compiler.hpp>
#include <heddle/impl/core/elementwise.hpp>
#include <heddle/impl/core/order.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/core/thresholds.hpp>
#include <heddle/support/function_ref.hpp>

#include <cstddef>
#include <type_traits>

#ifndef HEDDLE_ISA
#define HEDDLE_ISA any_processor
#endif

/// Scan on the CPU, in the order of scan_order.hpp.
namespace heddle::cpu {

/// Threads and pieces of a stream take units of 2^level rows.
inline constexpr unsigned unit_level = impl::threshold.scan_unit_level;
inline constexpr std::size_t rows_in_unit = 1 << unit_level;
/// A piece is 2^level rows, about so many bytes, that are scanned at a time. Larger pieces prefetch worse.
inline constexpr std::size_t piece_bytes = impl::threshold.scan_piece_bytes;
constexpr unsigned piece_level(std::size_t row_bytes) {
  return row_bytes <= piece_bytes / 4 ? 2 : row_bytes <= piece_bytes / 2 ? 1 : 0;
}
static_assert(piece_level(1) <= unit_level, "a unit is of whole pieces");
/// Of the blocks of 1, 2, 4, … rows of a unit; the last is its own.
inline constexpr std::size_t totals_of_unit = unit_level + 1;

/// Columns side by side: `length` rows of `count` elements, `x_stride` and `out_stride` bytes apart.
/// `scratch` has rows of `scratch_pitch` bytes for the state of each column; both are multiples of 64.
struct column_panel {
  const void* x;
  std::size_t x_stride;
  void* out;
  std::size_t out_stride, count, length;
  void* scratch;
  std::size_t scratch_pitch;
};
/// The rows of `scratch`: the prefixes of the next vector and of the row, totals of blocks of 2^level
/// vectors; then, for each level, the total of a block of 2^level rows and the prefix after it.
enum scratch_row : std::size_t {
  before_vector,
  before_row,
  vector_blocks,
  row_blocks = vector_blocks + order::scan_row_levels
};

/// A scan of one element type by one operator, in steps. A state holds the prefix of a row; it can be copied
/// byte by byte.
struct scan_steps {
  std::size_t element_bytes, state_bytes;
  std::size_t row;           ///< elements in a row
  bool writes_non_temporal;  ///< whether `scan` can

  std::size_t piece() const { return row << piece_level(row * element_bytes); }
  std::size_t unit() const { return rows_in_unit * row; }
  std::size_t scratch_rows(std::size_t length) const {
    std::size_t needed = row_blocks;
    for (std::size_t rows = length / row; rows > 0; rows /= 2) needed += 2;
    return needed;
  }

  /// Makes the state before the first element. `init` may be null, but not for exclusive scans.
  function_ref<void(const void* init, void* state)> start;
  /// Adds whole rows, after `before` rows of the same unit, to the totals of the unit. A piece begins at x.
  function_ref<void(const void* x, std::size_t rows, std::size_t before, void* totals)> reduce_serially;
  /// Advances a state by whole units, given their totals.
  function_ref<void(void* state, const void* totals, std::size_t units)> append;
  /// Scans the next `count` elements, with which a piece begins, into `out`, which may be x, and advances the
  /// state by the whole rows. Non-temporal stores need an `out` that is aligned to a cache line; other
  /// threads see them after store_fence.
  function_ref<void(const void* x, std::size_t count, bool exclusive, bool non_temporal, void* state,
                    void* out)>
      scan;
  function_ref<void(const column_panel& columns, const void* init, bool exclusive)> scan_columns;
};

/// Scans each of `all` segments of x into `out`, which may be x. Reads and writes memory once.
void scan_segments(int threads, const scan_steps& steps, axis_lines all, const void* x, const void* init,
                   bool exclusive, void* out);

/// Scans the next `count` elements of one segment and advances the state. If more will follow, `count` is a
/// multiple of a unit.
void scan_piece(int threads, const scan_steps& steps, const void* x, std::size_t count, bool exclusive,
                void* state, void* out);

// The code below is compiled once for each instruction set: the namespace keeps the versions apart.
inline namespace HEDDLE_ISA {

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// The total of a whole row of elements load(0), load(1), …
template <class T, class Op>
inline T reduce_row(const impl::element_at<T, Op>& load, const Op& op) {
  constexpr std::size_t in_vector = order::scan_vector<T>, vectors = order::scan_row_vectors;
  const auto total_of = [&](std::size_t j) {
    T total = load(j * in_vector);
    for (std::size_t k = 1; k < in_vector; ++k) total = op(total, load(j * in_vector + k));
    return total;
  };
  if constexpr (sizeof(T) <= 16) {
    order::uninitialized<T, vectors> totals;
    for (std::size_t j = 0; j < vectors; ++j) totals[j] = total_of(j);
    for (std::size_t half = vectors / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j) totals[j] = op(totals[2 * j], totals[2 * j + 1]);
    }
    return totals[0];
  } else {
    order::uninitialized<T, order::scan_row_levels> blocks;
    for (std::size_t j = 0; j < vectors; ++j) order::append_block(op, j, 0, total_of(j), &blocks[0]);
    return blocks[order::scan_row_levels - 1];
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans elements first … last−1, at least one, of one vector and returns their total. *before is their
/// prefix; null for none. An exclusive scan needs one.
template <bool Exclusive, class T, class Op>
inline __attribute__((always_inline)) T scan_vector(const impl::element_at<T, Op>& load, std::size_t first,
                                                    std::size_t last, const Op& op, const T* before, T* out) {
  const auto result = [&](const T& own) {
    return order::canonical(before != nullptr ? op(*before, own) : own);
  };
  T own = load(first);
  out[first] = Exclusive ? order::canonical(*before) : result(own);
  for (std::size_t i = first + 1; i < last; ++i) {
    const T next = load(i);
    if constexpr (Exclusive) out[i] = result(own);
    own = op(own, next);
    if constexpr (!Exclusive) out[i] = result(own);
  }
  return own;
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans 1 to a row of elements, and advances the state after a whole row.
template <bool Exclusive, class T, class Op>
inline __attribute__((always_inline)) void scan_row(const impl::element_at<T, Op>& load, std::size_t count,
                                                    const Op& op, order::row_prefix<T>& state, T* out) {
  constexpr std::size_t in_vector = order::scan_vector<T>, most = order::scan_row_vectors;
  const bool exists = state.exists();
  const T before = exists ? state.value() : load(0);  // so that compilers see it set
  const auto joined = [&](const T& in_row) { return exists ? op(before, in_row) : in_row; };
  if constexpr (in_vector == 1) {
    order::vector_prefix<T> prefix;
    prefix.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const T next = load(i);
      if constexpr (Exclusive) out[i] = prefix.exists() ? joined(prefix.value(op)) : before;
      prefix.append(op, next);
      if constexpr (!Exclusive) out[i] = joined(prefix.value(op));
    }
    if (count == most) state.append(op, prefix.value(op));
  } else {
    const std::size_t vectors = count / in_vector;
    T left = before;  // the total of the vectors so far
    // Element k of 16 vectors side by side, as registers hold them: compilers unroll loops of 16.
    constexpr std::size_t half = most / 2;
    const auto scan_half = [&](std::size_t first, std::size_t here) __attribute__((always_inline)) {
      order::uninitialized<T, in_vector * half> own;
      order::uninitialized<T, half> up_to, prefix;
      for (std::size_t j = 0; j < here; ++j) own[j] = load((first + j) * in_vector);
      for (std::size_t k = 1; k < in_vector; ++k) {
        for (std::size_t j = 0; j < here; ++j)
          own[k * half + j] = op(own[(k - 1) * half + j], load((first + j) * in_vector + k));
      }
      for (std::size_t j = 0; j < here; ++j) up_to[j] = own[(in_vector - 1) * half + j];
      for (std::size_t block = 1; block < half; block *= 2) {
        for (std::size_t j = 0; j < here; ++j) {
          if ((j & block) != 0) up_to[j] = op(up_to[(j & ~(block - 1)) - 1], up_to[j]);
        }
      }
      if (first > 0) {
        for (std::size_t j = 0; j < here; ++j) up_to[j] = op(left, up_to[j]);
      }
      if (exists) {
        prefix[0] = first > 0 ? op(before, left) : before;
        for (std::size_t j = 1; j < here; ++j) prefix[j] = op(before, up_to[j - 1]);
      } else {
        prefix[0] = left;
        for (std::size_t j = 1; j < here; ++j) prefix[j] = up_to[j - 1];
      }
      left = up_to[here - 1];
      T* const to = out + first * in_vector;
      const auto join_from = [&](std::size_t opens) __attribute__((always_inline)) {
        for (std::size_t k = 0; k + Exclusive < in_vector; ++k) {
          for (std::size_t j = opens; j < here; ++j) own[k * half + j] = op(prefix[j], own[k * half + j]);
        }
      };
      if (exists || first > 0) {
        join_from(0);
      } else {
        join_from(1);
      }
      for (std::size_t j = 0; j < here; ++j) {
        if constexpr (Exclusive) to[j * in_vector] = order::canonical(prefix[j]);
        for (std::size_t k = 0; k + Exclusive < in_vector; ++k)
          to[j * in_vector + k + Exclusive] = order::canonical(own[k * half + j]);
      }
    };
    if (vectors > 0) scan_half(0, vectors < half ? vectors : half);
    if (vectors > half) scan_half(half, vectors - half);
    if (vectors == most) return state.append(op, left);
    const std::size_t rest = vectors * in_vector;
    if (rest == count) return;
    const bool joins = exists || vectors > 0;
    const T prefix = vectors > 0 ? joined(left) : before;
    scan_vector<Exclusive>(load, rest, count, op, joins ? &prefix : nullptr, out);
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <bool Exclusive, class T, class Op>
inline void scan_elements(const T* x, std::size_t count, const Op& op, order::row_prefix<T>& state, T* out) {
  constexpr std::size_t row = order::scan_row<T>;
  for (; count >= row; count -= row, x += row, out += row)
    scan_row<Exclusive>(impl::element_at<T, Op>{x}, row, op, state, out);
  if (count > 0) scan_row<Exclusive>(impl::element_at<T, Op>{x}, count, op, state, out);
}

/// `Width` columns side by side, where a compiler sees a register.
template <class T, class Op, std::size_t Width>
struct some_columns {
  using values = order::uninitialized<T, Width>;
  const Op& op;

  template <class F>
  inline __attribute__((always_inline)) values each(const F& f) const {
    values v;
    for (std::size_t w = 0; w < Width; ++w) v[w] = f(w);
    return v;
  }
  values read(const T* x) const {
    return each([&](std::size_t w) { return impl::lift<Op>(x[w]); });
  }
  values load(const T* x) const {
    return each([&](std::size_t w) { return x[w]; });
  }
  values splat(const T& x) const {
    return each([&](std::size_t) { return x; });
  }
  values combine(const values& a, const values& b) const {
    return each([&](std::size_t w) { return op(a[w], b[w]); });
  }
  void store(const values& v, T* to) const {
    for (std::size_t w = 0; w < Width; ++w) to[w] = v[w];
  }
  void write(const values& v, T* to) const {
    for (std::size_t w = 0; w < Width; ++w) to[w] = order::canonical(v[w]);
  }
};
/// Calls f(columns, first) for all of `count` columns, some at a time.
template <class T, class Op>
struct columns_by_operator {
  const Op& op;
  template <class F>
  inline __attribute__((always_inline)) void each(std::size_t count, const F& f) const {
    constexpr std::size_t width = sizeof(T) < 64 ? 64 / sizeof(T) : 1;
    std::size_t first = 0;
    for (; first + width <= count; first += width) f(some_columns<T, Op, width>{op}, first);
    for (; first < count; ++first) f(some_columns<T, Op, 1>{op}, first);
  }
};

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans each column from the top down, where any order gives the same bits.
template <class T, class Columns>
inline void scan_columns_serially(const Columns& columns, const column_panel& panel, const T* init,
                                  bool exclusive) {
  T* const sum = static_cast<T*>(panel.scratch);
  for (std::size_t k = 0; k < panel.length; ++k) {
    const T* const x =
        reinterpret_cast<const T*>(static_cast<const std::byte*>(panel.x) + k * panel.x_stride);
    T* const out = reinterpret_cast<T*>(static_cast<std::byte*>(panel.out) + k * panel.out_stride);
    columns.each(panel.count, [&](const auto& some, std::size_t c) __attribute__((always_inline)) {
      const auto here = some.read(x + c);
      if (k == 0 && init == nullptr) {
        some.write(here, out + c);
        return some.store(here, sum + c);
      }
      const auto before = k == 0 ? some.splat(*init) : some.load(sum + c);
      const auto next = some.combine(before, here);
      some.write(exclusive ? before : next, out + c);
      some.store(next, sum + c);
    });
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
/// Scans each column in order: a vector of each at a time, then the prefix of the next.
template <class T, class Columns>
inline void scan_columns_in_order(const Columns& columns, const column_panel& panel, const T* init,
                                  bool exclusive) {
  constexpr std::size_t in_vector = order::scan_vector<T>, in_row = order::scan_row_vectors;
  const auto row_of = [&](std::size_t index) {
    return reinterpret_cast<T*>(static_cast<std::byte*>(panel.scratch) + index * panel.scratch_pitch);
  };
  bool vector_has_prefix = init != nullptr, row_has_prefix = init != nullptr;
  if (init != nullptr) {
    columns.each(panel.count, [&](const auto& some, std::size_t c) {
      for (const scratch_row l : {before_vector, before_row}) some.store(some.splat(*init), row_of(l) + c);
    });
  }
  for (std::size_t first = 0, vector = 0; first < panel.length; first += in_vector, ++vector) {
    const std::size_t here = first + in_vector < panel.length ? in_vector : panel.length - first;
    const std::size_t j = vector % in_row, row = vector / in_row;
    const bool is_last = first + here == panel.length;
    const auto* const x_at = static_cast<const std::byte*>(panel.x) + first * panel.x_stride;
    auto* const out_at = static_cast<std::byte*>(panel.out) + first * panel.out_stride;
    columns.each(panel.count, [&](const auto& some, std::size_t c) __attribute__((always_inline)) {
      const auto read = [&](std::size_t k) __attribute__((always_inline)) {
        return some.read(reinterpret_cast<const T*>(x_at + k * panel.x_stride) + c);
      };
      const auto write = [&](std::size_t k, const auto& v) __attribute__((always_inline)) {
        some.write(v, reinterpret_cast<T*>(out_at + k * panel.out_stride) + c);
      };
      // Where there is no prefix, the values that this loads are not used.
      const auto before = some.load(row_of(before_vector) + c);
      auto own = read(0);
      if (exclusive) {
        write(0, before);
      } else if (in_vector > 1) {
        write(0, vector_has_prefix ? some.combine(before, own) : own);
      }
      for (std::size_t k = 1; k < here; ++k) {
        const auto next = read(k);
        if (exclusive) write(k, some.combine(before, own));
        own = some.combine(own, next);
        if (!exclusive) write(k, vector_has_prefix ? some.combine(before, own) : own);
      }
      if (is_last && in_vector > 1) return;
      // The total of the blocks of vectors that end here, then P of the next vector.
      unsigned level = 0;
      for (; (j >> level & 1) != 0; ++level)
        own = some.combine(some.load(row_of(vector_blocks + level) + c), own);
      some.store(own, row_of(vector_blocks + level) + c);
      auto prefix = own;
      for (++level; (j + 1) >> level != 0; ++level) {
        if (((j + 1) >> level & 1) != 0)
          prefix = some.combine(some.load(row_of(vector_blocks + level) + c), prefix);
      }
      if (row_has_prefix) prefix = some.combine(some.load(row_of(before_row) + c), prefix);
      if (in_vector == 1 && !exclusive) write(0, prefix);
      if (j + 1 == in_row) {
        // The same for blocks of rows, and Q of the next row.
        for (level = 0; (row >> level & 1) != 0; ++level)
          own = some.combine(some.load(row_of(row_blocks + 2 * level) + c), own);
        some.store(own, row_of(row_blocks + 2 * level) + c);
        const std::size_t above = (row + 1) >> level >> 1;
        prefix = own;
        if (above != 0) {
          const std::size_t last_block = level + 1 + static_cast<unsigned>(__builtin_ctzll(above));
          prefix = some.combine(some.load(row_of(row_blocks + 2 * last_block + 1) + c), own);
        } else if (init != nullptr) {
          prefix = some.combine(some.splat(*init), own);
        }
        some.store(prefix, row_of(row_blocks + 2 * level + 1) + c);
        some.store(prefix, row_of(before_row) + c);
      }
      some.store(prefix, row_of(before_vector) + c);
    });
    vector_has_prefix = true;
    if (j + 1 == in_row) row_has_prefix = true;
  }
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class T, class Op, class Columns>
inline void scan_columns(const Columns& columns, const column_panel& panel, const T* init, bool exclusive) {
  if constexpr (order::any_scan_order<T, Op>) {
    scan_columns_serially(columns, panel, init, exclusive);
  } else {
    scan_columns_in_order(columns, panel, init, exclusive);
  }
}

/// The steps of a scan by any operator on elements of any type.
template <class T, class Op>
class steps_by_operator {
 public:
  explicit steps_by_operator(const Op& op) : op_(op) {}

  scan_steps steps() const {
    return {sizeof(T), sizeof(state), order::scan_row<T>, false, start_, reduce_,
            append_,   scan_,         scan_columns_};
  }

 private:
  using state = order::row_prefix<T>;
  struct step {
    const Op& op;
  };
  struct start_step : step {
    void operator()(const void* init, void* to) const {
      if (init == nullptr) return static_cast<state*>(to)->start(nullptr);
      const T first = impl::lift<Op>(*static_cast<const T*>(init));
      static_cast<state*>(to)->start(&first);
    }
  };
  struct reduce_step : step {
    void operator()(const void* x, std::size_t rows, std::size_t before, void* totals) const {
      for (std::size_t r = 0; r < rows; ++r) {
        const impl::element_at<T, Op> load{static_cast<const T*>(x) + r * order::scan_row<T>};
        order::append_block(step::op, before + r, 0, reduce_row(load, step::op), static_cast<T*>(totals));
      }
    }
  };
  struct append_step : step {
    void operator()(void* to, const void* totals, std::size_t units) const {
      const T* total = static_cast<const T*>(totals) + unit_level;
      for (; units > 0; --units, total += totals_of_unit)
        static_cast<state*>(to)->append(step::op, *total, unit_level);
    }
  };
  struct scan_step : step {
    void operator()(const void* x, std::size_t count, bool exclusive, bool, void* at, void* out) const {
      (exclusive ? scan_elements<true, T, Op>
                 : scan_elements<false, T, Op>)(static_cast<const T*>(x), count, step::op,
                                                *static_cast<state*>(at), static_cast<T*>(out));
    }
  };
  struct columns_step : step {
    void operator()(const column_panel& panel, const void* init, bool exclusive) const {
      scan_columns<T, Op>(columns_by_operator<T, Op>{step::op}, panel, static_cast<const T*>(init),
                          exclusive);
    }
  };

  const Op& op_;
  start_step start_{{op_}};
  reduce_step reduce_{{op_}};
  append_step append_{{op_}};
  scan_step scan_{{op_}};
  columns_step scan_columns_{{op_}};
};

/// Scans each of `all` segments of x into `out`, which may be x.
template <bool Exclusive, class T, class Op>
inline void scan(int threads, const T* x, const Op& op, axis_lines all, const T* init, T* out) {
  const steps_by_operator<T, Op> by(op);
  scan_segments(threads, by.steps(), all, x, init, Exclusive, out);
}

}  // namespace HEDDLE_ISA
}  // namespace heddle::cpu

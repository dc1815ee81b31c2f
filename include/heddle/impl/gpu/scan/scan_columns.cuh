#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/block_totals.cuh>
#include <heddle/impl/gpu/block/columns_of_thread.cuh>
#include <heddle/impl/gpu/scan/short_rows_scan.cuh>
#include <heddle/impl/gpu/scan/tuning.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/scan_order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

/// Scans of columns: threads go down columns side by side, several below one another where columns are few,
/// and memory is read and written once. Few long columns are cut into strips, whose totals are found first.
/// Where the order of combinations matters a strip is a power of two of rows of impl/scan_order.hpp.
namespace heddle::gpu {

/// How scan_down() takes columns.
template <bool FewRows, class Columns, class T, class Op>
struct scan_down_tuning {
  static constexpr bool in_order = !order::any_scan_order<T, Op>;
  static constexpr unsigned vector = static_cast<unsigned>(order::scan_vector<T>);
  /// Of a thread in registers. In order they are a power of two of vectors.
  static constexpr unsigned rows = FewRows    ? few_rows_to_scan
                                   : in_order ? std::max(std::bit_floor(Columns::rows), vector)
                                              : Columns::rows;
  static constexpr unsigned vectors = std::max(rows / vector, 1u);
  static constexpr unsigned levels_of_rows = std::bit_width(vectors) - 1,
                            levels_of_row = std::bit_width(order::scan_row_vectors) - 1 - levels_of_rows;
  /// Rows of the order in a strip are fewer than 2^levels: their blocks are in local memory.
  static constexpr unsigned levels = FewRows || sizeof(T) > 256 ? 1 : sizeof(T) <= 16 ? 16 : 6;
};

/// Threads go down their columns a tile at a time, each with some rows in registers: it scans them and
/// combines them with their exclusive prefix. The totals of threads below one another are combined in shared
/// memory. `totals_only`: writes what each whole strip combines to, and no scan; in order only.
template <bool FewRows, class Columns, class T, class Op>
__global__ void __launch_bounds__(scan_down_threads, FewRows ? blocks_of_few_rows : Columns::blocks)
    scan_down(const T* x, Op op, column_tiling<Columns> shape, bool exclusive, bool totals_only,
              segment_prefixes<T> before_strips, T* out) {
  using tuning = scan_down_tuning<FewRows, Columns, T, Op>;
  constexpr unsigned rows = tuning::rows, columns = Columns::columns;
  using combined = combined_across<Columns, T, Op>;
  using vector = typename combined::vector;
  using stored = typename Columns::stored;
  constexpr bool shares = !FewRows && sizeof(vector) <= 16;
  __shared__ alignas(16) unsigned char exchange_bytes[shares ? 2 * scan_down_threads * sizeof(vector) : 1];
  const auto exchange = reinterpret_cast<vector(*)[scan_down_threads]>(exchange_bytes);
  const combined combine{op};

  const unsigned lanes = shares ? shape.lanes : scan_down_threads, groups = scan_down_threads / lanes;
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
  const std::size_t number = std::size_t{blockIdx.x} * lanes + lane;
  const auto strip = shape[number];
  const std::size_t inner = shape.all.inner, length = strip.length;
  const Columns mine(shape.all, strip.in_row, lanes);
  const bool has_strip = number < shape.strips() && mine.exist();
  const std::size_t begin = strip.begin + mine.column;
  const auto enter = [&](const stored& bits) {
    vector x;
    memcpy(static_cast<void*>(&x), &bits, sizeof x);
    return combine.enter(x);
  };
  const auto leave = [&](const vector& x) {
    const vector left = combine.leave(x);
    stored bits;
    memcpy(static_cast<void*>(&bits), &left, sizeof bits);
    return bits;
  };
  const auto store = [&](T* to, stored bits) {
    if constexpr (!order::order_is_free<T, Op>) {
      order::uninitialized<T, columns> x;
      memcpy(static_cast<void*>(&x), &bits, sizeof bits);
#pragma unroll
      for (unsigned c = 0; c < columns; ++c) x[c] = order::canonical(x[c]);
      memcpy(static_cast<void*>(&bits), &x, sizeof bits);
    }
    mine.store(to, bits);
  };

  const bool has_first = has_strip && before_strips.exist_for(strip.part);
  vector first;
  if (has_first) {
    order::uninitialized<T, columns> given;
#pragma unroll
    for (unsigned c = 0; c < columns; ++c)
      given[c] = before_strips.at(strip.row * inner + mine.column + mine.place(c));
    memcpy(static_cast<void*>(&first), &given, sizeof first);
    first = combine.enter(first);
  }
  const auto load = [&](std::size_t row, unsigned count, stored(&to)[rows]) {
    if (count > 0) mine.load(x + begin + row * inner, count, inner, to);
  };
  unsigned buffer = 0;
  if constexpr (tuning::in_order) {
    order::row_prefix<vector, tuning::levels> rows_before;
    rows_before.start(has_first ? &first : nullptr);
    block_totals<vector, tuning::levels_of_row> vectors_above;
    const unsigned log2_groups = 31 - __clz(static_cast<int>(groups));
    for (std::size_t tile = 0; tile < shape.strip; tile += groups * rows) {
      const std::size_t row = tile + group * rows;
      const unsigned left =
          has_strip && row < length ? static_cast<unsigned>(min(length - row, std::size_t{rows})) : 0;
      stored loaded[rows];
      load(row, left, loaded);
      vector here[rows], total;
      block_totals<vector, tuning::levels_of_rows> vectors_here;
      if (left > 0) {
#pragma unroll
        for (unsigned k = 0; k < rows; ++k) {
          here[k] = enter(loaded[k]);
          if (k % tuning::vector > 0) here[k] = combine(here[k - 1], here[k]);
          if (k % tuning::vector + 1 < tuning::vector) continue;
          total = here[k];
          vectors_here.append(combine, total);
        }
      }
      vector* const totals = &exchange[buffer][shares ? lane : 0];
      if constexpr (shares) {
        if (groups > 1) {
          buffer ^= 1;  // the other may still be read
          if (left == rows) totals[group * lanes] = total;
          // In the place of each group comes the total of the largest block of groups that ends there.
          for (unsigned half = 1; half < groups; half *= 2) {
            __syncthreads();
            if (left == rows && (group + 1) % (2 * half) == 0)
              totals[group * lanes] = combine(totals[(group - half) * lanes], totals[group * lanes]);
          }
          __syncthreads();
        }
      }
      if (left > 0 && !totals_only) {
        bool has_rows_above = rows_before.exists();
        vector rows_above;
        if (has_rows_above) rows_above = rows_before.value();
        if constexpr (shares) {
#pragma unroll
          for (unsigned level = 5; level-- > 0;) {
            if ((group >> level & 1) == 0) continue;
            const vector& block = totals[((group >> level << level) - 1) * lanes];
            if (level < tuning::levels_of_row) {
              vectors_above.put(level, block);
            } else {
              rows_above = has_rows_above ? combine(rows_above, block) : block;
              has_rows_above = true;
            }
          }
        }
        const auto prepend = [&](bool exists, vector& sum) {
          vectors_here.prepend_to(combine, exists, sum);
          vectors_above.prepend_to(combine, exists, sum);
          if (has_rows_above) sum = exists ? combine(rows_above, sum) : rows_above;
          return exists || has_rows_above;
        };
        vectors_here.clear();
        T* to = out + begin + row * inner;
#pragma unroll
        for (unsigned v = 0; v < tuning::vectors; ++v) {
          vector before;
          const bool has_before = prepend(false, before);
#pragma unroll
          for (unsigned k = 0; k < rows / tuning::vectors; ++k, to += inner) {
            const unsigned i = v * tuning::vector + k;
            if (i >= left) continue;
            if (exclusive && k == 0) {
              if (has_before) store(to, leave(before));
            } else if (tuning::vector == 1) {
              vector sum = here[i];
              prepend(true, sum);
              store(to, leave(sum));
            } else {
              const vector& own = exclusive ? here[i - (k > 0 ? 1 : 0)] : here[i];
              store(to, leave(has_before ? combine(before, own) : own));
            }
          }
          if (v + 1 < tuning::vectors) {
            vector of_vector = here[v * tuning::vector + tuning::vector - 1];
            vectors_here.append(combine, of_vector);
          }
        }
      }
      vectors_above.drop_below(log2_groups);
      if (!FewRows && has_strip && tile + groups * rows <= length) {
        if (groups > 1) total = totals[(groups - 1) * lanes];
        if (vectors_above.append(combine, total, log2_groups))
          rows_before.append(combine, total, max(log2_groups, tuning::levels_of_row) - tuning::levels_of_row);
      }
    }
    if (totals_only && has_strip && group == 0 && length == shape.strip) {
      store(out + strip.row * inner + mine.column, leave(rows_before.value()));
    }
  } else {
    bool has_above = has_first;
    vector above_tile = first;
    for (std::size_t tile = 0; tile < shape.strip; tile += groups * rows) {
      const std::size_t row = tile + group * rows;
      const unsigned left =
          has_strip && row < length ? static_cast<unsigned>(min(length - row, std::size_t{rows})) : 0;
      stored here[rows];
      vector total;
      if (left > 0) {
        stored loaded[rows];
        load(row, left, loaded);
#pragma unroll
        for (unsigned k = 0; k < rows; ++k) {
          const vector next = enter(loaded[k]);
          total = k > 0 ? combine(total, next) : next;
          here[k] = leave(total);
        }
      }

      vector before = above_tile;
      bool has_before = has_above;
      if constexpr (shares) {
        if (groups > 1) {
          const unsigned in_warp = threadIdx.x % warp_size;
          const unsigned groups_of_warp = lanes < warp_size ? warp_size / lanes : 1;
          for (unsigned distance = lanes; distance < warp_size; distance *= 2) {
            const vector above = shuffle_up(total, distance);
            if (left > 0 && in_warp >= distance) total = combine(above, total);
          }
          const vector above = shuffle_up(total, lanes % warp_size);
          const unsigned level = group / groups_of_warp;
          buffer ^= 1;  // the other may still be read
          if (group % groups_of_warp == groups_of_warp - 1) exchange[buffer][level * lanes + lane] = total;
          __syncthreads();
          // The last tile may have levels without rows.
          const bool goes_on = has_strip && tile + groups * rows < length;
          const unsigned levels = goes_on ? groups / groups_of_warp : left > 0 ? level : 0;
          for (unsigned l = 0; l < levels; ++l) {
            const vector& of_level = exchange[buffer][l * lanes + lane];
            total = l > 0 ? combine(total, of_level) : of_level;
            if (l + 1 == level) {
              before = has_before ? combine(before, total) : total;
              has_before = true;
            }
          }
          if (left > 0 && group % groups_of_warp > 0) {
            before = has_before ? combine(before, above) : above;
            has_before = true;
          }
        }
      }
      if (left > 0) {
        above_tile = has_above ? combine(above_tile, total) : total;
        has_above = true;
        if (has_before) {
#pragma unroll
          for (unsigned k = 0; k < rows; ++k) here[k] = leave(combine(before, enter(here[k])));
        }
      }
      T* to = out + begin + row * inner;
      unsigned written = left;
      if (exclusive) {
        // Each goes a row down, and the last one is in front of the rows below.
        if (left > 0 && has_before) store(to, leave(before));
        to += inner;
        if (left > 0) --written;
      }
#pragma unroll
      for (unsigned k = 0; k < rows; ++k, to += inner) {
        if (k < written) store(to, here[k]);
      }
    }
  }
}

/// Strips with as many lanes side by side as is best: the more the better, but for multiprocessors without a
/// block, also while the last ones run. A thread takes `rows` at once.
template <class Columns>
column_tiling<Columns> strips_to_scan_down(const target& where, const segments& all, std::size_t strip,
                                           unsigned rows) {
  // Long columns of elements are better off with two rows of threads.
  const bool in_two_rows = !Columns::fill_vec16 && strip == all.length && strip >= 8 * rows;
  const unsigned most_lanes = in_two_rows ? scan_down_threads / 2 : scan_down_threads;
  constexpr unsigned least_lanes = 8;
  constexpr double enough = 0.9, better = 1.15;
  const std::size_t at_once = Columns::blocks * std::size_t{multiprocessors(where)};
  unsigned best = most_lanes;
  double best_share = 0;  // of the places for blocks, those that have one until the last block ends
  for (unsigned lanes = most_lanes; lanes >= least_lanes; lanes /= 2) {
    const column_tiling<Columns> shape(all, strip, lanes);
    const std::size_t blocks = (shape.strips() + lanes - 1) / lanes, turns = (blocks + at_once - 1) / at_once;
    const double share = static_cast<double>(blocks) / static_cast<double>(turns * at_once);
    // A GPU of which most waits has nothing to lose.
    if (blocks <= at_once / 4 || share > better * best_share) {
      best = lanes;
      best_share = share;
    }
    const bool have_rows = strip > rows * (scan_down_threads / lanes);
    if (best_share >= enough || !have_rows) break;
  }
  return {all, strip, best};
}

/// Rows of the strips into which columns are cut for scan_down() where their order matters.
template <class Columns, class T, class Op>
std::size_t rows_of_strip(const target& where, const segments& all) {
  using tuning = scan_down_tuning<false, Columns, T, Op>;
  constexpr std::size_t row = order::scan_row<T>, most = std::size_t{1} << (tuning::levels - 1);
  const std::size_t columns = column_tiling<Columns>(all, all.length, scan_down_threads).strips(),
                    processors = multiprocessors(where), rows = (all.length + row - 1) / row;
  if (rows <= most && (columns >= 16 * processors || all.length <= order::tile<T, Op>)) return all.length;
  const std::size_t strips = (32 * processors + columns - 1) / columns;
  return row * std::min(std::bit_floor(std::max(rows / strips, std::size_t{1})), most);
}

/// Parts of a column that a thread of combine_parts() takes at most: large elements are in local memory.
template <class T>
inline constexpr unsigned parts_at_once = sizeof(T) <= 256 ? 64 : 4;

/// Totals of parts of columns, `group` of them at a time, a power of two: combined, or each replaced by what
/// is before it.
template <bool Combines, class T, class Op>
__global__ void __launch_bounds__(scan_down_threads)
    combine_parts(const T* totals, Op op, segments parts, unsigned group, segment_prefixes<T> before_groups,
                  T* out) {
  const std::size_t groups = (parts.length + group - 1) / group;
  const std::size_t number = std::size_t{blockIdx.x} * scan_down_threads + threadIdx.x;
  if (number >= parts.outer * groups * parts.inner) return;
  const std::size_t row = number / parts.inner, column = number - row * parts.inner, outer = row / groups,
                    first = (row - outer * groups) * group;
  // Nothing stands behind the last part, which need not be whole.
  const auto whole = static_cast<unsigned>(min(std::size_t{group}, parts.length - 1 - first));
  if (Combines && whole < group) return;
  const bool has_first = !Combines && before_groups.exist_for(first / group);
  order::uninitialized<T, 1> before;
  if (has_first) before[0] = before_groups.at(number);
  constexpr unsigned levels = parts_at_once<T> == 64 ? 7 : 3;
  order::row_prefix<T, levels> prefix;
  prefix.start(has_first ? &before[0] : nullptr);
  const std::size_t place = (outer * parts.length + first) * parts.inner + column;
  constexpr unsigned ahead = sizeof(T) <= 16 ? 8 : 1;
  const auto count = static_cast<unsigned>(min(std::size_t{group}, parts.length - first));
  for (unsigned i = 0; i < count; i += ahead) {
    order::uninitialized<T, ahead> total;
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (i + k < whole) total[k] = totals[place + (i + k) * parts.inner];
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (i + k >= count) break;
      if (!Combines && prefix.exists()) out[place + (i + k) * parts.inner] = prefix.value();
      if (i + k < whole) prefix.append(op, total[k]);
    }
  }
  if (Combines) out[number] = prefix.value();
}

/// Replaces the totals of parts of columns by what is before each; `before` is what is before whole columns.
template <class T, class Op>
void find_prefixes_of_parts(const target& where, T* totals, const Op& op, const segments& parts,
                            order::uninitialized<segment_prefixes<T>, 1> before) {
  constexpr unsigned group = parts_at_once<T>;
  const segments groups{parts.outer, (parts.length + group - 1) / group, parts.inner};
  const unsigned grid = grid_for(groups.elements(), scan_down_threads);
  memory held;
  if (groups.length > 1) {
    held = memory(groups.elements() * sizeof(T), where);
    T* const of_groups = static_cast<T*>(held.data());
    combine_parts<true><<<grid, scan_down_threads, 0, where.stream()>>>(static_cast<const T*>(totals), op,
                                                                        parts, group, before[0], of_groups);
    check(cudaGetLastError(), "launch of combine_parts");
    find_prefixes_of_parts(where, of_groups, op, groups, before);
    before[0].prefixes = of_groups;
  }
  combine_parts<false><<<grid, scan_down_threads, 0, where.stream()>>>(static_cast<const T*>(totals), op,
                                                                       parts, group, before[0], totals);
  check(cudaGetLastError(), "launch of combine_parts");
}

}  // namespace heddle::gpu

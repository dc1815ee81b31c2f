#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/core/scan_order.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/gpu/block/block_totals.cuh>
#include <heddle/impl/gpu/block/columns_of_thread.cuh>
#include <heddle/impl/gpu/warp/warp.cuh>
#include <heddle/impl/patterns/scan/gpu/short_rows_scan.cuh>
#include <heddle/impl/patterns/scan/gpu/tuning.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>

/// Scans of columns: threads go down columns side by side, several below one another where columns are few,
/// and memory is read and written once. Few long columns are cut into parts, whose totals are found first.
/// Where the order of combinations matters a part is a power of two of rows of scan_order.hpp.
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
  /// Rows of the order in a part are fewer than 2^levels: their blocks are in local memory.
  static constexpr unsigned levels = FewRows || sizeof(T) > 256 ? 1 : sizeof(T) <= 16 ? 16 : 6;
};

/// Threads go down their columns a tile at a time, each with some rows in registers: it scans them and
/// combines them with their exclusive prefix. The totals of threads below one another are combined in shared
/// memory. `totals_only`: writes what each whole part combines to, and no scan; in order only.
template <bool FewRows, class Columns, class T, class Op>
__global__ void __launch_bounds__(scan_down_threads, FewRows ? blocks_of_few_rows : Columns::blocks)
    scan_down(const T* x, Op op, column_tiling<Columns> shape, bool exclusive, bool totals_only,
              segment_prefixes<T> prefixes, T* out) {
  using tuning = scan_down_tuning<FewRows, Columns, T, Op>;
  constexpr unsigned rows = tuning::rows, columns = Columns::columns;
  using combined = vector_op<Columns, T, Op>;
  using vector = typename combined::vector;
  using stored = typename Columns::stored;
  constexpr bool shares = !FewRows && sizeof(vector) <= 16;
  __shared__ alignas(16) unsigned char exchange_bytes[shares ? 2 * scan_down_threads * sizeof(vector) : 1];
  const auto exchange = reinterpret_cast<vector(*)[scan_down_threads]>(exchange_bytes);
  const combined combine{op};

  const unsigned width = shares ? shape.width : scan_down_threads, groups = scan_down_threads / width;
  const unsigned column = threadIdx.x % width, group = threadIdx.x / width;
  const std::size_t number = std::size_t{blockIdx.x} * width + column;
  const auto part = shape[number];
  const std::size_t inner = shape.all.inner, length = part.length;
  const Columns mine(shape.all, part.in_row, width);
  const bool has_part = number < shape.thread_parts() && mine.in_range();
  const std::size_t begin = part.begin + mine.column;
  const auto encode = [&](const stored& bits) {
    vector x;
    memcpy(static_cast<void*>(&x), &bits, sizeof x);
    return combine.encode(x);
  };
  const auto decode = [&](const vector& x) {
    const vector decoded = combine.decode(x);
    stored bits;
    memcpy(static_cast<void*>(&bits), &decoded, sizeof bits);
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

  const bool has_first = has_part && prefixes.exist_for(part.index);
  vector first;
  if (has_first) {
    order::uninitialized<T, columns> given;
#pragma unroll
    for (unsigned c = 0; c < columns; ++c)
      given[c] = prefixes.at(part.row * inner + mine.column + mine.offset_of(c));
    memcpy(static_cast<void*>(&first), &given, sizeof first);
    first = combine.encode(first);
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
    for (std::size_t tile = 0; tile < shape.part_rows; tile += groups * rows) {
      const std::size_t row = tile + group * rows;
      const unsigned left =
          has_part && row < length ? static_cast<unsigned>(min(length - row, std::size_t{rows})) : 0;
      stored loaded[rows];
      load(row, left, loaded);
      vector here[rows], total;
      block_totals<vector, tuning::levels_of_rows> vectors_here;
      if (left > 0) {
#pragma unroll
        for (unsigned k = 0; k < rows; ++k) {
          here[k] = encode(loaded[k]);
          if (k % tuning::vector > 0) here[k] = combine(here[k - 1], here[k]);
          if (k % tuning::vector + 1 < tuning::vector) continue;
          total = here[k];
          vectors_here.append(combine, total);
        }
      }
      vector* const totals = &exchange[buffer][shares ? column : 0];
      if constexpr (shares) {
        if (groups > 1) {
          buffer ^= 1;  // the other may still be read
          if (left == rows) totals[group * width] = total;
          // For each group is written the total of the largest block of groups that ends there.
          for (unsigned half = 1; half < groups; half *= 2) {
            __syncthreads();
            if (left == rows && (group + 1) % (2 * half) == 0)
              totals[group * width] = combine(totals[(group - half) * width], totals[group * width]);
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
            const vector& block = totals[((group >> level << level) - 1) * width];
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
              if (has_before) store(to, decode(before));
            } else if (tuning::vector == 1) {
              vector sum = here[i];
              prepend(true, sum);
              store(to, decode(sum));
            } else {
              const vector& own = exclusive ? here[i - (k > 0 ? 1 : 0)] : here[i];
              store(to, decode(has_before ? combine(before, own) : own));
            }
          }
          if (v + 1 < tuning::vectors) {
            vector of_vector = here[v * tuning::vector + tuning::vector - 1];
            vectors_here.append(combine, of_vector);
          }
        }
      }
      vectors_above.drop_below(log2_groups);
      if (!FewRows && has_part && tile + groups * rows <= length) {
        if (groups > 1) total = totals[(groups - 1) * width];
        if (vectors_above.append(combine, total, log2_groups))
          rows_before.append(combine, total, max(log2_groups, tuning::levels_of_row) - tuning::levels_of_row);
      }
    }
    if (totals_only && has_part && group == 0 && length == shape.part_rows) {
      store(out + part.row * inner + mine.column, decode(rows_before.value()));
    }
  } else {
    bool has_above = has_first;
    vector above_tile = first;
    for (std::size_t tile = 0; tile < shape.part_rows; tile += groups * rows) {
      const std::size_t row = tile + group * rows;
      const unsigned left =
          has_part && row < length ? static_cast<unsigned>(min(length - row, std::size_t{rows})) : 0;
      stored here[rows];
      vector total;
      if (left > 0) {
        stored loaded[rows];
        load(row, left, loaded);
#pragma unroll
        for (unsigned k = 0; k < rows; ++k) {
          const vector next = encode(loaded[k]);
          total = k > 0 ? combine(total, next) : next;
          here[k] = decode(total);
        }
      }

      vector before = above_tile;
      bool has_before = has_above;
      if constexpr (shares) {
        if (groups > 1) {
          const unsigned in_warp = threadIdx.x % warp_size;
          const unsigned groups_of_warp = width < warp_size ? warp_size / width : 1;
          for (unsigned distance = width; distance < warp_size; distance *= 2) {
            const vector above = shuffle_up(total, distance);
            if (left > 0 && in_warp >= distance) total = combine(above, total);
          }
          const vector above = shuffle_up(total, width % warp_size);
          const unsigned level = group / groups_of_warp;
          buffer ^= 1;  // the other may still be read
          if (group % groups_of_warp == groups_of_warp - 1) exchange[buffer][level * width + column] = total;
          __syncthreads();
          // The last tile may have levels without rows.
          const bool goes_on = has_part && tile + groups * rows < length;
          const unsigned levels = goes_on ? groups / groups_of_warp : left > 0 ? level : 0;
          for (unsigned l = 0; l < levels; ++l) {
            const vector& of_level = exchange[buffer][l * width + column];
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
          for (unsigned k = 0; k < rows; ++k) here[k] = decode(combine(before, encode(here[k])));
        }
      }
      T* to = out + begin + row * inner;
      unsigned written = left;
      if (exclusive) {
        // The inclusive result of a row is the exclusive one of the row below; the first row gets `before`.
        if (left > 0 && has_before) store(to, decode(before));
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

/// Parts for as many neighbouring columns to a block as is best: the more the better, but for multiprocessors
/// without a block, also while the last ones run. A thread takes `rows` at once.
template <class Columns>
column_tiling<Columns> tiling_to_scan_down(const target& where, const axis_lines& all, std::size_t part_rows,
                                           unsigned rows) {
  // Long columns of elements are faster with two rows of threads.
  const bool in_two_rows = !Columns::fill_vec16 && part_rows == all.length && part_rows >= 8 * rows;
  const unsigned most_width = in_two_rows ? scan_down_threads / 2 : scan_down_threads;
  constexpr unsigned least_width = 8;
  constexpr double enough = 0.9, better = 1.15;
  const std::size_t at_once = Columns::blocks * std::size_t{multiprocessors(where)};
  unsigned best = most_width;
  double best_share = 0;  // of the blocks that fit in the waves, those that there are
  for (unsigned width = most_width; width >= least_width; width /= 2) {
    const column_tiling<Columns> shape(all, part_rows, width);
    const std::size_t blocks = (shape.thread_parts() + width - 1) / width,
                      waves = (blocks + at_once - 1) / at_once;
    const double share = static_cast<double>(blocks) / static_cast<double>(waves * at_once);
    // A GPU that is mostly idle has nothing to lose.
    if (blocks <= at_once / 4 || share > better * best_share) {
      best = width;
      best_share = share;
    }
    const bool have_rows = part_rows > rows * (scan_down_threads / width);
    if (best_share >= enough || !have_rows) break;
  }
  return {all, part_rows, best};
}

/// Rows of the parts into which columns are cut for scan_down() where their order matters.
template <class Columns, class T, class Op>
std::size_t rows_of_ordered_part(const target& where, const axis_lines& all) {
  using tuning = scan_down_tuning<false, Columns, T, Op>;
  constexpr std::size_t row = order::scan_row<T>, most = std::size_t{1} << (tuning::levels - 1);
  const std::size_t columns = column_tiling<Columns>(all, all.length, scan_down_threads).thread_parts(),
                    processors = multiprocessors(where), rows = (all.length + row - 1) / row;
  if (rows <= most && (columns >= 16 * processors || all.length <= order::tile<T, Op>)) return all.length;
  const std::size_t parts = (32 * processors + columns - 1) / columns;
  return row * std::min(std::bit_floor(std::max(rows / parts, std::size_t{1})), most);
}

/// Parts of a column that a thread of combine_parts() takes at most: large elements are in local memory.
template <class T>
inline constexpr unsigned parts_at_once = sizeof(T) <= 256 ? 64 : 4;

/// Totals of parts of columns, `group` of them at a time, a power of two: combined, or each replaced by its
/// exclusive prefix.
template <bool Combines, class T, class Op>
__global__ void __launch_bounds__(scan_down_threads)
    combine_parts(const T* totals, Op op, axis_lines parts, unsigned group, segment_prefixes<T> before_groups,
                  T* out) {
  const std::size_t groups = (parts.length + group - 1) / group;
  const std::size_t number = std::size_t{blockIdx.x} * scan_down_threads + threadIdx.x;
  if (number >= parts.outer * groups * parts.inner) return;
  const std::size_t row = number / parts.inner, column = number - row * parts.inner, outer = row / groups,
                    first = (row - outer * groups) * group;
  // Nothing needs the total of the last part, which may not be whole.
  const auto whole = static_cast<unsigned>(min(std::size_t{group}, parts.length - 1 - first));
  if (Combines && whole < group) return;
  const bool has_first = !Combines && before_groups.exist_for(first / group);
  order::uninitialized<T, 1> before;
  if (has_first) before[0] = before_groups.at(number);
  constexpr unsigned levels = parts_at_once<T> == 64 ? 7 : 3;
  static_assert(parts_at_once<T> < 1u << levels);
  order::row_prefix<T, levels> prefix;
  prefix.start(has_first ? &before[0] : nullptr);
  const std::size_t first_total = (outer * parts.length + first) * parts.inner + column;
  constexpr unsigned ahead = sizeof(T) <= 16 ? 8 : 1;
  const auto count = static_cast<unsigned>(min(std::size_t{group}, parts.length - first));
  for (unsigned i = 0; i < count; i += ahead) {
    order::uninitialized<T, ahead> total;
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (i + k < whole) total[k] = totals[first_total + (i + k) * parts.inner];
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (i + k >= count) break;
      if (!Combines && prefix.exists()) out[first_total + (i + k) * parts.inner] = prefix.value();
      if (i + k < whole) prefix.append(op, total[k]);
    }
  }
  if (Combines) out[number] = prefix.value();
}

/// Replaces the totals of parts of columns by their exclusive prefixes; `before` has the prefixes of whole
/// columns.
template <class T, class Op>
void find_prefixes_of_parts(const target& where, T* totals, const Op& op, const axis_lines& parts,
                            order::uninitialized<segment_prefixes<T>, 1> before) {
  constexpr unsigned group = parts_at_once<T>;
  const axis_lines groups{parts.outer, (parts.length + group - 1) / group, parts.inner};
  const unsigned grid = grid_for(groups.elements(), scan_down_threads);
  memory storage;
  if (groups.length > 1) {
    storage = memory(groups.elements() * sizeof(T), where);
    T* const of_groups = static_cast<T*>(storage.data());
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

#pragma once

#include <heddle/compiler.hpp>

#include <cstddef>

/// Sizes that choose a way through the code. Results do not depend on them, but for the rounding of
/// transforms.
namespace heddle::impl {

/// Each is a number of elements unless its name says bytes. A `grain` is what is worth a thread.
struct thresholds {
  // Of several patterns
  std::size_t stream_from_bytes;   ///< larger outputs bypass the cache by non-temporal stores
  std::size_t stream_piece_bytes;  ///< what is computed in the cache before it is copied out
  std::size_t stream_page_bytes;   ///< pieces come from several pages alternately
  std::size_t transform_grain_bytes;
  std::size_t for_each_index_grain;

  // reduce, argmin and argmax
  std::size_t reduce_tiles_here;  ///< tiles that the calling thread reduces without a call into the library
  std::size_t reduce_grain_bytes;
  std::size_t reduce_panel_bytes;  ///< columns that are reduced side by side
  std::size_t arg_piece;           ///< elements of a line whose extremum is found by itself
  std::size_t arg_panel;           ///< columns that are searched side by side
  std::size_t arg_run;             ///< elements that are searched without an early exit
  std::size_t long_segment;        ///< longer segments are shared out
  std::size_t segment_grain;

  // scan
  std::size_t scan_here;  ///< longer arrays need a call into the library
  std::size_t scan_piece_bytes;
  std::size_t scan_unit_level;  ///< threads and pieces of a stream take 2^level rows
  std::size_t scan_parallel_from_bytes;
  std::size_t scan_least_block_bytes, scan_most_block_bytes;  ///< what a thread takes at a time
  std::size_t scan_short_row;         ///< rows up to this length are scanned side by side
  std::size_t scan_short_rows_bytes;  ///< short rows that are scanned together
  std::size_t scan_narrowest_panel_bytes, scan_widest_panel_bytes;  ///< columns that are scanned side by side

  // sort, top_k
  std::size_t merge_grain;
  std::size_t sort_grain;
  std::size_t sort_few;               ///< fewer elements are sorted by comparisons
  std::size_t sort_lines_from_bytes;  ///< larger arrays are written a cache line at a time
  std::size_t sort_interruptible;     ///< elements between two checks for an interruption
  std::size_t sort_block;             ///< elements that are compared without an early exit
  std::size_t sort_registers;         ///< registers whose elements are sorted by a network
  std::size_t sort_splits_a_halving;  ///< splits of a quicksort before it gives up
  std::size_t sort_samples;           ///< samples for each part that a thread sorts
  std::size_t sort_alike;             ///< neighbours with one shortened key that are sorted again
  std::size_t top_k_grain;
  std::size_t top_k_block;  ///< elements that are compared with the bound at a time

  // copy_if, gather, histogram
  std::size_t copy_if_tile;
  std::size_t gather_grain_bytes;
  std::size_t gather_block;  ///< indices that are checked without an early exit
  std::size_t histogram_grain;
  std::size_t find_bins_grain;
  std::size_t histogram_few_bins;   ///< with more bins, neighbours share one set of counts
  std::size_t histogram_many_bins;  ///< with more bins, each thread has one set of counts

  // stencil
  std::size_t stencil_tile_bytes;
  std::size_t stencil_least_tile;  ///< cells
  std::size_t stencil_grain;       ///< cells times generations

  // random, fft, matmul
  std::size_t random_grain;   ///< chunks of 1024 numbers
  std::size_t fft_long_line;  ///< longer lines are transformed as matrices
  std::size_t fft_grain;
  std::size_t matmul_grain;           ///< products
  std::size_t matmul_block_products;  ///< products of a block that is worth a thread

  // Patterns on a GPU, chosen by the host
  std::size_t gpu_extrema_row;   ///< shorter rows are read twice by argmin and argmax, or by minmax
  std::size_t gpu_minmax_bytes;  ///< bytes whose minima and maxima are found one after another

  // Files and ranks
  std::size_t staged_elements;   ///< elements of a file that are converted at a time
  std::size_t file_piece_bytes;  ///< bytes of a block that a rank reads or writes at a time
};

inline constexpr thresholds usual_thresholds{
    .stream_from_bytes = std::size_t{1} << 22,
    .stream_piece_bytes = 512,
    .stream_page_bytes = 4096,
    .transform_grain_bytes = std::size_t{1} << 16,
    .for_each_index_grain = std::size_t{1} << 12,
    .reduce_tiles_here = 16,
    .reduce_grain_bytes = std::size_t{1} << 17,
    .reduce_panel_bytes = 1024,
    .arg_piece = std::size_t{1} << 14,
    .arg_panel = 256,
    .arg_run = 256,
    .long_segment = std::size_t{1} << 18,
    .segment_grain = std::size_t{1} << 14,
    .scan_here = 4096,
    .scan_piece_bytes = 2048,
    .scan_unit_level = 5,
    .scan_parallel_from_bytes = std::size_t{1} << 18,
    .scan_least_block_bytes = std::size_t{1} << 15,
    .scan_most_block_bytes = std::size_t{1} << 17,
    .scan_short_row = 64,
    .scan_short_rows_bytes = std::size_t{1} << 14,
    .scan_narrowest_panel_bytes = 256,
    .scan_widest_panel_bytes = 2048,
    .merge_grain = std::size_t{1} << 12,
    .sort_grain = std::size_t{1} << 14,
    .sort_few = 256,
    .sort_lines_from_bytes = std::size_t{1} << 24,
    .sort_interruptible = std::size_t{1} << 22,
    .sort_block = 1024,
    .sort_registers = 32,
    .sort_splits_a_halving = 2,
    .sort_samples = 32,
    .sort_alike = 1024,
    .top_k_grain = std::size_t{1} << 14,
    .top_k_block = 1024,
    .copy_if_tile = std::size_t{1} << 14,
    .gather_grain_bytes = std::size_t{1} << 16,
    .gather_block = 1024,
    .histogram_grain = std::size_t{1} << 15,
    .find_bins_grain = std::size_t{1} << 14,
    .histogram_few_bins = 4096,
    .histogram_many_bins = 65536,
    .stencil_tile_bytes = std::size_t{1} << 17,
    .stencil_least_tile = 4096,
    .stencil_grain = std::size_t{1} << 16,
    .random_grain = 16,
    .fft_long_line = std::size_t{1} << 18,
    .fft_grain = std::size_t{1} << 14,
    .matmul_grain = std::size_t{1} << 14,
    .matmul_block_products = std::size_t{1} << 20,
    .gpu_extrema_row = 2048,
    .gpu_minmax_bytes = std::size_t{1} << 24,
    .staged_elements = 2048,
    .file_piece_bytes = std::size_t{1} << 24,
};

/// With these, arrays of a few hundred elements take every way.
inline constexpr thresholds low_thresholds{
    .stream_from_bytes = 512,
    .stream_piece_bytes = 64,
    .stream_page_bytes = 128,
    .transform_grain_bytes = 64,
    .for_each_index_grain = 16,
    .reduce_tiles_here = 1,
    .reduce_grain_bytes = 128,
    .reduce_panel_bytes = 32,
    .arg_piece = 64,
    .arg_panel = 8,
    .arg_run = 8,
    .long_segment = 64,
    .segment_grain = 16,
    .scan_here = 64,
    .scan_piece_bytes = 512,
    .scan_unit_level = 2,
    .scan_parallel_from_bytes = 1024,
    .scan_least_block_bytes = 256,
    .scan_most_block_bytes = 4096,
    .scan_short_row = 8,
    .scan_short_rows_bytes = 256,
    .scan_narrowest_panel_bytes = 64,
    .scan_widest_panel_bytes = 128,
    .merge_grain = 16,
    .sort_grain = 32,
    .sort_few = 16,
    .sort_lines_from_bytes = 1024,
    .sort_interruptible = 64,
    .sort_block = 16,
    .sort_registers = 8,
    .sort_splits_a_halving = 0,
    .sort_samples = 2,
    .sort_alike = 8,
    .top_k_grain = 32,
    .top_k_block = 16,
    .copy_if_tile = 32,
    .gather_grain_bytes = 64,
    .gather_block = 16,
    .histogram_grain = 32,
    .find_bins_grain = 16,
    .histogram_few_bins = 16,
    .histogram_many_bins = 32,
    .stencil_tile_bytes = 512,
    .stencil_least_tile = 64,
    .stencil_grain = 64,
    .random_grain = 1,
    .fft_long_line = 256,
    .fft_grain = 16,
    .matmul_grain = 64,
    .matmul_block_products = 512,
    .gpu_extrema_row = 64,
    .gpu_minmax_bytes = 1024,
    .staged_elements = 16,
    .file_piece_bytes = 256,
};

/// The build option HEDDLE_LOW_THRESHOLDS lowers them for tests.
#if defined(HEDDLE_LOW_THRESHOLDS)
inline constexpr thresholds threshold = low_thresholds;
#else
inline constexpr thresholds threshold = usual_thresholds;
#endif

}  // namespace heddle::impl

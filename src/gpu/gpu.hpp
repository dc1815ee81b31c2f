#pragma once

#include <heddle/algorithm.hpp>
#include <heddle/array.hpp>
#include <heddle/machine.hpp>
#include <heddle/operators.hpp>
#include <heddle/shape.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::impl {
enum class bound : std::uint8_t;
enum class matrix_type : std::uint8_t;
struct bin_finder;
struct fft_task;
struct index_list;
struct matrix_operand;
class module_state;
struct random_numbers;
}  // namespace heddle::impl

namespace heddle {
enum class matmul_algorithm : std::uint8_t;
enum class sort_order : std::uint8_t;
struct module_options;
}  // namespace heddle

/// What the library asks of GPUs. A build without the CUDA toolkit has the same functions, which find no GPU.
namespace heddle::gpu {

/// 1000·major + 10·minor; 0 for none.
int toolkit_version() noexcept;
int device_count() noexcept;
std::vector<gpu_properties> devices();
std::size_t free_bytes(int device);
bandwidths::gpu measure(int device);

/// Throws when the machine has no such device, saying which there are.
void require_device(const target& where);

void* allocate(std::size_t bytes, const target& where);
void release(void* data, const target& where) noexcept;
void release_cached_memory(const target& where);

/// At least one side is on a GPU; the contract is heddle::copy's.
void copy(void* to, const target& to_where, const void* from, const target& from_where, std::size_t bytes);
void order(const target& earlier, const target& later);
void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes);
void wait(const target& where);
void* value_slot(const target& where, std::size_t bytes);

// The built-in operators on the built-in types; everything is in the memory of `where`.
void reduce(runtime_op op, dtype type, const void* x, axis_lines all, void* out, const target& where);
void reduce_tiles(runtime_op op, dtype type, const void* x, std::size_t count, void* out,
                  const target& where);
void segmented_reduce(runtime_op op, dtype type, const void* x, std::size_t n, const std::size_t* offsets,
                      std::size_t count, void* out, const target& where);
void scan(runtime_op op, dtype type, bool exclusive, const void* x, axis_lines all, const void* init,
          void* out, const target& where);
void segmented_scan(runtime_op op, dtype type, bool exclusive, const void* x, std::size_t n,
                    const bool* flags, const void* init, void* out, const target& where);
void reduce_by(reduce_algorithm algorithm, runtime_op op, dtype type, const void* x, std::size_t n, void* out,
               const target& where);
void scan_by(scan_algorithm algorithm, runtime_op op, dtype type, bool exclusive, const void* x,
             std::size_t n, const void* init, void* out, const target& where);
void map(runtime_op f, dtype type, const void* x, bool x_is_constant, const void* y, bool y_is_constant,
         std::size_t count, void* out, const target& where);
void find_first(dtype type, const void* x, axis_lines all, const void* extremum, const void* of_pieces,
                std::size_t piece, std::size_t* index, const target& where);
void random(const impl::random_numbers& numbers, std::size_t count, void* out, const target& where);
void sort(dtype type, const void* x, const axis_lines& lines, sort_order order, void* out,
          const target& where);
void argsort(dtype type, const void* x, const axis_lines& lines, sort_order order, std::size_t* indices,
             const target& where);
std::size_t first_index_outside(const impl::index_list& indices, std::uint64_t limit, const target& where);
void gather(const void* x, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
            void* out, const target& where);
void scatter(void* out, const axis_lines& lines, std::size_t block_bytes, const impl::index_list& indices,
             const void* values, const target& where);
void bounds(dtype type, const void* sorted, std::size_t n, sort_order order, impl::bound which,
            const void* values, std::size_t count, std::size_t* indices, const target& where);
void top(dtype type, const void* x, std::size_t n, std::size_t k, sort_order order, std::size_t* indices,
         const target& where);
void indices_in_array(const std::size_t* indices, const axis_lines& lines, std::size_t k,
                      std::size_t* in_array, const target& where);
void histogram(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of, std::uint64_t* counts,
               const target& where);
void find_bins(dtype type, const void* x, std::size_t n, impl::bin_finder bin_of, std::uint32_t* bins,
               const target& where);
void wide_sums(dtype type, const void* x, axis_lines all, void* sums, const target& where);
void sum_squared_deviations(dtype type, const void* x, axis_lines all, const void* centres, double* sums,
                            const target& where);
void divide(const double* sums, std::size_t count, double divisor, bool narrow, void* out,
            const target& where);
void are_nonzero(const void* x, std::size_t element_bytes, std::size_t count, bool* out, const target& where);
void widen(const float* x, std::size_t n, double* out, const target& where);
memory count_flags(const bool* flags, std::size_t n, const target& where);
void copy_flagged(const bool* flags, std::size_t n, const std::size_t* before, const void* x,
                  std::size_t element_bytes, bool all, std::size_t chosen, void* out, const target& where);
void indices_of_flags(const bool* flags, std::size_t n, const std::size_t* before, std::size_t* out,
                      const target& where);
/// Flags the first of n elements and those at `count` rising offsets, and no others.
void flag_offsets(const std::size_t* offsets, std::size_t count, std::size_t n, bool* flags,
                  const target& where);
void flag_changes(dtype type, const void* x, std::size_t n, bool* flags, const target& where);
void matmul(impl::matrix_type type, const impl::matrix_operand& a, const impl::matrix_operand& b,
            std::size_t batches, void* c, const target& where, matmul_algorithm algorithm);
void fft(const impl::fft_task& task, const void* x, void* out, const target& where);

/// Whether kernels can be compiled from source for the GPUs of this machine: there is one, and NVRTC.
bool can_compile_modules() noexcept;
/// By NVRTC, for the device of `where`.
std::shared_ptr<impl::module_state> compile_module(const target& where, const std::string& source,
                                                   const module_options& options);

}  // namespace heddle::gpu

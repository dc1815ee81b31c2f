#include "gpu/capture.hpp"
#include "patterns/linear_algebra/gpu.cuh"
#include "patterns/linear_algebra/gpu.hpp"
#include "target/shared_library.hpp"
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/linear_algebra.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <cublas_v2.h>
#include <cuda_bf16.h>

namespace heddle::gpu {

template <>
struct summed_in<__nv_bfloat16> {
  using type = float;
};

namespace {

using impl::matrix_operand, impl::matrix_type;

template <class T>
matrix<T> matrix_of(const matrix_operand& m) {
  return {static_cast<const T*>(m.data),      m.rows, m.columns, m.row_stride, m.column_stride,
          m.batches == 1 ? 0 : m.batch_stride};
}

template <class T>
void launch_textbook(matmul_algorithm algorithm, const matrix_operand& a, const matrix_operand& b,
                     std::size_t batches, void* c, const target& where) {
  const std::size_t tiles = batches * ((a.rows + side - 1) / side) * ((b.columns + side - 1) / side);
  const auto kernel = algorithm == matmul_algorithm::naive ? naive<T> : tiled<T>;
  kernel<<<grid_for(tiles, 1), dim3(side, side), 0, where.stream()>>>(matrix_of<T>(a), matrix_of<T>(b),
                                                                      batches, static_cast<T*>(c));
  check(cudaGetLastError(), algorithm == matmul_algorithm::naive ? "launch of naive" : "launch of tiled");
}

template <class Word>
void launch_pack(const matrix_operand& m, void* out, const target& where) {
  pack_matrices<<<grid_for(m.batches * m.rows * m.columns, 256 * 8), 256, 0, where.stream()>>>(
      matrix_of<Word>(m), m.batches, static_cast<Word*>(out));
  check(cudaGetLastError(), "launch of pack_matrices");
}

/// The functions of cuBLAS.
struct cublas {
  impl::shared_library library = impl::cuda_library(
      "cublas", CUBLAS_VER_MAJOR,
      "matmul on a GPU needs cuBLAS of the CUDA toolkit; the algorithms naive and tiled do not");
  decltype(cublasCreate_v2)* create = library.function<decltype(cublasCreate_v2)>("cublasCreate_v2");
  decltype(cublasDestroy_v2)* destroy = library.function<decltype(cublasDestroy_v2)>("cublasDestroy_v2");
  decltype(cublasSetMathMode)* set_math_mode =
      library.function<decltype(cublasSetMathMode)>("cublasSetMathMode");
  decltype(cublasSetStream_v2)* set_stream =
      library.function<decltype(cublasSetStream_v2)>("cublasSetStream_v2");
  decltype(cublasGemmEx_64)* gemm = library.function<decltype(cublasGemmEx_64)>("cublasGemmEx_64");
  decltype(cublasGemmStridedBatchedEx_64)* batched_gemm =
      library.function<decltype(cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");
  decltype(cublasGetStatusString)* text =
      library.function<decltype(cublasGetStatusString)>("cublasGetStatusString");

  static const cublas& loaded() {
    static const cublas only;
    return only;
  }
  void check(cublasStatus_t status, const char* call) const {
    if (status != CUBLAS_STATUS_SUCCESS) fail(std::string("cuBLAS: ") + text(status) + " in " + call);
  }
};

/// A handle for each stream, kept: making one takes longer than most products. Calls on a stream take turns.
struct handle_of_stream {
  std::mutex mutex;
  cublasHandle_t handle;

  explicit handle_of_stream(const target& where) {
    const cublas& library = cublas::loaded();
    library.check(library.create(&handle), "cublasCreate");
    try {
      library.check(library.set_stream(handle, where.stream()), "cublasSetStream");
      // Parts of a sum are added up in float too where the elements are of 16 bits.
      library.check(library.set_math_mode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
                    "cublasSetMathMode");
    } catch (...) {
      library.destroy(handle);
      throw;
    }
  }
  ~handle_of_stream() { cublas::loaded().destroy(handle); }
  handle_of_stream(const handle_of_stream&) = delete;
  handle_of_stream& operator=(const handle_of_stream&) = delete;
};
/// By device and number of the stream.
using handles = std::map<std::pair<int, unsigned long long>, std::shared_ptr<handle_of_stream>>;

/// Destroys what no call uses when streams are many: nothing tells when one is gone.
void make_room(handles& all, int device) {
  constexpr std::size_t most_streams = 64;  // cuBLAS has tens of MiB of work memory for each
  if (all.size() < most_streams) return;
  // A wait that some capture forbids is tried again at the next stream.
  if (cudaDeviceSynchronize() != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  std::erase_if(all, [device](const auto& entry) {
    return entry.first.first == device && entry.second.use_count() == 1;
  });
}

std::shared_ptr<handle_of_stream> handle_for(const target& where, bool captured) {
  static std::mutex mutex;
  // Never destroyed, as CUDA may be gone at the end of a program.
  static auto& all = *new handles;
  // CUDA tells no number while it captures: then one handle serves all streams, as a graph has memory of its
  // own.
  unsigned long long number = std::numeric_limits<unsigned long long>::max();
  if (!captured) check(cudaStreamGetId(where.stream(), &number), "cudaStreamGetId");
  const std::lock_guard lock(mutex);
  const std::pair key{where.device(), number};
  if (const auto found = all.find(key); found != all.end()) return found->second;
  if (!captured) make_room(all, where.device());
  const beside_capture allowed;
  return all.emplace(key, std::make_shared<handle_of_stream>(where)).first->second;
}

struct blas_type {
  cudaDataType_t element;
  cublasComputeType_t compute;
};
blas_type blas_type_of(matrix_type type) {
  switch (type) {
    case matrix_type::float32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case matrix_type::float64:
      return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case matrix_type::complex64:
      return {CUDA_C_32F, CUBLAS_COMPUTE_32F};
    case matrix_type::complex128:
      return {CUDA_C_64F, CUBLAS_COMPUTE_64F};
    case matrix_type::float16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
    default:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
  }
}

/// A matrix as BLAS takes it: rows side by side, or columns; packed first where it is neither.
class blas_operand {
 public:
  blas_operand(const matrix_operand& m, std::size_t element_bytes, const target& where)
      : data_(m.data), batch_stride_(m.batches == 1 ? 0 : m.batch_stride) {
    const std::size_t wide = std::max<std::size_t>(m.columns, 1), high = std::max<std::size_t>(m.rows, 1);
    if (m.column_stride == 1 && (m.rows == 1 || m.row_stride >= wide)) {
      leading_ = m.rows == 1 ? wide : m.row_stride;
    } else if (m.row_stride == 1 && (m.columns == 1 || m.column_stride >= high)) {
      transposed_ = true;
      leading_ = m.columns == 1 ? high : m.column_stride;
    } else {
      packed_ = memory(m.batches * m.rows * m.columns * element_bytes, where);
      switch (element_bytes) {
        case 2:
          launch_pack<std::uint16_t>(m, packed_.data(), where);
          break;
        case 4:
          launch_pack<std::uint32_t>(m, packed_.data(), where);
          break;
        case 8:
          launch_pack<std::uint64_t>(m, packed_.data(), where);
          break;
        default:
          launch_pack<uint4>(m, packed_.data(), where);
          break;
      }
      data_ = packed_.data();
      leading_ = wide;
      batch_stride_ = m.batches == 1 ? 0 : m.rows * m.columns;
    }
  }

  const void* data() const { return data_; }
  cublasOperation_t operation() const { return transposed_ ? CUBLAS_OP_T : CUBLAS_OP_N; }
  std::int64_t leading() const { return static_cast<std::int64_t>(leading_); }
  std::int64_t batch_stride() const { return static_cast<std::int64_t>(batch_stride_); }

 private:
  const void* data_;
  bool transposed_ = false;
  std::size_t leading_ = 0, batch_stride_;
  memory packed_;
};

/// BLAS counts elements down columns: to it, row after row is the transposed matrix, and the product of the
/// transposed in the other order is the transposed product.
void by_cublas(matrix_type type, std::size_t element_bytes, const matrix_operand& a, const matrix_operand& b,
               std::size_t batches, void* c, const target& where) {
  const blas_operand left(a, element_bytes, where), right(b, element_bytes, where);
  const blas_type types = blas_type_of(type);
  const auto size = [](std::size_t s) { return static_cast<std::int64_t>(s); };
  // The factor of the product, in the type of the sum.
  const float single[2] = {1, 0}, no_single[2] = {0, 0};
  const double twice[2] = {1, 0}, no_twice[2] = {0, 0};
  const bool is_double = types.compute == CUBLAS_COMPUTE_64F;
  const void* const one = is_double ? static_cast<const void*>(twice) : single;
  const void* const none = is_double ? static_cast<const void*>(no_twice) : no_single;
  const cublas& library = cublas::loaded();
  const bool captured = is_captured(where);
  const std::shared_ptr<handle_of_stream> kept = handle_for(where, captured);
  const std::lock_guard lock(kept->mutex);
  if (captured) library.check(library.set_stream(kept->handle, where.stream()), "cublasSetStream");
  // A batch of one matrix may be another kernel's.
  if (batches == 1) {
    library.check(library.gemm(kept->handle, right.operation(), left.operation(), size(b.columns),
                               size(a.rows), size(a.columns), one, right.data(), types.element,
                               right.leading(), left.data(), types.element, left.leading(), none, c,
                               types.element, size(b.columns), types.compute, CUBLAS_GEMM_DEFAULT),
                  "cublasGemmEx");
    return;
  }
  library.check(
      library.batched_gemm(kept->handle, right.operation(), left.operation(), size(b.columns), size(a.rows),
                           size(a.columns), one, right.data(), types.element, right.leading(),
                           right.batch_stride(), left.data(), types.element, left.leading(),
                           left.batch_stride(), none, c, types.element, size(b.columns),
                           size(a.rows * b.columns), size(batches), types.compute, CUBLAS_GEMM_DEFAULT),
      "cublasGemmStridedBatchedEx");
}

}  // namespace

void matmul(matrix_type type, const matrix_operand& a, const matrix_operand& b, std::size_t batches, void* c,
            const target& where, matmul_algorithm algorithm) {
  const current_device on(where);
  const std::size_t element_bytes = impl::element_bytes_of(type);
  if (a.columns == 0) {
    check(cudaMemsetAsync(c, 0, batches * a.rows * b.columns * element_bytes, where.stream()),
          "cudaMemsetAsync");
    return;
  }
  if (algorithm == matmul_algorithm::blas) return by_cublas(type, element_bytes, a, b, batches, c, where);
  switch (type) {
    case matrix_type::float32:
      return launch_textbook<float>(algorithm, a, b, batches, c, where);
    case matrix_type::float64:
      return launch_textbook<double>(algorithm, a, b, batches, c, where);
    case matrix_type::complex64:
      return launch_textbook<complex_float>(algorithm, a, b, batches, c, where);
    case matrix_type::complex128:
      return launch_textbook<complex_double>(algorithm, a, b, batches, c, where);
    case matrix_type::float16:
      return launch_textbook<__half>(algorithm, a, b, batches, c, where);
    default:
      return launch_textbook<__nv_bfloat16>(algorithm, a, b, batches, c, where);
  }
}

}  // namespace heddle::gpu

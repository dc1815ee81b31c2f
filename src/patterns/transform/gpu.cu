#include "core/type_op_dispatch.hpp"
#include "patterns/transform/gpu.hpp"
#include "patterns/transform/map.cuh"
#include "target/gpu_devices.hpp"
#include <heddle/impl/core/elementwise.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heddle::gpu {
namespace {

template <class T>
operand<T> operand_of(const void* data, bool is_constant) {
  const T* const x = static_cast<const T*>(data);
  if (is_constant) return {nullptr, *x};
  return {x, T()};
}

}  // namespace

void map(runtime_op f, dtype type, const void* x, bool x_is_constant, const void* y, bool y_is_constant,
         std::size_t count, void* out, const target& where) {
  impl::dispatch_type_op<impl::family::all>(type, f, [&]<class T, class Op>(impl::type_tag<T>, Op op) {
    transform(where, mapped<T, Op>(op, operand_of<T>(x, x_is_constant), operand_of<T>(y, y_is_constant)),
              count, static_cast<T*>(out));
  });
}

void fill(void* data, const target& where, std::size_t elements, const void* value,
          std::size_t element_bytes) {
  const current_device on(where);
  const std::size_t all = elements * element_bytes;
  auto* const bytes = static_cast<unsigned char*>(data);
  if (element_bytes > pattern::most_bytes) {
    // Each copy doubles what is filled.
    gpu::copy(data, where, value, target(), element_bytes);
    for (std::size_t done = element_bytes; done < all;) {
      const std::size_t next = std::min(done, all - done);
      check(cudaMemcpyAsync(bytes + done, bytes, next, cudaMemcpyDeviceToDevice, where.stream()),
            "cudaMemcpyAsync on the GPU");
      done += next;
    }
    return;
  }
  pattern repeated;
  std::memcpy(repeated.bytes, value, element_bytes);
  auto launch = [&]<class Word>(Word) {
    const std::size_t words = all / sizeof(Word);
    repeat_pattern<<<grid_for(words, transform_threads * 8), transform_threads, 0, where.stream()>>>(
        static_cast<Word*>(data), words, repeated, element_bytes / sizeof(Word));
    check(cudaGetLastError(), "launch of repeat_pattern");
  };
  const std::size_t aligned = element_bytes | reinterpret_cast<std::size_t>(data);
  if (aligned % sizeof(uint4) == 0) return launch(uint4{});
  if (aligned % sizeof(std::uint64_t) == 0) return launch(std::uint64_t{});
  if (aligned % sizeof(std::uint32_t) == 0) return launch(std::uint32_t{});
  if (aligned % sizeof(std::uint16_t) == 0) return launch(std::uint16_t{});
  launch(std::uint8_t{});
}

}  // namespace heddle::gpu

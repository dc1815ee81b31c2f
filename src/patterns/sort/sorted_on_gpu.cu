#include <heddle/array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/impl/patterns/lower_bound/binary_search.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>
#include <heddle/impl/patterns/transform/gpu.cuh>
#include <heddle/memory.hpp>

#include <cstdint>

#include <cub/device/device_merge.cuh>

namespace heddle::impl {
namespace {

/// The order of `sort` on elements that it has sorted, by their bits. NaNs are then one quiet, positive one.
template <class Bits>
struct order_of_bits {
  bool is_signed, is_real, descending;
  __host__ __device__ Bits key(Bits b) const {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const Bits rising = is_real && (b & sign) != 0 ? static_cast<Bits>(~b)
                        : is_signed                ? static_cast<Bits>(b ^ sign)
                                                   : b;
    return descending ? static_cast<Bits>(~rising) : rising;
  }
  __host__ __device__ bool operator()(Bits a, Bits b) const { return key(a) < key(b); }
};

template <class Bits>
struct bound_of_bits {
  const Bits *sorted, *values;
  std::size_t n;
  order_of_bits<Bits> before;
  __device__ std::size_t operator()(std::size_t i) const {
    const Bits value = values[i / 2];
    return partition_point(0, n, [&](std::size_t at) {
      return i % 2 == 0 ? before(sorted[at], value) : !before(value, sorted[at]);
    });
  }
};

template <class F>
void with_order_of_bits(dtype type, sort_order order, const F& f) {
  const bool is_real = type == dtype::float32 || type == dtype::float64,
             is_signed = is_real || type == dtype::int8 || type == dtype::int16 || type == dtype::int32 ||
                         type == dtype::int64,
             descending = order == sort_order::descending;
  switch (size_of(type)) {
    case 1:
      return f(order_of_bits<std::uint8_t>{is_signed, is_real, descending}, std::uint8_t{});
    case 2:
      return f(order_of_bits<std::uint16_t>{is_signed, is_real, descending}, std::uint16_t{});
    case 4:
      return f(order_of_bits<std::uint32_t>{is_signed, is_real, descending}, std::uint32_t{});
    default:
      return f(order_of_bits<std::uint64_t>{is_signed, is_real, descending}, std::uint64_t{});
  }
}

}  // namespace

void library_sorted_bounds(dtype type, sort_order order, const void* sorted, std::size_t n,
                           const void* values, std::size_t count, void* bounds, const target& where) {
  const gpu::current_device on(where);
  with_order_of_bits(type, order, [&]<class Bits>(const order_of_bits<Bits>& before, Bits) {
    const memory asked(count * sizeof(Bits), where), found(2 * count * sizeof(std::size_t), where);
    copy(asked.data(), where, values, target(), asked.bytes());
    gpu::transform(where,
                   bound_of_bits<Bits>{static_cast<const Bits*>(sorted),
                                       static_cast<const Bits*>(asked.data()), n, before},
                   2 * count, static_cast<std::size_t*>(found.data()));
    copy(bounds, target(), found.data(), where, found.bytes());
  });
}

void library_merge(dtype type, sort_order order, const void* a, std::size_t a_size, const void* b,
                   std::size_t b_size, void* out, const target& where) {
  const gpu::current_device on(where);
  with_order_of_bits(type, order, [&]<class Bits>(const order_of_bits<Bits>& before, Bits) {
    const auto merge = [&](void* scratch, std::size_t& bytes) {
      gpu::check(cub::DeviceMerge::MergeKeys(scratch, bytes, static_cast<const Bits*>(a),
                                             static_cast<std::int64_t>(a_size), static_cast<const Bits*>(b),
                                             static_cast<std::int64_t>(b_size), static_cast<Bits*>(out),
                                             before, where.stream()),
                 "cub::DeviceMerge");
    };
    std::size_t bytes = 0;
    merge(nullptr, bytes);
    const memory scratch(bytes, where);
    merge(scratch.data(), bytes);
  });
}

}  // namespace heddle::impl

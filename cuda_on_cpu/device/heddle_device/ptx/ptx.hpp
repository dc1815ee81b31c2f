#pragma once

/// What inline PTX becomes calls of: registers are untyped bits, which instructions take and leave as numbers
/// (PTX ISA).

#include "../atomics.hpp"
#include "../clusters.hpp"
#include "../phases.hpp"
#include "../spaces.hpp"
#include "../synchronisation.hpp"
#include "../warp.hpp"

namespace heddle_device::ptx {

/// Numbers of 16 bits, whose headers a source need not include.
struct f16 {
  u16 bits;
  HEDDLE_DEVICE static f16 of(float f) { return {float_to_half(f)}; }
  HEDDLE_DEVICE operator float() const { return half_to_float(bits); }
};
struct bf16 {
  u16 bits;
  HEDDLE_DEVICE static bf16 of(float f) { return {float_to_bfloat16(f)}; }
  HEDDLE_DEVICE operator float() const { return bfloat16_to_float(bits); }
};
template <class T>
struct pair {
  T x, y;
};
template <class T, unsigned N>
struct alignas(sizeof(T) * N) vector {
  T x[N];
};

template <class T>
inline constexpr bool is_short_float = __is_same(T, f16) || __is_same(T, bf16);
template <class T>
inline constexpr bool is_float = is_short_float<T> || __is_same(T, float) || __is_same(T, double);

/// Bits of T's size.
template <class T>
HEDDLE_DEVICE auto raw(T value) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(u64, value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(u32, value);
  } else {
    return __builtin_bit_cast(u16, value);
  }
}

/// Bits of a register as a number.
template <class T, class R>
HEDDLE_DEVICE T as(R r) {
  if constexpr (std::is_integral_v<T> || sizeof(T) == 16) {
    return static_cast<T>(r);
  } else if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, static_cast<u64>(r));
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<u32>(r));
  } else {
    return __builtin_bit_cast(T, static_cast<u16>(r));
  }
}
/// And back: a number with a sign fills a larger register with it.
template <class R, class T>
HEDDLE_DEVICE void set(R& r, T value) {
  if constexpr (std::is_integral_v<T> || sizeof(T) == 16) {
    r = static_cast<R>(value);
  } else {
    r = static_cast<R>(raw(value));
  }
}
/// What the register _ takes.
struct nothing {
  template <class T>
  HEDDLE_DEVICE explicit nothing(T) {}
  nothing() = default;
};
HEDDLE_DEVICE nothing& sink() {
  static nothing ignored;
  return ignored;
}

/// What the asm statement's operands are as registers. R is a float or a double of constraints f and d.
template <class R, class T>
HEDDLE_DEVICE auto from_operand(const T& value) {
  if constexpr (std::is_floating_point_v<R>) {
    return raw(static_cast<R>(value));
  } else if constexpr (std::is_pointer_v<T>) {
    return static_cast<R>(reinterpret_cast<u64>(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T> || sizeof(T) == 16) {
    return static_cast<R>(value);
  } else if constexpr (std::is_array_v<T>) {
    return static_cast<R>(reinterpret_cast<u64>(&value[0]));
  } else {
    return static_cast<R>(raw(value));
  }
}
template <class R, class T, class Bits>
HEDDLE_DEVICE void to_operand(T& to, Bits bits) {
  if constexpr (std::is_floating_point_v<R>) {
    to = static_cast<T>(as<R>(bits));
  } else if constexpr (std::is_pointer_v<T>) {
    to = reinterpret_cast<T>(static_cast<u64>(bits));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T> || sizeof(T) == 16) {
    to = static_cast<T>(bits);
  } else {
    to = as<T>(bits);
  }
}

/// What an asm volatile reads it reads, whether its result is used or not.
template <class Bits>
HEDDLE_DEVICE void keep(const Bits& bits) {
  asm volatile("" : : "m"(bits));
}

// ------------------------------------------------------------------------------------------- memory

template <class R>
HEDDLE_DEVICE void* generic(R address) {
  return reinterpret_cast<void*>(static_cast<u64>(address));
}
template <class R>
HEDDLE_DEVICE void* shared(R address) {
  return shared_pointer(static_cast<u64>(address));
}

template <class T>
inline constexpr scalar scalar_named = __is_same(T, f16) || __is_same(T, pair<f16>) ? scalar::f16
                                       : __is_same(T, float)                        ? scalar::f32
                                       : __is_same(T, double)                       ? scalar::f64
                                                                                    : scalar_of<T>;
template <class T>
HEDDLE_DEVICE T add(T a, T b);
template <class T>
HEDDLE_DEVICE T atomic(void* at, atomic_operation operation, T operand, T expected, scope where, order how) {
  if constexpr (__is_same(T, bf16) || __is_same(T, pair<bf16>)) {
    // Of bfloat16 there is only the addition.
    using bits = decltype(raw(operand));
    bits before = atomic<bits>(at, atomic_operation::load, 0, 0, where, order::relaxed);
    for (;;) {
      const bits next = raw(add<T>(as<T>(before), operand));
      const bits seen = atomic<bits>(at, atomic_operation::compare_exchange, next, before, where, how);
      if (seen == before) return as<T>(before);
      before = seen;
    }
  } else {
    return heddle_device::from_bits<T>(heddle_atomic(
        at, heddle_device::bits_of(operand), heddle_device::bits_of(expected),
        {operation, scalar_named<T>, where, how, static_cast<u8>(__is_same(T, pair<f16>) ? 2 : 1), 0}));
  }
}
/// Bits of T's size, of integers, too.
template <class T>
HEDDLE_DEVICE auto number(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else {
    return raw(value);
  }
}
template <class T>
HEDDLE_DEVICE T load(const void* at, scope where, order how) {
  return as<T>(atomic(const_cast<void*>(at), atomic_operation::load, number(T{}), number(T{}), where, how));
}
template <class T>
HEDDLE_DEVICE void store(void* at, T value, scope where, order how) {
  atomic(at, atomic_operation::store, number(value), number(T{}), where, how);
}

// ---------------------------------------------------------------------------------- special registers

HEDDLE_DEVICE index3 tid() {
  return heddle_thread_index();
}
HEDDLE_DEVICE index3 ntid() {
  return heddle_block_size();
}
HEDDLE_DEVICE index3 ctaid() {
  return heddle_block_index();
}
HEDDLE_DEVICE index3 nctaid() {
  return heddle_grid_size();
}
HEDDLE_DEVICE u32 rank_in_block() {
  const index3 thread = tid(), size = ntid();
  return (thread.z * size.y + thread.y) * size.x + thread.x;
}
HEDDLE_DEVICE u64 rank_of_block() {
  const index3 block = ctaid(), size = nctaid();
  return (u64{block.z} * size.y + block.y) * size.x + block.x;
}
HEDDLE_DEVICE u32 laneid() {
  return rank_in_block() % 32;
}
HEDDLE_DEVICE u32 warpid() {
  return rank_in_block() / 32;
}
HEDDLE_DEVICE constexpr u32 nwarpid() {
  return 64;
}
/// Those of an H100, to which blocks are dealt in turn.
HEDDLE_DEVICE constexpr u32 nsmid() {
  return 132;
}
HEDDLE_DEVICE u32 smid() {
  return static_cast<u32>(rank_of_block() % nsmid());
}
HEDDLE_DEVICE constexpr u64 gridid() {
  return 1;
}
HEDDLE_DEVICE u64 clock64() {
  return static_cast<u64>(heddle_clock(0));
}
HEDDLE_DEVICE u32 clock() {
  return static_cast<u32>(clock64());
}
HEDDLE_DEVICE u32 clock_hi() {
  return static_cast<u32>(clock64() >> 32);
}
HEDDLE_DEVICE u64 globaltimer() {
  return static_cast<u64>(heddle_clock(1));
}
HEDDLE_DEVICE u32 globaltimer_lo() {
  return static_cast<u32>(globaltimer());
}
HEDDLE_DEVICE u32 globaltimer_hi() {
  return static_cast<u32>(globaltimer() >> 32);
}
HEDDLE_DEVICE u32 lanemask_eq() {
  return 1u << laneid();
}
HEDDLE_DEVICE u32 lanemask_lt() {
  return lanemask_eq() - 1;
}
HEDDLE_DEVICE u32 lanemask_le() {
  return lanemask_lt() | lanemask_eq();
}
HEDDLE_DEVICE u32 lanemask_ge() {
  return ~lanemask_lt();
}
HEDDLE_DEVICE u32 lanemask_gt() {
  return ~lanemask_le();
}

// ------------------------------------------------------------------------------- warps and barriers

struct shuffled {
  u32 value;
  bool is_in_range;
};
/// `c` has the last lane in its lower bits, and above them which bits of a lane's number stay (PTX ISA,
/// shfl.sync).
template <class Lane>
HEDDLE_DEVICE shuffled shfl(u32 value, u32 c, u32 mask, bool is_up, Lane lane_of) {
  const u32 segment = c >> 8 & 31, own = laneid(), last = (own & segment) | ((c & 31) & ~segment);
  const u32 lane = lane_of(own, own & segment, ~segment & 31);
  const bool is_in_range = is_up ? static_cast<int>(lane) >= static_cast<int>(last) : lane <= last;
  const u64 result =
      heddle_shuffle(shuffle_kind::indexed, mask, value, static_cast<int>(is_in_range ? lane : own), 32);
  return {static_cast<u32>(result), is_in_range};
}
HEDDLE_DEVICE shuffled shfl_up(u32 value, u32 b, u32 c, u32 mask) {
  return shfl(value, c, mask, true,
              [=](u32 own, u32, u32) __attribute__((always_inline)) { return own - (b & 31); });
}
HEDDLE_DEVICE shuffled shfl_down(u32 value, u32 b, u32 c, u32 mask) {
  return shfl(value, c, mask, false,
              [=](u32 own, u32, u32) __attribute__((always_inline)) { return own + (b & 31); });
}
HEDDLE_DEVICE shuffled shfl_bfly(u32 value, u32 b, u32 c, u32 mask) {
  return shfl(value, c, mask, false,
              [=](u32 own, u32, u32) __attribute__((always_inline)) { return own ^ (b & 31); });
}
HEDDLE_DEVICE shuffled shfl_idx(u32 value, u32 b, u32 c, u32 mask) {
  return shfl(value, c, mask, false,
              [=](u32, u32 first, u32 rest) __attribute__((always_inline)) { return first | (b & rest); });
}
/// The lowest lane of those that are there.
HEDDLE_DEVICE u32 elected(u32 mask) {
  const u64 there = heddle_vote(vote_kind::ballot, mask, 1, 0);
  return static_cast<u32>(__builtin_ctzll(there | u64{1} << 32));
}

/// Sizes and addresses are multiples of 16 bytes.
HEDDLE_DEVICE void copy_in_bulk(void* to, const void* from, u32 bytes, u64* barrier,
                                heddle_device::scope where) {
  if ((reinterpret_cast<u64>(to) | reinterpret_cast<u64>(from) | bytes) % 16 != 0)
    heddle_misuse("a bulk copy has addresses and a size that are multiples of 16");
  copy_share(to, from, bytes, 0, 1, false);
  expect_bytes(barrier, where, -static_cast<long long>(bytes));
}

/// Barrier 0 of the whole block is __syncthreads(). `count` is 0 for the whole block.
HEDDLE_DEVICE void barrier(u32 number, u32 count, const char* file, int line) {
  const index3 size = ntid();
  const u32 all = size.x * size.y * size.z;
  if (number == 0 && (count == 0 || count == all)) {
    heddle_barrier(barrier_kind::plain, 0, file, line);
  } else {
    heddle_barrier_of(number, count == 0 ? all : count, file, line);
  }
}
HEDDLE_DEVICE void arrive(u32 number, u32 count, const char* file, int line) {
  heddle_arrive_at(number, count, file, line);
}

/// Of the block in its cluster.
HEDDLE_DEVICE u32 cluster_ctarank() {
  return __clusterRelativeBlockRank();
}
HEDDLE_DEVICE u32 cluster_nctarank() {
  return __clusterSizeInBlocks();
}

}  // namespace heddle_device::ptx

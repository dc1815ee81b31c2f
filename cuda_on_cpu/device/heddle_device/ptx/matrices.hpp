#pragma once

/// PTX's matrices of warps. Which lane has which elements is said there for each shape (PTX ISA, matrix
/// fragments for mma).

#include "ptx.hpp"

namespace heddle_device::ptx {

/// Whose last bits are not looked at.
struct tf32 {
  u32 bits;
  HEDDLE_DEVICE operator float() const { return __builtin_bit_cast(float, bits & ~0x1fffu); }
};

/// What a lane shows the others. It is on stacks in the same memory, which nobody watches.
struct shown_registers {
  const void *a, *b;
};
__attribute__((noinline, no_sanitize("thread"))) inline void show(shown_registers* lanes, u32 own,
                                                                  const void* a, const void* b) {
  lanes[own] = {a, b};
}
HEDDLE_DEVICE void meet(const char* what) {
  if (heddle_vote(vote_kind::ballot, ~0u, 1, 0) != 0xffffffffu) heddle_misuse(what);
}
/// f(what all lanes show); `what` says that all have to come.
template <class F>
HEDDLE_DEVICE void exchange(const char* what, const void* a, const void* b, F f) {
  shown_registers own_table[32];
  meet(what);
  // The table is the first lane's, and is there until all have met again.
  auto* const lanes = reinterpret_cast<shown_registers*>(
      heddle_shuffle(shuffle_kind::indexed, ~0u, reinterpret_cast<u64>(own_table), 0, 32));
  show(lanes, laneid(), a, b);
  meet(what);
  f(lanes);
  meet(what);
}

/// Element i of those that lie packed in a lane's registers.
template <class T, class R>
HEDDLE_DEVICE T element_of(const void* registers, u32 i) {
  constexpr u32 in_one = sizeof(R) / sizeof(T);
  return as<T>(
      static_cast<R>(static_cast<const R*>(registers)[i / in_one] >> (8 * sizeof(T) * (i % in_one))));
}

/// Products of short numbers are exact in double, and so are sums of bytes' in 64 bits: they are rounded
/// once.
template <int m, int n, int k, class A, class B, class D, class R>
__attribute__((noinline, no_sanitize("thread"))) inline void multiply(R* d, const R* c,
                                                                      const shown_registers* lanes, u32 own,
                                                                      bool saturates) {
  constexpr u32 packed = sizeof(A) == 8 ? 1 : 4 / sizeof(A), block = 4 * packed;
  constexpr bool is_integer = std::is_integral_v<A>;
  constexpr u32 in_one = sizeof(R) / sizeof(D);
  for (u32 i = 0; i < m * n / 32; ++i) {
    const u32 row = own / 4 + i / 2 * 8, column = own % 4 * 2 + i % 2;
    std::conditional_t<is_integer, long long, double> sum = element_of<D, R>(c, i);
    for (u32 j = 0; j < k; ++j) {
      const u32 lane = j % block / packed;
      const A a = element_of<A, R>(lanes[row % 8 * 4 + lane].a,
                                   (j / block * (m / 8) + row / 8) * packed + j % packed);
      const B b = element_of<B, R>(lanes[column * 4 + lane].b, j / block * packed + j % packed);
      if constexpr (is_integer) {
        sum += int{a} * int{b};
      } else if constexpr (sizeof(A) == 8) {
        sum = __builtin_fma(a, b, sum);
      } else {
        sum += static_cast<double>(static_cast<float>(a)) * static_cast<float>(b);
      }
    }
    if constexpr (is_integer) {
      if (saturates) sum = sum > 2147483647 ? 2147483647 : sum < -2147483648ll ? -2147483648ll : sum;
      d[i] = static_cast<R>(sum);
    } else if constexpr (sizeof(D) == 2) {
      const R bits = raw(D::of(static_cast<float>(sum)));
      d[i / in_one] = i % in_one == 0 ? bits : d[i / in_one] | bits << 16;
    } else {
      d[i] = raw(static_cast<D>(sum));
    }
  }
}
template <int m, int n, int k, class A, class B, class D, class R>
HEDDLE_DEVICE void mma(R* d, const R* a, const R* b, const R* c, bool saturates) {
  exchange("mma: all 32 lanes of a warp multiply together", a, b,
           [&](const shown_registers* lanes) __attribute__((always_inline)) {
             multiply<m, n, k, A, B, D>(d, c, lanes, laneid(), saturates);
           });
}

// --------------------------------------------------------------- matrices of 8 × 8 numbers of 16 bits

using matrix_row = vector<u32, 4>;

HEDDLE_DEVICE void check_row(const void* row, const char* alignment) {
  if (reinterpret_cast<u64>(row) % 16 != 0) heddle_misuse(alignment);
}

/// A lane has two numbers of a row, or, transposed, of a column.
template <u32 Count, bool Transposes>
__attribute__((noinline, no_sanitize("thread"))) inline void take_rows(u32* to, const shown_registers* lanes,
                                                                       u32 own) {
  for (u32 i = 0; i < Count; ++i) {
    if (!Transposes) {
      to[i] = static_cast<const u32*>(lanes[8 * i + own / 4].a)[own % 4];
      continue;
    }
    to[i] = 0;
    for (u32 j = 0; j < 2; ++j) {
      const u32 word = static_cast<const u32*>(lanes[8 * i + own % 4 * 2 + j].a)[own / 4 / 2];
      to[i] |= (word >> (own / 4 % 2 * 16) & 0xffffu) << (16 * j);
    }
  }
}
/// Lanes 8i … 8i+7 have the addresses of the rows of matrix i.
template <u32 Count, bool Transposes>
HEDDLE_DEVICE void ldmatrix(u32* to, const void* row) {
  matrix_row own = {};
  if (laneid() < 8 * Count) {
    check_row(row, "ldmatrix: the address of a row has to be a multiple of 16 bytes");
    own = *static_cast<const matrix_row*>(row);
  }
  exchange("ldmatrix: all 32 lanes of a warp load together", own.x, nullptr,
           [&](const shown_registers* lanes)
               __attribute__((always_inline)) { take_rows<Count, Transposes>(to, lanes, laneid()); });
}

/// The row whose address the lane has, of what all of them have.
template <bool Transposes>
__attribute__((noinline, no_sanitize("thread"))) inline matrix_row give_row(const shown_registers* lanes,
                                                                            u32 own) {
  matrix_row result = {};
  for (u32 i = 0; i < 8; ++i) {
    const u32 row = Transposes ? i : own % 8, column = Transposes ? own % 8 : i;
    const u32 word = static_cast<const u32*>(lanes[row * 4 + column / 2].a)[own / 8];
    result.x[i / 2] |= (word >> (column % 2 * 16) & 0xffffu) << (16 * (i % 2));
  }
  return result;
}
template <u32 Count, bool Transposes>
HEDDLE_DEVICE void stmatrix(void* row, const u32* from) {
  matrix_row own = {};
  exchange("stmatrix: all 32 lanes of a warp store together", from, nullptr,
           [&](const shown_registers* lanes) __attribute__((always_inline)) {
             if (laneid() < 8 * Count) own = give_row<Transposes>(lanes, laneid());
           });
  if (laneid() >= 8 * Count) return;
  check_row(row, "stmatrix: the address of a row has to be a multiple of 16 bytes");
  *static_cast<matrix_row*>(row) = own;
}

}  // namespace heddle_device::ptx

#!/usr/bin/env python3
"""What inline PTX gives under heddle check, against Python's integers and exact fractions."""
import fractions
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy

HEDDLE = os.environ["HEDDLE"]
RANDOM = numpy.random.default_rng(11)
COUNT = 192


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def as_float(x):
    return struct.unpack("<f", struct.pack("<I", x & 0xffffffff))[0]


# --------------------------------------------------------------------------------------------- integers


def bfe(bits, is_signed):
    def f(a, b, c):
        at, count = b & 255, c & 255
        last = min(at + count - 1, bits - 1)
        sign = is_signed and count != 0 and a >> last & 1
        return sum((a >> (at + i) & 1 if i < count and at + i < bits else sign) << i for i in range(bits))
    return f


def bfi(a, b, c):
    at, count = c & 255, c >> 8 & 255
    for i in range(count):
        if at + i < 32:
            b = b & ~(1 << at + i) | (a >> i & 1) << at + i if i < 32 else b & ~(1 << at + i)
    return b


def prmt(a, b, c):
    data = list(a.to_bytes(4, "little") + b.to_bytes(4, "little"))
    out = []
    for i in range(4):
        s = c >> 4 * i & 15
        byte = data[s & 7]
        out.append((0xff if byte & 0x80 else 0) if s & 8 else byte)
    return int.from_bytes(bytes(out), "little")


def prmt_mode(mode):
    """By the description of each mode: counting up, down, one byte everywhere, clamped to either side, half words."""
    def f(a, b, c):
        data, n = list(a.to_bytes(4, "little") + b.to_bytes(4, "little")), c & 3
        which = {"f4e": [n + i for i in range(4)], "b4e": [(n - i) % 8 for i in range(4)], "rc8": [n] * 4,
                 "ecl": [max(i, n) for i in range(4)], "ecr": [min(i, n) for i in range(4)], "rc16": [2 * (n & 1) + i % 2 for i in range(4)]}[mode]
        return int.from_bytes(bytes(data[w] for w in which), "little")
    return f


def lop3(table):
    return lambda a, b, c: sum((table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32))


def bfind(bits, is_signed, is_shift=False):
    def f(a, b, c):
        if is_signed and a >> (bits - 1):
            a = ~a & (1 << bits) - 1
        return 0xffffffff if a == 0 else (bits - a.bit_length() if is_shift else a.bit_length() - 1)
    return f


def quotient(bits, is_signed):
    def f(a, b, c):
        if is_signed:
            a, b = signed(a, bits), signed(b, bits)
        if b == 0:
            return -1
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return f


def shifted(bits, left, is_signed):
    def f(a, b, c):
        by = c & 0xffffffff
        if left:
            return a << by if by < bits else 0
        return (signed(a, bits) if is_signed else a) >> min(by, bits)
    return f


def dot(count, bits_a, signed_a, signed_b, first=0):
    def part(x, i, bits, is_signed):
        x = x >> bits * i & (1 << bits) - 1
        return signed(x, bits) if is_signed else x
    return lambda a, b, c: c + sum(part(a, i, bits_a, signed_a) * part(b, first + i, 8, signed_b) for i in range(count))


# -------------------------------------------------------------------------------------------- floats


def nearest(exact, bits, lowest, direction=0):
    """An exact fraction as a number of so many bits, of which the last of the smallest is 2^lowest."""
    if exact == 0:
        return fractions.Fraction(0)
    exponent = math.floor(math.log2(abs(exact)))
    while fractions.Fraction(2) ** exponent > abs(exact):
        exponent -= 1
    while fractions.Fraction(2) ** (exponent + 1) <= abs(exact):
        exponent += 1
    unit = fractions.Fraction(2) ** max(exponent - bits + 1, lowest)
    scaled = exact / unit
    whole = (round(scaled), math.trunc(scaled), math.ceil(scaled), math.floor(scaled))[direction]
    return whole * unit


def to_integer(bits, is_signed, direction):
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)

    def f(x):
        if x != x:
            return 0
        if math.isinf(x):
            return most if x > 0 else least
        exact = fractions.Fraction(x)
        return min(max((round, math.trunc, math.ceil, math.floor)[direction](exact), least), most)
    return f


def reciprocal(f, d, l):
    return 1 / fractions.Fraction(float(numpy.float32(abs(f)) + numpy.float32(1)))


def square_root(f, d, l):
    """To 200 bits, of which the last says whether there are more."""
    x = fractions.Fraction(abs(f)) * 4**200
    root = math.isqrt(int(x))
    return fractions.Fraction(2 * root + (root * root != x), 2 * 2**200)


def kinds_of_float(a):
    """The names that testp has for the number of these bits. Zero is a normal one."""
    exponent, rest = a >> 23 & 255, a & 0x7fffff
    return {"finite" if exponent < 255 else "infinite" if rest == 0 else "notanumber", "number" if exponent < 255 or rest == 0 else "",
            "normal" if 0 < exponent < 255 or a & 0x7fffffff == 0 else "subnormal" if exponent == 0 else ""}


# An instruction over %1, %2, %3; the constraints of its result and of these; what it gives, and of how many bits.
INTEGERS = [
    ("bfe.u32 %0, %1, %2, %3;", "rrrr", bfe(32, False), 32), ("bfe.s32 %0, %1, %2, %3;", "rrrr", bfe(32, True), 32),
    ("bfe.u64 %0, %1, %2, %3;", "llrr", bfe(64, False), 64), ("bfe.s64 %0, %1, %2, %3;", "llrr", bfe(64, True), 64),
    ("{.reg .u32 n; shr.u32 n, %3, 8; bfi.b32 %0, %1, %2, %3, n;}", "rrrr", bfi, 32),
    ("brev.b32 %0, %1;", "rrrr", lambda a, b, c: int(f"{a:032b}"[::-1], 2), 32), ("brev.b64 %0, %1;", "llll", lambda a, b, c: int(f"{a:064b}"[::-1], 2), 64),
    ("popc.b32 %0, %1;", "rrrr", lambda a, b, c: bin(a).count("1"), 32), ("popc.b64 %0, %1;", "rlll", lambda a, b, c: bin(a).count("1"), 32),
    ("clz.b32 %0, %1;", "rrrr", lambda a, b, c: 32 - a.bit_length(), 32), ("clz.b64 %0, %1;", "rlll", lambda a, b, c: 64 - a.bit_length(), 32),
    ("bfind.u32 %0, %1;", "rrrr", bfind(32, False), 32), ("bfind.s32 %0, %1;", "rrrr", bfind(32, True), 32),
    ("bfind.s64 %0, %1;", "rlll", bfind(64, True), 32), ("bfind.shiftamt.u32 %0, %1;", "rrrr", bfind(32, False, True), 32),
    ("prmt.b32 %0, %1, %2, %3;", "rrrr", prmt, 32), *((f"prmt.b32.{m} %0, %1, %2, %3;", "rrrr", prmt_mode(m), 32) for m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")),
    *((f"lop3.b32 %0, %1, %2, %3, {t:#x};", "rrrr", lop3(t), 32) for t in (0x96, 0xe8, 0x1b, 0xfe)),
    ("shf.l.wrap.b32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: (b << 32 | a) << (c & 31) >> 32, 32),
    ("shf.r.wrap.b32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: (b << 32 | a) >> (c & 31), 32),
    ("shf.l.clamp.b32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32, 32),
    ("shf.r.clamp.b32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: (b << 32 | a) >> min(c, 32), 32),
    ("shl.b32 %0, %1, %3;", "rrrr", shifted(32, True, False), 32), ("shr.u32 %0, %1, %3;", "rrrr", shifted(32, False, False), 32),
    ("shr.s32 %0, %1, %3;", "rrrr", shifted(32, False, True), 32), ("shl.b64 %0, %1, %3;", "llll", shifted(64, True, False), 64),
    ("shr.s64 %0, %1, %3;", "lllr", shifted(64, False, True), 64),
    ("mul.lo.u32 %0, %1, %2;", "rrrr", lambda a, b, c: a * b, 32), ("mul.hi.u32 %0, %1, %2;", "rrrr", lambda a, b, c: a * b >> 32, 32),
    ("mul.hi.s32 %0, %1, %2;", "rrrr", lambda a, b, c: signed(a, 32) * signed(b, 32) >> 32, 32),
    ("mul.hi.u64 %0, %1, %2;", "llll", lambda a, b, c: a * b >> 64, 64), ("mul.hi.s64 %0, %1, %2;", "llll", lambda a, b, c: signed(a, 64) * signed(b, 64) >> 64, 64),
    ("mul.wide.u32 %0, %1, %2;", "lrrr", lambda a, b, c: a * b, 64), ("mul.wide.s32 %0, %1, %2;", "lrrr", lambda a, b, c: signed(a, 32) * signed(b, 32), 64),
    ("mul.wide.s16 %0, %1, %2;", "rhhh", lambda a, b, c: signed(a, 16) * signed(b, 16), 32),
    ("mad.lo.s32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: a * b + c, 32), ("mad.hi.s32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: (signed(a, 32) * signed(b, 32) >> 32) + c, 32),
    ("mad.wide.s32 %0, %1, %2, %3;", "lrrl", lambda a, b, c: signed(a, 32) * signed(b, 32) + c, 64),
    ("mul24.lo.s32 %0, %1, %2;", "rrrr", lambda a, b, c: signed(a, 24) * signed(b, 24), 32), ("mul24.hi.u32 %0, %1, %2;", "rrrr", lambda a, b, c: (a & 0xffffff) * (b & 0xffffff) >> 16, 32),
    ("sad.s32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: abs(signed(a, 32) - signed(b, 32)) + c, 32),
    ("div.s32 %0, %1, %2;", "rrrr", quotient(32, True), 32), ("div.u64 %0, %1, %2;", "llll", quotient(64, False), 64),
    ("neg.s32 %0, %1;", "rrrr", lambda a, b, c: -a, 32), ("abs.s32 %0, %1;", "rrrr", lambda a, b, c: abs(signed(a, 32)), 32),
    ("min.s32 %0, %1, %2;", "rrrr", lambda a, b, c: min(signed(a, 32), signed(b, 32)), 32), ("max.u32 %0, %1, %2;", "rrrr", lambda a, b, c: max(a, b), 32),
    ("min.s16 %0, %1, %2;", "hhhh", lambda a, b, c: min(signed(a, 16), signed(b, 16)), 16),
    ("dp4a.s32.s32 %0, %1, %2, %3;", "rrrr", dot(4, 8, True, True), 32), ("dp4a.u32.s32 %0, %1, %2, %3;", "rrrr", dot(4, 8, False, True), 32),
    ("dp2a.lo.s32.u32 %0, %1, %2, %3;", "rrrr", dot(2, 16, True, False), 32), ("dp2a.hi.s32.u32 %0, %1, %2, %3;", "rrrr", dot(2, 16, True, False, 2), 32),
    ("cnot.b32 %0, %1;", "rrrr", lambda a, b, c: int(a == 0), 32), ("not.b64 %0, %1;", "llll", lambda a, b, c: ~a, 64),
    ("szext.clamp.s32 %0, %1, %3;", "rrrr", lambda a, b, c: a if c >= 32 else signed(a, c) if c else 0, 32),
    ("bmsk.clamp.b32 %0, %2, %3;", "rrrr", lambda a, b, c: (1 << min(c, 32)) - 1 << b if b < 32 else 0, 32),
    ("cvt.u32.u16 %0, %1;", "rhhh", lambda a, b, c: a, 32), ("cvt.s64.s32 %0, %1;", "lrrr", lambda a, b, c: signed(a, 32), 64),
    ("cvt.sat.s8.s32 %0, %1;", "rrrr", lambda a, b, c: min(max(signed(a, 32), -128), 127), 32), ("cvt.sat.u16.s64 %0, %1;", "hlll", lambda a, b, c: min(max(signed(a, 64), 0), 65535), 16),
    ("{.reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, 1, 0, p;}", "rrrr", lambda a, b, c: int(signed(a, 32) < signed(b, 32)), 32),
    ("{.reg .pred p; setp.hs.u32 p, %1, %2; selp.u32 %0, 1, 0, p;}", "rrrr", lambda a, b, c: int(a >= b), 32),
    ("and.b32 %0, %1, %2;", "rrrr", lambda a, b, c: a & b, 32), ("or.b64 %0, %1, %2;", "llll", lambda a, b, c: a | b, 64),
    ("xor.b16 %0, %1, %2;", "hhhh", lambda a, b, c: a ^ b, 16),
    ("{.reg .pred p, q, r; setp.eq.u32 p, %1, %2; setp.ne.u32 q, %1, %3; or.pred r, p, q; not.pred r, r; selp.u32 %0, 1, 0, r;}", "rrrr",
     lambda a, b, c: int(not (a == b or a != c)), 32),
    ("{.reg .pred p, q; setp.lt.u32 p, %1, %2; setp.gt.and.u32 q, %1, %3, p; selp.u32 %0, 1, 0, q;}", "rrrr", lambda a, b, c: int(c < a < b), 32),
    *((f"{{.reg .pred p; .reg .f32 f; mov.b32 f, %1; testp.{name}.f32 p, f; selp.u32 %0, 1, 0, p;}}", "rrrr",
       lambda a, b, c, name=name: int(name in kinds_of_float(a)), 32) for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal")),
    ("set.gt.u32.s32 %0, %1, %2;", "rrrr", lambda a, b, c: -int(signed(a, 32) > signed(b, 32)), 32),
    ("slct.s32.s32 %0, %1, %2, %3;", "rrrr", lambda a, b, c: a if signed(c, 32) >= 0 else b, 32),
    ("{.reg .b16 x, y; mov.b32 {x, y}, %1; mov.b32 %0, {y, x};}", "rrrr", lambda a, b, c: a >> 16 | (a & 0xffff) << 16, 32),
    ("add.cc.u64 %0, %1, %2; addc.u64 %0, %3, 0;", "llll", lambda a, b, c: c + (a + b >> 64), 64),
    ("sub.cc.s32 %0, %1, %2; subc.s32 %0, %3, 0;", "rrrr", lambda a, b, c: c - int(a < b), 32),
    ("mad.hi.cc.u32 %0, %1, %2, %3; addc.u32 %0, 0, 0;", "rrrr", lambda a, b, c: ((a * b >> 32) + c) >> 32, 32),
]


def video(parts, signs, f, clamps=False, adds=False):
    """Each number of a and b, as words of so many parts, whose signs are those of the result, a and b."""
    width = 32 // parts
    ends = (-(1 << width - 1), (1 << width - 1) - 1) if signs[0] == "s" else (0, (1 << width) - 1)

    def part(x, i, sign):
        x = x >> width * i & (1 << width) - 1
        return signed(x, width) if sign == "s" else x

    def g(a, b, c):
        made = [f(part(a, i, signs[1]), part(b, i, signs[2])) for i in range(parts)]
        if adds:
            return c + sum(made)
        return sum(((min(max(x, ends[0]), ends[1]) if clamps else int(x)) & (1 << width) - 1) << width * i for i, x in enumerate(made))
    return g


def halved(a, b):
    """The average, of which a half is rounded away from zero."""
    return math.floor((a + b + 1) / 2) if a + b >= 0 else -math.floor((1 - a - b) / 2)


for parts in (2, 4):
    for name, f in (("vadd", lambda a, b: a + b), ("vsub", lambda a, b: a - b), ("vavrg", halved), ("vabsdiff", lambda a, b: abs(a - b)),
                    ("vmin", min), ("vmax", max)):
        for signs in ("uuu", "sss", "sus"):
            types = "".join(f".{s}32" for s in signs)
            INTEGERS.append((f"{name}{parts}{types} %0, %1, %2, %3;", "rrrr", video(parts, signs, f), 32))
            INTEGERS.append((f"{name}{parts}{types}.sat %0, %1, %2, %3;", "rrrr", video(parts, signs, f, clamps=True), 32))
            if name not in ("vadd", "vsub"):
                INTEGERS.append((f"{name}{parts}{types}.add %0, %1, %2, %3;", "rrrr", video(parts, signs, f, adds=True), 32))
    INTEGERS.append((f"vset{parts}.s32.u32.lt %0, %1, %2, %3;", "rrrr", video(parts, "usu", lambda a, b: a < b), 32))
    INTEGERS.append((f"vset{parts}.u32.u32.ge.add %0, %1, %2, %3;", "rrrr", video(parts, "uuu", lambda a, b: a >= b, adds=True), 32))
DIRECTIONS = {"n": 0, "z": 1, "p": 2, "m": 3}
# From a float: the instruction, its result's constraint, and what it gives: an integer's bits, or a fraction and how it is rounded.
CONVERSIONS = [
    *((f"cvt.r{d}i.s32.f32 %0, %1;", "rf", to_integer(32, True, k)) for d, k in DIRECTIONS.items()),
    *((f"cvt.r{d}i.u64.f32 %0, %1;", "lf", to_integer(64, False, k)) for d, k in DIRECTIONS.items()),
    *((f"cvt.r{d}i.s64.f64 %0, %1;", "ld", to_integer(64, True, k)) for d, k in DIRECTIONS.items()),
    *((f"cvt.r{d}i.u32.f64 %0, %1;", "rd", to_integer(32, False, k)) for d, k in DIRECTIONS.items()),
    *((f"cvt.r{d}i.u8.f32 %0, %1;", "rf", to_integer(8, False, k)) for d, k in DIRECTIONS.items()),
]
EDGES = [0, 1, 2, 31, 32, 33, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000, 0x7fff, (1 << 63), (1 << 64) - 1, 0x7fffffffffffffff, 0x100000000, 0x80000001,
         0x7f800000, 0xff800000, 0x7fc00000, 0x007fffff, 0x00800000]
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 127.5, 255.5, 256.0, -1.0, 2147483647.0, 2147483648.0, 4294967296.0, -2147483649.0, 9.3e18, 1.9e19, 1e30, -1e30,
          math.inf, -math.inf, math.nan, 1e-40, 0.49999997]
TYPES = {"h": "unsigned short", "r": "unsigned", "l": "unsigned long long", "f": "float", "d": "double"}
BITS = {"h": 16, "r": 32, "l": 64}


# Code that sets r from a[i], which has the words low and high, and from shared[2 * i] and what follows, at `at`; what r is of the words, of all.
MEMORY = [
    *((f'asm volatile("ld{how}.global.v2.u32 {{%0, %1}}, [%2];" : "=r"(x), "=r"(y) : "l"(a + i) : "memory"); r = x + 5 * y;', lambda low, high, all: low + 5 * high)
      for how in ("", ".volatile", ".relaxed.gpu")),
    *((f'asm volatile("st{how}.shared.v2.u32 [%0], {{%1, %2}};" :: "r"(at), "r"(low), "r"(high) : "memory"); r = shared[2 * i] + 5 * shared[2 * i + 1];',
       lambda low, high, all: low + 5 * high) for how in ("", ".volatile", ".relaxed.cta")),
    *((f'asm("{{.reg .pred p; isspacep.{space} p, %1; selp.u32 %0, 1, 0, p;}}" : "=r"(r) : "l"({of}));', lambda low, high, all, is_there=is_there: is_there)
      for space, of, is_there in (("shared", "shared + i", 1), ("global", "shared + i", 0), ("shared", "a + i", 0), ("global", "a + i", 1))),
    ('asm volatile("{.reg .pred p; setp.gt.u32 p, %1, 99; bar.red.popc.u32 %0, 0, p;}" : "=r"(r) : "r"(low) : "memory");',
     lambda low, high, all: sum(word > 99 for word in all)),
    ('asm volatile("{.reg .pred p, q; setp.gt.u32 p, %1, 99; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q;}" : "=r"(r) : "r"(low) : "memory");',
     lambda low, high, all: int(any(word > 99 for word in all))),
    ('asm volatile("{.reg .pred p, q; setp.gt.u32 p, %1, 99; bar.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q;}" : "=r"(r) : "r"(low) : "memory");',
     lambda low, high, all: int(all.min() > 99)),
    # One lane of each warp.
    ('asm volatile("{.reg .pred p; .reg .b32 l; elect.sync l|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(r)); r = __popc(__ballot_sync(~0u, r));',
     lambda low, high, all: 1),
    ('r = low; asm volatile("fence.acq_rel.gpu; fence.proxy.async; nanosleep.u32 10;" ::: "memory");', lambda low, high, all: low),
]


def source():
    lines = ["__global__ void integers(const unsigned long long* a, const unsigned long long* b, const unsigned long long* c, unsigned long long* out) {",
             "  const int i = threadIdx.x;"]
    for k, (text, kinds, _, _) in enumerate(INTEGERS):
        operands = ", ".join(f'"{kind}"(static_cast<{TYPES[kind]}>({name}[i]))' for kind, name in zip(kinds[1:], "abc"))
        lines.append(f'  {{ {TYPES[kinds[0]]} r; asm("{text}" : "=&{kinds[0]}"(r) : {operands}); out[{k * COUNT} + i] = r; }}')
    lines += ["}", "__global__ void conversions(const float* f, const double* d, unsigned long long* out) {", "  const int i = threadIdx.x;"]
    for k, (text, kinds, _) in enumerate(CONVERSIONS):
        lines.append(f'  {{ {TYPES[kinds[0]]} r; asm("{text}" : "={kinds[0]}"(r) : "{kinds[1]}"({kinds[1]}[i])); out[{k * COUNT} + i] = r; }}')
    lines += ["}", "__global__ void rounded(const float* f, const double* d, const long long* l, unsigned* out) {", "  const int i = threadIdx.x;"]
    for k, (what, mode) in enumerate((w, m) for w in ROUNDED for m in DIRECTIONS):
        lines.append(f'  {{ {what[0].format(mode)} out[{k * COUNT} + i] = r; }}')
    lines += ["}", "__global__ void memory(const unsigned long long* a, unsigned* out) {", f"  __shared__ unsigned shared[{2 * COUNT}];",
              "  const unsigned i = threadIdx.x, low = a[i], high = a[i] >> 32, at = __cvta_generic_to_shared(shared + 2 * i);", "  unsigned r = 0, x, y;"]
    for k, (code, _) in enumerate(MEMORY):
        lines.append(f"  {code} out[{k * COUNT} + i] = r;")
    return "\n".join(lines + ["}", ""])


def half_value(bits):
    return float(numpy.array(bits, numpy.uint16).view(numpy.float16))


# What is rounded to float, half and bfloat16 in each direction: code, the exact number, the bits of the result and its smallest power of two,
# and the number that bits are.
ROUNDED = [
    ('unsigned r; float v; asm("cvt.r{}.f32.f64 %0, %1;" : "=f"(v) : "d"(d[i])); r = __float_as_uint(v);', lambda f, d, l: fractions.Fraction(d), 24, -149, as_float),
    ('unsigned r; float v; asm("cvt.r{}.f32.s64 %0, %1;" : "=f"(v) : "l"(l[i])); r = __float_as_uint(v);', lambda f, d, l: fractions.Fraction(l), 24, -149, as_float),
    ('unsigned r; float v; asm("add.r{}.f32 %0, %1, 0f3dcccccd;" : "=f"(v) : "f"(f[i])); r = __float_as_uint(v);', lambda f, d, l: fractions.Fraction(f) + fractions.Fraction(as_float(0x3dcccccd)), 24, -149, as_float),
    ('unsigned r; float v; asm("fma.r{}.f32 %0, %1, %1, 1.0;" : "=f"(v) : "f"(f[i])); r = __float_as_uint(v);', lambda f, d, l: fractions.Fraction(f) ** 2 + 1, 24, -149, as_float),
    ('unsigned r; float v; asm("rcp.r{}.f32 %0, %1;" : "=f"(v) : "f"(fabsf(f[i]) + 1.0f)); r = __float_as_uint(v);', reciprocal, 24, -149, as_float),
    ('unsigned r; float v; asm("sqrt.r{}.f32 %0, %1;" : "=f"(v) : "f"(fabsf(f[i]))); r = __float_as_uint(v);', square_root, 24, -149, as_float),
    ('unsigned short r; asm("cvt.r{}.f16.f32 %0, %1;" : "=h"(r) : "f"(f[i]));', lambda f, d, l: fractions.Fraction(f), 11, -24, half_value),
    ('unsigned short r; asm("cvt.r{}.bf16.f32 %0, %1;" : "=h"(r) : "f"(f[i]));', lambda f, d, l: fractions.Fraction(f), 8, -133, lambda b: as_float(b << 16)),
]


def run(folder, kernel, arrays, kind, count):
    words = []
    for i, a in enumerate(arrays):
        numpy.save(folder / f"{kernel}{i}.npy", a)
        words += ["--arg", f"{a.dtype.kind}{8 * a.itemsize}[]={folder / f'{kernel}{i}.npy'}"]
    out = folder / f"{kernel}.npy"
    done = subprocess.run([HEDDLE, "check", "values.cu", "--kernel", kernel, "--grid", "1", "--block", str(COUNT), "--schedules", "1", *words, "--arg", f"{kind}[{count}]=zeros:out={out}"],
                          cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{kernel}: status {done.returncode}: {done.stdout}{done.stderr}")
    return numpy.load(out)


def main():
    wrong = []

    def expect(what, given, wanted, *of):
        if given != wanted:
            wrong.append(f"{what} of {of}: {given}, and {wanted} is right")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = os.environ.get("HEDDLE_TEST_CACHE", name)
        (folder / "values.cu").write_text(source())
        words = [numpy.concatenate([numpy.array(EDGES, numpy.uint64), RANDOM.integers(0, 1 << 64, COUNT - len(EDGES), numpy.uint64)]) for _ in range(3)]
        RANDOM.shuffle(words[1])
        words[2][len(EDGES):] >>= RANDOM.integers(0, 64, COUNT - len(EDGES)).astype(numpy.uint64)
        given = run(folder, "integers", words, "u64", len(INTEGERS) * COUNT)
        for k, (text, kinds, f, bits) in enumerate(INTEGERS):
            for i in range(COUNT):
                operands = [int(w[i]) & (1 << BITS[kind]) - 1 for w, kind in zip(words, kinds[1:])]
                expect(text, int(given[k * COUNT + i]) & (1 << bits) - 1, f(*operands) & (1 << bits) - 1, *map(hex, operands))
        doubles = numpy.concatenate([numpy.array(FLOATS), RANDOM.normal(size=COUNT - len(FLOATS)) * 10.0 ** RANDOM.integers(-8, 21, COUNT - len(FLOATS))])
        singles = doubles.astype(numpy.float32)
        given = run(folder, "conversions", [singles, doubles], "u64", len(CONVERSIONS) * COUNT)
        for k, (text, kinds, f) in enumerate(CONVERSIONS):
            for i in range(COUNT):
                x = float((singles if kinds[1] == "f" else doubles)[i])
                expect(text, int(given[k * COUNT + i]), f(x) & (1 << BITS[kinds[0]]) - 1, x)
        # Nothing that is rounded to infinity.
        doubles[:] = numpy.where(numpy.abs(doubles) < 60000, doubles, doubles / 2.0 ** 90)
        doubles[:] = numpy.where(numpy.isfinite(doubles), doubles, 0.1)
        singles = doubles.astype(numpy.float32)
        longs = words[0].view(numpy.int64)
        given = run(folder, "rounded", [singles, doubles, longs], "u32", len(ROUNDED) * 4 * COUNT)
        k = 0
        for text, exact, bits, lowest, value in ROUNDED:
            for mode, direction in DIRECTIONS.items():
                for i in range(COUNT):
                    x = exact(float(singles[i]), float(doubles[i]), int(longs[i]))
                    expect(text.format(mode), fractions.Fraction(value(int(given[k * COUNT + i]))), nearest(x, bits, lowest, direction), singles[i], doubles[i], longs[i])
                k += 1
        given = run(folder, "memory", [words[0]], "u32", len(MEMORY) * COUNT)
        low, high = words[0] & 0xffffffff, words[0] >> 32
        for k, (code, f) in enumerate(MEMORY):
            for i in range(COUNT):
                expect(code, int(given[k * COUNT + i]), int(f(int(low[i]), int(high[i]), low)) & 0xffffffff, hex(int(words[0][i])))
    print(f"{len(wrong)} wrong", *wrong[:30], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

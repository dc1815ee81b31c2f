#!/usr/bin/env python3
"""What CUDA's device functions compute, against plain integers, exact fractions and NumPy: device_values_test.py [TARGET].

One source has a kernel for each group of functions, made of the tables below; `gpu` as the target runs it there, where the functions
are the toolkit's own.
"""
import fractions
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

from word_functions import place_of_set_bit, word_functions, wrapped

HEDDLE = os.environ["HEDDLE"]
TARGET = sys.argv[1] if len(sys.argv) > 1 else ""
RANDOM = numpy.random.default_rng(7)
ULL = (1 << 64) - 1

# ------------------------------------------------------------------------------------------------ rounding


class Format:
    """A binary floating-point format: values as fractions, and the nearest ones in a direction."""

    def __init__(self, precision, least_exponent, greatest):
        self.precision, self.least_exponent, self.greatest = precision, least_exponent, fractions.Fraction(greatest)

    def rounded(self, x, how):
        """An exact fraction as the format has it; None beyond the greatest number, which tests leave out."""
        if x == 0:
            return fractions.Fraction(0)
        exponent = math.floor(math.log2(abs(x))) if abs(x) < 1 << 900 else 0
        while abs(x) >= fractions.Fraction(2) ** (exponent + 1):
            exponent += 1
        while abs(x) < fractions.Fraction(2) ** exponent:
            exponent -= 1
        unit = fractions.Fraction(2) ** (max(exponent, self.least_exponent) - self.precision + 1)
        steps = x / unit
        down = math.floor(steps)
        if how == "rn":
            chosen = round(steps)  # to even
        elif how == "rz":
            chosen = math.trunc(steps)
        else:
            chosen = down if how == "rd" else math.ceil(steps)
        result = chosen * unit
        return result if abs(result) <= self.greatest else None


FLOAT = Format(24, -126, float(numpy.finfo(numpy.float32).max))
DOUBLE = Format(53, -1022, float(numpy.finfo(numpy.float64).max))
HALF = Format(11, -14, 65504)
BFLOAT16 = Format(8, -126, float(numpy.uint32(0x7f7f0000).view(numpy.float32)))
ROUNDINGS = ("rn", "rz", "ru", "rd")
OPERATIONS = (("add", lambda a, b, c: a + b), ("sub", lambda a, b, c: a - b), ("mul", lambda a, b, c: a * b),
              ("div", lambda a, b, c: a / b), ("fma", lambda a, b, c: a * b + c), ("rcp", lambda a, b, c: 1 / a))
OF_FLOAT = {"add": "__fadd_{}(a, b)", "sub": "__fsub_{}(a, b)", "mul": "__fmul_{}(a, b)", "div": "__fdiv_{}(a, b)",
            "fma": "__fmaf_{}(a, b, c)", "rcp": "__frcp_{}(a)", "sqrt": "__fsqrt_{}(fabsf(a))"}
OF_DOUBLE = {"add": "__dadd_{}(a, b)", "sub": "__dsub_{}(a, b)", "mul": "__dmul_{}(a, b)", "div": "__ddiv_{}(a, b)",
             "fma": "__fma_{}(a, b, c)", "rcp": "__drcp_{}(a)", "sqrt": "__dsqrt_{}(fabs(a))"}
INTEGERS = (("int", "int", -(1 << 31), (1 << 31) - 1), ("uint", "unsigned", 0, (1 << 32) - 1), ("short", "short", -(1 << 15), (1 << 15) - 1),
            ("ushort", "unsigned short", 0, (1 << 16) - 1), ("ll", "long long", -(1 << 63), (1 << 63) - 1),
            ("ull", "unsigned long long", 0, ULL))


def root_is(value, x, format, how):
    """Whether the value is the root of x in the direction, by squares."""
    if how == "rn":
        below, above = (format.rounded(value * (1 + s * fractions.Fraction(1, 1 << (format.precision + 3))), d) for s, d in ((-1, "rd"), (1, "ru")))
        below = below if below < value else format.rounded(value * (1 - fractions.Fraction(1, 1 << (format.precision - 1))), "ru")
        return ((below + value) / 2) ** 2 <= x <= ((value + above) / 2) ** 2
    if value * value == x:
        return True
    step = fractions.Fraction(1, 1 << (format.precision - 2))
    if how == "ru":
        return format.rounded(value * (1 - step), "ru") ** 2 < x < value ** 2
    return value ** 2 < x < format.rounded(value * (1 + step), "rd") ** 2


# -------------------------------------------------------------------------------------------- 16-bit numbers

HALF_UNARY = {"sqrt": numpy.sqrt, "rsqrt": lambda x: 1 / numpy.sqrt(x), "rcp": lambda x: 1 / x, "exp": numpy.exp, "exp2": numpy.exp2,
              "exp10": lambda x: numpy.power(10.0, x), "log": numpy.log, "log2": numpy.log2, "log10": numpy.log10, "sin": numpy.sin,
              "cos": numpy.cos, "tanh": numpy.tanh, "ceil": numpy.ceil, "floor": numpy.floor, "trunc": numpy.trunc, "rint": numpy.rint}
APPROXIMATE = {"exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "tanh", "rsqrt", "rcp"}
COMPARE = {"eq": numpy.equal, "ne": numpy.not_equal, "lt": numpy.less, "le": numpy.less_equal, "gt": numpy.greater, "ge": numpy.greater_equal}


def saturated(x):
    return numpy.clip(numpy.nan_to_num(x, nan=0), 0, 1)


HALF_BINARY = {"__hadd": lambda a, b: a + b, "__hsub": lambda a, b: a - b, "__hmul": lambda a, b: a * b, "__hdiv": lambda a, b: a / b,
               "__hadd_rn": lambda a, b: a + b, "__hsub_rn": lambda a, b: a - b, "__hmul_rn": lambda a, b: a * b,
               "__hadd_sat": lambda a, b: saturated(a + b), "__hsub_sat": lambda a, b: saturated(a - b), "__hmul_sat": lambda a, b: saturated(a * b),
               "__hmax": numpy.fmax, "__hmin": numpy.fmin, "__hmax_nan": numpy.maximum, "__hmin_nan": numpy.minimum}


def of_pairs(name):
    """What the function of pairs is called."""
    if name == "__hdiv":
        return "__h2div"
    head, mark, tail = name[2:].partition("_")
    return f"__{head}2{mark}{tail}"


# ---------------------------------------------------------------------------------------------------- source


def source():
    words = list(word_functions())
    text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    text += "__global__ void words(unsigned* out, const unsigned* x, const unsigned* y, const unsigned* z, int n) {\n"
    text += "  const int i = threadIdx.x;\n  const unsigned a = x[i], b = y[i], c = z[i];\n"
    for number, (name, count, _) in enumerate(words):
        text += f"  out[{number} * n + i] = {name}({', '.join('abc'[:count])});\n"
    text += "}\n__global__ void set_bits(unsigned* out, const unsigned* mask, const int* base, const int* offset) {\n"
    text += "  const int i = threadIdx.x;\n  out[i] = __fns(mask[i], base[i], offset[i]);\n}\n"
    for kind, table in (("float", OF_FLOAT), ("double", OF_DOUBLE)):
        text += f"__global__ void rounded_{kind}({kind}* out, const {kind}* x, const {kind}* y, const {kind}* z, int n) {{\n"
        text += f"  const int i = threadIdx.x;\n  const {kind} a = x[i], b = y[i], c = z[i];\n"
        for o, call in enumerate(table.values()):
            for r, how in enumerate(ROUNDINGS):
                text += f"  out[{4 * o + r} * n + i] = {call.format(how)};\n"
        text += "}\n"
    text += "__global__ void narrowed(float* out, unsigned short* halves, unsigned short* bfloats, const double* x, const long long* k, int n) {\n"
    text += "  const int i = threadIdx.x;\n"
    for r, how in enumerate(ROUNDINGS):
        text += f"  out[{r} * n + i] = __double2float_{how}(x[i]);\n  out[{4 + r} * n + i] = __ll2float_{how}(k[i]);\n"
        text += f"  halves[{r} * n + i] = __half_as_ushort(__float2half_{how}((float)x[i]));\n"
        text += f"  bfloats[{r} * n + i] = __bfloat16_as_ushort(__float2bfloat16_{how}((float)x[i]));\n"
        for t, (name, kind, _, _) in enumerate(INTEGERS):
            text += f"  halves[{4 * t + r + 5} * n + i] = __half_as_ushort(__{name}2half_{how}(({kind})k[i]));\n"
            text += f"  bfloats[{4 * t + r + 5} * n + i] = __bfloat16_as_ushort(__{name}2bfloat16_{how}(({kind})k[i]));\n"
    text += f"  halves[4 * n + i] = __half_as_ushort(__double2half(x[i]));\n"
    text += f"  bfloats[4 * n + i] = __bfloat16_as_ushort(__double2bfloat16(x[i]));\n}}\n"
    text += "__global__ void whole(long long* out, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    text += "  const __half a = __ushort_as_half((unsigned short)(8 * i + i % 8));\n"
    for t, (name, _, _, _) in enumerate(INTEGERS):
        for r, how in enumerate(ROUNDINGS):
            text += f"  out[{4 * t + r} * n + i] = (long long)__half2{name}_{how}(a);\n"
    text += "}\n__global__ void unary(unsigned short* out, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    text += "  const __half a = __ushort_as_half((unsigned short)(8 * i + i % 8));\n  const __half2 both = __halves2half2(__half(1.0f), a);\n"
    for number, name in enumerate(HALF_UNARY):
        text += f"  out[{2 * number} * n + i] = __half_as_ushort(h{name}(a));\n"
        text += f"  out[{2 * number + 1} * n + i] = __half_as_ushort(__high2half(h2{name}(both)));\n"
    text += "}\n__global__ void binary(unsigned short* out, unsigned* masks, const unsigned short* x, const unsigned short* y, const unsigned short* z, int n) {\n"
    text += "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    text += "".join(f"  const __half {v} = __ushort_as_half({w}[i]);\n" for v, w in zip("abc", "xyz"))
    text += "  const __half2 aa(b, a), bb(a, b), cc(c, c);\n"
    for number, name in enumerate(HALF_BINARY):
        text += f"  out[{2 * number} * n + i] = __half_as_ushort({name}(a, b));\n"
        text += f"  out[{2 * number + 1} * n + i] = __half_as_ushort({of_pairs(name)}(aa, bb).y);\n"
    number = 2 * len(HALF_BINARY)
    for call in ("__hfma(a, b, c)", "__hfma2(aa, bb, cc).y", "__hfma_sat(a, b, c)", "__hfma_relu(a, b, c)",
                 "__hcmadd(__half2(a, __half(0.0f)), __half2(b, a), cc).x"):
        text += f"  out[{number} * n + i] = __half_as_ushort({call});\n"
        number += 1
    for number, name in enumerate(COMPARE):
        for u, end in enumerate(("", "u")):
            at = 2 * number + u
            text += (f"  masks[{at} * n + i] = __h{name}{end}(a, b) | (unsigned)(__half2float(__h{name}{end}2(aa, bb).y) == 1) << 1 | "
                     f"(__h{name}{end}2_mask(aa, bb) == 0xffffffffu) << 2 | (unsigned)__hb{name}{end}2(aa, bb) << 3;\n")
    text += "}\n__global__ void special(double* out, float* single, const double* x, int n) {\n  const int i = threadIdx.x;\n"
    for number, call in enumerate(SPECIAL):
        text += f"  out[{number} * n + i] = {call.format('')};\n"
        text += f"  single[{number} * n + i] = {call.format('f').replace('x[i]', '(float)x[i]')};\n"
    text += """}
__global__ void atomic(float4* four, float2* two, unsigned* halves, __nv_bfloat16* bfloat, __nv_bfloat162* bfloats, long long* bits) {
  atomicAdd(four, make_float4(1, 2, 3, threadIdx.x));
  atomicAdd(two, make_float2(threadIdx.x, 1));
  atomicAdd((__half2*)halves, __floats2half2_rn(1, 2));
  atomicAdd(bfloat, __float2bfloat16(1));
  atomicAdd(bfloats, __floats2bfloat162_rn(2, 1));
  atomicAnd(bits, ~(1ll << threadIdx.x));
  atomicOr(bits + 1, 1ll << threadIdx.x);
  atomicXor(bits + 2, 1ll << threadIdx.x);
}
"""
    return text, words


def modified_bessel_1(x):
    return math.fsum((x / 2) ** (2 * k + 1) / (math.factorial(k) * math.factorial(k + 1)) for k in range(60))


# Of x in (0, 1), and what gives x back or is known to be equal.
SPECIAL = {
    "erfinv{}(x[i])": lambda x, y: (math.erf(y), x),
    "erfcinv{}(x[i])": lambda x, y: (math.erfc(y), x),
    "erfinv{}(-x[i])": lambda x, y: (-math.erf(y), x),
    "normcdfinv{}(x[i])": lambda x, y: (math.erfc(-y / math.sqrt(2)) / 2, x),
    "normcdf{}(x[i])": lambda x, y: (y, math.erfc(-x / math.sqrt(2)) / 2),
    "cyl_bessel_i0{}(20 * x[i])": lambda x, y: (y, float(numpy.i0(20 * x))),
    "cyl_bessel_i1{}(10 * x[i])": lambda x, y: (y, modified_bessel_1(10 * x)),
    "cyl_bessel_i0{}(40 + 20 * x[i])": lambda x, y: (y, float(numpy.i0(40 + 20 * x))),
    "erfcx{}(x[i])": lambda x, y: (y, math.exp(x * x) * math.erfc(x)),
    # The continued fraction of the scaled function, from its end.
    "erfcx{}(40 * x[i] + 20)": lambda x, y: (y, 1 / (math.sqrt(math.pi) * continued(40 * x + 20))),
    "sinpi{}(x[i])": lambda x, y: (y, math.sin(math.pi * x)),
    "cospi{}(x[i])": lambda x, y: (y, math.cos(math.pi * x)),
    "sinpi{}(x[i] * 0 + 1000001)": lambda x, y: (y, 0),
    "cospi{}(x[i] * 0 + 1000001)": lambda x, y: (y, -1),
    "norm3d{}(x[i], 2, 3)": lambda x, y: (y, math.hypot(x, 2, 3)),
    "rnorm4d{}(x[i], 2, 3, 4)": lambda x, y: (y, 1 / math.hypot(x, 2, 3, 4)),
    "norm3d{}(x[i] * 1e30f, 1e30f, 0) / 1e30f": lambda x, y: (y, math.hypot(x, 1)),
    "rhypot{}(x[i], 2)": lambda x, y: (y, 1 / math.hypot(x, 2)),
}


def continued(x):
    value = x
    for k in range(60, 0, -1):
        value = x + k / 2 / value
    return value


# ------------------------------------------------------------------------------------------------ comparison


def every_eighth_half():
    """As the kernels have them: all signs and exponents, and every value of the last bits."""
    i = numpy.arange(1 << 13)
    return (8 * i + i % 8).astype(numpy.uint16).view(numpy.float16)


class Runner:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        text, self.words = source()
        (self.folder / "values.cu").write_text(text)
        self.files = 0

    def run(self, kernel, *arguments, grid=1, block):
        """Arrays are read; (type, count) is what an array of the kernel's that comes back has."""
        words, outputs = [], []
        for a in arguments:
            self.files += 1
            file = self.folder / f"{self.files}.npy"
            if isinstance(a, numpy.ndarray):
                numpy.save(file, a)
                words.append(f"{a.dtype.kind}{8 * a.itemsize}[]={file}")
            elif isinstance(a, tuple):
                words.append(f"{a[0]}[{a[1]}]=zeros:out={file}")
                outputs.append(file)
            else:
                words.append(f"i32:{a}")
        command = [HEDDLE, "values.cu", "--kernel", kernel, "--grid", str(grid), "--block", str(block)]
        # What is checked is compiled in a third of the time.
        command.insert(1, "run" if TARGET else "check")
        command += ["--target", TARGET, "-I", os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include")] if TARGET else ["--schedules", "1"]
        for w in words:
            command += ["--arg", w]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{kernel}: status {done.returncode}: {done.stdout}{done.stderr}")
        return [numpy.load(file) for file in outputs]


FAILURES = []


def expect(what, given, wanted, *of):
    if given != wanted:
        FAILURES.append(f"{what}{of}: {given}, and {wanted} is right")


def check_words(runner):
    edges = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x80808080, 0x7f7f7f7f, 0x80008000, 0x7fff7fff, 0xffffffff, 0x12345678]
    x, y, z = (numpy.array(edges + list(RANDOM.integers(0, 1 << 32, 186)), numpy.uint32) for _ in range(3))
    RANDOM.shuffle(y)
    RANDOM.shuffle(z)
    n = len(x)
    out, = runner.run("words", ("u32", len(runner.words) * n), x, y, z, n, block=n)
    for (name, count, f), row in zip(runner.words, out.reshape(-1, n)):
        for values in zip(map(int, row), *(map(int, v) for v in (x, y, z)[:count])):
            expect(name, values[0], f(*values[1:]) & 0xffffffff, *map(hex, values[1:]))
    base, offset = RANDOM.integers(0, 32, n, numpy.int32), RANDOM.integers(-6, 7, n, numpy.int32)
    out, = runner.run("set_bits", ("u32", n), x, base, offset, block=n)
    for given, *of in zip(map(int, out), map(int, x), map(int, base), map(int, offset)):
        expect("__fns", given, place_of_set_bit(*of), *of)


def check_rounding(runner):
    for kind, type_, format, table in (("float", numpy.float32, FLOAT, OF_FLOAT), ("double", numpy.float64, DOUBLE, OF_DOUBLE)):
        n = 120
        a, b, c = (numpy.ldexp(RANDOM.uniform(0.5, 1, n) * RANDOM.choice((-1, 1), n), RANDOM.integers(-30, 31, n)).astype(type_) for _ in range(3))
        a[0], b[0] = 3, 3
        out, = runner.run(f"rounded_{kind}", (f"f{8 * type_().itemsize}", 4 * len(table) * n), a, b, c, n, block=n)
        out = out.reshape(len(table), 4, n)
        exact = [[fractions.Fraction(float(v)) for v in values] for values in (a, b, c)]
        for o, (name, f) in enumerate(OPERATIONS):
            for r, how in enumerate(ROUNDINGS):
                for given, *of in zip(map(float, out[o][r]), *exact):
                    wanted = format.rounded(f(*of), how)
                    if wanted is not None:
                        expect(f"{name} of {kind}, {how}", given, float(wanted), *map(float, of))
        for r, how in enumerate(ROUNDINGS):
            for given, of in zip(map(float, out[6][r]), exact[0]):
                expect(f"sqrt of {kind}, {how}", root_is(fractions.Fraction(given), abs(of), format, how), True, given, float(of))


def check_narrowing(runner):
    n = 200
    x = numpy.ldexp(RANDOM.uniform(0.5, 1, n) * RANDOM.choice((-1, 1), n), RANDOM.integers(-26, 17, n))
    # Between two floats, so near to the middle between two halves that float does not tell.
    x[:4] = 1 + 2.0 ** -11 + 2.0 ** -40, 1 + 2.0 ** -11 - 2.0 ** -40, -(1 + 2.0 ** -9 + 2.0 ** -45), 1 + 2.0 ** -8 + 2.0 ** -40
    k = (RANDOM.integers(-(1 << 63), (1 << 63) - 1, n) >> RANDOM.integers(0, 60, n)).astype(numpy.int64)
    k[:4] = 2049, (1 << 53) + 1, 32752, -4097
    rows = 5 + 4 * len(INTEGERS)
    floats, halves, bfloats = runner.run("narrowed", ("f32", 8 * n), ("u16", rows * n), ("u16", rows * n), x, k, n, block=n)
    floats, halves = floats.reshape(8, n), halves.view(numpy.float16).reshape(rows, n)
    bfloats = (bfloats.astype(numpy.uint32) << 16).view(numpy.float32).reshape(rows, n)
    for i in range(n):
        exact, single, whole = (fractions.Fraction(v) for v in (float(x[i]), float(numpy.float32(x[i])), int(k[i])))
        for r, how in enumerate(ROUNDINGS):
            expect(f"__double2float_{how}", float(floats[r][i]), float(FLOAT.rounded(exact, how)), x[i])
            expect(f"__ll2float_{how}", float(floats[4 + r][i]), float(FLOAT.rounded(whole, how)), k[i])
        for name, values, format in (("half", halves, HALF), ("bfloat16", bfloats, BFLOAT16)):
            cases = [(r, f"__float2{name}_{how}", single, how) for r, how in enumerate(ROUNDINGS)] + [(4, f"__double2{name}", exact, "rn")]
            for t, (integer, _, least, most) in enumerate(INTEGERS):
                of = fractions.Fraction(wrapped(most.bit_length() + (least < 0), least < 0, int(k[i])))
                cases += [(4 * t + r + 5, f"__{integer}2{name}_{how}", of, how) for r, how in enumerate(ROUNDINGS)]
            for row, what, of, how in cases:
                wanted = format.rounded(of, how)
                if wanted is None:  # beyond the greatest: infinite unless it is rounded towards zero
                    stays = how == "rz" or how == ("rd" if of > 0 else "ru")
                    wanted = math.copysign(float(format.greatest) if stays else math.inf, of)
                expect(what, float(values[row][i]), float(wanted), float(of))


def check_whole(runner):
    values = every_eighth_half().astype(numpy.float64)
    n = len(values)
    out, = runner.run("whole", ("i64", 4 * len(INTEGERS) * n), n, grid=n // 256, block=256)
    out = out.reshape(len(INTEGERS), 4, n)
    finite = numpy.nan_to_num(values, posinf=1e300, neginf=-1e300)
    for t, (name, _, least, most) in enumerate(INTEGERS):
        for r, (how, f) in enumerate(zip(ROUNDINGS, (numpy.rint, numpy.trunc, numpy.ceil, numpy.floor))):
            wanted = [wrapped(64, True, clamped_integer(v, least, most)) for v in f(finite)]
            wrong = numpy.nonzero((out[t][r] != wanted) & ~numpy.isnan(values))[0]
            for i in wrong[:3]:
                expect(f"__half2{name}_{how}", int(out[t][r][i]), wanted[i], values[i])


def clamped_integer(value, least, most):
    return least if value <= least else most if value >= most else int(value)


def differ(a, b, steps):
    """Where halves are farther apart than so many steps; NaN is equal to itself."""
    order = [numpy.where(v.view(numpy.int16) < 0, -(v.view(numpy.int16).astype(int) & 0x7fff), v.view(numpy.int16)).astype(int) for v in (a, b)]
    return (numpy.abs(order[0] - order[1]) > steps) & ~(numpy.isnan(a) & numpy.isnan(b))


def check_halves(runner):
    x = every_eighth_half()
    n = len(x)
    out, = runner.run("unary", ("u16", 2 * len(HALF_UNARY) * n), n, grid=n // 256, block=256)
    out = out.view(numpy.float16).reshape(-1, 2, n)
    with numpy.errstate(all="ignore"):
        for (name, f), both in zip(HALF_UNARY.items(), out):
            wanted = f(x.astype(numpy.float64)).astype(numpy.float16)
            for prefix, given in zip(("h", "h2"), both):
                for i in numpy.nonzero(differ(given, wanted, name in APPROXIMATE and TARGET.startswith("gpu")))[0][:3]:
                    expect(prefix + name, given[i], wanted[i], x[i])
        n = 1 << 13
        a, b, c = (RANDOM.integers(0, 1 << 16, n, numpy.uint16) for _ in range(3))
        b[:64] = a[:64]
        b[64:128] = 0x7e00
        masks_count = 2 * len(COMPARE)
        rows = 2 * len(HALF_BINARY) + 5
        out, masks = runner.run("binary", ("u16", rows * n), ("u32", masks_count * n), a, b, c, n, grid=n // 256, block=256)
        out, masks = out.view(numpy.float16).reshape(rows, n), masks.reshape(masks_count, n)
        a, b, c = (v.view(numpy.float16) for v in (a, b, c))
        for number, (name, f) in enumerate(HALF_BINARY.items()):
            wanted = f(a.astype(numpy.float64), b.astype(numpy.float64)).astype(numpy.float16)
            for what, given in ((name, out[2 * number]), (of_pairs(name), out[2 * number + 1])):
                zeros = (given == 0) & (wanted == 0)
                for i in numpy.nonzero(differ(given, wanted, 0) & ~zeros)[0][:3]:
                    expect(what, given[i], wanted[i], a[i], b[i])
        first = 2 * len(HALF_BINARY)
        finite = numpy.nonzero(numpy.isfinite(a) & numpy.isfinite(b) & numpy.isfinite(c))[0][:1500]
        for i in finite:
            wanted = HALF.rounded(fractions.Fraction(float(a[i])) * fractions.Fraction(float(b[i])) + fractions.Fraction(float(c[i])), "rn")
            if wanted is None:
                continue
            saturated_, positive = min(max(wanted, 0), 1), max(wanted, 0)
            for name, row, value in (("__hfma", 0, wanted), ("__hfma2", 1, wanted), ("__hfma_sat", 2, saturated_), ("__hfma_relu", 3, positive),
                                     ("__hcmadd", 4, wanted)):
                expect(name, float(out[first + row][i]), float(value), a[i], b[i], c[i])
        for number, (name, f) in enumerate(COMPARE.items()):
            unordered = numpy.isnan(a) | numpy.isnan(b)
            for u, wanted in enumerate((f(a, b) & ~unordered, f(a, b) | unordered)):
                # The pair's other half compares b with a.
                other = f(b, a) | unordered if u else f(b, a) & ~unordered
                both = wanted & other
                right = wanted * 1 + wanted * 2 + both * 4 + both * 8
                for i in numpy.nonzero(masks[2 * number + u] != right)[0][:3]:
                    expect(f"__h{name}{'u' * u}", int(masks[2 * number + u][i]), int(right[i]), a[i], b[i])


def check_special(runner):
    n = 100
    x = RANDOM.uniform(0.001, 0.999, n).astype(numpy.float32).astype(numpy.float64)
    out, single = runner.run("special", ("f64", len(SPECIAL) * n), ("f32", len(SPECIAL) * n), x, n, block=n)
    for (call, f), row, row_of_floats in zip(SPECIAL.items(), out.reshape(-1, n), single.reshape(-1, n)):
        for of, value, of_float in zip(x, row, row_of_floats):
            for what, y, tolerance in ((call.format(""), value, 1e-13), (call.format("f"), of_float, 4e-5 if "inv" in call else 2e-5 if "20" in call else 3e-6)):
                given, wanted = f(float(of), float(y))
                if not abs(given - wanted) <= tolerance * max(abs(wanted), 1e-3):
                    FAILURES.append(f"{what} of {of}: {given}, and {wanted} is right")


def check_atomics(runner):
    four, two, halves, bfloat, bfloats, bits = runner.run(
        "atomic", ("f32", 4), ("f32", 2), ("u32", 1), ("u16", 1), ("u16", 2), ("i64", 3), block=60)
    expect("atomicAdd of float4", four.tolist(), [60, 120, 180, 59 * 30])
    expect("atomicAdd of float2", two.tolist(), [59 * 30, 60])
    expect("atomicAdd of half2", halves.view(numpy.float16).tolist(), [60, 120])
    for name, values, wanted in (("bfloat16", bfloat, [60]), ("bfloat162", bfloats, [120, 60])):
        expect(f"atomicAdd of {name}", (values.astype(numpy.uint32) << 16).view(numpy.float32).tolist(), wanted)
    expect("atomicAnd, atomicOr, atomicXor", bits.tolist(), [0, (1 << 60) - 1, (1 << 60) - 1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.environ.get("HEDDLE_TEST_CACHE", folder)
        runner = Runner(folder)
        for check in (check_words, check_rounding, check_narrowing, check_whole, check_halves, check_special, check_atomics):
            check(runner)
    print(f"{len(FAILURES)} wrong", *FAILURES[:40], sep="\n")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

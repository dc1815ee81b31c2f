"""CUDA's functions of words and of their parts by plain integers, for device_values_test.py."""


def parts(word, bits, signed):
    values = [(word >> at) & ((1 << bits) - 1) for at in range(0, 32, bits)]
    return [v - (1 << bits) if signed and v >> (bits - 1) else v for v in values]


def joined(values, bits):
    return sum((int(v) & ((1 << bits) - 1)) << (bits * i) for i, v in enumerate(values))


def by_parts(bits, signed, f):
    return lambda *words: joined([f(*each) for each in zip(*(parts(w, bits, signed) for w in words))], bits)


def clamped(bits, signed, x):
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(x, least), most)


def wrapped(bits, signed, x):
    x &= (1 << bits) - 1
    return x - (1 << bits) if signed and x >> (bits - 1) else x


def word_functions():
    """Names, the number of words that they take, and what they make of them."""
    for count, bits in ((2, 16), (4, 8)):
        def clamp(signed, bits=bits):
            return lambda x: clamped(bits, signed, x)
        signed_, unsigned = clamp(True), clamp(False)
        for name, signed, f in (
                ("abs", True, abs), ("absss", True, lambda a, clamp=signed_: clamp(abs(a))),
                ("neg", True, lambda a: -a), ("negss", True, lambda a, clamp=signed_: clamp(-a))):
            yield f"__v{name}{count}", 1, by_parts(bits, signed, f)
        for name, signed, f in (
                ("add", False, lambda a, b: a + b), ("addss", True, lambda a, b, clamp=signed_: clamp(a + b)),
                ("addus", False, lambda a, b, clamp=unsigned: clamp(a + b)), ("sub", False, lambda a, b: a - b),
                ("subss", True, lambda a, b, clamp=signed_: clamp(a - b)), ("subus", False, lambda a, b, clamp=unsigned: clamp(a - b)),
                # A half is rounded away from zero.
                ("avgs", True, lambda a, b: (a + b + 1) // 2 if a + b >= 0 else -((-(a + b) + 1) // 2)),
                ("avgu", False, lambda a, b: (a + b + 1) // 2), ("haddu", False, lambda a, b: (a + b) // 2),
                ("absdiffs", True, lambda a, b: abs(a - b)), ("absdiffu", False, lambda a, b: abs(a - b)),
                ("maxs", True, max), ("maxu", False, max), ("mins", True, min), ("minu", False, min)):
            yield f"__v{name}{count}", 2, by_parts(bits, signed, f)
        for end, signed in (("s", True), ("u", False)):
            yield (f"__vsad{end}{count}", 2,
                   lambda a, b, signed=signed, bits=bits: sum(abs(x - y) for x, y in zip(parts(a, bits, signed), parts(b, bits, signed))))
        compare = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
                   "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
        for name, f in compare.items():
            for end, signed in ((("", False),) if name in ("eq", "ne") else (("s", True), ("u", False))):
                yield f"__vcmp{name}{end}{count}", 2, by_parts(bits, signed, lambda a, b, f=f: -1 if f(a, b) else 0)
                yield f"__vset{name}{end}{count}", 2, by_parts(bits, signed, lambda a, b, f=f: f(a, b))
    for name, best in (("max", max), ("min", min)):
        for kind, bits, signed in (("s32", 32, True), ("u32", 32, False), ("s16x2", 16, True), ("u16x2", 16, False)):
            for relu in ("", "_relu") if signed else ("",):
                least = 0 if relu else -(1 << 40)
                yield f"__vi{name}3_{kind}{relu}", 3, by_parts(bits, signed, lambda a, b, c, x=best, y=least: max(x(a, b, c), y))
                yield (f"__viadd{name}_{kind}{relu}", 3, by_parts(bits, signed, lambda a, b, c, x=best, y=least, n=bits, s=signed:
                                                                  max(x(wrapped(n, s, a + b), c), y)))
                if relu:
                    yield f"__vi{name}_{kind}{relu}", 2, by_parts(bits, signed, lambda a, b, x=best, y=least: max(x(a, b), y))
    yield "__uhadd", 2, lambda a, b: (a + b) // 2
    yield "__urhadd", 2, lambda a, b: (a + b + 1) // 2
    yield "__umulhi", 2, lambda a, b: a * b >> 32
    yield "__funnelshift_l", 3, lambda lo, hi, by: ((hi << 32 | lo) << (by & 31)) >> 32
    yield "__funnelshift_r", 3, lambda lo, hi, by: (hi << 32 | lo) >> (by & 31)
    yield "__funnelshift_lc", 3, lambda lo, hi, by: ((hi << 32 | lo) << min(by, 32)) >> 32
    yield "__funnelshift_rc", 3, lambda lo, hi, by: (hi << 32 | lo) >> min(by, 32)
    yield "__brev", 1, lambda a: int(f"{a:032b}"[::-1], 2)
    yield "__popc", 1, lambda a: bin(a).count("1")
    yield "__clz", 1, lambda a: 32 - a.bit_length()
    yield "__ffs", 1, lambda a: (a & -a).bit_length()
    yield "__nv_bswap32", 1, lambda a: int.from_bytes(a.to_bytes(4, "little"), "big")
    yield "__usad", 3, lambda a, b, c: abs(a - b) + c
    yield "__dp4a", 3, lambda a, b, c: sum(x * y for x, y in zip(parts(a, 8, False), parts(b, 8, False))) + c
    yield "__dp2a_lo", 3, lambda a, b, c: sum(x * y for x, y in zip(parts(a, 16, False), parts(b, 8, False))) + c
    yield "__dp2a_hi", 3, lambda a, b, c: sum(x * y for x, y in zip(parts(a, 16, False), parts(b, 8, False)[2:])) + c

    def byte_perm(a, b, selector):
        both = (b << 32 | a).to_bytes(8, "little")
        return int.from_bytes(bytes(both[selector >> (4 * i) & 7] for i in range(4)), "little")
    yield "__byte_perm", 3, byte_perm


def place_of_set_bit(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else 0xffffffff
    places = [i for i in range(32) if mask >> i & 1 and (i >= base if offset > 0 else i <= base)]
    if offset < 0:
        places.reverse()
    return places[abs(offset) - 1] if len(places) >= abs(offset) else 0xffffffff

#!/usr/bin/env python3
"""What textures give under heddle check, against NumPy: every address mode, filter, number of dimensions and kind of elements.

The reference is the CUDA C++ Programming Guide's chapter on texture fetching, written as a table without end: element i of an axis of n is
element clamp(i), i modulo n, its mirror image, or the border, and a linear filter weighs neighbours by an offset of 8 bits.
"""
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

HEDDLE = os.environ["HEDDLE"]
RANDOM = numpy.random.default_rng(11)
POINTS = 24
SHAPES = {1: (13,), 2: (5, 7), 3: (3, 5, 4)}  # the last is x
MODES = {"Wrap": 1, "Clamp": 0, "Mirror": 1, "Border": 0}  # 1: for coordinates from 0 to 1 alone
BORDER = [0.25, -1.5, 3, 0.5]
# Of each: the elements' type and its name, how many there are, how they are read, and what value stands for 1.
ELEMENTS = [("float", "f4", 1, "ElementType", None), ("float4", "f4", 4, "ElementType", None), ("uchar4", "u1", 4, "NormalizedFloat", 255),
            ("short2", "i2", 2, "NormalizedFloat", 32767), ("unsigned short", "u2", 1, "NormalizedFloat", 65535),
            ("signed char", "i1", 1, "NormalizedFloat", 127), ("half", "f2", 1, "ElementType", None), ("int2", "i4", 2, "ElementType", None),
            ("uchar", "u1", 1, "ElementType", None), ("short4", "i2", 4, "ElementType", None)]

SOURCE = r"""
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
using uchar = unsigned char;
template <class T> __device__ float part(T v, int c) {
  return ((const decltype(v.x)*)&v)[c];
}
__device__ float part(float v, int) { return v; }
__device__ float part(uchar v, int) { return v; }
template <class T> __global__ void sample(cudaTextureObject_t t, int axes, const float* at, int n, int parts, float* out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
    const T v = axes == 1 ? tex1D<T>(t, x) : axes == 2 ? tex2D<T>(t, x, y) : tex3D<T>(t, x, y, z);
    for (int c = 0; c < parts; ++c) out[parts * i + c] = part(v, c);
  }
}
std::vector<char> input;
size_t position = 0;
template <class T> T* next(size_t count) {
  T* const result = (T*)(input.data() + position);
  position += count * sizeof(T);
  return result;
}
template <class E, class T> void run(int axes, cudaExtent e, cudaChannelFormatDesc channels, int parts, int mode, int filter, int read, int normalised) {
  cudaArray_t a;
  cudaMalloc3DArray(&a, &channels, e);
  const size_t width = e.width, height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(next<E>(width * height * depth), width * sizeof(E), width, height);
  copy.dstArray = a;
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = a;
  cudaTextureDesc how = {};
  for (auto& m : how.addressMode) m = (cudaTextureAddressMode)mode;
  how.filterMode = (cudaTextureFilterMode)filter;
  how.readMode = (cudaTextureReadMode)read;
  how.normalizedCoords = normalised;
  const float border[] = {BORDER};
  for (int i = 0; i < 4; ++i) how.borderColor[i] = border[i];
  cudaTextureObject_t t;
  if (cudaCreateTextureObject(&t, &what, &how, nullptr) != cudaSuccess) std::printf("no texture\n");
  float *at, *out;
  cudaMalloc(&at, 3 * POINTS * sizeof(float));
  cudaMalloc(&out, POINTS * parts * sizeof(float));
  cudaMemcpy(at, next<float>(3 * POINTS), 3 * POINTS * sizeof(float), cudaMemcpyHostToDevice);
  sample<T><<<1, 8>>>(t, axes, at, POINTS, parts, out);
  std::vector<float> back(POINTS * parts);
  cudaMemcpy(back.data(), out, back.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (const float v : back) std::printf("%.9g\n", v);
  cudaFree(at);
  cudaFree(out);
  cudaDestroyTextureObject(t);
  cudaFreeArray(a);
}
int main(int, char** argv) {
  std::FILE* const file = std::fopen(argv[1], "rb");
  input.resize(SIZE);
  if (std::fread(input.data(), 1, SIZE, file) != SIZE) return 1;
  CALLS
}
"""


def along_axis(x, n, mode, linear, normalised):
    """Elements (-1: the border) and their weights."""
    u = float(x) * n if normalised else float(x)

    def element(i):
        if mode == "Wrap":
            return i % n
        if mode == "Mirror":
            return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
        return min(max(i, 0), n - 1) if mode == "Clamp" or 0 <= i < n else -1

    if not linear:
        return [(element(int(numpy.floor(u))), 1.0)]
    whole, offset = divmod(int(numpy.floor((u - 0.5) * 256 + 0.5)), 256)
    return [(element(whole), 1 - offset / 256), (element(whole + 1), offset / 256)]


def sampled(values, at, mode, linear, normalised, count):
    lengths = values.shape[:-1][::-1]
    axes = [along_axis(at[k], n, mode, linear, normalised) for k, n in enumerate(lengths)]
    result = numpy.zeros(count)
    for corner in itertools.product(*axes):
        index = tuple(i for i, _ in corner)[::-1]
        weight = numpy.prod([w for _, w in corner])
        result += weight * (numpy.array(BORDER[:count]) if -1 in index else values[index])
    return result


def cases():
    for axes, mode, linear, normalised in itertools.product(SHAPES, MODES, (0, 1), (0, 1)):
        if not MODES[mode] or normalised:
            # Every way with plain numbers, and other elements in turn.
            yield axes, mode, linear, normalised, ELEMENTS[0]
            fitting = [e for e in ELEMENTS[1:] if not linear or e[3] == "NormalizedFloat" or e[1].startswith("f")]
            yield axes, mode, linear, normalised, fitting[len(mode) * 7 % len(fitting) if axes == 1 else (axes + 3 * normalised + len(mode)) % len(fitting)]
    for element in ELEMENTS:
        yield 2, "Clamp", 0, 0, element


def main():
    data, calls, expected = b"", [], []
    for axes, mode, linear, normalised, (name, kind, count, read, one) in cases():
        shape = SHAPES[axes]
        if kind.startswith("f"):
            values = RANDOM.standard_normal((*shape, count)).astype(kind)
        else:
            about = numpy.iinfo(kind)
            values = RANDOM.integers(max(about.min, -(1 << 24)), min(about.max, 1 << 24), (*shape, count), endpoint=True).astype(kind)
        spread = 3.0 if normalised else 2.0 * max(shape)
        at = (RANDOM.random((POINTS, 3)) * 2 * spread - spread).astype("f4")
        data += values.tobytes() + at.tobytes()
        extent = ([*shape[::-1]] + [0, 0])[:3]
        element = "__half" if name == "half" else name
        gives = "float" if count == 1 else f"float{count}"
        result = gives if kind.startswith("f") or read == "NormalizedFloat" else name
        channels = "cudaCreateChannelDescHalf()" if name == "half" else f"cudaCreateChannelDesc<{name}>()"
        calls.append(f"run<{element}, {result}>({axes}, make_cudaExtent({extent[0]}, {extent[1]}, {extent[2]}), {channels}, {count}, "
                     f"cudaAddressMode{mode}, {linear}, cudaReadMode{read}, {normalised});")
        exact = values.astype("f8")
        if one and read == "NormalizedFloat":
            exact = numpy.maximum(exact / one, -1)
        is_integer = not kind.startswith("f") and read == "ElementType"
        for p in at:
            value = sampled(exact, p, mode, linear, normalised, count)
            expected += list(numpy.trunc(value) % 256 if is_integer and kind == "u1" else numpy.trunc(value) if is_integer else value)
    source = SOURCE.replace("CALLS", "\n  ".join(calls)).replace("SIZE", str(len(data))).replace("POINTS", str(POINTS))
    source = source.replace("BORDER", ", ".join(map(str, BORDER)))
    with tempfile.TemporaryDirectory() as folder:
        program, numbers = pathlib.Path(folder) / "sample.cu", pathlib.Path(folder) / "numbers"
        program.write_text(source)
        numbers.write_bytes(data)
        words = [HEDDLE, "check", str(program), "--schedules", "1", "--", str(numbers)]
        result = subprocess.run(words, text=True, capture_output=True, env={**os.environ, "XDG_CACHE_HOME": folder})
    if result.returncode != 0:
        sys.exit(result.stderr)
    found = [float(line) for line in result.stdout.split()]
    if len(found) != len(expected):
        sys.exit(f"{len(found)} values of {len(expected)}")
    wrong = numpy.flatnonzero(numpy.abs(numpy.array(found) - expected) > 1e-6 * numpy.maximum(1, numpy.abs(expected)))
    at, number = 0, 0
    for case in cases():
        of_case = POINTS * case[4][2]
        bad = [i for i in wrong if at <= i < at + of_case]
        if bad:
            print(f"{case}: {len(bad)} of {of_case} values differ, the first: {found[bad[0]]} for {expected[bad[0]]}")
        at, number = at + of_case, number + 1
    print(f"{number} textures, {len(expected)} values, {len(wrong)} wrong")
    return 1 if len(wrong) or not expected else 0


if __name__ == "__main__":
    sys.exit(main())

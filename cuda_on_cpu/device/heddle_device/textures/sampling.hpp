#pragma once

/// Which elements a texture's coordinates lead to, with what weights, and what comes of them (CUDA C++
/// Programming Guide, Texture Fetching).

#include "objects.hpp"

namespace heddle_device {

/// An unfinished fetch: the elements, and what to do with their values.
struct texture_fetch : texture_access {
  const texture_object* of;
  double weight[most];
  int gathers;  ///< the component of tex2Dgather; -1 for others
};

/// The one or two elements along an axis that a coordinate is at or between.
struct texels_of_axis {
  long long at[2];  ///< -1 where there is nothing but the border
  double weight[2];
  int count;
};

HEDDLE_HARDWARE long long within_axis(long long i, long long n, cudaTextureAddressMode mode) {
  if (i >= 0 && i < n) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (mode == cudaAddressModeWrap) return (i % n + n) % n;
  return i < 0 ? 0 : n - 1;
}

/// The weights have 8 bits behind the point, and so has the coordinate that they are of.
HEDDLE_HARDWARE texels_of_axis texels_at(const texture_object& o, double x, size_t n, unsigned axis,
                                         bool are_two) {
  const bool is_normalised = o.how.normalizedCoords != 0;
  cudaTextureAddressMode mode = o.how.addressMode[axis];
  // The others are for coordinates from 0 to 1 alone.
  if (!is_normalised && mode != cudaAddressModeBorder) mode = cudaAddressModeClamp;
  if (x != x) x = 0;
  if (mode == cudaAddressModeWrap) x -= __builtin_floor(x);
  if (mode == cudaAddressModeMirror) {
    const double whole = __builtin_floor(x), rest = x - whole;
    x = __builtin_fmod(whole, 2) == 0 ? rest : 1 - rest;
  }
  if (is_normalised) x *= static_cast<double>(n);
  constexpr double most = 1ll << 40;
  x = x < -most ? -most : x > most ? most : x;
  const auto length = static_cast<long long>(n);
  texels_of_axis result{{0, 0}, {1, 0}, 1};
  if (!are_two) {
    result.at[0] = within_axis(static_cast<long long>(__builtin_floor(x)), length, mode);
    return result;
  }
  const auto fixed = static_cast<long long>(__builtin_floor((x - 0.5) * 256 + 0.5));
  const long long first = fixed >> 8;
  result.weight[1] = static_cast<double>(fixed & 255) / 256;
  result.weight[0] = 1 - result.weight[1];
  result.at[0] = within_axis(first, length, mode);
  result.at[1] = within_axis(first + 1, length, mode);
  result.count = 2;
  return result;
}

HEDDLE_HARDWARE void take_texel(texture_fetch& f, const texture_level& l, long long x, long long y,
                                long long z, double weight) {
  if (weight == 0 && f.gathers < 0) return;
  const bool is_border = x < 0 || y < 0 || z < 0;
  f.weight[f.count] = weight;
  f.address[f.count++] = is_border ? nullptr
                                   : l.data + static_cast<size_t>(z) * l.slice +
                                         static_cast<size_t>(y) * l.pitch + static_cast<size_t>(x) * f.bytes;
}

/// A direction's face of a cube, and where on it.
struct cube_place {
  int face;
  double x, y;
};
HEDDLE_HARDWARE cube_place place_on_cube(double x, double y, double z) {
  const double ax = __builtin_fabs(x), ay = __builtin_fabs(y), az = __builtin_fabs(z);
  int face = 0;
  double m = ax, s = 0, t = -y;
  if (ax >= ay && ax >= az) {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z;
  } else if (ay >= az) {
    face = y < 0 ? 3 : 2;
    m = ay;
    s = x;
    t = y < 0 ? -z : z;
  } else {
    face = z < 0 ? 5 : 4;
    m = az;
    s = z < 0 ? -x : x;
  }
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}
/// The direction of a place on a face, which may lie beyond its edges.
HEDDLE_HARDWARE cube_place over_edge(int face, double x, double y) {
  const double s = 2 * x - 1, t = 2 * y - 1;
  switch (face) {
    case 0:
      return place_on_cube(1, -t, -s);
    case 1:
      return place_on_cube(-1, -t, s);
    case 2:
      return place_on_cube(s, 1, t);
    case 3:
      return place_on_cube(s, -1, -t);
    case 4:
      return place_on_cube(s, -t, 1);
    default:
      return place_on_cube(-s, -t, -1);
  }
}

/// What a fetch asks for. Of layers and faces `layer` is the slice.
struct texture_place {
  double x, y, z;
  long long layer;
};

HEDDLE_HARDWARE void take_from_cube(texture_fetch& f, const texture_level& l, const texture_place& p,
                                    double weight) {
  const texture_object& o = *f.of;
  const cube_place on = place_on_cube(p.x, p.y, p.z);
  const auto n = static_cast<long long>(l.width);
  const auto inside = [n](double at) {
    const auto i = static_cast<long long>(__builtin_floor(at * static_cast<double>(n)));
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  };
  if (o.how.filterMode == cudaFilterModePoint)
    return take_texel(f, l, inside(on.x), inside(on.y), p.layer * 6 + on.face, weight);
  const auto fixed = [n](double at) {
    return static_cast<long long>(__builtin_floor((at * static_cast<double>(n) - 0.5) * 256 + 0.5));
  };
  const long long x = fixed(on.x), y = fixed(on.y);
  for (int j = 0; j < 2; ++j) {
    for (int i = 0; i < 2; ++i) {
      long long column = (x >> 8) + i, row = (y >> 8) + j, face = on.face;
      const double wx = static_cast<double>(x & 255) / 256, wy = static_cast<double>(y & 255) / 256;
      const bool is_over = column < 0 || column >= n || row < 0 || row >= n;
      if (is_over && o.how.seamlessCubemap != 0) {
        const cube_place other =
            over_edge(on.face, (static_cast<double>(column) + 0.5) / static_cast<double>(n),
                      (static_cast<double>(row) + 0.5) / static_cast<double>(n));
        face = other.face;
        column = inside(other.x);
        row = inside(other.y);
      } else {
        column = within_axis(column, n, cudaAddressModeClamp);
        row = within_axis(row, n, cudaAddressModeClamp);
      }
      take_texel(f, l, column, row, p.layer * 6 + face,
                 weight * (i != 0 ? wx : 1 - wx) * (j != 0 ? wy : 1 - wy));
    }
  }
}

HEDDLE_HARDWARE void take_from_level(texture_fetch& f, const texture_level& l, const texture_place& p,
                                     double weight) {
  const texture_object& o = *f.of;
  const texture_shape s = o.shape;
  if (s == texture_shape::cube || s == texture_shape::cubes) return take_from_cube(f, l, p, weight);
  const bool are_two = o.how.filterMode == cudaFilterModeLinear || f.gathers >= 0;
  const bool has_y = s == texture_shape::plane || s == texture_shape::planes || s == texture_shape::box;
  const texels_of_axis x = texels_at(o, p.x, l.width, 0, are_two);
  texels_of_axis y{{0, 0}, {1, 0}, 1}, z{{p.layer, 0}, {1, 0}, 1};
  if (has_y) y = texels_at(o, p.y, l.height, 1, are_two);
  if (s == texture_shape::box) z = texels_at(o, p.z, l.depth, 2, are_two);
  for (int k = 0; k < z.count; ++k) {
    for (int j = 0; j < y.count; ++j) {
      for (int i = 0; i < x.count; ++i)
        take_texel(f, l, x.at[i], y.at[j], z.at[k], weight * x.weight[i] * y.weight[j] * z.weight[k]);
    }
  }
}

/// The level of detail at which neighbours are about an element apart.
HEDDLE_HARDWARE double level_of_gradients(u64 object, double ax, double ay, double az, double bx, double by,
                                          double bz) {
  const texture_object* const o = known_textures.find(object);
  if (o == nullptr || o->levels == 0) return 0;
  const auto length = [](double v, size_t n) { return v * static_cast<double>(n); };
  const texture_level& l = o->level[0];
  const double x[] = {length(ax, l.width), length(bx, l.width)},
               y[] = {length(ay, l.height), length(by, l.height)},
               z[] = {length(az, l.depth), length(bz, l.depth)};
  double longest = 0;
  for (int i = 0; i < 2; ++i) {
    const double square = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
    if (square > longest) longest = square;
  }
  return longest > 0 ? 0.5 * __builtin_log2(longest) : -1000;
}

/// Says what `o` has, for a function that is for something else.
HEDDLE_HARDWARE const char* text_of_shape(const texture_object& o) {
  static const char* const texts[] = {"linear memory, which tex1Dfetch reads",
                                      "an array of one dimension",
                                      "an array of two dimensions",
                                      "an array of three dimensions",
                                      "a layered array of one dimension",
                                      "a layered array of two dimensions",
                                      "a cube",
                                      "a layered cube"};
  return texts[static_cast<int>(o.shape)];
}

HEDDLE_HARDWARE void begin_access(texture_fetch& f, const char* function, u64 object, texture_shape shape,
                                  bool is_surface) {
  f.function = function;
  f.detail = nullptr;
  f.problem = texture_problem::none;
  f.writes = false;
  f.is_surface = is_surface;
  f.count = 0;
  f.axes = 0;
  f.gathers = -1;
  f.of = known_textures.find(object);
  if (f.of == nullptr) {
    f.problem = texture_problem::no_object;
  } else if (f.of->is_surface != is_surface) {
    f.problem = texture_problem::wrong_kind;
    f.detail = is_surface ? "a texture" : "a surface";
  } else if (f.of->shape != shape) {
    f.problem = texture_problem::wrong_kind;
    f.detail = text_of_shape(*f.of);
  } else {
    f.bytes = f.of->channel_bytes * f.of->channel_count;
  }
}

/// `lod` is the level that is asked for; NaN for none. `type` is what numbers are wanted as.
HEDDLE_HARDWARE void plan_texture(texture_fetch& f, const char* function, texture_shape shape, u64 object,
                                  const texture_place& where, double lod, int gathers, scalar type) {
  begin_access(f, function, object, shape, false);
  if (f.problem != texture_problem::none) return;
  const texture_object& o = *f.of;
  if (o.gives_float != (type == scalar::f32)) {
    f.problem = texture_problem::wrong_type;
    f.detail = o.gives_float ? "the texture gives float" : "the texture gives integers";
  }
  f.gathers = gathers;
  const texture_level& base = o.level[0];
  if (shape == texture_shape::fetch) {
    const auto n = static_cast<long long>(base.width);
    if (where.layer >= 0 && where.layer < n) return take_texel(f, base, where.layer, 0, 0, 1);
    f.problem = texture_problem::outside;
    f.axes = 1;
    f.at[0] = where.layer;
    f.extent[0] = n;
    return;
  }
  texture_place p = where;
  // Layers are clamped, whatever the coordinates are.
  const bool is_cube = shape == texture_shape::cube || shape == texture_shape::cubes;
  const auto layers = static_cast<long long>(is_cube ? base.depth / 6 : base.depth);
  p.layer = p.layer < 0 ? 0 : p.layer >= layers ? layers - 1 : p.layer;
  if (lod != lod || o.levels == 1) return take_from_level(f, base, p, 1);
  lod += o.how.mipmapLevelBias;
  if (lod < o.how.minMipmapLevelClamp) lod = o.how.minMipmapLevelClamp;
  if (lod > o.how.maxMipmapLevelClamp) lod = o.how.maxMipmapLevelClamp;
  const double last = o.levels - 1;
  lod = lod < 0 ? 0 : lod > last ? last : lod;
  if (o.how.mipmapFilterMode == cudaFilterModePoint)
    return take_from_level(f, o.level[static_cast<u32>(lod + 0.5)], p, 1);
  const auto fixed = static_cast<u32>(lod * 256 + 0.5);
  const double second = static_cast<double>(fixed & 255) / 256;
  take_from_level(f, o.level[fixed >> 8], p, 1 - second);
  if (second != 0) take_from_level(f, o.level[(fixed >> 8) + 1], p, second);
}

/// Component `c` of an element: what the bits are, or the float that they stand for.
HEDDLE_HARDWARE long long bits_of_texel(const texture_object& o, const char* texel, u32 c) {
  const bool is_signed = o.channels.f == cudaChannelFormatKindSigned;
  unsigned bits = 0;
  copy_unseen(&bits, texel + c * o.channel_bytes, o.channel_bytes);
  const unsigned unused = 32 - 8 * o.channel_bytes;
  return is_signed ? static_cast<int>(bits << unused) >> unused : static_cast<long long>(bits);
}
HEDDLE_HARDWARE double float_of_texel(const texture_object& o, const char* texel, u32 c) {
  const long long bits = bits_of_texel(o, texel, c);
  const bool is_byte = o.channel_bytes == 1;
  if (o.channels.f == cudaChannelFormatKindUnsigned) {
    const double v = static_cast<double>(bits) / (is_byte ? 255 : 65535);
    if (o.how.sRGB == 0 || !is_byte || c == 3) return v;
    return v <= 0.04045 ? v / 12.92 : __builtin_pow((v + 0.055) / 1.055, 2.4);
  }
  if (o.channels.f == cudaChannelFormatKindSigned) {
    const double v = static_cast<double>(bits) / (is_byte ? 127 : 32767);
    return v < -1 ? -1 : v;
  }
  if (o.channel_bytes == 4) return __builtin_bit_cast(float, static_cast<unsigned>(bits));
  const auto exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? __builtin_nan("") : sign * __builtin_inf();
  return sign *
         (exponent == 0 ? __builtin_ldexp(fraction, -24) : __builtin_ldexp(1024 + fraction, exponent - 25));
}

HEDDLE_HARDWARE float filtered(const texture_fetch& f, u32 c) {
  const texture_object& o = *f.of;
  double sum = 0;
  for (u32 i = 0; i < f.count; ++i) {
    const double value = f.address[i] == nullptr ? o.how.borderColor[c]
                         : c >= o.channel_count  ? 0
                                                 : float_of_texel(o, f.address[i], c);
    if (f.count == 1) return static_cast<float>(value);
    sum += f.weight[i] * value;
  }
  return static_cast<float>(sum);
}
HEDDLE_HARDWARE unsigned unfiltered(const texture_fetch& f, u32 i, u32 c) {
  const texture_object& o = *f.of;
  if (f.address[i] == nullptr) return static_cast<unsigned>(static_cast<long long>(o.how.borderColor[c]));
  return c < o.channel_count ? static_cast<unsigned>(bits_of_texel(o, f.address[i], c)) : 0;
}

/// The elements' values as `count` numbers of `bytes`.
HEDDLE_HARDWARE void finish_texture(const texture_fetch& f, u32 bytes, u32 count, void* result) {
  // Of four elements in the order of their addresses, from the lower left one on, as PTX has it.
  static const u32 gathered[] = {2, 3, 1, 0};
  for (u32 c = 0; c < count; ++c) {
    unsigned number = 0;
    if (f.count != 0) {
      const bool gathers = f.gathers >= 0;
      const u32 component = gathers ? static_cast<u32>(f.gathers) : c, i = gathers ? gathered[c] : 0;
      if (f.of->gives_float) {
        float value = 0;
        if (!gathers) {
          value = filtered(f, component);
        } else if (f.address[i] == nullptr) {
          value = f.of->how.borderColor[component];
        } else if (component < f.of->channel_count) {
          value = static_cast<float>(float_of_texel(*f.of, f.address[i], component));
        }
        number = __builtin_bit_cast(unsigned, value);
      } else {
        number = unfiltered(f, i, component);
      }
    }
    copy_unseen(static_cast<char*>(result) + c * bytes, &number, bytes);
  }
}

/// Numbers of T, as textures and surfaces have them.
template <class T>
struct texture_value {
  static constexpr scalar type = scalar_of<T>;
  static_assert(type != scalar::other && type != scalar::boolean && bytes_of_scalar(type) != 0,
                "no type that a texture gives");
  static constexpr u32 bytes = bytes_of_scalar(type), count = sizeof(T) / bytes;
  static_assert(bytes <= 4 && count != 3, "no type that a texture gives");
};

/// What all functions that read a texture do: the access is the caller's.
template <class T>
HEDDLE_DEVICE T fetch_texture(const char* function, texture_shape shape, u64 object, double x, double y,
                              double z, long long layer, double lod, int gathers = -1) {
  using value = texture_value<T>;
  texture_fetch f;
  plan_texture(f, function, shape, object, texture_place{x, y, z, layer}, lod, gathers, value::type);
  heddle_texture(&f);
  T result;
  finish_texture(f, value::bytes, value::count, &result);
  return result;
}

inline constexpr double no_level = __builtin_nan("");

}  // namespace heddle_device

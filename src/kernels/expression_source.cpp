#include "cuda_on_cpu/translate/tokens.hpp"
#include "kernels/expression.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

/// The source that stands around expressions. What a GPU and a CPU run differs in who takes which elements;
/// the order in which elements are combined does not.
namespace heddle::impl {
namespace {

using cuda_on_cpu::trimmed;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string literal_of(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

/// A user's text, so that messages name its own lines, and what ends it: as if it stood behind the
/// last line, which may be a comment.
std::string own_lines(const std::string& name, const std::string& text, std::string_view end) {
  const std::size_t last_line = text.rfind('\n') + 1;
  return fmt::format("\n#line 1 {0}\n{1}\n#line {2} {0}\n{3}{4}\n#line 1 \"heddle\"\n", literal_of(name),
                     text, 1 + std::count(text.begin(), text.end(), '\n'),
                     std::string(text.size() - last_line, ' '), end);
}

// `heddle_size` is a type of the source, because it takes no headers.
constexpr const char* beginning = R"(
#line 1 "heddle"
typedef unsigned long long heddle_size;
#if defined(__CUDACC_RTC__)
#define HEDDLE_BOTH __device__ __forceinline__
#else
#define HEDDLE_BOTH inline __attribute__((always_inline))
#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default"), used))
#endif
)";

/// The arguments of a call, each where the host puts it: at a multiple of 16 bytes.
std::string parameter_structure(const expression_text& text) {
  std::string members;
  for (std::size_t k = 0; k < text.parameters.size(); ++k) {
    const expression_parameter& p = text.parameters[k];
    members += text.is_array[k]
                   ? fmt::format("  alignas(16) {}{}* heddle_{};\n", p.is_written ? "" : "const ", p.type, k)
                   : fmt::format("  alignas(16) {} heddle_{};\n", p.type, k);
  }
  return fmt::format("struct heddle_parameters {{\n{}  alignas(16) char heddle_end;\n", members);
}

/// Declares the names at element heddle_k.
std::string declarations(const expression_text& text) {
  std::string result;
  const auto is_parameter = [&](std::string_view name) {
    return std::any_of(text.parameters.begin(), text.parameters.end(),
                       [&](const expression_parameter& p) { return p.name == name; });
  };
  if (!is_parameter("i")) result += "    const heddle_size i = heddle_offset + heddle_k;\n";
  if (!is_parameter("n")) result += "    const heddle_size n = heddle_n;\n";
  for (std::size_t k = 0; k < text.parameters.size(); ++k) {
    const expression_parameter& p = text.parameters[k];
    result += text.is_array[k]
                  ? fmt::format("    {}{} = heddle_{}[heddle_k];\n",
                                p.is_written ? p.type + "& " : "const " + p.type + " ", p.name, k)
                  : fmt::format("    const {} {} = heddle_{};\n", p.type, p.name, k);
  }
  return result;
}

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// The source that reductions and scans share: the elements, how two are combined, and the result of
/// none.
std::string combination_source(const expression_text& text, const combination& how) {
  return beginning + text.preamble + fmt::format("\ntypedef {} heddle_element;\n", how.type) +
         parameter_structure(text) +
         "  HEDDLE_BOTH heddle_element operator()(heddle_size heddle_k, heddle_size heddle_n) const {\n"
         "    const heddle_size heddle_offset = 0;\n" +
         declarations(text) + "    return (" + own_lines(text.name + ": map", how.map, ");") + "\n  }\n};\n" +
         "HEDDLE_BOTH heddle_element heddle_combine(heddle_element a, heddle_element b) {\n  return (" +
         own_lines(text.name + ": combine", how.combine, ");") + "\n}\n" +
         "HEDDLE_BOTH heddle_element heddle_identity() {\n  return (" +
         own_lines(text.name + ": identity", how.identity.empty() ? "heddle_element()" : how.identity, ");") +
         "\n}\n"
         "struct heddle_array {\n"
         "  const heddle_element* elements;\n"
         "  HEDDLE_BOTH heddle_element operator()(heddle_size k, heddle_size) const { return elements[k]; }\n"
         "};\n";
}

constexpr const char* reducing = R"(
#define HEDDLE_LANES (@LANES@)
#define HEDDLE_STRIPED @STRIPED@
#define HEDDLE_ROWS @ROWS@
#define HEDDLE_TILE (HEDDLE_ROWS * HEDDLE_LANES)

HEDDLE_BOTH heddle_element heddle_canonical(heddle_element x) {
#if @FLOATING@
  const union {
    @BITS@ bits;
    heddle_element number;
  } quiet_nan = {@NAN@};
  if (x != x) return quiet_nan.number;
#endif
  return x;
}

#if defined(__CUDACC_RTC__)
// A block takes tiles; of a commutative one a thread takes a lane, of another a warp takes a tile.
template <class Load>
__device__ void heddle_reduce(const Load& load, heddle_size n, heddle_element* out) {
#if HEDDLE_STRIPED
  __shared__ heddle_element lane[HEDDLE_LANES];
  const unsigned l = threadIdx.x;
  const heddle_size first = (heddle_size)blockIdx.x * HEDDLE_TILE;
  const unsigned count = n - first < HEDDLE_TILE ? (unsigned)(n - first) : HEDDLE_TILE;
  const unsigned active = count < HEDDLE_LANES ? count : HEDDLE_LANES;
  if (l < active) {
    heddle_element own = load(first + l, n);
    for (unsigned i = l + HEDDLE_LANES; i < count; i += HEDDLE_LANES) own = heddle_combine(own, load(first + i, n));
    lane[l] = own;
  }
  for (unsigned half = HEDDLE_LANES / 2; half > 0; half /= 2) {
    __syncthreads();
    if (l < half && l + half < active) lane[l] = heddle_combine(lane[l], lane[l + half]);
  }
  if (l == 0) out[blockIdx.x] = heddle_canonical(lane[0]);
#else
  __shared__ heddle_element lanes[@ORDERED_THREADS@];
  heddle_element* const lane = lanes + threadIdx.x / 32 * 32;
  const unsigned l = threadIdx.x % 32;
  const heddle_size tile = (heddle_size)blockIdx.x * @ORDERED_TILES@ + threadIdx.x / 32, first = tile * HEDDLE_TILE;
  if (first >= n) return;
  const unsigned count = n - first < HEDDLE_TILE ? (unsigned)(n - first) : HEDDLE_TILE;
  const unsigned active = (count + HEDDLE_ROWS - 1) / HEDDLE_ROWS;
  if (l < active) {
    const unsigned begin = l * HEDDLE_ROWS, end = l + 1 < active ? begin + HEDDLE_ROWS : count;
    heddle_element own = load(first + begin, n);
    for (unsigned i = begin + 1; i < end; ++i) own = heddle_combine(own, load(first + i, n));
    lane[l] = own;
  }
  for (unsigned step = 1; step < 32; step *= 2) {
    __syncwarp();
    if (l % (2 * step) == 0 && l + step < active) lane[l] = heddle_combine(lane[l], lane[l + step]);
  }
  if (l == 0) out[tile] = heddle_canonical(lane[0]);
#endif
}
extern "C" __global__ void heddle_reduce_inputs(heddle_parameters x, heddle_size n, heddle_element* out) {
  heddle_reduce(x, n, out);
}
extern "C" __global__ void heddle_reduce_partials(heddle_array x, heddle_size n, heddle_element* out) {
  heddle_reduce(x, n, out);
}
extern "C" __global__ void heddle_of_nothing(heddle_element* out) { *out = heddle_identity(); }
#else
template <class Load>
inline void heddle_reduce(const Load load, heddle_size n, heddle_size first_tile, heddle_size last_tile,
                        heddle_element* out) {
  for (heddle_size tile = first_tile; tile < last_tile; ++tile) {
    const heddle_size first = tile * HEDDLE_TILE;
    const heddle_size count = n - first < HEDDLE_TILE ? n - first : HEDDLE_TILE;
    heddle_element lane[HEDDLE_LANES];
#if HEDDLE_STRIPED
    const heddle_size active = count < HEDDLE_LANES ? count : HEDDLE_LANES;
    for (heddle_size l = 0; l < active; ++l) lane[l] = load(first + l, n);
    heddle_size row = HEDDLE_LANES;
    for (; row + HEDDLE_LANES <= count; row += HEDDLE_LANES) {
      for (heddle_size l = 0; l < HEDDLE_LANES; ++l) lane[l] = heddle_combine(lane[l], load(first + row + l, n));
    }
    for (heddle_size l = row; l < count; ++l) lane[l - row] = heddle_combine(lane[l - row], load(first + l, n));
    for (heddle_size half = HEDDLE_LANES / 2; half > 0; half /= 2) {
      for (heddle_size l = 0; l < half && l + half < active; ++l) lane[l] = heddle_combine(lane[l], lane[l + half]);
    }
#else
    const heddle_size active = (count + HEDDLE_ROWS - 1) / HEDDLE_ROWS;
    for (heddle_size l = 0; l < active; ++l) {
      const heddle_size begin = l * HEDDLE_ROWS, end = l + 1 < active ? begin + HEDDLE_ROWS : count;
      heddle_element own = load(first + begin, n);
      for (heddle_size k = begin + 1; k < end; ++k) own = heddle_combine(own, load(first + k, n));
      lane[l] = own;
    }
    for (heddle_size step = 1; step < active; step *= 2) {
      for (heddle_size l = 0; l + step < active; l += 2 * step) lane[l] = heddle_combine(lane[l], lane[l + step]);
    }
#endif
    out[tile] = heddle_canonical(lane[0]);
  }
}
HEDDLE_EXPORT void heddle_reduce_inputs(const void* x, heddle_size n, heddle_size first, heddle_size last, void* out) {
  heddle_reduce(*(const heddle_parameters*)x, n, first, last, (heddle_element*)out);
}
HEDDLE_EXPORT void heddle_reduce_partials(const void* x, heddle_size n, heddle_size first, heddle_size last, void* out) {
  heddle_reduce(heddle_array{(const heddle_element*)x}, n, first, last, (heddle_element*)out);
}
HEDDLE_EXPORT void heddle_of_nothing(void* out) { *(heddle_element*)out = heddle_identity(); }
#endif
)";

constexpr const char* scanning = R"(
#define HEDDLE_THREADS @THREADS@
#define HEDDLE_RUN @RUN@
#define HEDDLE_TILE (HEDDLE_THREADS * HEDDLE_RUN)

// A tile is cut into runs, each scanned from left to right. Their totals are combined with those 1, 2, 4, … runs before
// them (Hillis and Steele); then each result of a run is combined with the prefix of the run. The totals of tiles are an
// array that is scanned in the same way.
#if defined(__CUDACC_RTC__)
template <class Load, bool Totals>
__device__ void heddle_scan(const Load& load, heddle_size n, const heddle_element* before, int exclusive,
                            heddle_element* out) {
  __shared__ heddle_element total[HEDDLE_THREADS];
  const unsigned t = threadIdx.x;
  const heddle_size tile = blockIdx.x, first = tile * HEDDLE_TILE + t * HEDDLE_RUN;
  const unsigned count = first >= n ? 0 : n - first < HEDDLE_RUN ? (unsigned)(n - first) : HEDDLE_RUN;
  heddle_element own[HEDDLE_RUN];
  if (count > 0) {
    own[0] = load(first, n);
#pragma unroll
    for (unsigned k = 1; k < HEDDLE_RUN; ++k) {
      if (k < count) own[k] = heddle_combine(own[k - 1], load(first + k, n));
    }
    heddle_element last = own[0];
#pragma unroll
    for (unsigned k = 1; k < HEDDLE_RUN; ++k) {
      if (k < count) last = own[k];
    }
    total[t] = last;
  }
  for (unsigned by = 1; by < HEDDLE_THREADS; by *= 2) {
    __syncthreads();
    heddle_element joined;
    const bool joins = t >= by && count > 0;
    if (joins) joined = heddle_combine(total[t - by], total[t]);
    __syncthreads();
    if (joins) total[t] = joined;
  }
  __syncthreads();
  if (count == 0) return;
  if (Totals) {
    if (t == HEDDLE_THREADS - 1 || first + HEDDLE_RUN >= n) out[tile] = total[t];
    return;
  }
  heddle_element prefix;
  const bool has_prefix = t > 0 || tile > 0;
  if (tile > 0) prefix = t > 0 ? heddle_combine(before[tile - 1], total[t - 1]) : before[tile - 1];
  else if (t > 0) prefix = total[t - 1];
  if (exclusive && first == 0) out[0] = heddle_identity();
#pragma unroll
  for (unsigned k = 0; k < HEDDLE_RUN; ++k) {
    if (k >= count) continue;
    const heddle_element value = has_prefix ? heddle_combine(prefix, own[k]) : own[k];
    if (!exclusive) out[first + k] = value;
    else if (first + k + 1 < n) out[first + k + 1] = value;
  }
}
extern "C" __global__ void heddle_totals_of_inputs(heddle_parameters x, heddle_size n, heddle_element* out) {
  heddle_scan<heddle_parameters, true>(x, n, nullptr, 0, out);
}
extern "C" __global__ void heddle_totals_of_partials(heddle_array x, heddle_size n, heddle_element* out) {
  heddle_scan<heddle_array, true>(x, n, nullptr, 0, out);
}
extern "C" __global__ void heddle_scan_inputs(heddle_parameters x, heddle_size n, const heddle_element* before,
                                              int exclusive, heddle_element* out) {
  heddle_scan<heddle_parameters, false>(x, n, before, exclusive, out);
}
extern "C" __global__ void heddle_scan_partials(heddle_array x, heddle_size n, const heddle_element* before,
                                                int exclusive, heddle_element* out) {
  heddle_scan<heddle_array, false>(x, n, before, exclusive, out);
}
#else
template <bool Totals, class Load>
inline void heddle_scan(const Load load, heddle_size n, heddle_size first_tile, heddle_size last_tile,
                        const heddle_element* before, int exclusive, heddle_element* out) {
  if (!Totals && exclusive && first_tile == 0) out[0] = heddle_identity();
  for (heddle_size tile = first_tile; tile < last_tile; ++tile) {
    const heddle_size first = tile * HEDDLE_TILE;
    const heddle_size count = n - first < HEDDLE_TILE ? n - first : HEDDLE_TILE;
    const heddle_size runs = (count + HEDDLE_RUN - 1) / HEDDLE_RUN;
    heddle_element own[HEDDLE_TILE], total[HEDDLE_THREADS];
    for (heddle_size k = 0; k < count; ++k) own[k] = load(first + k, n);
    for (heddle_size s = 0; s < runs; ++s) {
      const heddle_size end = (s + 1) * HEDDLE_RUN < count ? (s + 1) * HEDDLE_RUN : count;
      for (heddle_size k = s * HEDDLE_RUN + 1; k < end; ++k) own[k] = heddle_combine(own[k - 1], own[k]);
      total[s] = own[end - 1];
    }
    for (heddle_size by = 1; by < runs; by *= 2) {
      for (heddle_size s = runs; s-- > by;) total[s] = heddle_combine(total[s - by], total[s]);
    }
    if (Totals) {
      out[tile] = total[runs - 1];
      continue;
    }
    for (heddle_size s = 0; s < runs; ++s) {
      const heddle_size begin = s * HEDDLE_RUN;
      const heddle_size end = begin + HEDDLE_RUN < count ? begin + HEDDLE_RUN : count;
      if (tile == 0 && s == 0) continue;
      const heddle_element prefix = tile == 0 ? total[s - 1]
                                    : s == 0  ? before[tile - 1]
                                              : heddle_combine(before[tile - 1], total[s - 1]);
      for (heddle_size k = begin; k < end; ++k) own[k] = heddle_combine(prefix, own[k]);
    }
    const heddle_size left = n - first, shift = exclusive ? 1 : 0;
    const heddle_size written = count + shift <= left ? count : left - shift;
    for (heddle_size k = 0; k < written; ++k) out[first + k + shift] = own[k];
  }
}
HEDDLE_EXPORT void heddle_totals_of_inputs(const void* x, heddle_size n, heddle_size first, heddle_size last, void* out) {
  heddle_scan<true>(*(const heddle_parameters*)x, n, first, last, nullptr, 0, (heddle_element*)out);
}
HEDDLE_EXPORT void heddle_totals_of_partials(const void* x, heddle_size n, heddle_size first, heddle_size last,
                                             void* out) {
  heddle_scan<true>(heddle_array{(const heddle_element*)x}, n, first, last, nullptr, 0, (heddle_element*)out);
}
HEDDLE_EXPORT void heddle_scan_inputs(const void* x, heddle_size n, heddle_size first, heddle_size last,
                                      const void* before, int exclusive, void* out) {
  heddle_scan<false>(*(const heddle_parameters*)x, n, first, last, (const heddle_element*)before, exclusive,
                     (heddle_element*)out);
}
HEDDLE_EXPORT void heddle_scan_partials(const void* x, heddle_size n, heddle_size first, heddle_size last,
                                        const void* before, int exclusive, void* out) {
  heddle_scan<false>(heddle_array{(const heddle_element*)x}, n, first, last, (const heddle_element*)before, exclusive,
                     (heddle_element*)out);
}
#endif
)";

}  // namespace

bool assigns_to(std::string_view operation, std::string_view name) {
  for (std::size_t at = operation.find(name); at != std::string_view::npos;
       at = operation.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && (is_word(operation[at - 1]) || operation[at - 1] == '.')) ||
        (end < operation.size() && is_word(operation[end])))
      continue;
    const std::string_view before = trimmed(operation.substr(0, at));
    if (before.ends_with("++") || before.ends_with("--")) return true;
    // Past its members and indices.
    std::string_view after = trimmed(operation.substr(end));
    while (!after.empty() && (after.front() == '.' || after.front() == '[')) {
      std::size_t skip = 1;
      if (after.front() == '[') {
        for (std::size_t depth = 1; skip < after.size() && depth > 0; ++skip)
          depth += after[skip] == '[' ? 1u : after[skip] == ']' ? ~std::size_t{0} : 0u;
      } else {
        while (skip < after.size() && is_word(after[skip])) ++skip;
      }
      after = trimmed(after.substr(skip));
    }
    if (after.starts_with("++") || after.starts_with("--")) return true;
    if (after.starts_with('=') && !after.starts_with("==")) return true;
    for (const std::string_view sign : {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}) {
      if (after.starts_with(sign)) return true;
    }
  }
  return false;
}

std::vector<expression_parameter> parse_parameters(std::string_view text, std::string_view operation) {
  std::vector<expression_parameter> result;
  std::size_t depth = 0, begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c != ',' || (depth != 0 && at < text.size())) continue;
    const std::string_view one = trimmed(text.substr(begin, at - begin));
    begin = at + 1;
    std::size_t name = one.size();
    while (name > 0 && is_word(one[name - 1])) --name;
    std::string_view type = trimmed(one.substr(0, name));
    expression_parameter p;
    p.name = one.substr(name);
    const bool is_reference = type.ends_with('&');
    if (is_reference) type = trimmed(type.substr(0, type.size() - 1));
    bool is_const = false;
    while (type.starts_with("const ")) {
      is_const = true;
      type = trimmed(type.substr(6));
    }
    p.type = type;
    if (p.type.empty() || p.name.empty() || std::isdigit(static_cast<unsigned char>(p.name[0])) ||
        p.type.back() == '*') {
      throw error(fmt::format("parameters '{}': '{}' is not TYPE NAME, such as float x", text, one));
    }
    for (const expression_parameter& other : result) {
      if (other.name == p.name) throw error(fmt::format("parameters '{}': two are called {}", text, p.name));
    }
    p.is_written = !is_const && (is_reference || assigns_to(operation, p.name));
    p.known = parameter_in(p.type);
    result.push_back(std::move(p));
  }
  return result;
}

bool is_known_to_commute(std::string_view combine) {
  std::string packed;
  for (const char c : combine) {
    if (!std::isspace(static_cast<unsigned char>(c))) packed += c;
  }
  for (const char* const form : {"a+b", "b+a", "a*b", "b*a", "min(a,b)", "max(a,b)", "a&b", "a|b", "a^b"}) {
    if (packed == form) return true;
  }
  return false;
}

std::string elementwise_source(const expression_text& text, const std::string& operation) {
  return beginning + text.preamble + "\n" + parameter_structure(text) +
         "  HEDDLE_BOTH void operator()(heddle_size heddle_k, heddle_size heddle_n, heddle_size "
         "heddle_offset) const {\n" +
         declarations(text) + "    {" + own_lines(text.name, operation, ";") + "    }\n  }\n};\n" + R"(
#if defined(__CUDACC_RTC__)
extern "C" __global__ void heddle_elements(heddle_parameters x, heddle_size count, heddle_size n, heddle_size offset) {
  const heddle_size step = (heddle_size)gridDim.x * blockDim.x;
  for (heddle_size k = (heddle_size)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += step) x(k, n, offset);
}
#else
HEDDLE_EXPORT void heddle_elements(const void* arguments, heddle_size first, heddle_size last, heddle_size n,
                                   heddle_size offset) {
  const heddle_parameters x = *(const heddle_parameters*)arguments;
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (heddle_size k = first; k < last; ++k) x(k, n, offset);
}
#endif
)";
}

std::string reduction_source(const expression_text& text, const combination& how) {
  std::string source = combination_source(text, how) + reducing;
  source = replaced(source, "@LANES@", std::to_string(how.lanes()));
  source = replaced(source, "@ROWS@", std::to_string(order::rows));
  source = replaced(source, "@ORDERED_THREADS@", std::to_string(ordered_threads));
  source = replaced(source, "@ORDERED_TILES@", std::to_string(ordered_tiles));
  source = replaced(source, "@STRIPED@", how.is_commutative ? "1" : "0");
  source = replaced(source, "@FLOATING@", how.is_floating ? "1" : "0");
  source = replaced(source, "@BITS@", how.element_bytes == 4 ? "unsigned" : "unsigned long long");
  return replaced(source, "@NAN@", how.element_bytes == 4 ? "0x7fc00000u" : "0x7ff8000000000000ull");
}

std::string scan_source(const expression_text& text, const combination& how) {
  std::string source = combination_source(text, how) + scanning;
  source = replaced(source, "@THREADS@", std::to_string(scan_threads));
  return replaced(source, "@RUN@", std::to_string(scan_run));
}

}  // namespace heddle::impl

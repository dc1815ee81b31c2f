#include "cuda_on_cpu/translate/optional_headers.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

bool names_number_of_16_bits(std::string_view w) {
  return w.find("half") != std::string_view::npos || w.starts_with("__h") || w.starts_with("h2");
}

bool names_assembly(std::string_view w) {
  return w == "asm" || w == "__asm__" || w == "__asm";
}

bool names_rounding(std::string_view w) {
  return names_assembly(w) || (w.starts_with("__") && (w.ends_with("_rn") || w.ends_with("_rz") ||
                                                       w.ends_with("_ru") || w.ends_with("_rd")));
}

bool names_parts_of_words(std::string_view w) {
  return w.starts_with("__v");
}

bool names_graph(std::string_view w) {
  return w.starts_with("cuda") &&
         (w.find("Graph") != std::string_view::npos || w.find("Capture") != std::string_view::npos);
}

bool names_arrays_of_driver(std::string_view w) {
  for (const std::string_view begin :
       {"cuArray", "CUarray", "cuTex", "CUtex", "cuSurf", "CUsurf", "cuMipmapped", "CUmipmapped",
        "cuMemcpy2D", "cuMemcpy3D", "cuMemcpyHtoA", "cuMemcpyDtoA", "cuMemcpyAto", "CUDA_MEMCPY",
        "CUDA_ARRAY", "CUDA_RESOURCE", "CUDA_TEXTURE"}) {
    if (w.starts_with(begin)) return true;
  }
  return false;
}

bool names_textures(std::string_view w) {
  if (names_arrays_of_driver(w)) return true;
  if (w.starts_with("tex") || w.starts_with("surf")) return true;
  for (const std::string_view part : {"Array", "Texture", "Surface", "ChannelDesc"}) {
    if (w.starts_with("cuda") && w.find(part) != std::string_view::npos) return true;
  }
  return false;
}

struct optional_header {
  const char* name;
  /// Whether a word may be a name of it.
  bool (*names)(std::string_view);
  /// What includes it.
  const char* in = "language.hpp";
};
constexpr optional_header headers[] = {
    {"functions_of_16_bits.hpp", names_number_of_16_bits},
    {"host/graphs.hpp", names_graph},
    {"rounding.hpp", names_rounding},
    {"ptx/bits.hpp", names_assembly},
    {"textures/textures.hpp", names_textures},
    {"words.hpp", names_parts_of_words},
    {"driver/arrays.hpp", names_arrays_of_driver, "driver/driver.hpp"},
};

}  // namespace

std::vector<text_range> unused_headers(std::string_view text, const std::vector<token>& tokens) {
  std::vector<text_range> result;
  for (const optional_header& h : headers) {
    const bool is_used = std::any_of(tokens.begin(), tokens.end(), [&](const token& t) {
      return t.kind == token_kind::identifier && h.names(t.text);
    });
    if (is_used) continue;
    // From the line that says that it is included to the one that says where what includes it goes on.
    const std::size_t named = text.find(fmt::format("/heddle_device/{}\" 1", h.name));
    const std::size_t back =
        text.find(fmt::format("/heddle_device/{}\" 2", h.in), std::min(named, text.size()));
    if (back == std::string_view::npos) continue;
    result.push_back({text.rfind('\n', named), text.find('\n', back)});
  }
  return result;
}

}  // namespace heddle::cuda_on_cpu

#include "io/xml_text.hpp"
#include <heddle/error.hpp>
#include <heddle/io/vti.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

namespace heddle::impl {
namespace {

/// VTK's name of a number of a type; of a complex number, the name of its parts.
const char* vtk_name(dtype type) {
  switch (type) {
    case dtype::boolean:
    case dtype::uint8:
      return "UInt8";
    case dtype::int8:
      return "Int8";
    case dtype::int16:
      return "Int16";
    case dtype::int32:
      return "Int32";
    case dtype::int64:
      return "Int64";
    case dtype::uint16:
      return "UInt16";
    case dtype::uint32:
      return "UInt32";
    case dtype::uint64:
      return "UInt64";
    case dtype::float32:
    case dtype::complex64:
      return "Float32";
    default:
      return "Float64";
  }
}

/// Pairs of numbers as vectors of three components.
template <class T>
void write_vectors(atomic_file& file, const void* pairs, std::size_t count) {
  const auto* const from = static_cast<const T*>(pairs);
  constexpr std::size_t at_once = 4096;
  std::vector<T> vectors(3 * std::min(count, at_once));
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t width = std::min(at_once, count - first);
    for (std::size_t i = 0; i < width; ++i) {
      vectors[3 * i] = from[2 * (first + i)];
      vectors[3 * i + 1] = from[2 * (first + i) + 1];
    }
    file.write(vectors.data(), 3 * width * sizeof(T));
  }
}

}  // namespace

void write_vti(const std::string& path, const std::string& name, dtype type, const shape& lengths,
               const void* data, const grid_placement& placement) {
  const std::size_t axes = lengths.axes();
  if (axes < 1 || axes > 3) {
    fail(fmt::format("{}: an array of {} axes cannot be written as VTK image data: it has 1, 2 or 3",
                     shown_path(path), axes));
  }
  if (lengths.elements() == 0) {
    fail(fmt::format("{}: an array of shape {} cannot be written as VTK image data: it has no points",
                     shown_path(path), lengths.text()));
  }
  std::size_t last[3] = {0, 0, 0};  // along x, y and z
  for (std::size_t axis = 0; axis < axes; ++axis) last[axis] = lengths[axes - 1 - axis] - 1;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", last[0], last[1], last[2]);
  const std::string attribute = impl::xml_text(name);
  const bool is_vector = type >= dtype::complex64;
  const std::string header = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">\n"
      "    <Piece Extent=\"{}\">\n"
      "      <PointData {}=\"{}\">\n"
      "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"0\"/>\n"
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "_",
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", extent, placement.origin[0],
      placement.origin[1], placement.origin[2], placement.spacing[0], placement.spacing[1],
      placement.spacing[2], extent, is_vector ? "Vectors" : "Scalars", attribute, vtk_name(type), attribute,
      is_vector ? 3 : 1);
  const std::uint64_t bytes = lengths.elements() * (is_vector ? size_of(type) / 2 * 3 : size_of(type));
  const std::string end = "\n  </AppendedData>\n</VTKFile>\n";
  atomic_file file(path);
  file.write(header.data(), header.size());
  file.write(&bytes, sizeof bytes);
  if (type == dtype::complex64) {
    write_vectors<float>(file, data, lengths.elements());
  } else if (is_vector) {
    write_vectors<double>(file, data, lengths.elements());
  } else {
    file.write(data, bytes);
  }
  file.write(end.data(), end.size());
  file.commit();
}

}  // namespace heddle::impl

#include "tests/elements.hpp"
#include "tests/on_targets.hpp"
#include "tests/scratch_folder.hpp"
#include <heddle/array.hpp>
#include <heddle/io/vti.hpp>

#include <complex>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hd = heddle;
using namespace hd::tests;

namespace {

/// A file of VTK image data: its description, and the bytes after it.
struct vti_file {
  std::string header, values;
  std::uint64_t stated_bytes = 0;
};

vti_file read_vti(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), {});
  const std::string_view begin = "<AppendedData encoding=\"raw\">\n_",
                         end = "\n  </AppendedData>\n</VTKFile>\n";
  const std::size_t at = all.find(begin) + begin.size();
  vti_file read;
  if (at + sizeof read.stated_bytes + end.size() > all.size() || !all.ends_with(end)) return read;
  read.header = all.substr(0, at);
  std::memcpy(&read.stated_bytes, all.data() + at, sizeof read.stated_bytes);
  read.values = all.substr(at + sizeof read.stated_bytes);
  read.values.resize(read.values.size() - end.size());
  return read;
}

/// What VTK calls numbers of a type.
template <class T>
std::string vtk_type() {
  if constexpr (std::is_same_v<T, bool>) return "UInt8";
  const std::string bits = std::to_string(8 * sizeof(T));
  return (std::is_floating_point_v<T> ? "Float" : std::is_signed_v<T> ? "Int" : "UInt") + bits;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

TEST(vti, holds_the_numbers_of_every_type) {
  const scratch_folder folder;
  const std::string path = folder / "x.vti";
  for_each_type<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                std::uint32_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>>(
      [&]<class T>() {
        // More vectors than are written at a time.
        hd::array<T> x({3, 4, 700});
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random_value<T>(i);
        hd::write_vti(path, x, "a<b", {{1, 2, 3}, {0.5, 1, 2}});
        const vti_file read = read_vti(path);
        const auto has = [&](const std::string& words) {
          return read.header.find(words) != std::string::npos;
        };
        EXPECT_TRUE(has("WholeExtent=\"0 699 0 3 0 2\" Origin=\"1 2 3\" Spacing=\"0.5 1 2\"")) << read.header;
        EXPECT_TRUE(has("Name=\"a&lt;b\"")) << read.header;
        if constexpr (hd::is_complex<T>) {
          using part = typename T::value_type;
          std::vector<part> vectors;
          for (std::size_t i = 0; i < x.size(); ++i)
            vectors.insert(vectors.end(), {x.data()[i].real(), x.data()[i].imag(), part(0)});
          EXPECT_TRUE(has("<DataArray type=\"" + vtk_type<part>() + "\"") && has("NumberOfComponents=\"3\""))
              << read.header;
          EXPECT_TRUE(read.values == bytes_of(vectors));
        } else {
          EXPECT_TRUE(has("<DataArray type=\"" + vtk_type<T>() + "\"") && has("NumberOfComponents=\"1\""))
              << read.header;
          EXPECT_TRUE(read.values ==
                      std::string(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(T)));
        }
        EXPECT_EQ(read.stated_bytes, read.values.size());
      });
}

TEST(vti, has_one_to_three_axes_and_points) {
  const scratch_folder folder;
  const std::string path = folder / "x.vti";
  const auto header_of = [&](const hd::shape& lengths) {
    hd::array<float> x(lengths);
    x.fill(1);
    hd::write_vti(path, x);
    return read_vti(path).header;
  };
  EXPECT_NE(header_of({5}).find("WholeExtent=\"0 4 0 0 0 0\""), std::string::npos);
  EXPECT_NE(header_of({2, 3}).find("WholeExtent=\"0 2 0 1 0 0\""), std::string::npos);
  const std::string other = folder / "other.vti";
  EXPECT_EQ(message_of([&] { hd::write_vti(other, hd::array<float>({1, 2, 3, 4})); }),
            other + ": an array of 4 axes cannot be written as VTK image data: it has 1, 2 or 3");
  EXPECT_EQ(message_of([&] { hd::write_vti(other, hd::array<float>({2, 0})); }),
            other + ": an array of shape (2, 0) cannot be written as VTK image data: it has no points");
  EXPECT_FALSE(std::ifstream(other).good());
}

#include "arrays.hpp"
#include "properties.hpp"
#include <heddle/io/npy.hpp>
#include <heddle/support/temporary_folder.hpp>

#include <filesystem>
#include <fstream>

namespace heddle::tests::differential {
namespace {

/// An array that is written and read is the same.
void npy_property(choices& from, const limits& most) {
  const target where = draw_target(from, most);
  const dtype type = draw_dtype(from);
  const shape lengths = draw_shape(from, most, 0, size_of(type));
  const temporary_folder folder(std::filesystem::temp_directory_path(), "differential-");
  const std::string path = (folder.path() / "x.npy").string();
  with_type(type, [&]<class T>(T) {
    const input<T> x(from, lengths, where, content::any_bits);
    write_npy(path, x.view());
    const any_array read = read_npy(path, where);
    if (!(read.shape() == lengths)) throw std::runtime_error("the shape is " + read.shape().text());
    check_bits("what is read", elements_of<T>(read.view()), x.values());
    x.check_unchanged();
  });
}

/// Files of either order of bytes and of axes, as NumPy writes them, read as any type that holds the values.
void foreign_npy_property(choices& from, const limits& most) {
  const dtype type = draw_dtype(from), wanted = from.one_in(2) ? dtype::float64 : type;
  const shape lengths = draw_shape(from, most, 0, size_of(type));
  const bool is_swapped = from.one_in(2), is_fortran = from.one_in(2);
  from.note(
      fmt::format("{}{} as {}", is_swapped ? "swapped " : "", is_fortran ? "Fortran" : "C", name(wanted)));
  const temporary_folder folder(std::filesystem::temp_directory_path(), "differential-");
  const std::string path = (folder.path() / "x.npy").string();
  with_type(type, [&]<class T>(T) {
    const input<T> x(from, lengths, target(), content::exact);
    const std::size_t axes = lengths.axes(), part = is_complex<T> ? sizeof(T) / 2 : sizeof(T);
    std::string bytes, text;
    for (std::size_t place = 0; place < x.size(); ++place) {
      // The index of the element that comes at this place of the file.
      std::size_t rest = place, index = 0;
      for (std::size_t a = 0; is_fortran && a < axes; ++a) {
        std::size_t stride = 1;
        for (std::size_t b = a + 1; b < axes; ++b) stride *= lengths[b];
        index += rest % lengths[a] * stride;
        rest /= lengths[a];
      }
      const stored<T> value = x.values()[is_fortran ? index : place];
      std::string of_value(reinterpret_cast<const char*>(&value), sizeof value);
      for (std::size_t first = 0; is_swapped && first < sizeof value; first += part)
        std::reverse(of_value.begin() + static_cast<std::ptrdiff_t>(first),
                     of_value.begin() + static_cast<std::ptrdiff_t>(first + part));
      bytes += of_value;
    }
    for (std::size_t a = 0; a < axes; ++a) text += std::to_string(lengths[a]) + ",";
    const char kind = std::is_same_v<T, bool>       ? 'b'
                      : is_complex<T>               ? 'c'
                      : std::is_floating_point_v<T> ? 'f'
                      : std::is_signed_v<T>         ? 'i'
                                                    : 'u';
    std::string header = fmt::format("{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': ({}), }}",
                                     sizeof(T) == 1 ? '|'
                                     : is_swapped   ? '>'
                                                    : '<',
                                     kind, sizeof(T), is_fortran ? "True" : "False", text);
    header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
    header += '\n';
    const auto count = static_cast<std::uint16_t>(header.size());
    std::ofstream file(path, std::ios::binary);
    file << "\x93NUMPY\x01" << '\0' << static_cast<char>(count & 255) << static_cast<char>(count >> 8)
         << header << bytes;
    file.close();
    if constexpr (is_complex<T>) {
      const any_array read = read_npy(path);
      check_bits("what is read", elements_of<T>(read.view()), x.values());
    } else {
      const npy_file file_again(path);
      if (!(file_again.shape() == lengths))
        throw std::runtime_error("the shape is " + file_again.shape().text());
      any_array read(wanted, lengths);
      file_again.read(0, read.size(), wanted, read.data());
      if (wanted == type) return check_bits("what is read", elements_of<T>(read.view()), x.values());
      std::vector<double> want;
      for (const stored<T>& value : x.values()) want.push_back(static_cast<double>(value));
      check_values("what is read", elements_of<double>(read.view()), want);
    }
  });
}

}  // namespace

std::vector<property> files() {
  return {{"npy", npy_property}, {"foreign_npy", foreign_npy_property}};
}

}  // namespace heddle::tests::differential

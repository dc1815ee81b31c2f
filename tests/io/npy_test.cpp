#include "files.hpp"
#include "npy_bytes.hpp"
#include <heddle/io/npy.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hd = heddle;
using heddle::tests::code;
using heddle::tests::element_type;
using heddle::tests::files;
using heddle::tests::flag;
using heddle::tests::npy;
using heddle::tests::shape_text;
using heddle::tests::with_header;
using namespace std::string_literals;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

namespace {

bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

// Any bit pattern, so that a byte in the wrong place shows. Only 0 and 1 for bool.
template <class T>
std::vector<T> random_elements(std::size_t count) {
  std::mt19937_64 random(count + sizeof(T));
  std::vector<T> values(count);
  for (T& value : values) {
    std::uint64_t bits[2] = {random(), random()};
    std::memcpy(static_cast<void*>(&value), bits, sizeof(T));
  }
  return values;
}
template <>
std::vector<flag> random_elements<flag>(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<flag> values(count);
  for (flag& value : values) value.value = random() % 2 == 1;
  return values;
}

}  // namespace

template <class T>
class npy_types : public files {};
using types =
    testing::Types<flag, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, float, double, complex64, complex128>;
TYPED_TEST_SUITE(npy_types, types);

TYPED_TEST(npy_types, every_order_version_and_shape_is_read_element_by_element) {
  using T = TypeParam;
  const hd::dtype type = hd::dtype_of<element_type<T>>;
  const std::vector<std::size_t> shapes[] = {
      {},        {0},       {1},         {7},          {3, 5},
      {0, 4},    {4097},    {70, 90},    {2, 3, 4, 5}, {1, 6, 1, 4},
      {1000, 3}, {3, 1000}, {64, 64, 2}, {2, 64, 65},  {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}};
  std::mt19937 random(1);
  for (const auto& lengths : shapes) {
    const std::size_t size =
        std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>());
    const std::vector<T> values = random_elements<T>(size);
    for (const char order : {'<', '>', '|'}) {
      if ((order == '|') != (sizeof(T) == 1)) continue;
      for (const bool fortran : {false, true}) {
        for (const int version : {1, 2, 3}) {
          SCOPED_TRACE(shape_text(lengths) + order + (fortran ? "F" : "C") + std::to_string(version));
          const hd::npy_file file(this->save(npy(values, lengths, order, fortran, version)));
          EXPECT_EQ(file.dtype(), type);
          EXPECT_EQ(file.shape(), hd::shape(lengths));
          EXPECT_EQ(file.size(), size);
          EXPECT_EQ(file.fortran_order(), fortran);
          EXPECT_EQ(file.byte_swapped(),
                    sizeof(T) > 1 && (order == '<') != (std::endian::native == std::endian::little));

          std::vector<T> read = random_elements<T>(size + 1);
          const T beyond = read[size];
          file.read(0, size, type, read.data());
          EXPECT_TRUE(same_bytes(read.data(), values.data(), size * sizeof(T)));
          EXPECT_TRUE(same_bytes(&read[size], &beyond, sizeof(T))) << "wrote past the end";

          for (int piece = 0; piece < 20; ++piece) {
            const std::size_t first = random() % (size + 1), count = random() % (size - first + 1);
            std::vector<T> part(count);
            file.read(first, count, type, part.data());
            ASSERT_TRUE(same_bytes(part.data(), values.data() + first, count * sizeof(T)))
                << first << " " << count;
          }
        }
      }
    }
  }
}

TYPED_TEST(npy_types, native_elements_are_used_in_place) {
  using T = TypeParam;
  using E = element_type<T>;
  const char native = sizeof(T) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  const std::vector<T> values = random_elements<T>(12);
  const hd::npy_file file(this->save(npy(values, {3, 4}, native, false, 1)));
  EXPECT_TRUE(same_bytes(file.data(), values.data(), sizeof(T) * 12));
  if (std::is_same_v<E, bool>) {
    EXPECT_FALSE(file.is_native());
    EXPECT_EQ(file.template native<E>(), nullptr);
  } else {
    EXPECT_TRUE(file.is_native());
    EXPECT_EQ(static_cast<const void*>(file.template native<E>()), file.data());
  }
  using other = std::conditional_t<std::is_same_v<E, int>, float, int>;
  EXPECT_EQ(file.template native<other>(), nullptr);

  const hd::npy_file fortran(this->save(npy(values, {3, 4}, native, true, 1), "f.npy"));
  EXPECT_FALSE(fortran.is_native());
  if (sizeof(T) > 1) {
    const hd::npy_file swapped(this->save(npy(values, {3, 4}, native == '<' ? '>' : '<', false, 1), "s.npy"));
    EXPECT_FALSE(swapped.is_native());
  }
}

TYPED_TEST(npy_types, elements_that_are_not_aligned_are_read) {
  using T = TypeParam;
  const std::vector<T> values = random_elements<T>(5000);
  const char native = sizeof(T) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  const std::string aligned = npy(values, {5000}, native, false, 1);
  std::string header = aligned.substr(10, aligned.size() - 10 - 5000 * sizeof(T));
  if ((10 + header.size()) % 2 == 0) header += ' ';
  const std::string data = aligned.substr(aligned.size() - 5000 * sizeof(T));
  const hd::npy_file file(this->save(with_header(1, header, data)));
  EXPECT_EQ(file.is_native(), (sizeof(T) == 1 && !std::is_same_v<T, flag>));
  std::vector<T> read(5000);
  file.read(0, 5000, file.dtype(), read.data());
  EXPECT_TRUE(same_bytes(read.data(), values.data(), sizeof(T) * 5000));
}

TYPED_TEST(npy_types, what_is_written_is_read_back) {
  using T = TypeParam;
  using E = element_type<T>;
  const std::vector<T> values = random_elements<T>(60);
  const std::span<const E> elements(reinterpret_cast<const E*>(values.data()), values.size());
  const std::string path = this->path("out.npy");
  hd::write_npy(path, hd::array_view<const E>(elements.data(), hd::shape{3, 4, 5}));
  const char native = sizeof(T) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  const std::string bytes = this->load(path);
  EXPECT_EQ(bytes.size(), 128 + 60 * sizeof(T));
  EXPECT_NE(
      bytes.find("{'descr': '"s + native + code<T>() + "', 'fortran_order': False, 'shape': (3, 4, 5), }"),
      bytes.npos);
  EXPECT_TRUE(same_bytes(bytes.data() + 128, values.data(), 60 * sizeof(T)));
  const hd::array<E> back = hd::read_npy<E>(path);
  EXPECT_EQ(back.shape(), (hd::shape{3, 4, 5}));
  EXPECT_TRUE(same_bytes(back.data(), values.data(), 60 * sizeof(T)));
}

// ---- Conversion, against rules written for one number at a time.

namespace {

template <class T>
std::vector<T> edge_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {};
  } else if constexpr (std::is_integral_v<T>) {
    return {T(0),  T(1),  T(2),    T(77),         T(127),        T(128),
            T(-1), T(-2), T(-128), limits::min(), limits::max(), T(limits::max() - 1)};
  } else if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> values = {0,
                             T(-0.0),
                             T(0.5),
                             T(-0.5),
                             1,
                             1.9f,
                             -1.9f,
                             T(1e30),
                             T(-1e30),
                             limits::quiet_NaN(),
                             limits::infinity(),
                             -limits::infinity(),
                             limits::max(),
                             limits::denorm_min(),
                             T(123456.75)};
    for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
      const T power = std::ldexp(T(1), bits);
      for (const T x : {power, std::nextafter(power, T(0)), std::nextafter(power, power * 2), power - 1}) {
        values.push_back(x);
        values.push_back(-x);
      }
    }
    return values;
  } else {
    std::vector<T> values;
    for (const auto part : edge_values<typename T::value_type>()) {
      values.push_back({part, 3});
      values.push_back({0, part});
    }
    return values;
  }
}

template <class T>
constexpr bool complex_type = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

template <class To, class From>
To expected(From x) {
  if constexpr (complex_type<To>) {
    using part = typename To::value_type;
    if constexpr (complex_type<From>)
      return {expected<part>(x.real()), expected<part>(x.imag())};
    else
      return {expected<part>(x), 0};
  } else if constexpr (std::is_same_v<To, bool>) {
    return !(x == From(0));
  } else if constexpr (complex_type<From>) {
    return expected<To>(x.real());
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(static_cast<long double>(x));
  } else if constexpr (std::is_floating_point_v<From>) {
    const long double whole = std::trunc(static_cast<long double>(x));
    if (std::isnan(x)) return 0;
    if (whole >= static_cast<long double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    if (whole <= static_cast<long double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    return static_cast<To>(whole);
  } else {
    using wide = __int128;
    const wide modulus = wide(1) << (8 * sizeof(To));
    wide rest = static_cast<wide>(x) % modulus;
    if (rest < 0) rest += modulus;
    if (std::is_signed_v<To> && rest >= modulus / 2) rest -= modulus;
    return static_cast<To>(rest);
  }
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (complex_type<T>) {
    return same(a.real(), b.real()) && same(a.imag(), b.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

template <class F>
void for_each_type(F&& f) {
  for (int i = 0; i <= static_cast<int>(hd::dtype::complex128); ++i)
    hd::with_type(static_cast<hd::dtype>(i), f);
}

}  // namespace

using npy_conversion = files;

TEST_F(npy_conversion, every_type_to_every_type) {
  for_each_type([&]<class From>(From) {
    if constexpr (!std::is_same_v<From, bool>) {
      const std::vector<From> some = edge_values<From>();
      std::vector<From> values(5003);  // more than one staging buffer, and an odd rest
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = some[i % some.size()];
      for (const char order : {'<', '>'}) {
        const hd::npy_file file(
            save(npy(values, {values.size()}, sizeof(From) == 1 ? '|' : order, false, 1)));
        for_each_type([&]<class To>(To) {
          const hd::array<To> read = file.read_as<To>();
          std::size_t different = 0, first = 0;
          for (std::size_t i = values.size(); i-- > 0;) {
            if (!same(read.data()[i], expected<To>(values[i]))) ++different, first = i;
          }
          EXPECT_EQ(different, 0u) << hd::name(hd::dtype_of<From>) << " to " << hd::name(hd::dtype_of<To>)
                                   << ", first at " << first << ": " << values[first] << " gave "
                                   << read.data()[first];
        });
      }
    }
  });
}

TEST_F(npy_conversion, fortran_order_is_gathered_and_converted) {
  std::vector<std::int16_t> values(70 * 90);
  std::iota(values.begin(), values.end(), std::int16_t(-3000));
  const hd::npy_file file(save(npy(values, {70, 90}, '>', true, 1)));
  const hd::array<double> read = file.read_as<double>();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(read.data()[i], values[i]) << i;
}

TEST_F(npy_conversion, any_byte_but_zero_is_true) {
  const std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (5,), }\n";
  const std::string path = save(with_header(1, header, "\x00\x01\x02\x80\xff"s));
  const unsigned char is_true[] = {0, 1, 1, 1, 1};
  EXPECT_TRUE(same_bytes(hd::read_npy<bool>(path).data(), is_true, 5));
  EXPECT_TRUE(same_bytes(hd::npy_file(path).read_as<std::uint8_t>().data(), is_true, 5));
  const hd::array<double> numbers = hd::npy_file(path).read_as<double>();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(numbers.data()[i], is_true[i]);
  const hd::array<complex64> pairs = hd::npy_file(path).read_as<complex64>();
  EXPECT_EQ(pairs.data()[4], complex64(1, 0));
}

// ---- Headers that differ from NumPy's own and say the same.

using npy_header = files;

TEST_F(npy_header, the_forms_that_python_reads) {
  const std::string data(6 * 4, '\x01');
  const char* headers[] = {
      "{'shape': (2, 3), 'fortran_order': False, 'descr': '<i4'}",
      "{\"descr\":\"<i4\",\"fortran_order\":False,\"shape\":(2,3)}",
      "  { 'descr' : '<i4' ,\n 'fortran_order' :\tFalse , 'shape' : ( 2 , 3 , ) , }  \n",
      "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 3L), }",
  };
  for (const char* header : headers) {
    const hd::npy_file file(save(with_header(1, header, data)));
    EXPECT_EQ(file.shape(), (hd::shape{2, 3})) << header;
    EXPECT_EQ(file.dtype(), hd::dtype::int32) << header;
  }
}

TEST_F(npy_header, the_names_of_one_type) {
  const auto dtype_for = [&](const std::string& descr) {
    return hd::npy_file(save(with_header(
                            1, "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (0,), }", "")))
        .dtype();
  };
  for (const char* descr : {"|b1", "b1", "?", "|?", "<b1", ">?"})
    EXPECT_EQ(dtype_for(descr), hd::dtype::boolean) << descr;
  for (const char* descr : {"|u1", "u1", "=u1", "<u1"})
    EXPECT_EQ(dtype_for(descr), hd::dtype::uint8) << descr;
  for (const char* descr : {"<f8", ">f8", "=f8", "f8", "|f8"})
    EXPECT_EQ(dtype_for(descr), hd::dtype::float64) << descr;
}

TEST_F(npy_header, a_length_of_zero_makes_any_shape_empty) {
  const hd::npy_file file(save(with_header(
      1, "{'descr': '<f8', 'fortran_order': True, 'shape': (18446744073709551615, 9223372036854775808, 0), }",
      "")));
  EXPECT_EQ(file.size(), 0u);
  file.read(0, 0, hd::dtype::float32, nullptr);
}

TEST_F(npy_header, the_first_of_several_arrays_is_read) {
  const std::string one = npy<std::int16_t>({1, 2, 3}, {3}, '<', false, 1);
  const hd::array<std::int16_t> read =
      hd::read_npy<std::int16_t>(save(one + npy<double>({4, 5}, {2}, '<', false, 1)));
  EXPECT_EQ(read.to_vector(), (std::vector<std::int16_t>{1, 2, 3}));
}

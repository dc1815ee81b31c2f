#include "files.hpp"
#include "npy_bytes.hpp"
#include "tests/on_targets.hpp"
#include <heddle/io/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// Malformed .npy files: errors name the path and the byte.

namespace hd = heddle;
using heddle::tests::files;
using heddle::tests::message_of;
using heddle::tests::npy;
using heddle::tests::with_header;
using namespace std::string_literals;

namespace {

/// The bytes of a file, and the error without the path.
struct malformed {
  std::string bytes, message;
};

std::string header(const std::string& text) {
  return with_header(1, text, "");
}

/// The magic string, the version, the length of the header, and the length of the data.
std::vector<malformed> lengths_and_magic_strings() {
  const std::string ten = npy(std::vector<double>(10), {10}, '<', false, 1);
  EXPECT_EQ(ten.size(), 128u + 80u);
  return {
      {"", "byte 0: the file is empty"},
      {"\x93NUM", "byte 4: the file ends within the magic string and version"},
      {"\x93NUMPY\x01", "byte 7: the file ends within the magic string and version"},
      {"PK\x03\x04 and so on",
       "byte 0: this is a zip file, as .npz files are: unzip it, and name a .npy file in it"},
      {"\x93NUMPI\x01"s, "byte 0: this is no .npy file (one begins with \\x93NUMPY)"},
      {"\x93NUMPY\x04\x00\x10\x00"s, "byte 6: format version 4.0 is unknown (1.0, 2.0 and 3.0 are known)"},
      {"\x93NUMPY\x01\x02\x10\x00"s, "byte 6: format version 1.2 is unknown (1.0, 2.0 and 3.0 are known)"},
      {"\x93NUMPY\x01\x00\x10"s, "byte 9: the file ends within the header's length"},
      {"\x93NUMPY\x02\x00\x10\x00\x00"s, "byte 11: the file ends within the header's length"},
      {"\x93NUMPY\x01\x00\x10\x00{'descr'"s,
       "byte 8: the header's length is 16 bytes and the file has 8 more: the file is truncated"},
      {"\x93NUMPY\x03\x00\xff\xff\xff\xff{}"s,
       "byte 8: the header's length is 4294967295 bytes and the file has 2 more: the file is truncated"},
      {ten.substr(0, 168),
       "byte 128: the data ends after 40 of 80 bytes (shape (10,), float64): the file is truncated"},
      {ten.substr(0, 128),
       "byte 128: the data ends after 0 of 80 bytes (shape (10,), float64): the file is truncated"},
      {ten + "12345678",
       "byte 208: 8 bytes follow the 80 of the array (shape (10,), float64): the header does not describe "
       "the data"},
      {ten + "1",
       "byte 208: 1 byte follows the 80 of the array (shape (10,), float64): the header does not describe "
       "the data"},
  };
}

/// The dictionary and its keys.
std::vector<malformed> headers() {
  return {
      {header(""), "byte 10: the header is not a dictionary (the header ends)"},
      {header("[1]"), "byte 10: the header is not a dictionary (found '[')"},
      {header("{"), "byte 11: a key should be a string (the header ends)"},
      {header("{}"), "byte 11: the header has no 'descr'"},
      {header("{5: 6}"), "byte 11: a key should be a string (found '5')"},
      {header("{\x01"), "byte 11: a key should be a string (found '\\x01')"},
      {header("{'descr"), "byte 11: the string has no end"},
      {header("{'descr\n': '<f8'}"), "byte 11: the string has no end"},
      {header("{'descr' '<f8'}"), "byte 19: no ':' after the key (found ''')"},
      {header("{'descr': '<f8' 'shape': ()}"), "byte 26: found ''' where ',' or '}' should be"},
      {header("{'descr': '<f8'"), "byte 25: the header ends where ',' or '}' should be"},
      {header("{'descr': '<f8', 'descr': '<f8'}"), "byte 27: the key 'descr' comes twice"},
      {header("{'name': 'x'}"),
       "byte 11: the key 'name' is unknown (a header has descr, fortran_order and shape)"},
      {header("{'descr': '<f8', 'shape': (), }"), "byte 40: the header has no 'fortran_order'"},
      {header("{'descr': '<f8', 'fortran_order': False}"), "byte 49: the header has no 'shape'"},
      {header("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}"),
       "byte 44: fortran_order should be True or False (found '0')"},
      {header("{'descr': '<f8', 'fortran_order': False, 'shape': ()} 1"),
       "byte 64: found '1' after the header's dictionary"},
  };
}

/// The type of the elements.
std::vector<malformed> types() {
  const std::string unsupported =
      ", which is not supported (bool, integers of 8 to 64 bits, float32, float64, complex64 and complex128 "
      "are)";
  const auto descr = [](const std::string& value) {
    return header("{'descr': " + value + ", 'fortran_order': False, 'shape': (1,), }");
  };
  std::string nested = "{'descr': ";
  nested.append(60000, '(');
  return {
      {descr("'|O'"), "byte 20: the element type is '|O' (Python objects)" + unsupported},
      {descr("'<U7'"), "byte 20: the element type is '<U7' (strings)" + unsupported},
      {descr("'|S3'"), "byte 20: the element type is '|S3' (byte strings)" + unsupported},
      {descr("'<f2'"), "byte 20: the element type is '<f2' (float16)" + unsupported},
      {descr("'<f16'"), "byte 20: the element type is '<f16' (long double)" + unsupported},
      {descr("'<c32'"), "byte 20: the element type is '<c32' (complex long double)" + unsupported},
      {descr("'float64'"), "byte 20: the element type is 'float64'" + unsupported},
      {descr("'cfloat'"), "byte 20: the element type is 'cfloat'" + unsupported},
      {descr("'<M8[ns]'"), "byte 20: the element type is '<M8[ns]' (dates)" + unsupported},
      {descr("'<m8[s]'"), "byte 20: the element type is '<m8[s]' (time differences)" + unsupported},
      {descr("'|V4'"), "byte 20: the element type is '|V4' (raw bytes)" + unsupported},
      {descr("[('a', '<f8')]"), "byte 20: the element type is a structured type" + unsupported},
      {descr("''"), "byte 20: the element type is ''" + unsupported},
      {descr("'<i3\x01\xff'"), "byte 20: the element type is '<i3\\x01\\xff'" + unsupported},
      {descr("5"), "byte 20: descr should be a string (found '5')"},
      {header(nested), "byte 20: the element type is a type with sub-arrays" + unsupported},
  };
}

/// The lengths of the axes.
std::vector<malformed> shapes() {
  const auto shape = [](const std::string& value) {
    return header("{'descr': '<f8', 'fortran_order': False, 'shape': " + value + ", }");
  };
  return {
      {shape("[3]"), "byte 60: the shape should be a tuple (found '[')"},
      {shape("3"), "byte 60: the shape should be a tuple (found '3')"},
      {shape("(3)"), "byte 60: the shape should be a tuple (found an integer in parentheses)"},
      {shape("(2, -3)"), "byte 64: a length of the shape is negative"},
      {shape("(2.5,)"), "byte 62: found '.' where ',' or ')' should be in the shape"},
      {shape("('a',)"), "byte 61: a length of the shape should be an integer (found ''')"},
      {shape("((1,),)"), "byte 61: a length of the shape should be an integer (found '(')"},
      {shape("(,)"), "byte 61: a length of the shape should be an integer (found ',')"},
      {shape("(1 2)"), "byte 63: found '2' where ',' or ')' should be in the shape"},
      {shape("(18446744073709551616,)"), "byte 61: a length of the shape does not fit 64 bits"},
      {shape("(4294967296, 4294967296)"),
       "byte 60: the size of the array (shape (4294967296, 4294967296), float64) does not fit 64 bits"},
      {shape("(2305843009213693952,)"),
       "byte 60: the size of the array (shape (2305843009213693952,), float64) does not fit 64 bits"},
      {header("{'descr': '<f8', 'fortran_order': False, 'shape': (3"),
       "byte 62: the header ends where ',' or ')' should be in the shape"},
  };
}

}  // namespace

using npy_malformed = files;

TEST_F(npy_malformed, each_gets_one_line_with_the_byte) {
  for (const std::vector<malformed>& kind : {lengths_and_magic_strings(), headers(), types(), shapes()}) {
    for (const malformed& each : kind) {
      const std::string path = save(each.bytes);
      EXPECT_EQ(message_of([&] { hd::npy_file file(path); }), path + ": " + each.message);
    }
  }
}

TEST_F(npy_malformed, every_truncation_is_refused) {
  const std::string whole = npy(std::vector<float>(3), {3}, '<', false, 2);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string message = message_of([&] { hd::npy_file file(save(whole.substr(0, length))); });
    EXPECT_EQ(message.rfind(path("x.npy") + ": byte ", 0), 0u) << length << ": " << message;
    const bool says_so = length == 0 || message.find("the file is truncated") != message.npos ||
                         message.find("the file ends within") != message.npos;
    EXPECT_TRUE(says_so) << length << ": " << message;
  }
}

TEST_F(npy_malformed, what_cannot_be_opened_names_the_path_and_the_reason) {
  EXPECT_EQ(message_of([&] { hd::npy_file file(path("none.npy")); }),
            path("none.npy") + ": cannot open: No such file or directory");
  EXPECT_EQ(message_of([&] { hd::npy_file file(path("")); }), path("") + ": cannot read: Is a directory");
}

TEST_F(npy_malformed, another_type_is_an_error_that_names_both) {
  const std::string path = save(npy<double>({1, 2}, {2}, '<', false, 1));
  EXPECT_EQ(message_of([&] { hd::read_npy<float>(path); }),
            path + ": holds float64, not float32 (npy_file(path).read_as<T>() converts)");
}

TEST_F(npy_malformed, reading_past_the_end_is_an_error) {
  const hd::npy_file file(save(npy<double>({1, 2}, {2}, '<', false, 1)));
  double out[3];
  const std::string place = file.path() + ": cannot read ";
  EXPECT_EQ(message_of([&] { file.read(1, 2, hd::dtype::float64, out); }),
            place + "2 elements from element 1 on: there are 2");
  EXPECT_EQ(message_of([&] { file.read(3, 0, hd::dtype::float64, out); }),
            place + "0 elements from element 3 on: there are 2");
  EXPECT_EQ(message_of([&] { file.read(1, SIZE_MAX, hd::dtype::float64, out); }),
            place + "18446744073709551615 elements from element 1 on: there are 2");
}

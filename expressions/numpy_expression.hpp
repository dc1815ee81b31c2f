#pragma once

#include <heddle/dtype.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::expressions {

/// An array that an expression may name.
struct expression_input {
  std::string name;
  dtype type;
};

/// An expression in NumPy's terms as CUDA C++ computes it, for one element.
struct translated_expression {
  std::string code;  ///< in_x stands for an element of input x; `i` for its place
  dtype type;        ///< of the code's value
};

/// Translates an expression in Python's syntax and C's ?:, &&, || and !: NumPy's types and meaning, where
/// numbers that are written out take the type of what they are combined with. Where NumPy gives float16 it
/// gives float32. Throws heddle::error with the column of what is wrong.
translated_expression translate_expression(std::string_view text,
                                           const std::vector<expression_input>& inputs);

/// `code` of one type as another, converted as NumPy's astype does.
std::string converted(const std::string& code, dtype from, dtype to);

/// The name of the type in translated CUDA C++.
const char* code_name(dtype type) noexcept;

/// The functions that translated code calls, and those of complex numbers, which use the former.
extern const char* const expression_functions;
extern const char* const complex_functions;

}  // namespace heddle::expressions

#pragma once

#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// The names of the variables that a declaration from token `first` to the semicolon `end` declares; none for
/// that of a function.
std::vector<std::size_t> names_of_variables(const token_sequence& t, std::size_t first, std::size_t end);

/// Descriptions, for what runs the module, of the __device__, __constant__ and __managed__ variables that the
/// declaration from token `first` to the semicolon `end` declares, or of the static ones of a function; empty
/// where it declares none. Each takes the next `number`.
std::string describe_variables(const token_sequence& t, std::size_t first, std::size_t end, bool is_static,
                               std::size_t& number);

/// A template of variables of the module, `template <class T> __constant__ T mask[4]`.
struct template_variable {
  std::string_view name;
  bool is_constant, is_managed;
};

/// The one that tokens first … end−1 declare; nothing when they declare something else.
std::optional<template_variable> find_template_variable(const token_sequence& t, std::size_t first,
                                                        std::size_t end);

/// Makes an instance known, `mask<float>` in the host's code, whose name is token i.
std::optional<std::vector<token_edit>> register_variable(const token_sequence& t, std::size_t i,
                                                         const template_variable& of);

}  // namespace heddle::cuda_on_cpu

#pragma once

#include "cuda_on_cpu/ptx/ptx_text.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::cuda_on_cpu::ptx {

/// The type of an instruction's modifier: .u32, .f16x2, .pred, …
struct type {
  std::string_view name;
  char kind;             ///< b, s, u, f, or p of a predicate
  unsigned bits;         ///< of one component
  std::string_view cpp;  ///< what it is computed in
  unsigned components = 1;

  bool is_float() const { return kind == 'f'; }
  unsigned all_bits() const { return bits * components; }
};
std::optional<type> find_type(std::string_view modifier);
/// Of untyped bits.
type bits_type(unsigned bits);

/// An operand of the asm statement: a variable of the code that is made.
struct argument {
  std::string name;
  unsigned bits;
};

/// An instruction of which each modifier has to be looked at by what makes code of it.
class instruction {
 public:
  explicit instruction(const statement& s) : s_(s), used_(s.modifiers.size()) {}

  const statement* operator->() const { return &s_; }
  /// Whether the modifier is there.
  bool flag(std::string_view modifier);
  /// The first that is there; empty for none.
  std::string_view one_of(std::initializer_list<std::string_view> modifiers);
  /// The next of them that is a type and was not looked at.
  std::optional<type> next_type();
  /// The same, which has to be there.
  type expect_type();
  /// Those that begin so say nothing about values: hints of caches.
  void skip(std::initializer_list<std::string_view> beginnings);
  /// The operand of that number, which has to be there.
  const operand& at(std::size_t i) const;
  std::size_t size() const { return s_.operands.size(); }
  /// A heddle::error where a modifier was not looked at.
  void expect_no_more() const;
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  const statement& s_;
  std::vector<bool> used_;
};

/// Makes C++ of statements of PTX, over the functions of heddle_device/ptx/ptx.hpp.
class writer {
 public:
  /// `number` tells the labels of one text from those of others.
  writer(const std::vector<argument>& arguments, std::size_t number);

  void write(const statement& s);
  std::string declarations() const { return declarations_; }
  std::string code() const { return code_; }
  bool lets_threads_communicate() const { return lets_threads_communicate_; }
  bool lets_blocks_communicate() const { return lets_blocks_communicate_; }
  bool has_volatile() const { return has_volatile_; }

 private:
  // Operands.
  std::string bits(const operand& o, const type& t) const;
  std::string number(const operand& o, const type& t) const;
  std::string as(const operand& o, const type& t) const;
  std::string predicate(const operand& o) const;
  std::string place(const operand& o) const;
  bool is_predicate(const operand& o) const;
  std::string special(const operand& o) const;
  std::string address(const operand& o, std::string_view space) const;
  std::string plain_address(const operand& o) const;
  void set(const operand& to, const std::string& value);
  void declare(const statement& s);
  std::string label(std::string_view name) const;

  // Groups of instructions; false where the opcode is of another.
  bool write_arithmetic(instruction& i);
  bool write_video(instruction& i);
  bool write_float_function(instruction& i);
  bool write_extended(instruction& i);
  bool write_bits(instruction& i);
  bool write_comparison(instruction& i);
  bool write_move(instruction& i);
  void write_conversion(instruction& i);
  bool write_memory(instruction& i);
  void write_load(instruction& i);
  void write_store(instruction& i);
  void write_atomic(instruction& i);
  bool write_asynchronous(instruction& i);
  bool write_phases(instruction& i);
  std::string phases_at(const operand& o, std::string_view space) const;
  bool write_matrices(instruction& i);
  void write_product(instruction& i);
  bool write_warp(instruction& i);
  bool write_barrier(instruction& i);
  bool write_control(instruction& i);

  /// Sets the first operand to what a function makes of the `count` that follow.
  void apply(instruction& i, const std::string& function, const type& t, std::size_t count);

  const std::vector<argument>& arguments_;
  std::size_t number_, registers_ = 0;
  std::vector<std::map<std::string, std::pair<std::string, unsigned>, std::less<>>> scopes_{1};
  std::string declarations_, code_;
  bool lets_threads_communicate_ = false, lets_blocks_communicate_ = false, has_volatile_ = false;
};

/// "::heddle_device::ptx::" and a name.
std::string in_ptx(std::string_view name);

}  // namespace heddle::cuda_on_cpu::ptx

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu::ptx {

enum class operand_kind : unsigned char {
  name,      ///< a register, one of the special ones, or _
  argument,  ///< %0, %1, …: an operand of the asm statement
  number,
  vector,   ///< { a, b }
  address,  ///< [ a + 4 ]
  pair,     ///< a | b
};

struct operand {
  operand_kind kind = operand_kind::name;
  std::string text;  ///< of a name or a number
  std::size_t argument = 0;
  bool is_negated = false;     ///< !p
  std::string offset;          ///< of an address, in bytes
  std::vector<operand> parts;  ///< of a vector, of a pair; of an address the one that is added to
};

/// One instruction, a label, or the begin or the end of a scope.
struct statement {
  enum class kind : unsigned char { instruction, label, open, close, registers };
  kind what = kind::instruction;
  std::size_t offset = 0;  ///< in the text
  std::string opcode;      ///< "ld"; the name of a label; the type of registers
  std::vector<std::string> modifiers;
  std::vector<operand> operands;  ///< of `registers` the names; a number behind a name in `offset`: r<4>
  std::string guard;              ///< the predicate behind @, as `guard_argument` when it is %0
  bool is_guarded = false, is_guard_negated = false;
  operand guard_operand;
  std::string spelled;  ///< "ld.global.u32"

  bool has(std::string_view modifier) const;
};

/// What a text of PTX says; `has_arguments` as in an asm statement with operands, where %% is a %. What is
/// not understood is a heddle::error without a place, whose offset in the text is put into `failed_at`.
std::vector<statement> parse(std::string_view text, std::size_t& failed_at);

}  // namespace heddle::cuda_on_cpu::ptx

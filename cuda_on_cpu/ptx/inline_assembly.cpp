#include "cuda_on_cpu/ptx/inline_assembly.hpp"

#include "cuda_on_cpu/ptx/ptx_text.hpp"
#include "cuda_on_cpu/ptx/ptx_writer.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {
namespace {

/// What a literal stands for.
std::string text_of_literal(std::string_view literal) {
  const std::size_t open = literal.find('"');
  if (literal.substr(0, open).ends_with('R')) {
    const std::size_t begin = literal.find('('), end = literal.rfind(')');
    return std::string(literal.substr(begin + 1, end - begin - 1));
  }
  std::string result;
  for (std::size_t i = open + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      result += literal[i];
      continue;
    }
    ++i;
    result += literal[i] == 'n' ? '\n' : literal[i] == 't' ? '\t' : literal[i] == 'r' ? '\r' : literal[i];
  }
  return result;
}

/// What a letter of a constraint says of a register: its bits as an integer, and the number that it is made
/// of.
struct constraint {
  char letter;
  unsigned bits;
  std::string_view cpp, from;
};
constexpr constraint constraints[] = {
    {'h', 16, "unsigned short", "unsigned short"},
    {'r', 32, "unsigned", "unsigned"},
    {'l', 64, "unsigned long long", "unsigned long long"},
    {'q', 128, "unsigned __int128", "unsigned __int128"},
    {'f', 32, "unsigned", "float"},
    {'d', 64, "unsigned long long", "double"},
    {'n', 64, "unsigned long long", "unsigned long long"},
};

struct asm_operand {
  std::size_t open, close;  // the parentheses of its expression
  bool is_written = false, is_read = false;
  constraint of{};
  std::size_t as = static_cast<std::size_t>(-1);  // the operand whose register it shares
};

class reader {
 public:
  reader(const token_sequence& t, std::size_t i, std::size_t number) : t_(t), first_(i), number_(number) {}

  assembly read() {
    assembly result;
    std::size_t i = first_ + 1;
    while (t_.is(i, "volatile") || t_.is(i, "__volatile__") || t_.is(i, "__volatile")) {
      is_volatile_ = true;
      ++i;
    }
    if (t_.is(i, "goto") || !t_.is(i, "(")) {
      result.end = i;
      result.refused_at = first_;
      result.refusal = "asm goto is not supported";
      return result;
    }
    const std::size_t close = t_.after_group(i) - 1;
    result.end = close + 1 + (t_.is(close + 1, ";") ? 1 : 0);
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>>
        literals;  // where in the text each begins, and its token
    for (++i; i < close && t_[i].kind == token_kind::text; ++i) {
      literals.emplace_back(text.size(), i);
      text += text_of_literal(t_[i].text);
    }
    std::size_t at = 0;
    try {
      read_operands(i, close);
      write(result, text, at);
    } catch (const std::exception& why) {
      result.refused_at = literals.empty() ? first_ : literals.front().second;
      for (const auto& [begin, token] : literals) {
        if (begin <= at) result.refused_at = token;
      }
      result.refusal = why.what();
    }
    return result;
  }

 private:
  void read_operands(std::size_t i, std::size_t close) {
    for (int part = 0; i < close && (t_.is(i, ":") || t_.is(i, "::")); ++part) {
      part += t_.is(i, "::") ? 1 : 0;
      for (++i; i < close && !t_.is(i, ":") && !t_.is(i, "::"); ++i) {
        if (t_.is(i, ",") || part > 1) continue;  // and what it overwrites
        // Macros make constraints of several literals.
        std::string constraint;
        for (; i < close && t_[i].kind == token_kind::text; ++i) constraint += text_of_literal(t_[i].text);
        if (constraint.empty() || !t_.is(i, "(")) throw error("its operands are not understood");
        read_operand(constraint, i, part == 0);
        i = operands_.back().close;
      }
    }
  }

  void read_operand(std::string_view text, std::size_t open, bool is_output) {
    asm_operand o{open, t_.after_group(open) - 1, is_output, !is_output};
    for (const char c : text) {
      const auto* const known =
          std::find_if(std::begin(constraints), std::end(constraints),
                       [&](const constraint& k) { return k.letter == (c == 'i' ? 'n' : c); });
      if (c == '+') {
        o.is_read = true;
      } else if (c >= '0' && c <= '9') {
        o.as = static_cast<std::size_t>(c - '0');
        if (o.as >= operands_.size()) throw error(fmt::format("constraint \"{}\" names no operand", text));
        o.of = operands_[o.as].of;
      } else if (known != std::end(constraints)) {
        o.of = *known;
      } else if (c != '=' && c != '&') {
        throw error(fmt::format("constraint \"{}\" is not supported in inline PTX", text));
      }
    }
    if (o.of.bits == 0) throw error(fmt::format("constraint \"{}\" is not supported in inline PTX", text));
    operands_.push_back(o);
  }

  void write(assembly& result, const std::string& text, std::size_t& at) {
    std::vector<ptx::argument> arguments;
    for (std::size_t k = 0; k < operands_.size(); ++k)
      arguments.push_back(
          {fmt::format("heddle_p{}", operands_[k].as < k ? operands_[k].as : k), operands_[k].of.bits});
    ptx::writer code(arguments, number_);
    for (const ptx::statement& s : ptx::parse(text, at)) {
      at = s.offset;
      code.write(s);
    }
    result.inside = operands_.empty() ? result.end : operands_.front().open + 1;
    result.lets_threads_communicate = code.lets_threads_communicate();
    result.lets_blocks_communicate = code.lets_blocks_communicate();
    result.has_volatile = code.has_volatile();

    // Operands are looked at where they are written, in their order, and registers made of them behind.
    std::string before = "{ ", registers, after;
    std::size_t from = first_;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const asm_operand& o = operands_[k];
      result.edits.push_back({from, o.open + 1, fmt::format("{}auto&& heddle_o{} = (", before, k)});
      before = "); ";
      from = o.close;
      if (o.as < k) {
        registers += fmt::format("heddle_p{} = ::heddle_device::ptx::from_operand<{}>(heddle_o{}); ", o.as,
                                 o.of.from, k);
      } else {
        registers += fmt::format(
            "{} heddle_p{}{}; ", o.of.cpp, k,
            o.is_read ? fmt::format(" = ::heddle_device::ptx::from_operand<{}>(heddle_o{})", o.of.from, k)
                      : "{}");
      }
      if (o.is_written && is_volatile_) after += fmt::format("::heddle_device::ptx::keep(heddle_p{}); ", k);
      if (o.is_written)
        after +=
            fmt::format("::heddle_device::ptx::to_operand<{}>(heddle_o{}, heddle_p{}); ", o.of.from, k, k);
    }
    // All of it is on the statement's own line.
    const token& first = t_[first_];
    const token& last = t_[from];
    result.edits.push_back({from, result.end,
                            fmt::format("{}\n# {} \"{}\"\n{}{}{}{}}}\n# {} \"{}\"\n",
                                        operands_.empty() ? "{ " : before, first.line, *first.file, registers,
                                        code.declarations(), code.code(), after, last.line, *last.file)});
  }

  const token_sequence& t_;
  std::size_t first_, number_;
  bool is_volatile_ = false;
  std::vector<asm_operand> operands_;
};

}  // namespace

bool is_assembly(std::string_view word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

assembly rewrite_assembly(const token_sequence& t, std::size_t i, std::size_t number) {
  return reader(t, i, number).read();
}

}  // namespace heddle::cuda_on_cpu

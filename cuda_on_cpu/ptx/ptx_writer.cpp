#include "cuda_on_cpu/ptx/ptx_writer.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu::ptx {
namespace {

constexpr type types[] = {
    {"b8", 'b', 8, "unsigned char"},
    {"b16", 'b', 16, "unsigned short"},
    {"b32", 'b', 32, "unsigned"},
    {"b64", 'b', 64, "unsigned long long"},
    {"b128", 'b', 128, "unsigned __int128"},
    {"u8", 'u', 8, "unsigned char"},
    {"u16", 'u', 16, "unsigned short"},
    {"u32", 'u', 32, "unsigned"},
    {"u64", 'u', 64, "unsigned long long"},
    {"s8", 's', 8, "signed char"},
    {"s16", 's', 16, "short"},
    {"s32", 's', 32, "int"},
    {"s64", 's', 64, "long long"},
    {"f16", 'f', 16, "::heddle_device::ptx::f16"},
    {"bf16", 'f', 16, "::heddle_device::ptx::bf16"},
    {"f16x2", 'f', 16, "::heddle_device::ptx::pair<::heddle_device::ptx::f16>", 2},
    {"bf16x2", 'f', 16, "::heddle_device::ptx::pair<::heddle_device::ptx::bf16>", 2},
    {"f32", 'f', 32, "float"},
    {"f64", 'f', 64, "double"},
    {"pred", 'p', 1, "bool"},
};

/// Bits of a number as f32 or f64, 0f3F800000, 0d…, or 1.5.
std::uint64_t float_bits(std::string_view text, unsigned bits) {
  if (text.size() > 2 && text[0] == '0' && std::strchr("fFdD", text[1]) != nullptr) {
    std::uint64_t result = 0;
    std::from_chars(text.data() + 2, text.data() + text.size(), result, 16);
    return result;
  }
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  std::uint64_t result = 0;
  if (bits == 64) {
    std::memcpy(&result, &value, 8);
  } else {
    const auto single = static_cast<float>(value);
    std::memcpy(&result, &single, 4);
  }
  return result;
}

constexpr std::string_view register_type(unsigned bits) {
  return bits == 1    ? "bool"
         : bits <= 16 ? "unsigned short"
         : bits <= 32 ? "unsigned"
         : bits <= 64 ? "unsigned long long"
                      : "unsigned __int128";
}

}  // namespace

std::string in_ptx(std::string_view name) {
  return fmt::format("::heddle_device::ptx::{}", name);
}

std::optional<type> find_type(std::string_view modifier) {
  const auto found =
      std::find_if(std::begin(types), std::end(types), [&](const type& t) { return t.name == modifier; });
  if (found == std::end(types)) return std::nullopt;
  return *found;
}

type bits_type(unsigned bits) {
  return *std::find_if(std::begin(types), std::end(types), [&](const type& t) { return t.bits == bits; });
}

// ---------------------------------------------------------------------------------------- modifiers

bool instruction::flag(std::string_view modifier) {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (s_.modifiers[i] == modifier && !used_[i]) return used_[i] = true;
  }
  return false;
}

std::string_view instruction::one_of(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view m : modifiers) {
    if (flag(m)) return m;
  }
  return {};
}

std::optional<type> instruction::next_type() {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (used_[i]) continue;
    if (const auto t = find_type(s_.modifiers[i])) {
      used_[i] = true;
      return t;
    }
  }
  return std::nullopt;
}

type instruction::expect_type() {
  const auto t = next_type();
  if (!t) refuse("its type is not supported");
  return *t;
}

void instruction::skip(std::initializer_list<std::string_view> beginnings) {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    for (const std::string_view b : beginnings)
      used_[i] = used_[i] || std::string_view(s_.modifiers[i]).starts_with(b);
  }
}

const operand& instruction::at(std::size_t i) const {
  if (i >= s_.operands.size()) refuse(fmt::format("it has {} operands", s_.operands.size()));
  return s_.operands[i];
}

void instruction::expect_no_more() const {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (!used_[i]) refuse(fmt::format(".{} is not supported in inline PTX", s_.modifiers[i]));
  }
}

void instruction::refuse(std::string_view why) const {
  throw error(fmt::format("{}: {}", s_.spelled, why));
}

// ---------------------------------------------------------------------------------------- operands

writer::writer(const std::vector<argument>& arguments, std::size_t number)
    : arguments_(arguments), number_(number) {}

void writer::declare(const statement& s) {
  // Of vectors the parts would be named .x, …: nobody writes them in inline PTX.
  const auto t = find_type(s.opcode);
  if (!t || s.modifiers.size() != 1)
    throw error(fmt::format(".reg .{} is not supported in inline PTX", fmt::join(s.modifiers, " .")));
  const auto add = [&](const std::string& name) {
    const std::string own = fmt::format("heddle_r{}", registers_++);
    declarations_ += fmt::format("{} {}{{}}; ", register_type(t->all_bits()), own);
    scopes_.back()[name] = {own, t->all_bits()};
  };
  for (const operand& o : s.operands) {
    if (o.offset.empty()) {
      add(o.text);
      continue;
    }
    for (int i = 0, count = std::atoi(o.offset.c_str()); i < count; ++i) add(fmt::format("{}{}", o.text, i));
  }
}

std::string writer::label(std::string_view name) const {
  return fmt::format("heddle_label{}_{}", number_, name);
}

std::string writer::place(const operand& o) const {
  if (o.kind == operand_kind::argument) {
    if (o.argument >= arguments_.size())
      throw error(fmt::format("%{} is no operand of the asm statement", o.argument));
    return arguments_[o.argument].name;
  }
  if (o.kind == operand_kind::name) {
    if (o.text == "_") return in_ptx("sink()");
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      const auto found = scopes_[i].find(o.text);
      if (found != scopes_[i].end()) return found->second.first;
    }
    throw error(fmt::format("{} is not known in inline PTX", o.text));
  }
  throw error("an operand is no register");
}

bool writer::is_predicate(const operand& o) const {
  for (const auto& names : scopes_) {
    const auto found = names.find(o.text);
    if (found != names.end() && found->second.second == 1) return true;
  }
  return false;
}

std::string writer::number(const operand& o, const type& t) const {
  const std::string_view text = o.text;
  const bool is_hexadecimal = text.size() > 1 && text[0] == '0' && std::strchr("xX", text[1]) != nullptr;
  const bool is_bits = text.size() > 1 && text[0] == '0' && std::strchr("fFdD", text[1]) != nullptr;
  const bool is_decimal = !is_hexadecimal && text.find_first_of(".eE") != std::string_view::npos;
  if (is_bits || is_decimal || (t.is_float() && t.bits >= 32 && !is_hexadecimal))
    return fmt::format("{:#x}ull", float_bits(text, t.bits));
  std::string digits(text);
  while (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) digits.pop_back();
  return fmt::format("static_cast<unsigned long long>({}{})", digits, digits[0] == '-' ? "ll" : "ull");
}

std::string writer::special(const operand& o) const {
  const std::string name = o.text.substr(1);
  for (const char* const part : {"tid", "ntid", "ctaid", "nctaid"}) {
    for (const char axis : {'x', 'y', 'z'}) {
      if (name == fmt::format("{}.{}", part, axis)) return fmt::format("{}().{}", in_ptx(part), axis);
    }
  }
  for (const char* const known :
       {"laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "clock", "clock_hi", "clock64",
        "globaltimer", "globaltimer_lo", "globaltimer_hi", "lanemask_eq", "lanemask_le", "lanemask_lt",
        "lanemask_ge", "lanemask_gt", "cluster_ctarank", "cluster_nctarank"}) {
    if (name == known) return in_ptx(name) + "()";
  }
  return "";
}

std::string writer::bits(const operand& o, const type& t) const {
  if (o.kind == operand_kind::number) return number(o, t);
  if (o.kind == operand_kind::name && o.text == "WARP_SZ") return "32u";
  if (o.kind == operand_kind::name && o.text.starts_with('%')) {
    if (std::string known = special(o); !known.empty()) return known;
  }
  if (o.kind == operand_kind::vector) throw error("a vector stands where one register is expected");
  const std::string own = place(o);
  return o.offset.empty() ? own : fmt::format("({} + {})", own, o.offset);
}

std::string writer::as(const operand& o, const type& t) const {
  if (t.kind == 'p') return predicate(o);
  return fmt::format("{}<{}>({})", in_ptx("as"), t.cpp, bits(o, t));
}

std::string writer::predicate(const operand& o) const {
  return fmt::format("{}({} != 0)", o.is_negated ? "!" : "", bits(o, bits_type(32)));
}

std::string writer::plain_address(const operand& o) const {
  if (o.kind != operand_kind::address) throw error("an address is expected, in brackets");
  std::string from = bits(o.parts[0], bits_type(64));
  if (o.offset.empty()) return from;
  if (o.offset[0] == '%')
    return fmt::format("{} + {}", from,
                       arguments_.at(static_cast<std::size_t>(std::atoi(o.offset.c_str() + 1))).name);
  return fmt::format("{} + ({})", from, o.offset);
}

std::string writer::address(const operand& o, std::string_view space) const {
  return fmt::format("{}({})", in_ptx(space.starts_with("shared") ? "shared" : "generic"), plain_address(o));
}

void writer::set(const operand& to, const std::string& value) {
  code_ += fmt::format("{}({}, {}); ", in_ptx("set"), place(to), value);
}

// ---------------------------------------------------------------------------------------- statements

void writer::write(const statement& s) {
  switch (s.what) {
    case statement::kind::open:
      scopes_.emplace_back();
      return;
    case statement::kind::close:
      if (scopes_.size() == 1) throw error("a } closes nothing");
      scopes_.pop_back();
      return;
    case statement::kind::registers:
      return declare(s);
    case statement::kind::label:
      code_ += label(s.opcode) + ": ; ";
      return;
    case statement::kind::instruction:
      break;
  }
  if (s.is_guarded)
    code_ += fmt::format("if ({}({} != 0)) {{ ", s.is_guard_negated ? "!" : "", place(s.guard_operand));
  instruction i(s);
  const bool is_known = write_move(i) || write_extended(i) || write_arithmetic(i) || write_video(i) ||
                        write_float_function(i) || write_bits(i) || write_comparison(i) || write_memory(i) ||
                        write_asynchronous(i) || write_matrices(i) || write_warp(i) || write_barrier(i) ||
                        write_control(i);
  if (!is_known) i.refuse("it is not supported in inline PTX");
  i.expect_no_more();
  if (s.is_guarded) code_ += "} ";
}

bool writer::write_control(instruction& i) {
  if (i->opcode == "bra") {
    i.flag("uni");
    code_ += fmt::format("goto {}; ", label(i.at(0).text));
  } else if (i->opcode == "trap" || i->opcode == "brkpt") {
    code_ += "::heddle_trap(); ";
  } else if (i->opcode == "nanosleep") {
    const type t = i.expect_type();
    code_ += fmt::format("::heddle_sleep({}); ", as(i.at(0), t));
    lets_blocks_communicate_ = true;
  } else if (i->opcode == "setmaxnreg") {
    // How many registers a thread has changes no value.
    i.skip({"inc", "dec", "sync", "aligned", "u32"});
  } else {
    return false;
  }
  return true;
}

/// Also of packed vectors: mov.b64 {a, b}, c.
bool writer::write_move(instruction& i) {
  if (i->opcode == "cvt") {
    write_conversion(i);
    return true;
  }
  if (i->opcode == "cvta") {
    const bool is_back = i.flag("to");
    const std::string_view space = i.one_of({"shared::cta", "shared", "global", "local", "const", "param"});
    const type t = i.expect_type();
    const std::string from = bits(i.at(1), t);
    if (space.starts_with("shared")) {
      set(i.at(0), is_back
                       ? fmt::format("{}({})", "::heddle_device::shared_address", from)
                       : fmt::format("reinterpret_cast<unsigned long long>({}({}))", in_ptx("shared"), from));
    } else {
      set(i.at(0), from);
    }
    return true;
  }
  if (i->opcode == "selp" || i->opcode == "slct") {
    const type t = i.expect_type();
    if (i->opcode == "selp") {
      set(i.at(0), fmt::format("{} ? {} : {}", predicate(i.at(3)), as(i.at(1), t), as(i.at(2), t)));
    } else {
      i.flag("ftz");
      const type by = i.expect_type();
      set(i.at(0), fmt::format("{} >= 0 ? {} : {}", as(i.at(3), by), as(i.at(1), t), as(i.at(2), t)));
    }
    return true;
  }
  if (i->opcode != "mov") return false;
  const type t = i.expect_type();
  const operand& to = i.at(0);
  const operand& from = i.at(1);
  if (to.kind == operand_kind::vector || from.kind == operand_kind::vector) {
    const operand& vector = to.kind == operand_kind::vector ? to : from;
    const unsigned part = t.bits / static_cast<unsigned>(std::max<std::size_t>(vector.parts.size(), 1));
    if (part * vector.parts.size() != t.bits || part < 8) i.refuse("its vector does not fill it");
    const type of = bits_type(part);
    if (&vector == &to) {
      code_ += fmt::format("{{ const {} heddle_v = {}; ", t.cpp, as(from, t));
      for (std::size_t k = 0; k < to.parts.size(); ++k) {
        if (to.parts[k].text != "_")
          set(to.parts[k], fmt::format("static_cast<{}>(heddle_v >> {})", of.cpp, k * part));
      }
      code_ += "} ";
    } else {
      std::string all;
      for (std::size_t k = 0; k < from.parts.size(); ++k)
        all += fmt::format("{}static_cast<{}>({}) << {}", k == 0 ? "" : " | ", t.cpp, as(from.parts[k], of),
                           k * part);
      set(to, fmt::format("static_cast<{}>({})", t.cpp, all));
    }
    return true;
  }
  set(to, as(from, t));
  return true;
}

}  // namespace heddle::cuda_on_cpu::ptx

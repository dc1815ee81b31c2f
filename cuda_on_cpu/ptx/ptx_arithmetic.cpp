#include "cuda_on_cpu/ptx/ptx_writer.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

/// Arithmetic, bits, comparisons and conversions of inline PTX.
namespace heddle::cuda_on_cpu::ptx {
namespace {

/// Rounding as CUDA's functions name it: up, down and to zero; empty for the nearest.
std::string_view direction(instruction& i) {
  const std::string_view mode = i.one_of({"rn", "rz", "rm", "rp"});
  return mode == "rz" ? "rz" : mode == "rm" ? "rd" : mode == "rp" ? "ru" : "";
}

struct same_name {
  std::string_view opcode;
  std::size_t operands;
};

}  // namespace

void writer::apply(instruction& i, const std::string& function, const type& t, std::size_t count) {
  const bool flushes = i.flag("ftz"), saturates = i.flag("sat");
  std::string text;
  for (std::size_t k = 1; k <= count; ++k) {
    const std::string one = as(i.at(k), t);
    text += (k == 1 ? "" : ", ") + (flushes ? fmt::format("{}({})", in_ptx("flushed"), one) : one);
  }
  text = fmt::format("{}({})", function, text);
  if (flushes) text = fmt::format("{}({})", in_ptx("flushed"), text);
  if (saturates) text = fmt::format("{}({})", in_ptx("saturated"), text);
  set(i.at(0), text);
}

bool writer::write_arithmetic(instruction& i) {
  const std::string_view op = i->opcode;
  constexpr same_name all[] = {{"add", 2},  {"sub", 2}, {"mul", 2},   {"mad", 3},   {"fma", 3},
                               {"div", 2},  {"rem", 2}, {"min", 2},   {"max", 2},   {"abs", 1},
                               {"neg", 1},  {"sad", 3}, {"mul24", 2}, {"mad24", 3}, {"copysign", 2},
                               {"dp4a", 3}, {"dp2a", 3}};
  const auto* const found =
      std::find_if(std::begin(all), std::end(all), [&](const same_name& s) { return s.opcode == op; });
  if (found == std::end(all)) return false;
  const std::string_view half = i.one_of({"lo", "hi", "wide"});
  if (op == "dp4a" || op == "dp2a") {
    const type a = i.expect_type(), b = i.next_type().value_or(a);
    set(i.at(0), fmt::format("{}<{}, {}>({}, {}, {})",
                             in_ptx(fmt::format("{}{}", op, half.empty() ? "" : fmt::format("_{}", half))),
                             a.kind == 's' ? "true" : "false", b.kind == 's' ? "true" : "false",
                             bits(i.at(1), a), bits(i.at(2), b), bits(i.at(3), a)));
    return true;
  }
  const std::string_view rounding = direction(i);
  i.skip({"full", "approx"});
  const bool propagates_nan = i.flag("NaN");
  const type t = i.expect_type();
  if (t.is_float() && (op == "rem" || op == "sad" || !half.empty())) i.refuse("its type is not supported");
  const std::string function = op == "mad" && t.is_float() ? "fma" : std::string(op);
  if (op == "mad" && half.empty() && !t.is_float()) i.refuse(".lo, .hi or .wide is expected");
  if (op == "mul" && half.empty() && !t.is_float()) i.refuse(".lo, .hi or .wide is expected");
  if (half == "wide") {
    const bool adds = op == "mad";
    const type wide = *find_type(fmt::format("{}{}", t.kind, 2 * t.bits));
    set(i.at(0),
        fmt::format(
            "{}<{}>({}, {}){}", in_ptx("mul_wide"), wide.cpp, as(i.at(1), t), as(i.at(2), t),
            adds ? fmt::format(" + static_cast<{}>({})", bits_type(2 * t.bits).cpp, as(i.at(3), wide)) : ""));
    return true;
  }
  if (!rounding.empty()) {
    if (t.kind != 'f' || t.bits < 32) i.refuse("its rounding is not supported");
    const std::string name = function == "fma" ? (t.bits == 32 ? "__fmaf" : "__fma")
                                               : fmt::format("__{}{}", t.bits == 32 ? 'f' : 'd', function);
    apply(i, fmt::format("::{}_{}", name, rounding), t, found->operands);
    return true;
  }
  const std::string name =
      fmt::format("{}{}{}{}", function, half.empty() ? "" : "_", half, propagates_nan ? "_nan" : "");
  apply(i, fmt::format("{}<{}>", in_ptx(name), t.cpp), t, found->operands);
  return true;
}

/// vabsdiff4.u32.u32.u32.add d, a, b, c: of 2 or 4 numbers in each word, without masks and selections.
bool writer::write_video(instruction& i) {
  std::string_view op = i->opcode;
  if (!op.starts_with("v") || !(op.ends_with("2") || op.ends_with("4"))) return false;
  const unsigned bits_of_part = op.back() == '4' ? 8 : 16;
  op.remove_suffix(1);
  constexpr std::string_view all[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"};
  if (std::find(std::begin(all), std::end(all), op) == std::end(all)) return false;
  const bool adds = i.flag("add"), saturates = i.flag("sat");
  std::string function(op);
  if (op == "vset") {
    const std::string_view how = i.one_of({"eq", "ne", "lt", "le", "gt", "ge"});
    if (how.empty()) i.refuse("its comparison is not supported");
    function += fmt::format("_{}", how);
  }
  // What a sum is made of that is wider than a part, the description leaves open.
  if (adds && (op == "vadd" || op == "vsub")) i.refuse(".add is not supported of sums and differences");
  const type word = bits_type(32);
  const bool has_result_type = op != "vset";
  const bool signed_result = has_result_type && i.expect_type().kind == 's';
  const bool signed_a = i.expect_type().kind == 's', signed_b = i.expect_type().kind == 's';
  const std::string operands = fmt::format("{}, {}", as(i.at(1), word), as(i.at(2), word));
  const std::string common =
      fmt::format("{}, {}, {}, {}", in_ptx(function), bits_of_part, signed_a, signed_b);
  set(i.at(0),
      adds ? fmt::format("{}<{}>({}, {})", in_ptx("video_sum"), common, operands, as(i.at(3), word))
           : fmt::format("{}<{}, {}, {}>({})", in_ptx("video"), common, signed_result, saturates, operands));
  return true;
}

bool writer::write_float_function(instruction& i) {
  constexpr std::string_view all[] = {"sqrt", "rcp", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"};
  const std::string_view op = i->opcode;
  if (std::find(std::begin(all), std::end(all), op) == std::end(all)) return false;
  const std::string_view rounding = direction(i);
  i.skip({"approx"});
  const type t = i.expect_type();
  if (!t.is_float()) i.refuse("its type is not supported");
  if (rounding.empty()) {
    apply(i, fmt::format("{}<{}>", in_ptx(op), t.cpp), t, 1);
  } else {
    apply(i, fmt::format("::__{}{}_{}", t.bits == 32 ? 'f' : 'd', op, rounding), t, 1);
  }
  return true;
}

/// Arithmetic with a carry.
bool writer::write_extended(instruction& i) {
  const std::string_view op = i->opcode;
  const bool takes = op == "addc" || op == "subc" || op == "madc";
  const bool gives = i.flag("cc");
  if (!takes && !gives) return false;
  const bool multiplies = op.starts_with("mad");
  const std::string_view half = i.one_of({"lo", "hi"});
  const type t = i.expect_type();
  const type as_bits = bits_type(t.bits);
  std::string first = as(i.at(1), as_bits), second = as(i.at(2), as_bits);
  if (multiplies) {
    if (half.empty()) i.refuse(".lo or .hi is expected");
    first = fmt::format("static_cast<{}>({}<{}>({}, {}))", as_bits.cpp, in_ptx(fmt::format("mul_{}", half)),
                        t.cpp, as(i.at(1), t), as(i.at(2), t));
    second = as(i.at(3), as_bits);
  }
  set(i.at(0), fmt::format("{}<{}, {}, {}>({}, {})",
                           in_ptx(op.starts_with("sub") ? "subtract_with_borrow" : "add_with_carry"),
                           as_bits.cpp, takes, gives, first, second));
  return true;
}

bool writer::write_bits(instruction& i) {
  const std::string_view op = i->opcode;
  if (op == "and" || op == "or" || op == "xor") {
    const type t = i.expect_type();
    set(i.at(0), fmt::format("{} {} {}", as(i.at(1), t),
                             op == "and"  ? '&'
                             : op == "or" ? '|'
                                          : '^',
                             as(i.at(2), t)));
  } else if (op == "not") {
    const type t = i.expect_type();
    set(i.at(0), (t.kind == 'p' ? "!" : "~") + as(i.at(1), t));
  } else if (op == "cnot") {
    set(i.at(0), fmt::format("{} == 0", as(i.at(1), i.expect_type())));
  } else if (op == "shl" || op == "shr") {
    const type t = i.expect_type();
    set(i.at(0),
        fmt::format("{}<{}>({}, {})", in_ptx(op), t.cpp, as(i.at(1), t), as(i.at(2), bits_type(32))));
  } else if (op == "shf") {
    const bool is_left = i.flag("l"), wraps = i.flag("wrap");
    i.skip({"r", "clamp"});
    const type t = i.expect_type();
    set(i.at(0), fmt::format("{}<{}>({}, {}, {})", in_ptx(is_left ? "shf_l" : "shf_r"), wraps, as(i.at(1), t),
                             as(i.at(2), t), as(i.at(3), t)));
  } else if (op == "popc" || op == "clz" || op == "brev") {
    const type t = i.expect_type();
    set(i.at(0), fmt::format("{}({})", in_ptx(op), as(i.at(1), t)));
  } else if (op == "bfind") {
    const bool is_shift = i.flag("shiftamt");
    const type t = i.expect_type();
    set(i.at(0), fmt::format("{}<{}>({})", in_ptx("bfind"), is_shift, as(i.at(1), t)));
  } else if (op == "bfe" || op == "bfi") {
    const type t = i.expect_type(), amount = bits_type(32);
    const std::size_t at = op == "bfe" ? 2 : 3;
    std::string values = as(i.at(1), t);
    if (op == "bfi") values += ", " + as(i.at(2), t);
    set(i.at(0),
        fmt::format("{}({}, {}, {})", in_ptx(op), values, as(i.at(at), amount), as(i.at(at + 1), amount)));
  } else if (op == "szext" || op == "bmsk") {
    const bool wraps = i.flag("wrap");
    i.skip({"clamp"});
    const type t = i.expect_type();
    set(i.at(0),
        fmt::format("{}<{}>({}, {})", in_ptx(op), wraps, as(i.at(1), t), as(i.at(2), bits_type(32))));
  } else if (op == "prmt") {
    const type t = i.expect_type();
    const std::string_view mode = i.one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    set(i.at(0), fmt::format("{}{}({}, {}, {})", in_ptx("prmt"), mode.empty() ? "" : fmt::format("_{}", mode),
                             as(i.at(1), t), as(i.at(2), t), as(i.at(3), t)));
  } else if (op == "lop3") {
    const type t = i.expect_type();
    set(i.at(0), fmt::format("{}({}, {}, {}, {})", in_ptx("lop3"), as(i.at(1), t), as(i.at(2), t),
                             as(i.at(3), t), as(i.at(4), t)));
  } else {
    return false;
  }
  return true;
}

/// setp.lt.and.u32 p|q, a, b, c, and set.
bool writer::write_comparison(instruction& i) {
  if (i->opcode == "testp") {
    const std::string_view what =
        i.one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    const type t = i.expect_type();
    set(i.at(0), fmt::format("{}({})", in_ptx(fmt::format("is_{}", what)), as(i.at(1), t)));
    return true;
  }
  if (i->opcode != "setp" && i->opcode != "set") return false;
  const bool is_set = i->opcode == "set";
  const std::string_view how = i.one_of({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ",
                                         "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (how.empty()) i.refuse("its comparison is not supported");
  const std::string_view joins = i.one_of({"and", "or", "xor"});
  i.flag("ftz");
  type t = i.expect_type();
  const bool gives_float = t.is_float();
  if (is_set) t = i.expect_type();
  if (t.components != 1) i.refuse("its type is not supported");
  // As unsigned: lo, ls, hi, hs.
  const std::string_view name = how == "lo"   ? "lt"
                                : how == "ls" ? "le"
                                : how == "hi" ? "gt"
                                : how == "hs" ? "ge"
                                              : how;
  const std::string compared =
      fmt::format("{}({}, {})", in_ptx(fmt::format("is_{}", name)), as(i.at(1), t), as(i.at(2), t));
  const auto joined = [&](const std::string& p) {
    if (joins.empty()) return p;
    return fmt::format("{} {} {}", p,
                       joins == "and"  ? "&&"
                       : joins == "or" ? "||"
                                       : "!=",
                       predicate(i.at(3)));
  };
  const operand& to = i.at(0);
  code_ += fmt::format("{{ const bool heddle_p = {}; ", compared);
  if (is_set) {
    set(to, fmt::format("({}) ? {}", joined("heddle_p"), gives_float ? "1.0f : 0.0f" : "~0u : 0u"));
  } else if (to.kind == operand_kind::pair) {
    // Both are of the operands as they were.
    code_ +=
        fmt::format("const bool heddle_q = {}, heddle_not = {}; ", joined("heddle_p"), joined("!heddle_p"));
    set(to.parts[0], "heddle_q");
    set(to.parts[1], "heddle_not");
  } else {
    set(to, joined("heddle_p"));
  }
  code_ += "} ";
  return true;
}

/// cvt.rounding.ftz.sat.to.from
void writer::write_conversion(instruction& i) {
  const std::string_view integer = i.one_of({"rni", "rzi", "rmi", "rpi"});
  const std::string_view rounding = i.one_of({"rna", "rn", "rz", "rm", "rp"});
  const bool flushes = i.flag("ftz"), saturates = i.flag("sat"), is_relu = i.flag("relu"),
             is_finite = i.flag("satfinite");
  if (i.flag("tf32")) {
    set(i.at(0), fmt::format("{}<{}>({})", in_ptx("to_tf32"),
                             rounding == "rz"   ? 1
                             : rounding == "rn" ? 0
                                                : 2,
                             as(i.at(1), i.expect_type())));
    return;
  }
  const type to = i.expect_type(), from = i.expect_type();
  const std::string_view mode = !integer.empty() ? integer : rounding;
  const int direction = mode.starts_with("rz")   ? 1
                        : mode.starts_with("rp") ? 2
                        : mode.starts_with("rm") ? 3
                                                 : 0;
  if (rounding == "rna" || (is_finite && to.bits != 16)) i.refuse("it is not supported in inline PTX");
  const auto converted = [&](const std::string& value, std::string_view cpp) {
    std::string v = flushes && from.is_float() ? fmt::format("{}({})", in_ptx("flushed"), value) : value;
    v = fmt::format("{}<{}, {}, {}>({})", in_ptx("convert"), cpp, direction, !integer.empty(), v);
    if (is_relu) v = fmt::format("{}({})", in_ptx("relu"), v);
    if (is_finite) v = fmt::format("{}({})", in_ptx("finite"), v);
    if (saturates && to.is_float()) v = fmt::format("{}({})", in_ptx("saturated"), v);
    return flushes && to.is_float() ? fmt::format("{}({})", in_ptx("flushed"), v) : v;
  };
  if (to.components == 2) {
    const std::string_view part =
        to.name.starts_with("bf") ? "::heddle_device::ptx::bf16" : "::heddle_device::ptx::f16";
    set(i.at(0), fmt::format("{}{{{}, {}}}", to.cpp, converted(as(i.at(2), from), part),
                             converted(as(i.at(1), from), part)));
  } else if (from.components != 1) {
    i.refuse("it is not supported in inline PTX");
  } else if (saturates && !to.is_float()) {
    set(i.at(0),
        fmt::format("{}<{}, {}>({})", in_ptx("convert_saturated"), to.cpp, direction, as(i.at(1), from)));
  } else {
    set(i.at(0), converted(as(i.at(1), from), to.cpp));
  }
}

}  // namespace heddle::cuda_on_cpu::ptx

#include "cuda_on_cpu/ptx/ptx_writer.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

/// Matrices of warps in inline PTX.
namespace heddle::cuda_on_cpu::ptx {
namespace {

struct element {
  std::string_view name, cpp;
  unsigned bits;
};
constexpr element elements[] = {{"f16", "::heddle_device::ptx::f16", 16},
                                {"bf16", "::heddle_device::ptx::bf16", 16},
                                {"tf32", "::heddle_device::ptx::tf32", 32},
                                {"s8", "signed char", 8},
                                {"u8", "unsigned char", 8},
                                {"s32", "int", 32},
                                {"f32", "float", 32},
                                {"f64", "double", 64}};

/// Those that the modifiers name, in their order.
std::vector<element> elements_of(instruction& i) {
  std::vector<element> result;
  for (const std::string& m : i->modifiers) {
    const auto found =
        std::find_if(std::begin(elements), std::end(elements), [&](const element& e) { return e.name == m; });
    if (found == std::end(elements)) continue;
    i.flag(m);
    result.push_back(*found);
  }
  return result;
}

struct shape {
  std::string_view name;
  unsigned m, n, k;
};
constexpr shape shapes[] = {{"m16n8k4", 16, 8, 4},
                            {"m16n8k8", 16, 8, 8},
                            {"m16n8k16", 16, 8, 16},
                            {"m16n8k32", 16, 8, 32},
                            {"m8n8k4", 8, 8, 4}};

bool is_supported(const shape& s, const element& factor, const element& other, const element& sum) {
  const bool are_bytes = factor.bits == 8 && other.bits == 8;
  if (factor.name != other.name && !are_bytes) return false;
  if (factor.name == "f64") return s.name == "m8n8k4" && sum.name == "f64";
  if (s.m != 16) return false;
  if (are_bytes) return (s.k == 16 || s.k == 32) && sum.name == "s32";
  if (factor.name == "tf32") return (s.k == 4 || s.k == 8) && sum.name == "f32";
  return factor.bits == 16 && (s.k == 8 || s.k == 16) &&
         (sum.name == "f32" || (sum.name == "f16" && factor.name == "f16"));
}

/// The registers of an operand, of which there have to be so many.
const std::vector<operand> registers(const instruction& i, std::size_t number, std::size_t count) {
  const operand& o = i.at(number);
  std::vector<operand> result = o.kind == operand_kind::vector ? o.parts : std::vector<operand>{o};
  if (result.size() != count)
    i.refuse(fmt::format("operand {} has {} registers: it needs {}", number, result.size(), count));
  return result;
}

}  // namespace

void writer::write_product(instruction& i) {
  const auto s = std::find_if(std::begin(shapes), std::end(shapes),
                              [&](const shape& known) { return i->has(known.name); });
  const std::vector<element> of = elements_of(i);
  const bool are_four = s != std::end(shapes) && of.size() == 4;
  if (!are_four || of[0].name != of[3].name || !is_supported(*s, of[1], of[2], of[0]))
    i.refuse(
        "m16n8k8 and m16n8k16 of f16 and bf16, m16n8k4 and m16n8k8 of tf32, m16n8k16 and m16n8k32 of 8 bits, "
        "and m8n8k4 of f64 are supported");
  i.flag(s->name);
  if (!i.flag("row") || !i.flag("col")) i.refuse("its factors are .row.col");
  const bool saturates = i.flag("satfinite");
  const unsigned width = of[1].bits == 64 ? 64 : 32, a_lane = 32 * width;
  const std::size_t counts[] = {s->m * s->n * of[0].bits / a_lane, s->m * s->k * of[1].bits / a_lane,
                                s->n * s->k * of[2].bits / a_lane, s->m * s->n * of[3].bits / a_lane};
  const type word = bits_type(width);
  constexpr std::string_view names[] = {"d", "a", "b", "c"};
  code_ += fmt::format("{{ {} heddle_d[{}]; ", word.cpp, counts[0]);
  for (std::size_t k = 1; k < 4; ++k) {
    std::vector<std::string> values;
    for (const operand& o : registers(i, k, counts[k])) values.push_back(as(o, word));
    code_ += fmt::format("const {} heddle_{}[] = {{{}}}; ", word.cpp, names[k], fmt::join(values, ", "));
  }
  code_ += fmt::format("{}<{}, {}, {}, {}, {}, {}>(heddle_d, heddle_a, heddle_b, heddle_c, {}); ",
                       in_ptx("mma"), s->m, s->n, s->k, of[1].cpp, of[2].cpp, of[0].cpp, saturates);
  const std::vector<operand> to = registers(i, 0, counts[0]);
  for (std::size_t k = 0; k < to.size(); ++k) set(to[k], fmt::format("heddle_d[{}]", k));
  code_ += "} ";
}

bool writer::write_matrices(instruction& i) {
  const std::string_view op = i->opcode;
  const bool loads = op == "ldmatrix";
  if (op != "mma" && !loads && op != "stmatrix") return false;
  lets_threads_communicate_ = true;
  if (!i.flag("sync")) i.refuse("it was taken out of PTX without .sync");
  i.flag("aligned");
  if (op == "mma") {
    write_product(i);
    return true;
  }
  if (!i.flag("m8n8") || !i.flag("b16")) i.refuse("matrices of .m8n8 and .b16 are supported");
  const std::string_view many = i.one_of({"x1", "x2", "x4"});
  if (many.empty()) i.refuse("it is .x1, .x2 or .x4");
  const std::size_t count = static_cast<std::size_t>(many[1] - '0');
  const bool transposes = i.flag("trans");
  if (i.one_of({"shared::cta", "shared"}).empty()) i.refuse("its matrices are in .shared memory");
  const type word = bits_type(32);
  const std::string function = fmt::format("{}<{}, {}>", in_ptx(op), count, transposes);
  const std::string at = address(i.at(loads ? 1 : 0), "shared");
  const std::vector<operand> parts = registers(i, loads ? 0 : 1, count);
  if (loads) {
    code_ += fmt::format("{{ unsigned heddle_d[{}]; {}(heddle_d, {}); ", count, function, at);
    for (std::size_t k = 0; k < count; ++k) set(parts[k], fmt::format("heddle_d[{}]", k));
  } else {
    std::vector<std::string> values;
    for (const operand& o : parts) values.push_back(as(o, word));
    code_ += fmt::format("{{ const unsigned heddle_a[] = {{{}}}; {}({}, heddle_a); ", fmt::join(values, ", "),
                         function, at);
  }
  code_ += "} ";
  return true;
}

}  // namespace heddle::cuda_on_cpu::ptx

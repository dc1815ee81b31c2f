#include "cuda_on_cpu/translate/subscripts.hpp"

namespace heddle::cuda_on_cpu {

std::optional<indexed_tokens> indexed_before(const token_sequence& t, std::size_t i) {
  indexed_tokens result{i, 1};
  for (bool is_first = true; result.first > 0; is_first = false) {
    std::size_t at = result.first;
    // Groups behind a name: brackets of other subscripts, arguments of a call.
    bool in_a_row = is_first;
    while (at > 0 && (t.is(at - 1, "]") || t.is(at - 1, ")"))) {
      in_a_row &= t.is(at - 1, "]");
      if (in_a_row) ++result.brackets;
      at = t.before_group(at - 1);
    }
    if (at > 0 && t.is_identifier(at - 1) && !t.is(at - 1, "return")) --at;
    if (at == result.first) return std::nullopt;
    result.first = at;
    if (at < 2 || !(t.is(at - 1, ".") || t.is(at - 1, "->") || t.is(at - 1, "::"))) return result;
    --result.first;
  }
  return std::nullopt;
}

}  // namespace heddle::cuda_on_cpu

#include "cuda_on_cpu/translate/source_edits.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::cuda_on_cpu {

void source_edits::replace(std::size_t first, std::size_t last, std::string text, bool is_whole) {
  const std::string_view old = tokens_.text_of(first, last);
  // What follows keeps its line.
  if (old.find("\n#") == std::string_view::npos) {
    text.append(static_cast<std::size_t>(std::count(old.begin(), old.end(), '\n')), '\n');
  } else {
    text += fmt::format("\n# {} \"{}\"\n", tokens_[last - 1].line, *tokens_[last - 1].file);
  }
  edits_.push_back({tokens_[first].begin, old.size(), std::move(text), is_whole});
}

void source_edits::apply(const token_edit& e) {
  if (e.first == e.last) {
    insert(tokens_[e.first].begin, e.text);
  } else {
    replace(e.first, e.last, e.text);
  }
}

void source_edits::write(std::string& text, std::vector<kept_part>& kept) {
  // What is replaced as a whole comes before what is changed inside.
  std::stable_sort(edits_.begin(), edits_.end(), [](const edit& a, const edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.is_whole && !b.is_whole;
  });
  std::size_t at = 0;
  const auto keep_until = [&](std::size_t end) {
    kept.push_back({at, end, text.size()});
    text.append(source_, at, end - at);
  };
  for (const edit& e : edits_) {
    if (e.begin < at) continue;  // inside what was replaced as a whole
    keep_until(e.begin);
    text += e.text;
    at = e.begin + e.length;
  }
  keep_until(source_.size());
}

}  // namespace heddle::cuda_on_cpu

#pragma once

#include "cuda_on_cpu/translate/kernel_declaration.hpp"

#include <map>
#include <set>
#include <string_view>

namespace heddle::cuda_on_cpu {

/// What the functions of a source name, and so which of its kernels have threads, or blocks, that may learn
/// what others do. Names alone decide: of functions with one name, what any of them does counts for all.
class communication {
 public:
  /// Notes a name in the body of `function`, which is empty for one that is not called by its name.
  void note_word_in(std::string_view function, std::string_view word);
  /// The same outside functions.
  void note_word_outside(std::string_view word);

  /// Sets what `k` says of its threads and blocks, once all words are noted.
  void describe(kernel_declaration& k) const;

 private:
  struct function_facts {
    bool communicates = false;
    std::set<std::string_view> names;
  };
  bool may_communicate(std::string_view function, std::set<std::string_view>& seen) const;

  std::map<std::string_view, function_facts> functions_;
  bool blocks_communicate_ = false, communicates_outside_functions_ = false;
};

}  // namespace heddle::cuda_on_cpu

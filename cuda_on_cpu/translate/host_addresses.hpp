#pragma once

#include "cuda_on_cpu/translate/source_edits.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda_on_cpu {

/// The variables and functions of the device that a source has in its namespaces. Where code of the host
/// names one as a value it gets the host's address of it, which is not that of the device.
class host_addresses {
 public:
  explicit host_addresses(const token_sequence& tokens) : t_(tokens) {}

  /// Notes what a declaration of a namespace declares, from token `first` to the semicolon `end`.
  void note_variables(std::size_t first, std::size_t end);
  /// The same of a function of the device, whose body token `open` opens.
  void note_function(std::size_t first, std::size_t open);

  /// Edits for token i, a name in code of the host, whose function's declaration begins with token
  /// `function`.
  std::vector<token_edit> name_by_host(std::size_t i, std::size_t function, bool is_in_class) const;

 private:
  struct device_function {
    bool is_template = false, is_overloaded = false;
  };
  bool is_value(std::size_t first, std::size_t last) const;
  bool is_in_call_or_list(std::size_t i) const;
  bool declares(std::size_t i) const;

  const token_sequence& t_;
  std::set<std::string_view> variables_;
  std::map<std::string_view, device_function> functions_;
};

}  // namespace heddle::cuda_on_cpu

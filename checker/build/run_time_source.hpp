#pragma once

#include "cuda_on_cpu/compile/compilation.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace heddle::checker {

/// A source that a program compiles while it runs. It becomes one more file of the program, which is then
/// begun anew: so its kernels are watched as all others are.
struct run_time_source {
  std::string name;  ///< what the program calls it
  std::string text;
  std::vector<std::string> options, header_names, headers, expressions;
  /// What the compiler says, once it was compiled.
  std::string log;
  bool is_refused = false;  ///< by the compiler

  /// The same for the same source and options.
  std::string id() const;
  /// What its compiled form is called in a program, and how the names of all of them begin.
  std::string handle() const { return std::string(begin_of_handles) + id() + "\n"; }
  static constexpr std::string_view begin_of_handles = "// heddle check: compiled text ";
  /// The name of a kernel that its file has beside its own, and how these begin.
  std::string mark() const { return std::string(begin_of_marks) + id(); }
  static constexpr std::string_view begin_of_marks = "heddle_text_";
  /// As a file of the program; the headers that it has in memory are written into a folder.
  cuda_on_cpu::source_file as_file(const std::string& folder_of_headers) const;
};

nlohmann::json to_message(const run_time_source& s);
run_time_source source_from_message(const nlohmann::json& message);

}  // namespace heddle::checker

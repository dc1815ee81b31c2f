#include "checker/build/run_time_source.hpp"

#include "io/cache.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

namespace fs = std::filesystem;

/// An option whose value follows, or ends its word.
struct valued_option {
  std::string_view name;
  std::vector<std::string> cuda_on_cpu::compile_options::* into;
};
constexpr valued_option valued[] = {{"--include-path", &cuda_on_cpu::compile_options::include_folders},
                                    {"-I", &cuda_on_cpu::compile_options::include_folders},
                                    {"--define-macro", &cuda_on_cpu::compile_options::definitions},
                                    {"-D", &cuda_on_cpu::compile_options::definitions},
                                    {"--pre-include", &cuda_on_cpu::compile_options::forced_includes},
                                    {"-include", &cuda_on_cpu::compile_options::forced_includes}};

/// What NVRTC's options mean here; the others make no difference to what is found.
cuda_on_cpu::compile_options options_of(const std::vector<std::string>& words) {
  cuda_on_cpu::compile_options result;
  result.standard = "c++17";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view w = words[i];
    for (const std::string_view name : {"--std=", "-std="}) {
      if (w.starts_with(name)) result.standard = w.substr(name.size());
    }
    const auto* const option = std::find_if(std::begin(valued), std::end(valued),
                                            [&](const valued_option& o) { return w.starts_with(o.name); });
    if (option == std::end(valued)) continue;
    std::string_view value = w.substr(option->name.size());
    if (value.starts_with('=')) value.remove_prefix(1);
    if (value.empty() && i + 1 < words.size()) value = words[++i];
    while (value.starts_with(' ')) value.remove_prefix(1);
    (result.*(option->into)).emplace_back(value);
  }
  return result;
}

/// Instances of templates among what is asked for by name.
std::vector<std::string> instances_of(const std::vector<std::string>& expressions) {
  std::vector<std::string> result;
  for (std::string_view name : expressions) {
    while (name.starts_with(' ') || name.starts_with('&')) name.remove_prefix(1);
    const bool is_known = std::find(result.begin(), result.end(), name) != result.end();
    if (name.ends_with('>') && !is_known) result.emplace_back(name);
  }
  return result;
}

/// With kernels that are the file's own, so that several texts may have one name.
std::string with_own_names(std::string text) {
  constexpr std::string_view blanks = " \t\r\n", word = "extern", language = "\"C\"", kernel = "__global__";
  const auto after_blanks = [&](std::size_t i) {
    return std::min(text.find_first_not_of(blanks, i), text.size());
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t c = after_blanks(at + word.size());
    if (text.compare(c, language.size(), language) != 0) continue;
    // Braces hold several, which keep it.
    const std::size_t next = after_blanks(c + language.size());
    if (next == text.size() || text[next] == '{') continue;
    for (std::size_t i = at; i < c + language.size(); ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  constexpr std::string_view linkage = "static ";
  for (std::size_t at = text.find(kernel); at != std::string::npos; at = text.find(kernel, at)) {
    const std::size_t last = at == 0 ? std::string::npos : text.find_last_not_of(blanks, at - 1);
    const std::string_view before =
        std::string_view(text).substr(0, last == std::string::npos ? 0 : last + 1);
    // An explicit instantiation has no linkage of its own.
    const bool is_given = before.ends_with("template") || before.ends_with("static");
    if (!is_given) text.insert(at, linkage);
    at += kernel.size() + (is_given ? 0 : linkage.size());
  }
  return text;
}

}  // namespace

std::string run_time_source::id() const {
  cache::digest key;
  key.add(name);
  key.add(text);
  for (const auto* const list : {&options, &header_names, &headers, &expressions}) {
    key.add(fmt::format("{}", list->size()));
    for (const std::string& word : *list) key.add(word);
  }
  return key.text().substr(0, 32);
}

cuda_on_cpu::source_file run_time_source::as_file(const std::string& folder_of_headers) const {
  cuda_on_cpu::compile_options own = options_of(options);
  own.instances = instances_of(expressions);
  if (std::find(options.begin(), options.end(), "--no-source-include") == options.end()) {
    // NVRTC looks in the source's own folder too, after those that are named.
    const fs::path folder = fs::path(name).parent_path();
    own.include_folders.push_back(folder.empty() ? "." : folder.string());
  }
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const fs::path path = fs::path(folder_of_headers) / header_names[i];
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << headers[i];
    if (!out.flush()) throw error(fmt::format("{} cannot be written", path.string()));
  }
  if (!headers.empty()) own.include_folders.insert(own.include_folders.begin(), folder_of_headers);
  return {name, cuda_on_cpu::source_language::cuda, own,
          fmt::format("{}\nstatic __global__ void {}() {{}}\n", with_own_names(text), mark())};
}

nlohmann::json to_message(const run_time_source& s) {
  return {{"name", s.name},          {"text", s.text},       {"options", s.options},
          {"names", s.header_names}, {"headers", s.headers}, {"expressions", s.expressions}};
}

run_time_source source_from_message(const nlohmann::json& m) {
  run_time_source s;
  s.name = m.at("name");
  s.text = m.at("text");
  s.options = m.at("options").get<std::vector<std::string>>();
  s.header_names = m.at("names").get<std::vector<std::string>>();
  s.headers = m.at("headers").get<std::vector<std::string>>();
  s.expressions = m.at("expressions").get<std::vector<std::string>>();
  return s;
}

}  // namespace heddle::checker

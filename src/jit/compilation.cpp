#include "jit/compilation.hpp"

#include "io/contents.hpp"
#include "jit/cache.hpp"
#include "jit/device_headers.hpp"
#include "jit/diagnostics.hpp"
#include "jit/headers_read.hpp"
#include "jit/libraries.hpp"
#include "jit/process.hpp"
#include "jit/source_names.hpp"
#include <heddle/error.hpp>
#include <heddle/io/named_stream.hpp>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::jit {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The lines of a compiler's message that say what is wrong where, and no more than a screen of them.
[[noreturn]] void fail_compilation(const std::string& name, std::string messages) {
  std::stringstream text(messages_as_named(std::move(messages)));
  std::string message;
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line);) {
    if (++lines > 40) {
      message += "\n...";
      break;
    }
    message += "\n" + line;
  }
  throw error(fmt::format("{} cannot be compiled:{}", name, message));
}

json to_json(const kernel_declaration& k) {
  return {{"name", k.name},
          {"qualified", k.qualified},
          {"parameters", k.parameters},
          {"types", k.types},
          {"is_template", k.is_template},
          {"is_overloaded", k.is_overloaded},
          {"blocks_are_independent", k.blocks_are_independent},
          {"threads_are_independent", k.threads_are_independent}};
}
kernel_declaration declaration_from(const json& j) {
  kernel_declaration k;
  k.name = j.at("name");
  k.qualified = j.at("qualified");
  k.parameters = j.at("parameters").get<std::vector<std::string>>();
  k.types = j.at("types").get<std::vector<std::string>>();
  k.is_template = j.at("is_template");
  k.is_overloaded = j.at("is_overloaded");
  k.blocks_are_independent = j.at("blocks_are_independent");
  k.threads_are_independent = j.at("threads_are_independent");
  return k;
}

json to_json(const subscript& s) {
  return {s.file, s.of, s.first.line, s.first.column, s.last.line, s.last.column, s.brackets};
}
subscript subscript_from(const json& j) {
  return {j.at(0), j.at(1), {j.at(2), j.at(3)}, {j.at(4), j.at(5)}, j.at(6)};
}

compilation from_kept(const kept_file& kept, bool was_cached) {
  compilation result{std::make_shared<const sealed_library>(kept.made), {}, {}, was_cached};
  const json about = json::parse(kept.about);
  for (const json& k : about.at("kernels")) result.kernels.push_back(declaration_from(k));
  for (const json& s : about.at("subscripts")) result.subscripts.push_back(subscript_from(s));
  return result;
}

}  // namespace

compilation compile_file(const std::string& path, compile_options options) {
  const std::string source = read_source(path);
  options.flags.insert(options.flags.begin(), {"-iquote", folder_of_source(path)});
  return compile(source, shown_path(path), options);
}

compilation compile(const std::string& source, const std::string& name, const compile_options& as_given) {
  compile_options options = as_given;
  options.flags = with_absolute_paths(std::move(options.flags));
  for (std::string& folder : options.include_folders) folder = fs::absolute(folder).string();
  const host_compiler with = find_compiler();
  const fs::path headers = device_headers();
  digest key;
  for (const std::string& w : preprocess_command(with, "", options, headers, "")) key.add(w);
  for (const std::string& w : compile_command(with, options, true, "", "")) key.add(w);
  for (const auto& [variable, folders] : search_variables()) key.add(variable), key.add(folders);
  key.add(with.identity);
  key.add(library_identity());
  if (!options.is_watched) key.add(processor());
  for (const std::string& instance : options.instances) key.add(instance);
  key.add(name);  // as messages and findings spell it
  key.add(source);
  for (const std::string& d : options.definitions) key.add(d);
  key.add("11");  // of the format of what is kept
  const std::string name_of_entry = key.text();
  if (const auto kept = find_kept(name_of_entry)) return from_kept(*kept, true);

  const auto began = std::chrono::system_clock::now();
  const temporary_folder work = folder_for_making();
  // A source's own includes are looked for beside it: they must find nothing.
  const fs::path own = work.path() / "source";
  const fs::path original = own / "heddle", libraries = own / folder_of_libraries,
                 dependencies = work.path() / "dependencies", text = work.path() / "kernel.ii",
                 object = work.path() / "kernel.o", library = work.path() / "kernel.so";
  const auto write = [](const fs::path& path, const std::string& all) {
    std::ofstream out(path, std::ios::binary);
    out << all;
    if (!out.flush())
      throw error(fmt::format("{} cannot be written: {}", shown_path(path), std::strerror(errno)));
  };
  const auto run = [&](std::vector<std::string> words) {
    words.push_back(fmt::format("-fdebug-prefix-map={}=/heddle", work.path().string()));
    return run_program(words, work.path());
  };
  write_headers_of_libraries(libraries);
  write(original, line_directive(name) + source);
  write(own / file_of_definitions, definitions_after_headers(options));
  const process_result preprocessed = run(preprocess_command(with, original, options, headers, dependencies));
  if (preprocessed.status != 0) fail_compilation(name, preprocessed.err);
  // g++ does not instrument what calls read and write as wholes: structures that they take by value, and
  // results.
  const bool flattens = options.is_watched && !with.is_clang;
  const translation translated = translate(
      preprocessed.out,
      {options.instances, options.is_program, flattens, included_libraries(preprocessed.out, libraries)});
  write(text, translated.text);
  // Without watching, spins on volatile variables are still to be seen.
  const bool instruments = options.is_watched || translated.has_volatile;
  const process_result compiled = run(compile_command(with, options, instruments, text, object));
  if (compiled.status != 0)
    fail_compilation(name, with_columns_of_source(compiled.err, preprocessed.out, translated, source, name));
  const process_result linked = run(link_command(with, options, object, library));
  if (linked.status != 0) fail_compilation(name, linked.err);

  json about = {{"kernels", json::array()}, {"subscripts", json::array()}};
  for (const kernel_declaration& k : translated.kernels) about["kernels"].push_back(to_json(k));
  for (const subscript& s : translated.subscripts) {
    if (options.is_watched) about["subscripts"].push_back(to_json(s));
  }
  std::vector<std::string> files_read = dependencies_in(impl::contents(dependencies).value_or(""));
  std::erase_if(files_read, [&](const std::string& file) { return file.starts_with(own.string() + "/"); });
  for (std::string& file : hidden_by(files_read, options)) files_read.push_back(std::move(file));
  auto made = impl::contents(library);
  if (!made) throw error(fmt::format("{} cannot be read: {}", shown_path(library), std::strerror(errno)));
  const kept_file kept{*std::move(made), about.dump(-1, ' ', false, json::error_handler_t::replace)};
  keep(name_of_entry, kept, ".so", files_read, began);
  return from_kept(kept, false);
}

}  // namespace heddle::jit

#include "cuda_on_cpu/compile/compilation.hpp"

#include "cuda_on_cpu/compile/device_headers.hpp"
#include "cuda_on_cpu/compile/diagnostics.hpp"
#include "cuda_on_cpu/compile/headers_read.hpp"
#include "cuda_on_cpu/compile/process.hpp"
#include "cuda_on_cpu/compile/source_names.hpp"
#include "cuda_on_cpu/translate/c_source.hpp"
#include "cuda_on_cpu/translate/libraries.hpp"
#include "io/cache.hpp"
#include "io/contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace heddle::cuda_on_cpu {
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

void add_about(compilation& to, const json& about) {
  for (const json& k : about.at("kernels")) to.kernels.push_back(declaration_from(k));
  for (const json& s : about.at("subscripts")) to.subscripts.push_back(subscript_from(s));
}

compilation from_kept(const cache::kept_file& kept, bool was_cached) {
  compilation result{std::make_shared<const sealed_library>(kept.made), {}, {}, was_cached};
  add_about(result, json::parse(kept.about));
  return result;
}

/// A source of what is compiled, and where it is looked for what it includes: in the folder that it is in.
struct source_unit {
  std::string text, name, folder;
  source_language language = source_language::cuda;
  std::optional<compile_options> own;
};

source_unit read_unit(const source_file& file) {
  if (file.text) return {*file.text, file.path, "", file.language, file.own};
  return {read_source(file.path), shown_path(file.path), folder_of_source(file.path), file.language,
          file.own};
}

/// A unit as an object in a folder of its own.
struct compiled_unit {
  fs::path object;
  translation translated;
  std::vector<std::string> files_read;
};

json about(const std::vector<translation>& all, bool is_watched) {
  json result = {{"kernels", json::array()}, {"subscripts", json::array()}};
  for (const translation& t : all) {
    for (const kernel_declaration& k : t.kernels) result["kernels"].push_back(to_json(k));
    for (const subscript& s : t.subscripts) {
      if (is_watched) result["subscripts"].push_back(to_json(s));
    }
  }
  return result;
}
std::string text_of(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// What keeps it in the object, as a line of a section that is not loaded.
std::string section_of_about(const std::string& line) {
  std::string bytes;
  for (const char c : line + "\n") {
    // Numbers, so that no layer of quotes has a say.
    bytes += fmt::format("{}{}", bytes.empty() ? "" : ",", static_cast<int>(static_cast<unsigned char>(c)));
  }
  return fmt::format("\nasm(\".pushsection heddle_about,\\\"\\\",%progbits\\n.byte {}\\n.popsection\\n\");\n",
                     bytes);
}

/// The message of a CUDA header to a C compiler.
constexpr const char* cuda_in_c = "CUDA in a file of C";

class maker {
 public:
  explicit maker(compile_options options) : options_(with_absolute_names(std::move(options))) {}

  const compile_options& options() const { return options_; }

  void add_to(cache::digest& key, const source_unit& u) const {
    const compile_options own = options_of(u);
    for (const std::string& w : preprocess_command(with_, "", u.language, own, headers_, "")) key.add(w);
    for (const std::string& w : compile_command(with_, u.language, own, true, "", "")) key.add(w);
    for (const std::string& d : own.definitions) key.add(d);
    for (const std::string& instance : own.instances) key.add(instance);
    key.add(u.name);  // as messages and findings spell it
    key.add(u.text);
  }
  void add_to(cache::digest& key) const {
    for (const auto& [variable, folders] : search_variables()) key.add(variable), key.add(folders);
    key.add(with_.identity);
    key.add(library_identity());
    if (!options_.is_watched) key.add(processor());
    key.add(options_.is_relocatable ? "relocatable" : "apart");
    for (const std::string& word : options_.link_words) {
      key.add(word);
      struct stat found{};
      if (stat(word.c_str(), &found) == 0)
        key.add(fmt::format("{} {}.{}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec));
    }
    key.add("12");  // of the format of what is kept
  }

  /// One of several files keeps what is not relocatable to itself, and one that becomes an object says in it
  /// what is to be known of it.
  enum class role : std::uint8_t { only, one_of_several, object };

  compiled_unit make(const source_unit& u, role as, const fs::path& work) const {
    const compile_options own_options = options_of(u);
    const bool is_apart = as != role::only && !options_.is_relocatable;
    // A source's own includes are looked for beside it: they must find nothing.
    const fs::path own = work / "source";
    const fs::path original = own / "heddle", libraries = own / folder_of_libraries,
                   dependencies = work / "dependencies", text = work / "kernel.ii";
    compiled_unit result;
    result.object = work / "kernel.o";
    write_headers_of_libraries(libraries);
    write(original, line_directive(u.name) + u.text);
    write(own / file_of_definitions, definitions_after_headers(own_options));
    source_language language = u.language;
    process_result preprocessed =
        run(preprocess_command(with_, original, language, own_options, headers_, dependencies), work);
    if (language == source_language::c && preprocessed.err.find(cuda_in_c) != std::string::npos) {
      language = source_language::c_with_cuda;
      preprocessed =
          run(preprocess_command(with_, original, language, own_options, headers_, dependencies), work);
      preprocessed.out = c_as_cpp(preprocessed.out);
    }
    if (preprocessed.status != 0) fail_compilation(u.name, preprocessed.err);
    const bool sees_cuda = language == source_language::cuda ||
                           preprocessed.out.find("/heddle_device/language.hpp\" 1") != std::string::npos;
    // g++ does not instrument what calls read and write as wholes: structures that they take by value, and
    // results.
    const bool flattens = options_.is_watched && !with_.is_clang;
    result.translated =
        sees_cuda ? translate(preprocessed.out, {own_options.instances, options_.is_program, is_apart,
                                                 flattens, included_libraries(preprocessed.out, libraries)})
                  : translate_host(preprocessed.out, language == source_language::c);
    write(text, as == role::object && language != source_language::c
                    ? result.translated.text +
                          section_of_about(text_of(about({result.translated}, options_.is_watched)))
                    : result.translated.text);
    // Without watching, spins on volatile variables are still to be seen.
    const bool instruments = options_.is_watched || result.translated.has_volatile;
    const process_result compiled =
        run(compile_command(with_, language, own_options, instruments, text, result.object), work);
    if (compiled.status != 0 && !compile_mended(compiled.err, language, own_options, instruments, text, work))
      fail_compilation(
          u.name, with_columns_of_source(compiled.err, preprocessed.out, result.translated, u.text, u.name));
    result.files_read = dependencies_in(impl::contents(dependencies).value_or(""));
    std::erase_if(result.files_read,
                  [&](const std::string& file) { return file.starts_with(own.string() + "/"); });
    for (std::string& file : hidden_by(result.files_read, own_options))
      result.files_read.push_back(std::move(file));
    return result;
  }

  /// The module of objects; without the compiler's own runtimes: what runs the module has the functions that
  /// are called.
  fs::path link(const std::vector<fs::path>& objects, const std::string& name, const fs::path& work) const {
    const fs::path library = work / "kernel.so";
    const process_result linked = run(link_command(with_, options_, objects, library), work);
    if (linked.status != 0) fail_compilation(name, linked.err);
    return library;
  }

  static std::string contents_of(const fs::path& file) {
    auto made = impl::contents(file);
    if (!made) throw error(fmt::format("{} cannot be read: {}", shown_path(file), std::strerror(errno)));
    return *std::move(made);
  }

  static void write(const fs::path& path, const std::string& all) {
    std::ofstream out(path, std::ios::binary);
    out << all;
    if (!out.flush())
      throw error(fmt::format("{} cannot be written: {}", shown_path(path), std::strerror(errno)));
  }

 private:
  static compile_options with_absolute_names(compile_options options) {
    options.flags = without_toolkits(with_absolute_paths(std::move(options.flags)));
    for (std::string& header : options.forced_includes) {
      std::error_code ignored;
      if (fs::exists(header, ignored)) header = fs::absolute(header).string();
    }
    for (std::string& word : options.link_words) {
      std::error_code ignored;
      const bool is_folder = word.starts_with("-L");
      const std::string path = word.substr(is_folder ? 2 : 0);
      if (fs::exists(path, ignored)) word = (is_folder ? "-L" : "") + fs::absolute(path).string();
    }
    for (std::string& folder : options.include_folders) folder = fs::absolute(folder).string();
    return options;
  }
  compile_options options_of(const source_unit& u) const {
    compile_options own = options_;
    if (u.own) {
      const compile_options named = with_absolute_names(*u.own);
      own.include_folders = named.include_folders;
      own.definitions = named.definitions;
      own.flags = named.flags;
      own.forced_includes = named.forced_includes;
      own.standard = named.standard;
      own.instances = named.instances;
    }
    if (!u.folder.empty())
      own.flags.insert(own.flags.begin(), {"-iquote", fs::absolute(u.folder).lexically_normal().string()});
    return own;
  }
  /// Whether a text that the compiler refuses, for what `messages` say, is compiled after all: as nvcc's
  /// front end would take it.
  bool compile_mended(std::string messages, source_language language, compile_options own, bool instruments,
                      const fs::path& text, const fs::path& work) const {
    constexpr int most_times = 4;  // what is mended may have hidden more of its kind
    for (int i = 0; i < most_times; ++i) {
      const auto mended = as_nvcc_takes_it(messages, contents_of(text));
      if (!mended) return false;
      write(text, mended->text);
      if (mended->is_permissive) own.flags.emplace_back("-fpermissive");
      const process_result compiled =
          run(compile_command(with_, language, own, instruments, text, work / "kernel.o"), work);
      if (compiled.status == 0) return true;
      messages = compiled.err;
    }
    return false;
  }
  static process_result run(std::vector<std::string> words, const fs::path& work) {
    words.push_back(fmt::format("-fdebug-prefix-map={}=/heddle", work.string()));
    return run_program(words, work);
  }

  compile_options options_;
  host_compiler with_ = find_compiler();
  fs::path headers_ = device_headers();
};

/// Whether a folder that make_in() made holds everything that was written to it: the cache may be cleared at
/// any time.
bool is_whole(const fs::path& work) {
  std::error_code ignored;
  if (!fs::exists(work / "whole", ignored)) return false;
  for (const fs::directory_entry& unit : fs::directory_iterator(work, ignored)) {
    if (!unit.is_directory(ignored)) continue;
    for (const char* const name : {"heddle", file_of_definitions}) {
      if (!fs::exists(unit.path() / "source" / name, ignored)) return false;
    }
  }
  return true;
}

/// Calls f with a folder for what compilers read and write. If the folder loses a file meanwhile, calls f
/// again with a folder outside the cache.
template <class F>
auto with_folder(const F& f) {
  {
    const temporary_folder work = cache::folder_for_making();
    try {
      maker::write(work.path() / "whole", "");
      auto made = f(work.path());
      if (is_whole(work.path())) return made;
    } catch (const std::exception&) {
      if (is_whole(work.path())) throw;
    }
  }
  const temporary_folder work = cache::private_folder_for_making();
  return f(work.path());
}

/// The folder of unit i.
fs::path folder_of_unit(const fs::path& work, std::size_t i) {
  const fs::path own = work / fmt::format("{}", i);
  fs::create_directories(own / "source");
  return own;
}

/// What several units are compiled to.
struct linked_units {
  cache::kept_file made;
  std::vector<std::string> files_read;
};
linked_units link_units(const maker& make, const std::vector<source_unit>& units,
                        const compile_options& options, const fs::path& work) {
  const maker::role as =
      units.size() > 1 || !options.link_words.empty() ? maker::role::one_of_several : maker::role::only;
  const auto compile_one = [&](std::size_t i) { return make.make(units[i], as, folder_of_unit(work, i)); };
  const std::size_t at_once = std::max<std::size_t>(1, available_cores());
  std::vector<compiled_unit> compiled;
  for (std::size_t first = 0; first < units.size(); first += at_once) {
    std::vector<std::future<compiled_unit>> running;
    for (std::size_t i = first; i < std::min(first + at_once, units.size()); ++i)
      running.push_back(
          std::async(units.size() > 1 ? std::launch::async : std::launch::deferred, compile_one, i));
    for (std::future<compiled_unit>& one : running) compiled.push_back(one.get());
  }
  std::vector<fs::path> objects;
  std::vector<translation> translated;
  linked_units result;
  bool has_main = !options.is_program || !options.link_words.empty();
  for (compiled_unit& c : compiled) {
    objects.push_back(c.object);
    has_main |= c.translated.has_main;
    result.files_read.insert(result.files_read.end(), c.files_read.begin(), c.files_read.end());
    translated.push_back(std::move(c.translated));
  }
  if (!has_main)
    throw error(units.size() > 1 ? "the files have no main"
                                 : "the file has no main: name a kernel of it with --kernel");
  const fs::path library = make.link(objects, units.front().name, work);
  result.made = {maker::contents_of(library), text_of(about(translated, options.is_watched))};
  return result;
}

compilation compile_units(const std::vector<source_unit>& units, const compile_options& options) {
  const maker make(options);
  cache::digest key;
  for (const source_unit& u : units) make.add_to(key, u);
  make.add_to(key);
  const std::string name_of_entry = key.text();
  if (const auto kept = cache::find_kept(name_of_entry)) return from_kept(*kept, true);

  const auto began = std::chrono::system_clock::now();
  const linked_units linked =
      with_folder([&](const fs::path& work) { return link_units(make, units, options, work); });
  cache::keep(name_of_entry, linked.made, ".so", linked.files_read, began);
  return from_kept(linked.made, false);
}

}  // namespace

std::optional<source_language> language_of(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".cu" || ending == ".cuh") return source_language::cuda;
  if (ending == ".c") return source_language::c;
  for (const char* const of_cpp : {".cpp", ".cc", ".cxx", ".C", ".c++", ".cp"}) {
    if (ending == of_cpp) return source_language::cpp;
  }
  return std::nullopt;
}

compilation compile_file(const std::string& path, const compile_options& options) {
  return compile_units({read_unit({path, source_language::cuda, {}})}, options);
}

compilation compile_files(const std::vector<source_file>& files, compile_options options) {
  std::vector<source_unit> units;
  for (const source_file& file : files) units.push_back(read_unit(file));
  // Files of a build may use one another's code of the device where one of them says so.
  options.is_relocatable |= std::any_of(files.begin(), files.end(), [](const source_file& file) {
    return file.own && file.own->is_relocatable;
  });
  return compile_units(units, options);
}

compilation compile(const std::string& source, const std::string& name, const compile_options& options) {
  return compile_units({{source, name, "", source_language::cuda, {}}}, options);
}

object_file compile_object(const source_file& file, compile_options options) {
  const maker make(std::move(options));
  const source_unit unit = read_unit(file);
  return with_folder([&](const fs::path& work) {
    const compiled_unit made = make.make(unit, maker::role::object, folder_of_unit(work, 0));
    return object_file{maker::contents_of(made.object), made.files_read};
  });
}

std::string link_objects(const compile_options& options) {
  const maker make(options);
  return with_folder(
      [&](const fs::path& work) { return maker::contents_of(make.link({}, "the program", work)); });
}

compilation linked_compilation(const std::string& library, std::string_view about) {
  compilation result{std::make_shared<const sealed_library>(library), {}, {}, true};
  std::stringstream lines{std::string(about)};
  for (std::string line; std::getline(lines, line);) add_about(result, json::parse(line));
  return result;
}

}  // namespace heddle::cuda_on_cpu

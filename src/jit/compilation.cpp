#include "jit/compilation.hpp"

#include "io/contents.hpp"
#include "jit/cache.hpp"
#include "jit/diagnostics.hpp"
#include "jit/libraries.hpp"
#include "jit/process.hpp"
#include "jit/source_folder.hpp"
#include <heddle/error.hpp>
#include <heddle/io/named_stream.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::jit {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct compiler {
  std::vector<std::string> words;  // the program and its first arguments
  bool is_clang = false;
  std::string identity;  // changes when another compiler is at its place

  /// Counts a program in: its file, whatever links lead there.
  void add(const fs::path& program) {
    std::error_code ignored;
    const fs::path real = fs::canonical(program, ignored);
    for (const fs::path& path : {program, real})
      is_clang |= path.filename().string().find("clang") != std::string::npos;
    struct stat about{};
    stat(real.c_str(), &about);
    identity += fmt::format("{} {} {}.{}\n", real.string(), about.st_size, about.st_mtim.tv_sec,
                            about.st_mtim.tv_nsec);
  }
};

std::vector<std::string> words_in(const std::string& text) {
  std::stringstream blanks_between(text);
  std::vector<std::string> words;
  for (std::string word; blanks_between >> word;) words.push_back(word);
  return words;
}

compiler find_compiler() {
  compiler found;
  const char* const chosen = std::getenv("CXX");
  if (chosen != nullptr && *chosen != '\0') {
    // A path may have blanks, too.
    found.words = find_program(chosen).empty() ? words_in(chosen) : std::vector<std::string>{chosen};
    const fs::path program = found.words.empty() ? fs::path() : find_program(found.words[0]);
    if (program.empty()) throw error(fmt::format("CXX names '{}', which is no program", shown_path(chosen)));
    found.words[0] = program.string();
    found.words = with_absolute_paths(std::move(found.words));
  } else {
    for (const char* name : {"g++", "clang++", "c++"}) {
      if (found.words.empty() && !find_program(name).empty()) found.words = {find_program(name).string()};
    }
  }
  if (found.words.empty())
    throw error(
        "kernels are compiled on the CPU by the system's C++ compiler, and there is none: install g++ or "
        "clang++, or name one in CXX");
  // One that starts another, such as ccache, has its name after its own, or is called by it.
  for (std::string& word : found.words) {
    const fs::path program = word.starts_with('-') ? fs::path() : find_program(word);
    if (program.empty()) continue;
    found.add(program);
    if (word.find('/') != std::string::npos) word = program.string();
  }
  std::error_code ignored;
  if (fs::canonical(found.words[0], ignored).filename() == "ccache") {
    for (const fs::path& program : find_programs(fs::path(found.words[0]).filename().string()))
      found.add(program);
  }
  return found;
}

/// What code for "the processor at hand" depends on.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string all;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const char* const begin :
         {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU"}) {
      if (line.starts_with(begin)) all += line + "\n";
    }
  }
  return all;
}

/// The program or the shared library that this function is in; empty when it is not known. What dladdr says
/// of a program is the name by which it was called.
fs::path own_file() {
  const auto here = reinterpret_cast<std::uintptr_t>(&own_file);
  std::stringstream maps(impl::contents("/proc/self/maps").value_or(""));
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    const std::size_t path = line.find('/');
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 && begin <= here && here < end &&
        path != std::string::npos)
      return line.substr(path);
  }
  return {};
}

/// Whether a folder and the headers in it are the system's, the user's or of who made this program, who could
/// change that as well: in /tmp anyone may make folders beside a program's.
bool is_trusted(const fs::path& headers, const fs::path& prefix, uid_t maker) {
  for (fs::path path = headers / "heddle_device" / "language.hpp"; path != prefix && path.has_relative_path();
       path = path.parent_path()) {
    struct stat about{};
    if (stat(path.c_str(), &about) != 0 || (about.st_mode & S_IWOTH) != 0) return false;
    if (about.st_uid != 0 && about.st_uid != geteuid() && about.st_uid != maker) return false;
  }
  return true;
}

/// Where the headers of the device language are: beside what is installed, where this was to be installed, or
/// in the source that it was built from.
fs::path device_headers() {
  const fs::path own = own_file();
  struct stat made{};
  const uid_t maker = stat(own.c_str(), &made) == 0 ? made.st_uid : 0;
  std::error_code ignored;
  for (const fs::path& file : {fs::read_symlink("/proc/self/exe", ignored), own}) {
    // Of a package of Python.
    if (const fs::path beside = file.parent_path(); is_trusted(beside / HEDDLE_DEVICE_FOLDER, beside, maker))
      return beside / HEDDLE_DEVICE_FOLDER;
    // Of bin, of lib, or of lib/x86_64-linux-gnu.
    for (fs::path prefix = file.parent_path().parent_path(); prefix.has_relative_path();
         prefix = prefix.parent_path()) {
      if (is_trusted(prefix / HEDDLE_DEVICE_FOLDER, prefix, maker)) return prefix / HEDDLE_DEVICE_FOLDER;
      if (prefix.filename() != "lib") break;
    }
  }
  const fs::path installed = fs::path(HEDDLE_PREFIX) / HEDDLE_DEVICE_FOLDER;
  for (const fs::path& folder : {installed, fs::path(device_source_folder)}) {
    if (fs::exists(folder / "heddle_device" / "language.hpp", ignored)) return folder;
  }
  throw error(fmt::format("the headers of the device language are neither in {} nor in {}: install them anew",
                          installed.string(), device_source_folder));
}

std::vector<std::string> common_options(const compiler& with, const compile_options& options,
                                        source_language language) {
  std::vector<std::string> words = with.words;
  if (language != source_language::c) words.push_back("-std=" + options.standard);
  words.insert(words.end(), {"-fPIC", "-w"});
  if (options.is_watched) {
    // Lines and the names of functions are all that reports need.
    words.insert(words.end(), {"-O1", "-g1"});
  } else {
    words.insert(words.end(), {"-O3", "-march=native", "-fno-trapping-math"});
  }
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  return words;
}

constexpr const char* folder_of_libraries = "libraries";
constexpr const char* file_of_definitions = "definitions";

/// Whether a definition is for the headers of the system, which reserve such names, and NDEBUG.
bool is_before_headers(std::string_view definition) {
  return definition.starts_with('_') || definition.substr(0, definition.find('=')) == "NDEBUG";
}

std::vector<std::string> preprocess_command(const compiler& with, const fs::path& source,
                                            source_language language, const compile_options& options,
                                            const fs::path& headers, const fs::path& dependencies) {
  const bool is_cuda = language == source_language::cuda;
  std::vector<std::string> words = common_options(with, options, language);
  // Some systems' compilers define it, and glibc's headers then call __printf_chk where a kernel calls
  // printf.
  words.emplace_back("-U_FORTIFY_SOURCE");
  for (const std::string& d : options.definitions) {
    if (!is_cuda || is_before_headers(d)) words.push_back("-D" + d);
  }
  for (const std::string& i : options.include_folders) {
    // A toolkit's own headers are for its compiler.
    std::error_code ignored;
    if (!fs::exists(fs::path(i) / "cuda_runtime_api.h", ignored)) words.push_back("-I" + i);
  }
  if (options.is_watched) words.emplace_back("-DHEDDLE_WATCHED");
  if (options.is_program) words.emplace_back("-DHEDDLE_PROGRAM");
  const fs::path own = source.parent_path();
  words.insert(words.end(), {"-isystem", headers.string(), "-isystem", (own / folder_of_libraries).string()});
  if (is_cuda) {
    words.insert(words.end(), {"-include", (headers / "heddle_device" / "language.hpp").string(), "-include",
                               (own / file_of_definitions).string()});
  } else {
    words.emplace_back("-DHEDDLE_HOST_SOURCE");
  }
  for (const std::string& header : options.forced_includes) words.insert(words.end(), {"-include", header});
  words.insert(words.end(), {"-x", language == source_language::c ? "c" : "c++", "-E", "-MD", "-MF",
                             dependencies.string(), source.string()});
  return words;
}

/// What the definitions that the device language must not see become, once it has been read.
std::string definitions_after_headers(const compile_options& options) {
  std::string text = "#pragma GCC system_header\n";
  for (const std::string& d : options.definitions) {
    const std::size_t equals = std::min(d.find('='), d.size());
    if (is_before_headers(d)) continue;
    text += fmt::format("#define {} {}\n", d.substr(0, equals),
                        equals == d.size() ? std::string("1") : d.substr(equals + 1));
  }
  return text;
}

std::vector<std::string> compile_command(const compiler& with, source_language language,
                                         const compile_options& options, bool instruments,
                                         const fs::path& text, const fs::path& object) {
  std::vector<std::string> words = common_options(with, options, language);
  words.insert(words.end(), {"-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off",
                             "-fno-strict-aliasing", "-fno-builtin-printf", "-c"});
  // Excerpts are made of the source itself.
  words.emplace_back(with.is_clang ? "-fno-caret-diagnostics" : "-fno-diagnostics-show-caret");
  if (!with.is_clang) words.emplace_back("-fdiagnostics-column-unit=byte");
  // What they write is watched where they are called.
  if (options.is_watched)
    words.insert(words.end(), {"-fno-optimize-sibling-calls", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                               "-fno-builtin-memset"});
  if (!with.is_clang) words.emplace_back("-fno-gnu-unique");
  if (instruments) {
    words.emplace_back(options.is_watched ? (with.is_clang ? "-fsanitize=thread,array-bounds,alignment"
                                                           : "-fsanitize=thread,bounds-strict,alignment")
                                          : "-fsanitize=thread");
    for (const char* w : {"tsan-distinguish-volatile=1", "tsan-instrument-func-entry-exit=0"}) {
      words.emplace_back(with.is_clang ? "-mllvm" : "--param");
      words.emplace_back(with.is_clang ? std::string("-") + w : std::string(w));
    }
    words.emplace_back("-fsanitize-recover=undefined");
    if (options.is_profiled) {
      // Vectors are accessed as a whole, and code stays in the order in which it was written.
      words.emplace_back(with.is_clang ? "-fsanitize-coverage=bb,trace-pc" : "-fsanitize-coverage=trace-pc");
      if (!with.is_clang) words.insert(words.end(), {"-fno-tree-sra", "-fno-reorder-blocks"});
    }
    // Atomics stay instructions; g++ is told so where they are written. What is read and then written counts
    // as both.
    if (with.is_clang)
      words.insert(words.end(), {"-mllvm", "-tsan-instrument-atomics=0", "-mllvm",
                                 "-tsan-instrument-read-before-write=1"});
  }
  words.insert(words.end(), {"-x", language == source_language::c ? "cpp-output" : "c++-cpp-output",
                             text.string(), "-o", object.string()});
  return words;
}

/// What `make` reads: "target: file file \" with spaces written as "\ ".
std::vector<std::string> dependencies_in(std::string_view text) {
  std::vector<std::string> files;
  std::string file;
  std::size_t i = text.find(": ");
  if (i == std::string_view::npos) return files;
  for (i += 2; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c == '\\' && i + 1 < text.size() &&
        (text[i + 1] == ' ' || text[i + 1] == '#' || text[i + 1] == '\\')) {
      file += text[++i];
    } else if (c == '\\' || c == ' ' || c == '\n' || c == '\t') {
      if (!file.empty()) files.push_back(std::move(file));
      file.clear();
    } else {
      if (c == '$' && i + 1 < text.size() && text[i + 1] == '$') ++i;
      file += c;
    }
  }
  return files;
}

/// Where debug information says that sources with relative names are, in place of the folder that the
/// compiler ran in.
constexpr std::string_view folder_of_sources = "/heddle/";

/// The working directory with a slash after it.
std::string working_directory() {
  std::error_code ignored;
  return (fs::current_path(ignored) / "").string();
}

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

compilation from_kept(const kept_file& kept, bool was_cached) {
  compilation result{std::make_shared<const sealed_library>(kept.made), {}, {}, was_cached};
  add_about(result, json::parse(kept.about));
  return result;
}

/// What searches for headers name, in the order of the search.
std::vector<fs::path> searched_folders(const compile_options& options) {
  std::vector<fs::path> folders;
  const auto add = [&](const std::string& folder) {
    if (!folder.empty()) folders.push_back(fs::absolute(folder).lexically_normal());
  };
  const auto add_flags = [&](std::string_view option) {
    for (std::size_t i = 0; i < options.flags.size(); ++i) {
      if (options.flags[i] == option && i + 1 < options.flags.size())
        add(options.flags[++i]);
      else if (options.flags[i].starts_with(option))
        add(options.flags[i].substr(option.size()));
    }
  };
  const auto add_variable = [&](std::string_view name) {
    for (const auto& [variable, list] : search_variables()) {
      std::stringstream text(variable == name ? list : "");
      for (std::string folder; std::getline(text, folder, ':');) add(folder);
    }
  };
  add_flags("-iquote");
  add_flags("-I");
  for (const std::string& folder : options.include_folders) add(folder);
  add_variable("CPATH");
  add_flags("-isystem");
  add_variable("CPLUS_INCLUDE_PATH");
  add_flags("-idirafter");
  return folders;
}

/// Where a header would be read from in place of one that was, and is not there: in a folder that is searched
/// earlier, or beside another header.
std::vector<std::string> hidden_by(const std::vector<std::string>& files_read,
                                   const compile_options& options) {
  const std::vector<fs::path> folders = searched_folders(options);
  // A header's path within a folder; empty when it is in another.
  const auto within = [](const fs::path& file, const fs::path& folder) {
    fs::path inside = file.lexically_relative(folder);
    return inside.empty() || *inside.begin() == ".." ? fs::path() : inside;
  };
  std::set<fs::path> beside;
  std::vector<fs::path> paths;
  for (const std::string& file : files_read) {
    paths.push_back(fs::absolute(file).lexically_normal());
    for (const fs::path& folder : folders) {
      if (!within(paths.back(), folder).empty()) beside.insert(paths.back().parent_path());
    }
  }
  std::set<std::string> missing;
  const auto add = [&](const fs::path& earlier) {
    std::error_code ignored;
    if (!fs::exists(earlier, ignored)) missing.insert(earlier.string());
  };
  for (const fs::path& path : paths) {
    for (std::size_t i = 0; i < folders.size(); ++i) {
      const fs::path inside = within(path, folders[i]);
      if (inside.empty()) continue;
      for (std::size_t j = 0; j < i; ++j) add(folders[j] / inside);
      for (const fs::path& folder : beside) add(folder / inside);
    }
  }
  return {missing.begin(), missing.end()};
}

/// Changes with this build of the library: what translates is in it.
std::string own_identity() {
  struct stat about{};
  if (stat(own_file().c_str(), &about) != 0 && stat("/proc/self/exe", &about) != 0) return "";
  return fmt::format("{} {}.{}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

}  // namespace

std::vector<std::string> with_absolute_paths(std::vector<std::string> words) {
  // Those of the second kind have it in the same word.
  constexpr std::string_view options[] = {"-I",       "-L",      "-B",        "-idirafter", "-imacros",
                                          "-include", "-iquote", "-isysroot", "-isystem"},
                             joined[] = {"--include-path=", "--pre-include=", "--sysroot=", "-fplugin=",
                                         "-fprofile-use=",  "-specs=",        "@"};
  const auto make_absolute = [](std::string& word, std::size_t begin) {
    const fs::path path = word.substr(begin);
    // Otherwise it is a header in a folder that is searched, or another option.
    std::error_code ignored;
    if (path.is_relative() && fs::exists(path, ignored))
      word.replace(begin, std::string::npos, fs::absolute(path).string());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view option : options) {
      if (words[i] == option && i + 1 < words.size()) {
        make_absolute(words[++i], 0);
        break;
      }
      if (words[i].size() > option.size() && words[i].starts_with(option) && words[i][option.size()] != '=')
        make_absolute(words[i], option.size());
    }
    for (const std::string_view option : joined) {
      if (words[i].starts_with(option)) make_absolute(words[i], option.size());
    }
  }
  return words;
}

std::string line_directive(std::string_view name) {
  std::string result = "#line 1 \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"\n";
}

std::string messages_as_named(std::string messages) {
  const std::string here = working_directory();
  for (std::size_t at = 0; here.size() > 1 && (at = messages.find(here, at)) != std::string::npos;) {
    if (at == 0 || std::isspace(static_cast<unsigned char>(messages[at - 1])) != 0)
      messages.erase(at, here.size());
    else
      at += here.size();
  }
  return messages;
}

std::string as_named(std::string_view file) {
  for (const std::string& folder : {std::string(folder_of_sources), working_directory()}) {
    if (file.starts_with(folder)) return std::string(file.substr(folder.size()));
  }
  return std::string(file);
}

std::string read_source(const std::string& path) {
  auto text = impl::contents(fs::path(path));
  if (!text) throw error(fmt::format("{}: cannot be read: {}", shown_path(path), std::strerror(errno)));
  // Some editors begin a file with a mark of its encoding.
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  return *std::move(text);
}

std::string folder_of_source(const std::string& path) {
  const fs::path folder = descriptor_in(path) ? fs::path() : fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

namespace {

/// A source of what is compiled, and where it is looked for what it includes: in the folder that it is in.
struct source_unit {
  std::string text, name, folder;
  source_language language = source_language::cuda;
  std::optional<compile_options> own;
};

source_unit read_unit(const source_file& file) {
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

class maker {
 public:
  explicit maker(compile_options options) : options_(with_absolute_names(std::move(options))) {}

  const compile_options& options() const { return options_; }

  void add_to(digest& key, const source_unit& u) const {
    const compile_options own = options_of(u);
    for (const std::string& w : preprocess_command(with_, "", u.language, own, headers_, "")) key.add(w);
    for (const std::string& w : compile_command(with_, u.language, own, true, "", "")) key.add(w);
    for (const std::string& d : own.definitions) key.add(d);
    key.add(u.name);  // as messages and findings spell it
    key.add(u.text);
  }
  void add_to(digest& key) const {
    for (const auto& [variable, folders] : search_variables()) key.add(variable), key.add(folders);
    key.add(with_.identity);
    key.add(own_identity());
    if (!options_.is_watched) key.add(processor());
    for (const std::string& instance : options_.instances) key.add(instance);
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
    const process_result preprocessed =
        run(preprocess_command(with_, original, u.language, own_options, headers_, dependencies), work);
    if (preprocessed.status != 0) fail_compilation(u.name, preprocessed.err);
    const bool sees_cuda = u.language == source_language::cuda ||
                           preprocessed.out.find("/heddle_device/language.hpp\" 1") != std::string::npos;
    // g++ does not instrument what calls read and write as wholes: structures that they take by value, and
    // results.
    const bool flattens = options_.is_watched && !with_.is_clang;
    result.translated =
        sees_cuda ? translate(preprocessed.out, {options_.instances, options_.is_program, is_apart, flattens,
                                                 included_libraries(preprocessed.out, libraries)})
                  : translate_host(preprocessed.out, u.language == source_language::c);
    write(text, as == role::object && u.language != source_language::c
                    ? result.translated.text +
                          section_of_about(text_of(about({result.translated}, options_.is_watched)))
                    : result.translated.text);
    // Without watching, spins on volatile variables are still to be seen.
    const bool instruments = options_.is_watched || result.translated.has_volatile;
    const process_result compiled =
        run(compile_command(with_, u.language, own_options, instruments, text, result.object), work);
    if (compiled.status != 0)
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
    std::vector<std::string> words = with_.words;
    words.emplace_back("-shared");
    for (const fs::path& object : objects) words.push_back(object.string());
    words.insert(words.end(), options_.link_words.begin(), options_.link_words.end());
    words.insert(words.end(), {"-o", library.string(), "-lm"});
    if (options_.is_program) {
      words.insert(words.end(), {"-Wl,-z,defs", "-Wl,--require-defined=heddle_module_main", "-pthread"});
      for (const char* of_memory :
           {"free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm", "malloc", "calloc", "realloc", "_Znam"})
        words.push_back(fmt::format("-Wl,--wrap={}", of_memory));
    }
    const process_result linked = run(std::move(words), work);
    if (linked.status != 0) fail_compilation(name, linked.err);
    return library;
  }

  static std::string contents_of(const fs::path& file) {
    auto made = impl::contents(file);
    if (!made) throw error(fmt::format("{} cannot be read: {}", shown_path(file), std::strerror(errno)));
    return *std::move(made);
  }

 private:
  static compile_options with_absolute_names(compile_options options) {
    options.flags = with_absolute_paths(std::move(options.flags));
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
    }
    if (!u.folder.empty())
      own.flags.insert(own.flags.begin(), {"-iquote", fs::absolute(u.folder).lexically_normal().string()});
    return own;
  }
  static void write(const fs::path& path, const std::string& all) {
    std::ofstream out(path, std::ios::binary);
    out << all;
    if (!out.flush())
      throw error(fmt::format("{} cannot be written: {}", shown_path(path), std::strerror(errno)));
  }
  static process_result run(std::vector<std::string> words, const fs::path& work) {
    words.push_back(fmt::format("-fdebug-prefix-map={}=/heddle", work.string()));
    return run_program(words, work);
  }

  compile_options options_;
  compiler with_ = find_compiler();
  fs::path headers_ = device_headers();
};

compilation compile_units(const std::vector<source_unit>& units, const compile_options& options) {
  const maker make(options);
  digest key;
  for (const source_unit& u : units) make.add_to(key, u);
  make.add_to(key);
  const std::string name_of_entry = key.text();
  if (const auto kept = find_kept(name_of_entry)) return from_kept(*kept, true);

  const auto began = std::chrono::system_clock::now();
  const temporary_folder work = folder_for_making();
  const maker::role as =
      units.size() > 1 || !options.link_words.empty() ? maker::role::one_of_several : maker::role::only;
  const auto compile_one = [&](std::size_t i) {
    const fs::path own = work.path() / fmt::format("{}", i);
    fs::create_directories(own / "source");
    return make.make(units[i], as, own);
  };
  const std::size_t at_once = std::max<std::size_t>(1, available_cores());
  std::vector<compiled_unit> compiled;
  for (std::size_t first = 0; first < units.size(); first += at_once) {
    std::vector<std::future<compiled_unit>> under_way;
    for (std::size_t i = first; i < std::min(first + at_once, units.size()); ++i)
      under_way.push_back(
          std::async(units.size() > 1 ? std::launch::async : std::launch::deferred, compile_one, i));
    for (std::future<compiled_unit>& one : under_way) compiled.push_back(one.get());
  }
  std::vector<fs::path> objects;
  std::vector<translation> translated;
  std::vector<std::string> files_read;
  bool has_main = !options.is_program || !options.link_words.empty();
  for (compiled_unit& c : compiled) {
    objects.push_back(c.object);
    has_main |= c.translated.has_main;
    files_read.insert(files_read.end(), c.files_read.begin(), c.files_read.end());
    translated.push_back(std::move(c.translated));
  }
  if (!has_main)
    throw error(units.size() > 1 ? "the files have no main"
                                 : "the file has no main: name a kernel of it with --kernel");
  const fs::path library = make.link(objects, units.front().name, work.path());
  const kept_file kept{maker::contents_of(library), text_of(about(translated, options.is_watched))};
  keep(name_of_entry, kept, ".so", files_read, began);
  return from_kept(kept, false);
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

compilation compile_file(const std::string& path, compile_options options) {
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
  const temporary_folder work = folder_for_making();
  fs::create_directories(work.path() / "source");
  const compiled_unit made = make.make(read_unit(file), maker::role::object, work.path());
  return {maker::contents_of(made.object), made.files_read};
}

std::string link_objects(const compile_options& options) {
  const maker make(options);
  const temporary_folder work = folder_for_making();
  return maker::contents_of(make.link({}, "the program", work.path()));
}

compilation linked_compilation(const std::string& library, std::string_view about) {
  compilation result{std::make_shared<const sealed_library>(library), {}, {}, true};
  std::stringstream lines{std::string(about)};
  for (std::string line; std::getline(lines, line);) add_about(result, json::parse(line));
  return result;
}

}  // namespace heddle::jit

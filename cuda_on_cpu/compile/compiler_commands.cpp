#include "cuda_on_cpu/compile/compiler_commands.hpp"

#include "cuda_on_cpu/compile/process.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

namespace heddle::cuda_on_cpu {
namespace {

namespace fs = std::filesystem;

/// Counts a program in: its file, whatever links lead there.
void add_program(host_compiler& to, const fs::path& program) {
  std::error_code ignored;
  const fs::path real = fs::canonical(program, ignored);
  for (const fs::path& path : {program, real})
    to.is_clang |= path.filename().string().find("clang") != std::string::npos;
  struct stat about{};
  stat(real.c_str(), &about);
  to.identity +=
      fmt::format("{} {} {}.{}\n", real.string(), about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

std::vector<std::string> words_in(const std::string& text) {
  std::stringstream blanks_between(text);
  std::vector<std::string> words;
  for (std::string word; blanks_between >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> common_options(const host_compiler& with, const compile_options& options,
                                        source_language language) {
  std::vector<std::string> words = with.words;
  if (language != source_language::c) words.push_back("-std=" + options.standard);
  if (language == source_language::c_with_cuda) words.emplace_back("-fpermissive");
  words.insert(words.end(), {"-fPIC", "-w"});
  if (options.is_watched) {
    // Lines and the names of functions are all that reports need.
    words.insert(words.end(), {"-O1", "-g1"});
    // A loop that does nothing has a line, too.
    if (!with.is_clang) words.emplace_back("-gstatement-frontiers");
  } else {
    words.insert(words.end(), {"-O3", "-march=native", "-fno-trapping-math"});
  }
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  return words;
}

/// Whether a definition is for the headers of the system, which reserve such names, and NDEBUG.
bool is_before_headers(std::string_view definition) {
  return definition.starts_with('_') || definition.substr(0, definition.find('=')) == "NDEBUG";
}

/// Whether a folder has a toolkit's own headers, or its C++ libraries': they are for its compiler.
bool is_of_toolkit(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "cuda_runtime_api.h", ignored) ||
         (fs::exists(folder / "cuda" / "std", ignored) && fs::exists(folder / "thrust", ignored));
}

}  // namespace

std::vector<std::string> without_toolkits(std::vector<std::string> flags) {
  for (std::size_t i = 0; i + 1 < flags.size();) {
    const bool names_folder = flags[i] == "-isystem" || flags[i] == "-idirafter" || flags[i] == "-I";
    const auto at = flags.begin() + static_cast<std::ptrdiff_t>(i);
    if (names_folder && is_of_toolkit(flags[i + 1])) {
      flags.erase(at, at + 2);
    } else {
      ++i;
    }
  }
  return flags;
}

host_compiler find_compiler() {
  host_compiler found;
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
    add_program(found, program);
    if (word.find('/') != std::string::npos) word = program.string();
  }
  std::error_code ignored;
  if (fs::canonical(found.words[0], ignored).filename() == "ccache") {
    for (const fs::path& program : find_programs(fs::path(found.words[0]).filename().string()))
      add_program(found, program);
  }
  return found;
}

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

std::vector<std::string> preprocess_command(const host_compiler& with, const fs::path& source,
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
    if (!is_of_toolkit(i)) words.push_back("-I" + i);
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

std::vector<std::string> compile_command(const host_compiler& with, source_language language,
                                         const compile_options& options, bool instruments,
                                         const fs::path& text, const fs::path& object) {
  std::vector<std::string> words = common_options(with, options, language);
  words.insert(words.end(), {"-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off",
                             "-fno-strict-aliasing", "-fno-builtin-printf", "-c"});
  // Excerpts are made of the source itself.
  words.emplace_back(with.is_clang ? "-fno-caret-diagnostics" : "-fno-diagnostics-show-caret");
  if (!with.is_clang) words.emplace_back("-fdiagnostics-column-unit=byte");
  // A kernel's new gives null where there is no memory, and throws nothing.
  words.emplace_back("-fcheck-new");
  // What they write is watched where they are called.
  if (options.is_watched)
    words.insert(words.end(), {"-fno-optimize-sibling-calls", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                               "-fno-builtin-memset"});
  // GCC 12 vectorises {(double)(float)a, (double)(float)b} as a pair of lanes, and then rounds neither.
  if (!with.is_clang) words.insert(words.end(), {"-fno-gnu-unique", "-fno-tree-slp-vectorize"});
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

std::vector<std::string> link_command(const host_compiler& with, const compile_options& options,
                                      const std::vector<fs::path>& objects, const fs::path& library) {
  std::vector<std::string> words = with.words;
  words.emplace_back("-shared");
  for (const fs::path& object : objects) words.push_back(object.string());
  words.insert(words.end(), options.link_words.begin(), options.link_words.end());
  words.insert(words.end(), {"-o", library.string(), "-lm"});
  if (options.is_program)
    words.insert(words.end(), {"-Wl,-z,defs", "-Wl,--require-defined=heddle_module_main", "-pthread"});
  if (options.is_watched) {
    for (const char* of_memory :
         {"free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm", "malloc", "calloc", "realloc", "_Znam", "_Znwm"})
      words.push_back(fmt::format("-Wl,--wrap={}", of_memory));
  }
  return words;
}

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

}  // namespace heddle::cuda_on_cpu
